"""Vacuous checks: those that could not see a wrong gradient, since all that they expect is zero.

A check may pass every engine for a reason that no mutant of ours happens to show: what it computes has no
gradient, or the same one for every cotangent. So it is watched on an engine that is right: in how
many cases did it expect a gradient other than zero, and in how many one that depends on the cotangent.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import numpy as np

from conformance.backend import Backend, TapeBackend
from conformance.case import Array, Case
from conformance.checks import Check, CheckKind
from conformance.checks.observation import Observation, watching
from conformance.checks.registry import NotThisCase
from conformance.errors import Unsupported
from conformance.ops import ALL_OPS, find
from conformance.oracle.reverse_sweep import reverse_sweep
from conformance.program import Program
from conformance.run.asking import Question, put
from conformance.run.execute import Executor
from conformance.strategies import Effort, draw_cases

EFFORT = Effort(signatures=3, draws=2, samples=4, programs=6)
UNJUDGED = (
    CheckKind.CAPABILITY,
    CheckKind.POINT,
)  # what works at all, and points whose gradient may well be zero
OPS = 8  # of those that a check of ops applies to


@dataclass
class CheckPower:
    """What a check saw of an engine that is right, in cases.

    Attributes:
        check: the check.
        cases: all that it decided.
        compared: those in which it compared a value or a gradient.
        nonzero: of these, those in which one that it expected was not zero.
        asked: those in which it gave the engine a cotangent.
        depends_on_cotangent: of these, those in which the answer to a cotangent of ones would have been another.
    """

    check: Check
    cases: int = 0
    compared: int = 0
    nonzero: int = 0
    asked: int = 0
    depends_on_cotangent: int = 0

    @property
    def fault(self) -> str:
        """Why the check is vacuous; empty where it is not."""
        if self.compared and not self.nonzero:
            return f"all that it expected was zero, in all of {self.compared} cases"
        if self.asked and not self.depends_on_cotangent:
            return f"what it expected did not depend on the cotangent in any of {self.asked} cases"
        return ""


def power_of_checks(checks: Iterable[Check], backends: Sequence[Backend], seed: int = 0) -> list[CheckPower]:
    """What each check sees of the first of some right engines that it can be asked of."""
    with np.errstate(all="ignore"):
        return [_power(check, backends, seed) for check in checks if check.kind not in UNJUDGED]


def _power(check: Check, backends: Sequence[Backend], seed: int) -> CheckPower:
    power = CheckPower(check)
    for backend in backends:
        for question in _questions(check, backend, seed):
            _see(power, backend, question)
        if power.cases:
            break
    return power


def _see(power: CheckPower, backend: Backend, question: Question) -> None:
    handed: list[Array] = []
    try:
        power.check.require(backend)
        with watching() as compared, _noting(backend, handed):
            put(power.check, backend, question)
    except (NotThisCase, Unsupported):
        return
    power.cases += 1
    if isinstance(question, (Case, Program)) and not power.check.is_of_flat:
        _judge_by_question(power, question)
    else:
        _judge_by_watching(power, compared, handed)


def _questions(check: Check, backend: Backend, seed: int) -> Iterable[Question]:
    if check.kind is not CheckKind.OP:
        return Executor(backend, seed=seed, effort=EFFORT).questions(check, backend.dtypes[0])
    applying = [op for op in ALL_OPS.values() if check.asks_about(op)]
    chosen = applying[:: max(1, len(applying) // OPS)]
    drawn = (draw_cases(op, backend.dtypes[0], seed, EFFORT, check.textures) for op in chosen)
    return [case for cases in drawn for case in cases]


def _judge_by_question(power: CheckPower, question: Case | Program) -> None:
    """A case or a program has one gradient, whatever the check compares; that of a flat op is zero."""
    own, of_ones = _gradients(question), _gradients(_with_ones(question))
    power.compared += 1
    power.nonzero += any(np.any(gradient) for gradient in own)
    power.asked += 1
    power.depends_on_cotangent += any(not np.array_equal(a, b) for a, b in zip(own, of_ones, strict=True))


def _gradients(question: Case | Program) -> list[Array]:
    if isinstance(question, Program):
        return reverse_sweep(question, find, (*question.leaves, question.cotangent))
    op = find(question.op)
    return [e.exact for e in Observation(None, op, question, perturbations=0).expected]  # type: ignore[arg-type]


def _with_ones(question: Case | Program) -> Case | Program:
    if isinstance(question, Program):
        return replace(question, cotangent=np.ones_like(question.cotangent))
    return replace(question, cotangents=tuple(map(np.ones_like, question.cotangents)))


def _judge_by_watching(power: CheckPower, compared: Sequence[Array], handed: Sequence[Array]) -> None:
    """Of any other question only what the check compares is known, and what it hands the engine."""
    if compared:
        power.compared += 1
        power.nonzero += any(np.any(value) for value in compared)
    if compared and handed:
        power.asked += 1
        power.depends_on_cotangent += any((g != 1).any() for g in handed)


@contextlib.contextmanager
def _noting(backend: Backend, handed: list[Array]) -> Iterator[None]:
    """Within the block, the cotangents that a tape is handed are noted."""
    if not isinstance(backend, TapeBackend):
        yield
        return
    inner = backend.backward

    def backward(output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        if gradient is not None:
            handed.append(np.array(backend.numpy(gradient)))
        inner(output, gradient, retain=retain)

    with patch.object(backend, "backward", backward):  # of this instance alone
        yield
