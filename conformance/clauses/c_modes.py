"""Chapter C: recording modes, custom rules, transforms."""

from __future__ import annotations

from conformance.clauses.clause import Clause, Level

MAY, MUST, SHOULD = Level.MAY, Level.MUST, Level.SHOULD

CLAUSES = (
    Clause("C1", MUST, "In a no_grad scope nothing is recorded, and recording resumes however the scope is left.",
           "A scope that leaks silently freezes training or fills the memory."),
    Clause("C2", MUST, "A detached value is the same value; no gradient flows through it, and everything else is unchanged.",
           "Target networks, straight-through estimators and baselines depend on it."),
    Clause("C3", MUST, "A detached value shares its storage with the original value, or is a copy, as declared.",
           "Writing into a detached value changes the model, or does not; who ports code must know which.",
           ("shares", "copies")),
    Clause("C4", MUST, "An operand that needs no gradient gets none, unless the engine marks none and stores all, as declared; the others' gradients do not change.",
           "Freezing a layer must not change how the others train.",
           ("none", "stored")),
    Clause("C5", MUST, "A custom rule is called once per use with the right cotangent, or tangent; a wrong number or shape of what it returns is refused, a wrong dtype refused or cast; None means zero or is refused, and one None more than there are operands is tolerated or refused, as declared.",
           "Custom rules are where users' own bugs are; only the engine can notice them.",
           ("tolerated", "refused")),
    Clause("C6", SHOULD, "The backward pass computes a checkpointed function again, by calling it or by replaying its trace as declared, and its gradient is the same bit for bit.",
           "Checkpoints trade time for memory; if they changed a number, every comparison with the run without them would be lost.",
           ("calls", "replays")),
    Clause("C7", MUST, "Through control flow that depends on values the gradient is that of the path taken, unless such functions are refused, as declared.",
           "Branches, loops and recursion are how models are written; a path kept from an earlier call gives the gradient of another function.",
           ("eager", "refused")),
    Clause("C8", MAY, "In an anomaly scope the error names the op of the forward pass whose rule made the first NaN.",
           "After the first NaN everything is NaN; without a name one searches the whole model."),
    Clause("C9", MUST, "Hooks are called in the order of registration, once per backward with the summed cotangent; what one returns replaces it, and a removed one is not called.",
           "Clipping, logging and gradient surgery are hooks; one that sees a part of the sum clips the wrong number."),
    Clause("C10", MUST, "A function compiled or mapped over an axis has the values and gradients of the plain function, or of the loop, also at every later call.",
           "A value fixed at the first call, or an axis summed that should be kept, trains on other data than was given."),
    Clause("C11", MUST, "A loop or branch of the engine's own has the values and gradients of Python's, also of what it captures; a branch that is not taken contributes nothing. Where values decide the number of steps, the loop has gradients in reverse, or refuses them, as declared.",
           "Recurrent models are loops over time: a step that is dropped, or a captured weight summed over all steps but one, trains another model.",
           ("reverse", "refused")),
    Clause("C12", MUST, "Where a function draws random numbers, its gradient is of those that its value was made with, also where it is computed again, compiled, or differentiated twice; each call draws others.",
           "Dropout is a mask: a checkpoint that draws another one in the backward pass trains other units than it ran, and nothing shows it."),
)  # fmt: skip
