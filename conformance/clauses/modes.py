"""Chapter C: modes and cutting."""

from __future__ import annotations

from conformance.clauses.clause import Clause, Level

MUST = Level.MUST

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
    Clause("C7", MUST, "Through control flow that depends on values the gradient is that of the way taken, unless such functions are refused, as elected.",
           "Branches, loops and recursion are how models are written; a way remembered from an earlier call gives another function's gradient.",
           ("eager", "refused")),
)  # fmt: skip
