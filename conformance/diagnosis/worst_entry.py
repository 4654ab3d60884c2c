"""The worst entry: where a gradient is furthest from the reference VJP."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conformance.case import Array
from conformance.checks.comparison import compare
from conformance.checks.observation import Observation
from conformance.dtype import finfo
from conformance.oracle.symmetry import symmetric_part
from conformance.runfile.diagnostics import Agreement

Real = np.longdouble  # that of the oracle
DIGITS = 16  # units in the last place of the engine's precision that no diagnostic resolves
BLURRED = 2.0**10  # times the outputs by which those of neighbours would differ


@dataclass(frozen=True)
class WorstEntry:
    """One entry at which engine and rule differ.

    Attributes:
        seen: the case on the engine.
        position: of the gradient among those of the case.
        place: of the entry in it.
        got: the engine's value.
        exact: the rule's value, in extended precision.
        allowed: how far apart they may be.
        is_symmetric: whether the operand is symmetric, so that its entry moves with the one across the diagonal, and
            `got` and `exact` are of the symmetric part.
    """

    seen: Observation
    position: int
    place: tuple[int, ...]
    got: Real
    exact: Real
    allowed: Real
    is_symmetric: bool = False

    @property
    def operand(self) -> int:
        """The operand whose gradient it is."""
        return self.seen.wrt[self.position]

    @property
    def difference(self) -> Real:
        """How far apart they are; infinity where one of them alone is not a number."""
        distance = np.abs(self.got - self.exact)
        return Real(np.inf) if np.isnan(distance) else distance

    @property
    def axis(self) -> Array:
        """The direction in which the entry moves, of length one; half of it across the diagonal where the operand is symmetric."""
        axis = np.zeros(self.seen.case.operands[self.operand].shape, Real)
        axis[self.place] = 1
        return symmetric_part(axis) if self.is_symmetric else axis

    def direction(self) -> tuple[Array, Real]:
        """The axis of the entry, as long as the operand's entry is large, and that length."""
        length = Real(abs(self.seen.case.operands[self.operand][self.place])) or Real(1)
        return length * self.axis, length

    @property
    def is_blurred(self) -> bool:
        """Whether, by the rule, numbers that neighbour the operand have outputs much further apart than any output is large.

        So it is far out, where the cosine of neighbours is any number: no difference shows its slope.
        """
        seen = self.seen
        size = sum(
            float(np.abs(z * g).sum()) for z, g in zip(seen.answer.outputs, seen.case.cotangents, strict=True)
        )
        spacing = float(finfo(seen.case.dtype).eps) * float(self.direction()[1])
        return size > 0 and bool(np.isfinite(self.exact) and abs(self.exact) * spacing > BLURRED * size)

    def agreement_of(self, slope: Real, doubt: Real) -> Agreement:
        """Whether a slope, known up to `doubt`, agrees with the engine or with the rule."""
        largest = max(abs(slope), abs(self.got) if np.isfinite(self.got) else Real(0))
        resolved = doubt + DIGITS * float(finfo(self.seen.case.dtype).eps) * largest
        if not (np.isfinite(resolved) and np.isfinite(slope)):
            return Agreement.UNKNOWN
        is_rules = bool(abs(slope - self.exact) <= resolved)
        is_engines = bool(abs(slope - self.got) <= resolved + self.allowed)
        if is_rules and is_engines:
            return Agreement.UNKNOWN
        return Agreement.RULE if is_rules else Agreement.ENGINE if is_engines else Agreement.NEITHER


def worst_entry_in(seen: Observation) -> WorstEntry | None:
    """The worst entry of the first gradient that differs from the rule; None where none does."""
    for position, (got, expected) in enumerate(zip(seen.answer.gradients, seen.expected, strict=True)):
        if got is not None and got.shape != expected.exact.shape:
            continue
        compared = compare(got, expected, seen.label(position))
        if compared.error <= 1:
            continue
        place, part = compared.place, symmetric_part if expected.is_symmetric else np.asarray
        ours = np.zeros_like(expected.exact) if got is None else got
        value, exact = Real(part(ours)[place]), Real(part(expected.exact)[place])
        return WorstEntry(
            seen, position, place, value, exact, Real(expected.allowed[place]), expected.is_symmetric
        )
    return None
