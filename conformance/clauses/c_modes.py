"""Chapter C: modes and cutting."""

from __future__ import annotations

from conformance.clauses.clause import Clause, Level

MAY, MUST, SHOULD = Level.MAY, Level.MUST, Level.SHOULD

CLAUSES = (
    Clause("C1", MUST, "In a scope without recording nothing is recorded, and recording resumes however it is left.",
           "A scope that leaks silently freezes training or fills the memory."),
    Clause("C2", MUST, "A detached value is the same value; nothing flows back through it, and everything else is unchanged.",
           "Target networks, straight-through estimators and baselines depend on it."),
    Clause("C3", MUST, "A detached value shares its storage with the value it was cut from, or is a copy, as elected.",
           "Writing into what was detached changes the model, or does not; code that ports must know which.",
           ("shares", "copies")),
    Clause("C4", MUST, "An operand that needs no gradient gets none, and the others' gradients do not change.",
           "Freezing a layer must not change how the others train."),
    Clause("C5", MUST, "A rule written by hand is called once per use with the right cotangent; a wrong number or shape of answers is refused, a wrong dtype refused or cast; None means zero or is refused.",
           "Hand-written rules are where users' own bugs are; the engine is the only one to notice.",
           ("tolerated", "refused")),
    Clause("C6", SHOULD, "A checkpointed function is computed anew on the way back, by calling it or by replaying its trace as elected, and its gradient is the same bit for bit.",
           "Checkpoints trade time for memory; if they changed a number, every comparison with the run without them would be lost.",
           ("calls", "replays")),
    Clause("C7", MUST, "Through control flow that depends on values the gradient is that of the way taken, unless such functions are refused, as elected.",
           "Branches, loops and recursion are how models are written; a way remembered from an earlier call gives another function's gradient.",
           ("eager", "refused")),
    Clause("C8", MAY, "Where anomalies are looked for, the error names the op of the forward pass whose way back made the first NaN.",
           "Behind the first NaN everything is NaN; without a name one searches the whole model."),
    Clause("C9", MUST, "Hooks are called in the order they came, once per backward with the summed cotangent; what one returns takes its place, and a removed one is not called.",
           "Clipping, logging and gradient surgery are hooks; one that sees a part of the sum clips the wrong number."),
    Clause("C10", MUST, "A function compiled or mapped over an axis has the values and gradients of the plain function, or of the loop, at every later call too.",
           "A value baked in at the first call, or an axis summed that was to be kept, trains on other data than was given."),
)  # fmt: skip
