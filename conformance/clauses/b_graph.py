"""Chapter B: accumulation and the graph."""

from __future__ import annotations

from conformance.clauses.clause import Clause, Level

MAY, MUST, SHOULD = Level.MAY, Level.MUST, Level.SHOULD

CLAUSES = (
    Clause("B1", MUST, "A value used k times receives the sum of its k contributions.",
           "The chain rule of several variables; overwriting instead of adding trains shared weights wrongly."),
    Clause("B2", MUST, "Contributions are summed at a node before they are propagated.",
           "Propagating along each path alone takes exponential time through a chain of diamonds."),
    Clause("B3", MUST, "Two gradient calls accumulate into a leaf's gradient, or replace it where the adapter declares it; pullbacks are additive.",
           "Micro-batches rely on accumulation, and forgetting to clear is the classic bug where accumulation is not expected.",
           ("accumulates", "replaces", "functional")),
    Clause("B4", MUST, "A gradient taken before a second backward call keeps its values, or is updated, as declared.",
           "Code that logs gradients or compares two steps must know whether to copy.",
           ("kept", "updated")),
    Clause("B5", MUST, "Writing into one leaf's gradient changes no other gradient, no seed and no value.",
           "Gradient clipping works in place: through shared memory it would clip another gradient too."),
    Clause("B6", MUST, "A second backward through a graph that was not retained is refused or gives the right answer; never a wrong number.",
           "A rule that reads freed values trains on noise."),
    Clause("B7", MUST, "With the graph retained, k backward calls give k times the gradient; a pullback gives the same each time.",
           "Several losses over one forward pass and Jacobians computed row by row need it."),
    Clause("B8", MUST, "An array that is no leaf holds no gradient, or its own, or refuses, as declared.",
           "Who reads the gradient of an activation must get it or know that it was not kept.",
           ("none", "kept", "refused")),
    Clause("B9", MUST, "A gradient computed as a function's value leaves every stored gradient unchanged.",
           "A penalty on gradients, computed inside the loss, must not be counted twice by the optimiser."),
    Clause("B10", SHOULD, "Permuting the operands of a commutative graph permutes the gradients exactly.",
           "Refactoring x + y into y + x must not change a training run."),
    Clause("B11", SHOULD, "Deep graphs of 10 000 nodes, or of 100 000 where the adapter declares it, exhaust no stack: forward, backward and destruction.",
           "Recurrent models and solvers unroll thousands of steps.",
           ("10 000 nodes", "100 000 nodes")),
    Clause("B12", SHOULD, "A graph's memory is freed with its outputs; no reference cycle keeps it.",
           "A training loop that depends on the cycle collector runs out of memory between its runs."),
    Clause("B13", MUST, "Clearing a gradient and running again gives the first result.",
           "Every optimiser step does this."),
    Clause("B14", MUST, "An exception inside a rule reaches the caller, leaves earlier gradients and modes unchanged, and the engine works afterwards.",
           "Who skips a batch that failed goes on training with the state that it left."),
    Clause("B15", SHOULD, "Gradients of disjoint graphs computed in several threads at once equal those computed in turn; a graph may be made in one thread and differentiated in another.",
           "Data loaders, servers and evaluation threads share one process."),
    Clause("B16", MUST, "A batch's gradient is the sum of the gradients of its parts; under a mean, their weighted mean.",
           "Micro-batching and data parallelism must give the full batch's step."),
    Clause("B17", MAY, "The recorded graph has a node per op, edges in operand order, an accumulation node at each leaf, and no variable on other nodes.",
           "Tools that draw, prune or debug graphs follow these edges."),
    Clause("B19", MUST, "Whatever order calls come in, values and stored gradients are those of the definition.",
           "A training loop that evaluates, clips, catches an error and goes on is one long history; an error that needs one is found last."),
    Clause("B20", MUST, "Gradients of several outputs by any arrays of their graph are those of the weighted sum of the outputs: all that comes through a result on the way counts, also for what lies behind it.",
           "Attribution of a decision to a layer, gradients by activations and losses taken at several heads of a network are computed so."),
    Clause("B18", MUST, "After a call that was refused or failed the next gradient is right, and earlier ones are unchanged.",
           "Interactive sessions and services go on after an error."),
)  # fmt: skip
