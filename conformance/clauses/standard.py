"""The sentences of the standard. Numbers are stable: a withdrawn clause leaves a gap."""

from __future__ import annotations

import difflib

from conformance.clauses.clause import Clause, Level
from conformance.errors import UsageError

MUST, SHOULD, MAY, SHOWN = Level.MUST, Level.SHOULD, Level.MAY, Level.SHOWN

_CLAUSES = (
    # ---- A. Seeding and results ---------------------------------------------------------------
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
    # ---- B. Accumulation and the graph ----------------------------------------------------------
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
    # ---- C. Modes and cutting ---------------------------------------------------------------------
    Clause("C1", MUST, "In a scope without recording nothing is recorded, and recording resumes however it is left.",
           "A scope that leaks silently freezes training or fills the memory."),
    Clause("C2", MUST, "A detached value is the same value; nothing flows back through it, and everything else is unchanged.",
           "Target networks, straight-through estimators and baselines depend on it."),
    Clause("C4", MUST, "An operand that needs no gradient gets none, and the others' gradients do not change.",
           "Freezing a layer must not change how the others train."),
    Clause("C5", MUST, "A rule written by hand is called once per use with the right cotangent; a wrong number or shape of answers is refused; None means zero.",
           "Hand-written rules are where users' own bugs are; the engine is the only one to notice.",
           ("tolerated", "refused")),
    # ---- D. Mutation, views, aliasing ---------------------------------------------------------------
    Clause("D1", MUST, "The forward call leaves its operands untouched.",
           "Operands are weights and data that are used again."),
    Clause("D2", MUST, "The walk back leaves operands and outputs untouched.",
           "A second loss over the same values must see the same values."),
    Clause("D8", MUST, "Gradients do not alias each other, an output or an operand, also where an op's output aliases its operand.",
           "Clipping or scaling one gradient in place must not change another."),
    Clause("D10", MUST, "Layouts do not matter: C, F, reversed, strided, offset and stride-0 operands and cotangents give the same gradient.",
           "Transposes and broadcasts hand non-contiguous cotangents to every kernel."),
    # ---- E. Values --------------------------------------------------------------------------------
    Clause("E1", MUST, "The VJP equals the rule within the allowed error, for signed, sparse, one-hot and large cotangents.",
           "A wrong gradient trains a model worse, not visibly wrong."),
    Clause("E6", MUST, "The gradient of a composition is the composition of the VJPs.",
           "Ops that are right alone can still be wired wrongly."),
    Clause("E8", MUST, "The gradient of a broadcast operand is the sum over the broadcast axes.",
           "Every bias is broadcast; averaging, or summing a wrong axis, has the right shape on square data."),
    Clause("E17", SHOULD, "The same call twice gives bit-equal gradients.",
           "Runs that cannot be repeated cannot be debugged."),
    Clause("E20", MUST, "A reduction's gradient does not depend on how its axis is spelled, nor on keepdims.",
           "axis=-1, axis=1 and axis=(1,) are one thing to the caller."),
    Clause("E21", MUST, "A loss's gradient under mean is that under sum over the count, which is that of its terms.",
           "Whether a batch's gradients are summed or averaged decides the learning rate."),
    Clause("E22", MUST, "The value equals the reference within the allowed error.",
           "A gradient can only be judged where engine and specification mean the same function."),
    # ---- Worked examples -----------------------------------------------------------------------------
    Clause("W1", SHOWN, "x @ a with an upstream gradient; refused without one, and with one of another shape.",
           "Why backward() wants an argument."),
    Clause("W2", SHOWN, "a * a with upstream a, ones, and one entry at a time.",
           "What the argument means: how much each entry of the output counts."),
    Clause("W3", SHOWN, "(a + b) * d, and its graph edge by edge.",
           "How a graph is walked."),
    Clause("W4", SHOWN, "A linear layer whose rule is written by hand.",
           "How an op of one's own gets its derivative."),
    Clause("W5", SHOWN, "Two layers, every step's gradient written by hand.",
           "What an engine does for a whole network."),
    Clause("W6", SHOWN, "sin with an upstream other than 1.",
           "Why the gradient is multiplied by the upstream gradient."),
    Clause("W7", SHOWN, "none, sum and mean over batches of 1, 2, 7 and 64.",
           "Whether a batch's gradients are summed or averaged."),
    Clause("W8", SHOWN, "A value reached along several paths, and gradients that add up until cleared.",
           "Why gradients accumulate."),
)  # fmt: skip

STANDARD: dict[str, Clause] = {clause.number: clause for clause in _CLAUSES}


def find_clause(number: str) -> Clause:
    """The clause of that number; UsageError names the nearest where there is none."""
    try:
        return STANDARD[number.upper()]
    except KeyError:
        near = difflib.get_close_matches(number.upper(), STANDARD, n=3, cutoff=0.3)
        raise UsageError(f"no clause {number!r}; there are {', '.join(near or STANDARD)}") from None
