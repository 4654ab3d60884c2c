"""Chapter F: cost."""

from __future__ import annotations

from conformance.clauses.clause import Clause, Level

SHOULD, REPORTED = Level.SHOULD, Level.REPORTED

CLAUSES = (
    Clause("F1", REPORTED, "The time of a gradient relative to its forward pass is reported; the classical bound is about five.",
           "Reverse mode computes a gradient at the cost of a few evaluations, for any number of operands."),
    Clause("F2", REPORTED, "The peak memory of a gradient relative to its forward pass is reported.",
           "Memory, not time, limits the batch size."),
    Clause("F3", SHOULD, "The work of a gradient is linear in depth, in width and in fan-out: every rule is applied once.",
           "A backward pass that visits nodes repeatedly is fast on examples and does not end on a large model."),
    Clause("F4", REPORTED, "How often a function is called for one gradient is reported.",
           "The side effects and the cost of a function occur at every call."),
    Clause("F5", SHOULD, "A gradient prints nothing, warns of nothing, and raises nothing where nobody can catch it.",
           "A warning in every step of a training run hides the one that matters."),
    Clause("F6", REPORTED, "The first gradient of a function is reported separately from the later ones.",
           "Compilation and warm-up happen once; a benchmark that includes them measures neither."),
)  # fmt: skip
