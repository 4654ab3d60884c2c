"""Chapter W: the worked examples, shown to learners and run on every engine."""

from __future__ import annotations

from conformance.clauses.clause import Clause, Level

SHOWN = Level.SHOWN

CLAUSES = (
    Clause("W1", SHOWN, "x @ a with an upstream gradient; refused without one, and with one of another shape.",
           "Why backward() needs an argument."),
    Clause("W2", SHOWN, "a * a with upstream a, ones, and one entry at a time.",
           "What the argument means: the weight of each entry of the output."),
    Clause("W3", SHOWN, "(a + b) * d, and its graph edge by edge.",
           "How the backward pass traverses a graph."),
    Clause("W4", SHOWN, "A linear layer with a custom rule.",
           "How a user's own op gets its derivative."),
    Clause("W5", SHOWN, "Two layers, with every step's gradient written out.",
           "What an engine computes for a whole network."),
    Clause("W6", SHOWN, "sin with an upstream other than 1.",
           "Why the gradient is multiplied by the upstream gradient."),
    Clause("W7", SHOWN, "none, sum and mean over batches of 1, 2, 7 and 64.",
           "Whether a batch's gradients are summed or averaged."),
    Clause("W8", SHOWN, "A value reached along several paths, and gradients that add up until cleared.",
           "Why gradients accumulate."),
)  # fmt: skip
