"""Chapter A: seeding and results."""

from __future__ import annotations

from conformance.clauses.clause import Clause, Level

MUST, SHOULD = Level.MUST, Level.SHOULD

CLAUSES = (
    Clause("A1", MUST, "A scalar output needs no gradient argument: its seed is 1.",
           "Every training loop ends in loss.backward(); another seed scales every step."),
    Clause("A2", MUST, "A non-scalar output without a gradient argument is refused with an error, or summed where that is elected.",
           "The gradient of several numbers is not one array; a silent guess hides a forgotten reduction.",
           ("refused", "summed")),
    Clause("A3", MUST, "An output of one entry that is not 0-d is refused, or seeded with 1, as elected.",
           "A loss of shape (1,) is common; code that ports between engines must know what happens.",
           ("refused", "seeded")),
    Clause("A4", MUST, "The gradient argument has the output's shape; another shape is refused, or broadcast where that is elected; a gradient of the wrong shape is never conforming.",
           "A cotangent of another shape is a bug in the caller that broadcasting would turn into wrong numbers.",
           ("refused", "broadcast")),
    Clause("A5", MUST, "A gradient argument of another dtype is refused or cast; the gradient keeps the operand's dtype either way.",
           "A float64 gradient of a float32 weight doubles memory and promotes the whole model.",
           ("refused", "cast")),
    Clause("A6", MUST, "A gradient has its operand's shape: 0-d, zero-size and size-1 broadcast dimensions included.",
           "An optimiser that subtracts a gradient of another shape broadcasts silently into nonsense."),
    Clause("A7", MUST, "A gradient has its operand's dtype, also in calls that mix precisions.",
           "Mixed precision training updates float32 weights with gradients from half precision calls."),
    Clause("A8", MUST, "The VJP is linear in the cotangent, exactly for -1 and for powers of two.",
           "Loss scaling, sign flips and gradient accumulation all assume it; |g| for g passes a test of ones."),
    Clause("A9", MUST, "A zero cotangent gives a zero gradient wherever the local derivative is finite.",
           "Masked losses send zeros back; anything else leaks gradient from masked entries."),
    Clause("A10", MUST, "A missing cotangent of one of several outputs means zeros.",
           "Users take one half of a split, or the values of a sort without its indices."),
    Clause("A11", MUST, "The gradient argument is not mutated, and no gradient shares its memory.",
           "A caller reuses the buffer of its cotangent; a gradient that shares it changes after the fact."),
    Clause("A12", SHOULD, "The value computed along with a gradient equals the plain forward value bit for bit.",
           "Logged losses, early stopping and tests compare the two."),
    Clause("A15", MUST, "Where the output is the leaf itself, the gradient is the seed.",
           "Generic code differentiates whatever it is handed, an identity included."),
)  # fmt: skip
