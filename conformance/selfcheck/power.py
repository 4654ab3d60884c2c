"""Check power: whether a check could notice a wrong gradient at all.

A check may pass every engine for a reason that no mutant happens to show: what it computes has no gradient, or the
same one for every cotangent. So it is observed on a correct engine: in how many cases did it expect a gradient other
than zero, and in how many one that depends on the cotangent.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

from conformance.backend import Backend, TapeBackend
from conformance.case import Array
from conformance.checks import Check
from conformance.checks.comparison import Decisive, decisions
from conformance.checks.registry import NotThisCase
from conformance.errors import Unsupported
from conformance.questions import Question, kind_of
from conformance.strategies import Effort

EFFORT = Effort(signatures=3, draws=2, samples=4, programs=6)
OPS = 8  # of those that a check of ops applies to


@dataclass
class CheckPower:
    """What a check saw of an engine that is right, in cases.

    Attributes:
        check: the check.
        cases: all that it decided.
        compared: those in which it compared a value or a gradient.
        nonzero: of these, those in which one that it expected was not zero.
        given: those in which it gave the engine a cotangent.
        depends_on_cotangent: of these, those in which the answer to a cotangent of ones would have been another.
    """

    check: Check
    cases: int = 0
    compared: int = 0
    nonzero: int = 0
    given: int = 0
    depends_on_cotangent: int = 0

    @property
    def fault(self) -> str:
        """Why the check has no power; empty where it has."""
        if self.compared and not self.nonzero:
            return f"all that it expected was zero, in all of {self.compared} cases"
        if self.given and not self.depends_on_cotangent:
            return f"what it expected did not depend on the cotangent in any of {self.given} cases"
        return ""


def power_of_checks(checks: Iterable[Check], backends: Sequence[Backend], seed: int = 0) -> list[CheckPower]:
    """The power of each check, measured on the first of some correct engines that it can be run on."""
    with np.errstate(all="ignore"):
        return [_power(check, backends, seed) for check in checks if kind_of(check).has_check_power]


def _power(check: Check, backends: Sequence[Backend], seed: int) -> CheckPower:
    power = CheckPower(check)
    for backend in backends:
        for question in _questions(check, backend, seed):
            _observe(power, backend, question)
        if power.cases:
            break
    return power


def _questions(check: Check, backend: Backend, seed: int) -> Iterator[Question[Any]]:
    """Questions of the check's kind, of a few ops where it is about ops."""
    kind, dtype = kind_of(check), backend.dtypes[0]
    items = list(kind.items([check], backend.name, (dtype,)))
    for item in items[:: max(1, len(items) // OPS)]:
        yield from (question for question, _ in kind.rounds([item], backend, seed, EFFORT))


def _observe(power: CheckPower, backend: Backend, question: Question[Any]) -> None:
    cotangents: list[Array] = []
    try:
        power.check.require(backend)
        with decisions() as compared, _noting(backend, cotangents):
            power.check.function(*question.on(backend))
    except (NotThisCase, Unsupported):
        return
    power.cases += 1
    if (gradients := question.gradients()) is not None:
        _count_gradients(power, gradients, question.gradients(of_ones=True) or [])
    else:
        _count_expected(power, compared, cotangents)


def _count_gradients(power: CheckPower, own: Sequence[Array], of_ones: Sequence[Array]) -> None:
    """Of a question with gradients of its own, whatever the check compares."""
    power.compared += 1
    power.nonzero += any(np.any(gradient) for gradient in own)
    power.given += 1
    power.depends_on_cotangent += any(not np.array_equal(a, b) for a, b in zip(own, of_ones, strict=True))


def _count_expected(power: CheckPower, compared: Sequence[Decisive], cotangents: Sequence[Array]) -> None:
    """Of any other question only what the check compares is known, and what it hands the engine."""
    if compared:
        power.compared += 1
        power.nonzero += Decisive.ZERO in compared
    if compared and cotangents:
        power.given += 1
        power.depends_on_cotangent += any((g != 1).any() for g in cotangents)


@contextlib.contextmanager
def _noting(backend: Backend, cotangents: list[Array]) -> Iterator[None]:
    """Within the block, the cotangents that a tape is handed are noted."""
    if not isinstance(backend, TapeBackend):
        yield
        return
    inner = backend.backward

    def backward(output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        if gradient is not None:
            cotangents.append(np.array(backend.numpy(gradient)))
        inner(output, gradient, retain=retain)

    with patch.object(backend, "backward", backward):  # of this instance alone
        yield
