"""Guarded mutants: engines whose rule for one op is wrong only under a drawn condition."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.op import Op
from conformance.ops import ALL_OPS, CATALOGUE
from conformance.selfcheck.generated.guard import Facts, Guard
from conformance.selfcheck.generated.guards import drawn
from conformance.selfcheck.generated.reach import reach
from conformance.selfcheck.generated.subject import subject

EACH = 10  # of every op
Change = Callable[[Any, Facts], Any]

# What is wrong under the condition, of the true gradient. The last one also shows where the gradient is zero.
SCALES = (1e-3, 0.1, 1.0)


def _scaled(by: float) -> tuple[str, Change]:
    return f"is {1 + by:g} times too large", lambda right, f: right * right.dtype.type(1 + by)


def _first_for_last(right: Any, facts: Facts) -> Any:
    if right.size < 2:
        return -right
    return np.reshape(np.roll(np.reshape(right, shape=(-1,)), 1), shape=right.shape)


NEGATIVE = ("has the other sign", lambda right, f: -right)
ZERO = ("is zero", lambda right, f: right * 0)
ROLLED = ("has its entries in the wrong places", _first_for_last)
ADDED = ("is too large by 1", lambda right, f: right + right.dtype.type(1))


@dataclass(frozen=True, eq=False)
class GuardedMutant:
    """One op whose rule is wrong under a condition.

    Attributes:
        op: the op.
        number: of the draw; the same seed, op and number are the same mutant.
        seed: of all draws.
    """

    op: str
    number: int
    seed: int = 0

    @property
    def name(self) -> str:
        """Its name, by which it is found again: `guarded/tanh/3`."""
        return f"guarded/{self.op}/{self.number}"

    @property
    def subject(self) -> str:
        """The op."""
        return self.op

    @property
    def how(self) -> str:
        """The factors of the condition."""
        return " and ".join(self.guard.factors)

    def backend(self) -> Backend:
        """A fresh engine with the fault, which has counted no calls."""
        return subject().with_altered(self.op, self.altered)

    @cached_property
    def _drawn(self) -> tuple[Guard, str, Change]:
        op, rng = ALL_OPS[self.op], random.Random(f"{self.seed} {self.op} {self.number}")
        guard = drawn(op, rng)
        changes = [_scaled(rng.choice(SCALES)), NEGATIVE, ZERO, ROLLED]
        # Most changes cannot be seen where the gradient is zero, as it may be under such a condition.
        text, change = ADDED if guard.hides or _is_zero(op) else rng.choices(changes, (5, 2, 2, 2))[0]
        return guard, text, change

    @property
    def guard(self) -> Guard:
        """The condition."""
        return self._drawn[0]

    @property
    def wrong(self) -> str:
        """What is wrong, and when."""
        return f"The gradient {self._drawn[1]} where {self.guard.text}."

    def altered(self, index: int, right: Any, facts: Facts) -> Any:
        """The gradient of operand `index` with the fault, where the condition holds."""
        guard, _, change = self._drawn
        held = guard.holds(index, facts)
        if not np.any(held):
            return right
        wrong = change(right, facts)
        if np.ndim(held) == 0 or np.shape(held) != np.shape(right):
            return wrong
        return np.where(held, wrong, right)


def _is_zero(op: Op) -> bool:
    """Whether the op's gradient is zero at an ordinary call, as that of an imaginary part is."""
    return op.is_flat or not reach(op).count


def guarded_mutants(ops: Iterable[str] = CATALOGUE, seed: int = 0, each: int = EACH) -> list[GuardedMutant]:
    """So many draws for every op."""
    return [GuardedMutant(op, number, seed) for op in ops for number in range(each)]
