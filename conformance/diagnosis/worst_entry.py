"""The worst entry: where a gradient is furthest from the reference VJP."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conformance.case import Array
from conformance.checks.comparison import compare
from conformance.checks.observation import Observation
from conformance.dtype import finfo
from conformance.runfile.diagnostics import Agreement

Real = np.longdouble  # that of the oracle
DIGITS = 16  # units in the last place of the engine's precision that no diagnostic resolves


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
    """

    seen: Observation
    position: int
    place: tuple[int, ...]
    got: Real
    exact: Real
    allowed: Real

    @property
    def operand(self) -> int:
        """The operand whose gradient it is."""
        return self.seen.wrt[self.position]

    @property
    def difference(self) -> Real:
        """How far apart they are; infinity where one of them alone is not a number."""
        distance = np.abs(self.got - self.exact)
        return Real(np.inf) if np.isnan(distance) else distance

    def direction(self) -> tuple[Array, Real]:
        """The axis of the entry, as long as the operand's entry is large, and that length."""
        x = self.seen.case.operands[self.operand]
        length = Real(abs(x[self.place])) or Real(1)
        axis = np.zeros(x.shape, Real)
        axis[self.place] = length
        return axis, length

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
        place = compared.place
        value = Real(0) if got is None else Real(got[place])
        return WorstEntry(
            seen, position, place, value, Real(expected.exact[place]), Real(expected.allowed[place])
        )
    return None
