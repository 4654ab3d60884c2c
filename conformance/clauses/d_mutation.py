"""Chapter D: mutation, views, aliasing."""

from __future__ import annotations

from conformance.clauses.clause import Clause, Level

MUST = Level.MUST

CLAUSES = (
    Clause("D1", MUST, "The forward call leaves its operands untouched.",
           "Operands are weights and data that are used again."),
    Clause("D2", MUST, "The walk back leaves operands and outputs untouched.",
           "A second loss over the same values must see the same values."),
    Clause("D3", MUST, "After a recorded write into a value that was saved for the way back, the gradient is refused, or is that of the value as it was.",
           "x += 1 after x was used is ordinary code; the gradient at the new x is a wrong number that nothing shows."),
    Clause("D4", MUST, "A write into an array's memory between forward and backward, which the engine cannot see, is refused, changes nothing, or is a hazard, as elected.",
           "Loaders and in-place optimisers write into buffers; where it is a hazard, nothing says that the gradient is of other values.",
           ("locks", "copies", "hazard")),
    Clause("D5", MUST, "A recorded write into a leaf that needs a gradient is refused, recorded, or makes a new leaf of it, as elected.",
           "Whether the old or the new value has the gradient decides what an initialisation in place trains.",
           ("refused", "recorded", "renewed")),
    Clause("D6", MUST, "A write through a view changes its base, and a write into the base its views, or neither where arrays are copies, as elected; gradients are those of that program.",
           "Slices are written through everywhere; a value that changes without its gradient is silently wrong.",
           ("views", "copies")),
    Clause("D7", MUST, "What is overwritten receives zero, and what was written receives its slice.",
           "Masks, paddings and caches are filled in place; a gradient to what is no longer there is wrong."),
    Clause("D8", MUST, "Gradients do not alias each other, an output or an operand, also where an op's output aliases its operand.",
           "Clipping or scaling one gradient in place must not change another."),
    Clause("D9", MUST, "What is picked or added several times accumulates; of values written at one place the one that stayed has the gradient, or each has, or it is refused, as elected.",
           "Embeddings pick rows again and again; overwriting instead of adding trains the last use only.",
           ("winner", "each", "refused")),
    Clause("D10", MUST, "Layouts do not matter: C, F, reversed, strided, offset and stride-0 operands and cotangents give the same gradient.",
           "Transposes and broadcasts hand non-contiguous cotangents to every kernel."),
    Clause("D11", MUST, "A constant into which a recorded value is written depends on it from then on, stays a constant, or refuses it, as elected.",
           "Buffers and caches begin as constants; where they stay constants, what is read from them trains nothing that was written.",
           ("recorded", "constant", "refused")),
)  # fmt: skip
