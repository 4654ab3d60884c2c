"""Chapter D: mutation, views, aliasing."""

from __future__ import annotations

from conformance.clauses.clause import Clause, Level

MUST = Level.MUST

CLAUSES = (
    Clause("D1", MUST, "The forward call leaves its operands untouched.",
           "Operands are weights and data that are used again."),
    Clause("D2", MUST, "The walk back leaves operands and outputs untouched.",
           "A second loss over the same values must see the same values."),
    Clause("D8", MUST, "Gradients do not alias each other, an output or an operand, also where an op's output aliases its operand.",
           "Clipping or scaling one gradient in place must not change another."),
    Clause("D10", MUST, "Layouts do not matter: C, F, reversed, strided, offset and stride-0 operands and cotangents give the same gradient.",
           "Transposes and broadcasts hand non-contiguous cotangents to every kernel."),
)  # fmt: skip
