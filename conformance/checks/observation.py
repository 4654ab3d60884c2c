"""An observation: one case on one engine, answered once.

The op checks share an observation, so that a case is drawn and converted once, however many claims
are tested on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from conformance.backend import Backend, Trace
from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, measuring
from conformance.collector import Collector
from conformance.errors import AdapterError, Violation
from conformance.op import Op
from conformance.oracle.allowance import PERTURBATIONS, Expected, differentiable, expected_gradients, extended


@dataclass(frozen=True)
class Answer:
    """What an engine answered, as plain arrays."""

    outputs: tuple[Array, ...]
    gradients: tuple[Array | None, ...]


class Oracle:
    """What is known of one case without an engine: which gradients there are, and what they must be.

    Attributes:
        op: the row.
        case: the call.
        perturbations: how many trials of rounding the allowance is found from.
        wrt: the operands that have a gradient.
    """

    def __init__(self, op: Op, case: Case, perturbations: int = PERTURBATIONS) -> None:
        self.op = op
        self.case = case
        self.perturbations = perturbations
        self.wrt = differentiable(op, case)

    @cached_property
    def expected(self) -> list[Expected]:
        """What the gradients must be."""
        return expected_gradients(self.op, self.case, perturbations=self.perturbations)

    def label(self, position: int) -> str:
        """The gradient at `position` in messages."""
        return f"the gradient of operand {self.wrt[position]}"


class Observation:
    """One case put to one backend: the oracle's half, and the engine's answers beside it."""

    def __init__(self, backend: Backend, oracle: Oracle) -> None:
        self.backend = backend
        self.oracle = oracle
        self.op, self.case, self.wrt = oracle.op, oracle.case, oracle.wrt
        self.perturbations = oracle.perturbations

    @property
    def expected(self) -> list[Expected]:
        """What the gradients must be."""
        return self.oracle.expected

    def label(self, position: int) -> str:
        """The gradient at `position` in messages."""
        return self.oracle.label(position)

    def with_perturbations(self, perturbations: int) -> Observation:
        """The same case observed again, its allowance found from so many trials."""
        return Observation(self.backend, Oracle(self.op, self.case, perturbations))

    @cached_property
    def answer(self) -> Answer:
        """The engine's outputs and gradients for the case itself."""
        return self.ask()

    def ask(
        self,
        *,
        cotangents: Sequence[Array] | None = None,
        operands: Sequence[Array] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> Answer:
        """Ask for the case's gradients, with other cotangents, operands or parameters where given."""
        function = self.backend.call(self.op.name, self.case.parameters if parameters is None else parameters)
        outputs, gradients = self.backend.vjp(
            function,
            [np.array(x) for x in self.case.operands] if operands is None else operands,
            [np.array(g) for g in self.case.cotangents] if cotangents is None else cotangents,
            self.wrt,
        )
        return Answer(
            tuple(plain(self.backend, z) for z in outputs),
            tuple(None if g is None else plain(self.backend, g) for g in gradients),
        )

    def forward(self) -> tuple[Array, ...]:
        """The engine's outputs, computed without any gradient."""
        function = self.backend.call(self.op.name, self.case.parameters)
        outputs = self.backend.forward(function, [np.array(x) for x in self.case.operands])
        return tuple(plain(self.backend, z) for z in outputs)

    def trace(self) -> Trace:
        """The case called again, ready to be pulled back once."""
        function = self.backend.call(self.op.name, self.case.parameters)
        return self.backend.trace(function, [np.array(x) for x in self.case.operands], self.wrt)


def plain(backend: Backend, array: Any) -> Array:
    """The values of an engine's array, copied; AdapterError where the adapter returns something else.

    Where the engine gave None, there is no array to look at: a Violation.
    """
    if array is None:
        raise Violation("the engine gave None where an array is expected")
    value = backend.numpy(array)
    if not isinstance(value, np.ndarray):
        raise AdapterError(
            f"{type(backend).__name__}.numpy() returned {type(value).__name__}, where a numpy.ndarray is expected"
        )
    return np.array(value)


# ---- comparing ------------------------------------------------------------------------------------

watching = Collector[Array]("expected")  # everything that a check expects: is it ever other than zero?


def hold_within(
    got: Array | None, expected: Expected, what: str, claim: str = "differs from the reference VJP"
) -> tuple[float, float]:
    """Claim that `got` is within what is allowed; returns the worst error over allowed, and in ulp.

    A gradient of None stands for zeros: it is right where zeros are.
    """
    watching.put(expected.exact)
    values = np.zeros(expected.exact.shape) if got is None else got
    exact = expected.exact.astype(complex if np.iscomplexobj(expected.exact) else float)
    if values.shape != expected.exact.shape:
        raise Violation(
            f"{what} has shape {values.shape}, expected {expected.exact.shape}",
            expected=exact,
            got=values,
        )
    if not values.size:
        return 0.0, 0.0
    ratio, ulps = _errors(values, expected, what)
    place = tuple(map(int, np.unravel_index(int(np.argmax(ratio)), ratio.shape)))
    worst, ulp = float(ratio[place]), float(ulps[place])
    if worst > 1:
        raise Violation(
            f"{what} was dropped: the engine gave None" if got is None else f"{what} {claim}".strip(),
            expected=exact,
            got=values,
            allowed=expected.allowed.astype(float),
            where=str([*place]),
            error=worst,
            ulp=ulp,
            because=expected.why(place),
        )
    return worst, ulp


def _errors(values: Array, expected: Expected, what: str) -> tuple[Array, Array]:
    """Entry by entry the error over what is allowed, and in units in the last place of what is exact."""
    with np.errstate(all="ignore"):
        is_met = (values == expected.exact) | (np.isnan(values) & np.isnan(expected.exact))
        is_decided = ~np.isposinf(expected.allowed)  # where the textbook rule overflows, nothing is decided
        distance = np.where(is_met, 0, np.abs(extended(values) - expected.exact))
        ratio = np.where(is_met | ~is_decided, 0, distance / expected.allowed)
        ratio, ulps, units = (
            np.where(np.isnan(x), np.inf, x)
            for x in (ratio, *(np.where(is_met, 0, distance / y) for y in (expected.ulp, expected.unit)))
        )
    measuring.put(Comparison(what, ratio, units, is_decided))
    return ratio, ulps


def hold_equal(got: Array | None, expected: Array, what: str, *, slack: float = 0.0) -> None:
    """Claim that two arrays are equal bit for bit, but for the sign of zero and the payload of NaN.

    `slack` is a distance to be overlooked: that of an underflow.
    """
    watching.put(expected)
    values = np.zeros(expected.shape, expected.dtype) if got is None else got
    if values.shape != expected.shape:
        raise Violation(
            f"{what}: shape {values.shape}, expected {expected.shape}", expected=expected, got=values
        )
    same = (values == expected) | (np.isnan(values) & np.isnan(expected))
    if slack:
        same |= np.abs(values - expected) <= slack
    if not same.all():
        place = np.unravel_index(int(np.argmin(same)), same.shape)
        raise Violation(what, expected=expected, got=values, where=str([int(i) for i in place]))


def hold_close(got: Array | None, expected: Array, allowed: Array, what: str) -> None:
    """Claim that two arrays of the engine's own differ by no more than `allowed`."""
    bound = Expected(
        expected.astype(np.longdouble), allowed, np.spacing(np.abs(expected)).astype(np.longdouble)
    )
    with measuring():  # two arrays of one engine measure no accuracy
        hold_within(got, bound, what, claim="")
