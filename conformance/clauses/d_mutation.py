"""Chapter D: mutation, views, aliasing."""

from __future__ import annotations

from conformance.clauses.clause import Clause, Level

MUST = Level.MUST

CLAUSES = (
    Clause("D1", MUST, "The forward call leaves its operands untouched.",
           "Operands are weights and data that are used again."),
    Clause("D2", MUST, "The backward pass leaves operands and outputs untouched.",
           "A second loss over the same values must see the same values."),
    Clause("D3", MUST, "After a recorded write into a value that was saved for the backward pass, the gradient is refused, or is that of the original value.",
           "x += 1 after x was used is ordinary code; a gradient at the new x is wrong, and nothing shows it."),
    Clause("D4", MUST, "A write into an array's memory between forward and backward, which the engine cannot see, is refused, changes no gradient, or is a hazard, as the adapter declares.",
           "Data loaders and in-place optimisers write into buffers; where it is a hazard, the gradient is silently that of other values.",
           ("locks", "copies", "hazard")),
    Clause("D5", MUST, "A recorded write into a leaf that needs a gradient is refused, is recorded, or makes it a new leaf, as the adapter declares.",
           "Whether the old or the new value receives the gradient decides what is trained after an initialisation in place.",
           ("refused", "recorded", "renewed")),
    Clause("D6", MUST, "A write through a view changes its base, and a write into the base its views, or neither where arrays are copies, as the adapter declares; gradients are those of that program.",
           "Writing through slices is common; a value that changes without its gradient is silently wrong.",
           ("views", "copies")),
    Clause("D7", MUST, "Overwritten entries receive zero, and the written value receives the cotangent of its slice.",
           "Masks, paddings and caches are filled in place; a gradient for an overwritten value is wrong."),
    Clause("D8", MUST, "Gradients do not alias each other, an output or an operand, even where an op's output aliases its operand.",
           "Clipping or scaling one gradient in place must not change another."),
    Clause("D9", MUST, "Duplicate indices accumulate in reads and additions; of values written at one index the last one receives the gradient, or each does, or the write is refused, as the adapter declares.",
           "Embeddings read the same rows many times; overwriting instead of adding trains the last use only.",
           ("winner", "each", "refused")),
    Clause("D10", MUST, "Memory layouts do not matter: C, F, reversed, strided, offset and stride-0 operands and cotangents give the same gradient.",
           "Transposes and broadcasts pass non-contiguous cotangents to every kernel."),
    Clause("D11", MUST, "A constant into which a recorded value is written depends on it from then on, stays a constant, or refuses it, as the adapter declares.",
           "Buffers and caches start as constants; where they stay constants, values written into them are not trained by what is read.",
           ("recorded", "constant", "refused")),
    Clause("D12", MUST, "A call changes nothing that is not the engine's: neither NumPy's functions, error state, print options and random state, nor Python's random state, recursion limit and cycle collector.",
           "Data loading, logging and tests of the same process depend on them; what an engine changes there shows far from it."),
)  # fmt: skip
