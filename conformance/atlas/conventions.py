"""Conventions: what an engine does where engines legitimately differ.

For every convention of a clause the clause's own checks are run as if the adapter had declared it; the one under which
all of them hold is what the engine does. So the probe agrees with a run, and a new clause needs no probe of its own.
Checks of ops that have no slope are run on a few of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.checks import Check, load_all
from conformance.checks.registry import NotThisCase
from conformance.clauses import STANDARD, Clause
from conformance.errors import Unsupported, is_ctrl_c
from conformance.questions import Question, kind_of
from conformance.strategies import Effort

FEW = 4  # ops without a slope, and cases of each
EFFORT = Effort(signatures=FEW, draws=1, samples=3, programs=0)


@dataclass(frozen=True)
class MeasuredConvention:
    """What an adapter says of one clause, and what its engine does.

    `found` has the conventions that hold: one, where the checks can tell; none, where the clause is
    violated whatever is declared, or (with a `reason`) where no check could be run.
    """

    clause: Clause
    declared: str | None
    found: tuple[str, ...]
    reason: str = ""

    @property
    def is_settled(self) -> bool:
        """Whether what is declared is what was found, or there is nothing to declare."""
        return self.declared in self.found if self.found else bool(self.reason)


def measure_conventions(backend: Backend) -> Iterator[MeasuredConvention]:
    """What the engine does, clause by clause."""
    known: dict[str, str] = dict(backend.conventions)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for clause in STANDARD.values():
            if clause.conventions:
                result = _measured(backend, clause, known)
                if len(result.found) == 1:
                    known[clause.number] = result.found[0]  # later clauses may build on it
                yield result


def _measured(backend: Backend, clause: Clause, known: Mapping[str, str]) -> MeasuredConvention:
    found, reasons = [], []
    for convention in clause.conventions:
        held = _holds(backend, clause, {**known, clause.number: convention})
        if held is True:
            found.append(convention)
        elif held is not False:
            reasons.append(held)
    is_silent = len(reasons) == len(clause.conventions)
    return MeasuredConvention(
        clause, backend.conventions.get(clause.number), tuple(found), reasons[0] if is_silent else ""
    )


def _holds(backend: Backend, clause: Clause, conventions: Mapping[str, str]) -> bool | str:
    """Whether all checks of a clause hold as if so declared; a reason where none could be run."""
    before = backend.conventions
    backend.conventions = conventions  # type: ignore[misc]  # of this object, not of its class
    try:
        answers = [_run(check, backend) for check in _checks_of(clause)]
    finally:
        backend.conventions = before  # type: ignore[misc]
    if False in answers:
        return False
    return True if True in answers else next((a for a in answers if isinstance(a, str)), "no check tests it")


def _checks_of(clause: Clause) -> list[Check]:
    checks = [c for c in load_all().values() if c.clause == clause.number]
    return [c for c in checks if c.kind == "contract" or c.is_of_flat]


def _questions(check: Check, backend: Backend) -> Iterator[Question[Any]]:
    """Samples of a contract; a few cases of a few ops without a slope."""
    kind = kind_of(check)
    offered = (
        item
        for item in kind.items([check], backend.name, backend.dtypes[:1])
        if not check.is_of_flat or item.subject in backend.ops
    )
    for item in islice(offered, FEW):
        yield from (question for question, _ in kind.rounds([item], backend, 0, EFFORT))


def _run(check: Check, backend: Backend) -> bool | str:
    """Whether a check holds; a reason where no question decided."""
    reason = "no case decides"
    for question in _questions(check, backend):
        try:
            check.require(backend)
            question.run(check, question.on(backend))
            reason = ""
        except (Unsupported, NotThisCase) as cannot:
            reason = reason and str(cannot)
        except BaseException as error:
            if is_ctrl_c(error):
                raise
            return False
    return reason or True
