"""A worst: the entry of a gradient that is furthest from the rule, and how one would move it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import numpy as np

from conformance.case import Array
from conformance.checks.comparison import measuring
from conformance.checks.observation import Observation, hold_within
from conformance.dtype import finfo
from conformance.errors import Violation
from conformance.runfile.diagnostics import Agreement

Real = np.longdouble  # that of the oracle
DIGITS = 16  # units in the last place of the engine's precision that no diagnostic resolves


@dataclass(frozen=True)
class WorstEntry:
    """One entry of which engine and rule say different things.

    Attributes:
        position: of the gradient among those asked for.
        place: of the entry in it.
        got: what the engine says.
        exact: what the rule says, in extended precision.
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
        """How far apart they are; infinitely, where one of them alone is no number."""
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
        """With whom a slope agrees that is known up to a doubt."""
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
    """The first gradient that differs from the reference VJP, at the entry furthest out; None where none has such an entry."""
    for position, (got, expected) in enumerate(zip(seen.answer.gradients, seen.expected, strict=True)):
        with measuring() as compared, contextlib.suppress(Violation):
            hold_within(got, expected, seen.label(position))
        if not compared or not (compared[0].ratio > 1).any():
            continue
        place = tuple(map(int, np.unravel_index(int(compared[0].ratio.argmax()), expected.exact.shape)))
        said = Real(0) if got is None else Real(got[place])
        return WorstEntry(
            seen, position, place, said, Real(expected.exact[place]), Real(expected.allowed[place])
        )
    return None
