"""The proof of a special point: derivatives of the reference right beside it.

Where a function is smooth almost everywhere, its Clarke subdifferential is by definition the hull of the
limits of gradients nearby (Clarke 1983, theorem 2.5.1), and at a removable singularity there is one limit.
So the gradients beside a point prove what it says, without any rule: each must lie in the range of the
point, and together they must fill it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.op import Op, Trait
from conformance.oracle.derivative import REAL, Array, extended_differences
from conformance.points.point import Nature, Place

ASIDE = 2.0**-24  # how far beside; of this size squared is a smooth function's second-order term
SAMPLES, FEW = 24, 4  # around a kink; beside a point with one limit
POWER = 4  # two entries may be perturbed very unequally
FARAWAY = REAL(2.0**14)  # stands for infinity: exponentials have long been flat there
# Operands that all lie between are tiny on purpose: a step of one would leave them.
NEAREST, NEARBY = REAL(2.0**-100), REAL(2.0**-20)
ONE_SIDED = frozenset(
    {Nature.LIMIT, Nature.FINITE, Nature.MASK}
)  # partial derivatives, one operand at a time


@dataclass(frozen=True)
class Nearby:
    """The gradients of one operand in the neighbourhood of a point, and what the point says of them."""

    operand: int
    gradients: Array  # one per nearby point, along the first axis
    low: Array
    high: Array

    @property
    def beyond(self) -> float:
        """How far the furthest of them lies outside its range, relative to the size of the range."""
        if not len(self.gradients):
            return np.inf
        outside = np.maximum(self.low - self.gradients, self.gradients - self.high)
        return float((outside / self._size).max())

    @property
    def unfilled(self) -> float:
        """The largest part of a range at whose end there is no nearby gradient."""
        gaps = np.maximum(self.gradients.min(axis=0) - self.low, self.high - self.gradients.max(axis=0))
        return float((gaps / self._size).max())

    @property
    def _size(self) -> Array:
        return np.maximum(np.abs([self.low, self.high]).max(initial=0), 1)  # type: ignore[no-any-return]  # an entry


def nearby(op: Op, place: Place) -> list[Nearby]:
    """The gradients around a point of `op`, for every operand of which the point says something."""
    rng = np.random.default_rng(0)
    found = []
    for index, held in enumerate(place.within):
        if held is None or not place.operands[index].size:
            continue
        has_limit = place.point.nature in ONE_SIDED
        indices, count = ([index], FEW) if has_limit else (_differentiable(op, place), SAMPLES)
        with np.errstate(all="ignore"):
            sampled = [_gradient(op, place, index, _perturbed(op, place, indices, rng)) for _ in range(count)]
        kept = [gradient for gradient in sampled if np.isfinite(gradient).all()]
        found.append(Nearby(index, np.array(kept), *held))
    return found


def _differentiable(op: Op, place: Place) -> list[int]:
    return [i for i in range(len(place.operands)) if op.is_differentiable(i)]


def _beside(op: Op, place: Place) -> tuple[list[Array], list[Array]]:
    """The operands in extended precision, and by what each entry is perturbed: its own size, or a unit for zeros."""
    operands = [_extended(x) for x in place.operands]
    if _is_translated(op):
        largest = max(x.max() for x in operands if x.dtype.kind == "f")
        moved = [x - largest if x.dtype.kind == "f" else x for x in operands]
        return _with_scales(moved, min(_unit(moved), 1))
    return _with_scales(operands, _unit(operands))


def _unit(operands: Sequence[Array]) -> Any:
    """What is a natural step from zero: one, or, where all operands are far from one, the largest of them."""
    largest = max((np.abs(x).max(initial=0) for x in operands if x.dtype.kind == "f"), default=0)
    return largest if largest > FARAWAY or NEAREST < largest < NEARBY else 1


def _is_translated(op: Op) -> bool:
    """Whether the operands are shifted until the largest is 0, from where 1 is a natural step.

    A shift of all its operands changes no gradient of such an op, and huge operands would hide what happens
    beside a tie. A homogeneous op has no natural step. Of the two operands of a loss only one may be huge.
    """
    if op.shift is None or op.homogeneities or Trait.LOSS in op.traits:
        return False
    return set(op.shift.of) == set(filter(op.is_differentiable, range(len(op.domains))))


def _with_scales(operands: list[Array], unit: Any) -> tuple[list[Array], list[Array]]:
    return operands, [np.where(x == 0, unit, np.abs(x)) for x in operands]


def _extended(x: Array) -> Array:
    if x.dtype.kind != "f":
        return x
    return np.where(np.isinf(x), np.sign(x) * FARAWAY, x.astype(REAL))


def _perturbed(op: Op, place: Place, indices: Sequence[int], rng: np.random.Generator) -> list[Array]:
    """The operands, those in `indices` perturbed; no two entries are perturbed alike."""
    operands, scales = _beside(op, place)
    count = sum(operands[i].size for i in indices)
    steps = rng.permutation(count) + 1.0
    signs = rng.choice((-1.0, 1.0), count) if rng.integers(2) else np.ones(count) * rng.choice((-1.0, 1.0))
    shares = REAL(ASIDE) * (steps / count) ** rng.integers(1, POWER + 1) * signs
    start = 0
    for i in indices:
        x = operands[i]
        here = shares[start : start + x.size].reshape(x.shape)
        operands[i] = x + here * scales[i]
        start += x.size
    return operands


def _gradient(op: Op, place: Place, index: int, operands: list[Array]) -> Array:
    """The gradient of operand `index`, entry by entry from differences shorter than the distance aside."""
    x, scales = operands[index], _beside(op, place)[1][index]
    room = ASIDE / (4 * sum(y.size for y in operands if y.dtype.kind == "f") ** POWER)

    def function(entries: Array) -> Array:
        z = op.reference(
            *(entries if i == index else y for i, y in enumerate(operands)), **place.point.parameters
        )
        outputs = z if op.has_several_outputs else (z,)
        return np.array([np.sum(place.cotangent(np.shape(y)).astype(REAL) * y) for y in outputs])

    result = np.empty(x.shape, REAL)
    for entry in np.ndindex(x.shape):
        direction = np.zeros(x.shape, REAL)
        direction[entry] = scales[entry]
        result[entry] = extended_differences(function, x, direction, room).value.sum() / scales[entry]
    return result
