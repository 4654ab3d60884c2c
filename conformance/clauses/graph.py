"""Chapter B: accumulation and the graph."""

from __future__ import annotations

from conformance.clauses.clause import Clause, Level

MAY, MUST, SHOULD = Level.MAY, Level.MUST, Level.SHOULD

CLAUSES = (
    Clause("B1", MUST, "A value used k times receives the sum of its k contributions.",
           "The chain rule of several variables; overwriting instead of adding trains shared weights wrongly."),
    Clause("B2", MUST, "Contributions are summed at a node before they travel on.",
           "Walking each path alone takes exponential time through a chain of diamonds."),
    Clause("B3", MUST, "Two gradient calls accumulate into a leaf's gradient, or replace it where that is elected; pullbacks are additive.",
           "Micro-batches rely on accumulation, and forgetting to clear is the classic bug where it is not expected.",
           ("accumulates", "replaces", "functional")),
    Clause("B5", MUST, "Writing into one leaf's gradient changes no other gradient, no seed and no value.",
           "Gradient clipping works in place: through shared memory it would clip a neighbour twice."),
    Clause("B7", MUST, "With the graph retained, k backward calls give k times the gradient; a pullback gives the same each time.",
           "Several losses over one forward pass, Jacobians row by row."),
    Clause("B11", SHOULD, "Deep graphs of 10 000 nodes exhaust no stack: forward, backward and destruction.",
           "Recurrent models and solvers unroll thousands of steps."),
    Clause("B13", MUST, "Clearing a gradient and running again gives the first answer.",
           "Every optimiser step does it."),
    Clause("B16", MUST, "A batch's gradient is the sum of the gradients of its parts; under a mean, their weighted mean.",
           "Micro-batching and data parallelism must give the full batch's step."),
    Clause("B17", MAY, "The recorded graph has a node per op, edges in operand order, an accumulation node at each leaf, and no variable on other nodes.",
           "Tools that draw, prune or debug graphs walk these edges."),
    Clause("B19", MUST, "Whatever order calls come in, values and stored gradients are those of the definition.",
           "A training loop that evaluates, clips, catches an error and goes on is one long history; what goes wrong only after one is found last."),
)  # fmt: skip
