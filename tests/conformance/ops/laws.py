"""Which laws hold for a row numerically: of scaling, of shifts, and what undoes it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

from conformance.op import Homogeneous, Inverse, Op, Shift, Trait
from conformance.ops import CATALOGUE, find
from conformance.ops.reductions import axes_of

from .calls import DOES_NOT_FIT, are_close, calls, changed, differentiable, outputs

FACTORS = (0.25, 8.0)  # the larger one brings operands past every kink of the catalogue
SHIFTS = (1.0, -1.5)

# ---- scaling and shifts -----------------------------------------------------------------------------------


def subsets(op: Op) -> list[tuple[int, ...] | None]:
    """The sets of differentiable operands; of a variadic op the first one, and all of them, as None."""
    if Trait.VARIADIC in op.traits:
        return [(0,), None]
    indices = differentiable(op, len(op.domains))
    return [s for n in range(1, len(indices) + 1) for s in itertools.combinations(indices, n)]


def degree(op: Op, of: tuple[int, ...] | None) -> float | None:
    """The degree in which the op is homogeneous in the operands `of`; None where there is none, or no value."""
    found: set[float] = set()
    for arrays, parameters in calls(op):
        z = outputs(op, arrays, parameters)
        for t in FACTORS:
            scaled = outputs(op, changed(arrays, of or range(len(arrays)), lambda x, t=t: x * t), parameters)
            for before, after in zip(z, scaled, strict=True):
                with np.errstate(all="ignore"):
                    powers = np.log(after[before != 0] / before[before != 0]) / np.log(t)
                found |= set(np.round(powers.astype(float), 9))
        if len(found) > 1 or not all(map(np.isfinite, found)):
            return None
    return found.pop() if found else None


def obeys_degree(op: Op, law: Homogeneous) -> bool:
    def scaled(arrays, parameters, t: float):
        values = outputs(op, arrays, parameters)
        return [z * np.longdouble(t) ** k for k, z in zip(law.degrees(len(values)), values, strict=True)]

    return all(
        are_close(
            outputs(op, changed(arrays, law.of, lambda x, t=t: x * t), parameters),
            scaled(arrays, parameters, t),
        )
        for arrays, parameters in calls(op)
        for t in (0.25, 0.5)
    )


def gain(op: Op, of: tuple[int, ...] | None) -> float | None:
    """By how much the values shift with the operands `of`; None where they do not."""
    found: set[float] = set()
    for arrays, parameters in calls(op):
        z = outputs(op, arrays, parameters)
        for c in SHIFTS:
            shifted = outputs(op, changed(arrays, of or range(len(arrays)), lambda x, c=c: x + c), parameters)
            for before, after in zip(z, shifted, strict=True):
                found |= set(np.round(((after - before) / c).astype(float).ravel(), 9) + 0.0)
        if len(found) > 1 or not all(map(np.isfinite, found)):
            return None
    return found.pop()


def obeys_shift(op: Op, law: Shift) -> bool:
    """Whether the law holds, for one operand with another number for each slice along its axes."""
    rng = np.random.default_rng(5)
    for arrays, parameters in calls(op):
        c, arrived = np.longdouble(0.5), np.longdouble(0.5)
        if len(law.of) == 1:
            x = arrays[law.of[0]]
            axes = axes_of(x.shape, parameters.get("axis", law.axis))
            if not axes:
                continue
            c = rng.uniform(0.25, 0.5, [1 if a in axes else n for a, n in enumerate(x.shape)])
            (z,) = outputs(op, arrays, parameters)
            if law.gain:
                arrived = np.broadcast_to(c, z.shape) if z.ndim == x.ndim else np.squeeze(c, axes)
        after = outputs(op, changed(arrays, law.of, lambda x, c=c: x + c), parameters)
        if not are_close(after, [z + law.gain * arrived for z in outputs(op, arrays, parameters)]):
            return False
    return True


def is_affine(op: Op, of: tuple[int, ...] | None) -> bool:
    """Whether f(x + v) + f(x − v) = 2 f(x) for a large v: then a shift says no more than the rule's constant."""
    rng = np.random.default_rng(6)
    for arrays, parameters in calls(op):
        v = [rng.uniform(-9, 9, x.shape) if x.dtype.kind == "f" else x for x in arrays]
        chosen = of or range(len(arrays))
        up, down = (
            [x + s * d if i in chosen else x for i, (x, d) in enumerate(zip(arrays, v, strict=True))]
            for s in (1, -1)
        )
        both = [
            a + b for a, b in zip(outputs(op, up, parameters), outputs(op, down, parameters), strict=True)
        ]
        if not are_close(both, [2 * z for z in outputs(op, arrays, parameters)]):
            return False
    return True


def irreducible(
    found: Mapping[tuple[int, ...] | None, float],
) -> Iterator[tuple[tuple[int, ...] | None, float]]:
    """The laws that do not follow from two others, of disjoint sets of operands, whose numbers add up."""
    for of, number in found.items():
        parts = [s for s in found if s and of and set(s) < set(of)]
        rests = {s: tuple(i for i in of or () if i not in s) for s in parts}
        if not any(rests[s] in found and np.isclose(found[s] + found[rests[s]], number) for s in parts):
            yield of, number


# ---- inverses ------------------------------------------------------------------------------------------------


def undoes(op: Op, inverse: Inverse) -> bool:
    """Whether the stated inverse gives the operands back in every call that it says can be undone."""
    undoing, seen = find(inverse.name), 0
    for arrays, parameters in calls(op):
        given = inverse.parameters([x.shape for x in arrays], **parameters)
        if given is None:
            continue
        seen += 1
        got = outputs(undoing, outputs(op, arrays, parameters), given)
        if inverse.is_exact and not all(map(np.array_equal, got, arrays)):
            return False
        if not are_close(got, arrays):
            return False
    return seen > 0


def undone_by_any(op: Op) -> list[str]:
    """The ops of one operand without parameters that undo the op in every call."""
    return [name for name in _simple() if op.name in _simple() and _undoes(op, find(name))]


@cache
def _simple() -> tuple[str, ...]:
    return tuple(
        name
        for name, op in CATALOGUE.items()
        if not op.has_several_outputs and all(len(arrays) == 1 and not p for arrays, p in calls(op))
    )


def _undoes(op: Op, undoing: Op) -> bool:
    try:
        return all(
            are_close(outputs(undoing, outputs(op, arrays, {}), {}), arrays) for arrays, _ in calls(op)
        )
    except DOES_NOT_FIT:
        return False
