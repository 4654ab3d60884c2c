"""Elections: finding out what an engine does where engines legitimately differ.

For every alternative of a clause the clause's own checks are asked as if the adapter had elected it;
the alternative under which all of them hold is what the engine does. So the probe says the same as a run
will, and a new clause needs no probe of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from conformance.backend import Backend
from conformance.checks import Check, Kind, load_all
from conformance.checks.registry import NotThisCase
from conformance.checks.sample import Sample
from conformance.clauses import STANDARD, Clause
from conformance.errors import Unsupported, is_ctrl_c
from conformance.run.asking import ask

SEEDS = range(3)


@dataclass(frozen=True)
class Election:
    """What an adapter says of one clause, and what its engine does.

    `found` has the alternatives that hold: one, where the checks can tell; none, where the clause is
    violated whatever is elected, or (with a `reason`) where the engine has nothing to ask.
    """

    clause: Clause
    declared: str | None
    found: tuple[str, ...]
    reason: str = ""

    @property
    def is_settled(self) -> bool:
        """Whether what is declared is what was found, or there is nothing to declare."""
        return self.declared in self.found if self.found else bool(self.reason)


def measured(backend: Backend) -> Iterator[Election]:
    """What the engine does, clause by clause."""
    known: dict[str, str] = dict(backend.conventions)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for clause in STANDARD.values():
            if clause.elects:
                election = _measured(backend, clause, known)
                if len(election.found) == 1:
                    known[clause.number] = election.found[0]  # later clauses may build on it
                yield election


def _measured(backend: Backend, clause: Clause, known: Mapping[str, str]) -> Election:
    found, reasons = [], []
    for alternative in clause.elects:
        held = _holds(backend, clause, {**known, clause.number: alternative})
        if held is True:
            found.append(alternative)
        elif held is not False:
            reasons.append(held)
    is_silent = len(reasons) == len(clause.elects)
    return Election(
        clause, backend.conventions.get(clause.number), tuple(found), reasons[0] if is_silent else ""
    )


def _holds(backend: Backend, clause: Clause, conventions: Mapping[str, str]) -> bool | str:
    """Whether all checks of a clause hold as if so elected; a reason where none could be asked."""
    before = backend.conventions
    backend.conventions = conventions  # type: ignore[misc]  # of this object, not of its class
    try:
        answers = [_asked(check, backend) for check in _checks_of(clause)]
    finally:
        backend.conventions = before  # type: ignore[misc]
    if False in answers:
        return False
    return True if True in answers else next((a for a in answers if isinstance(a, str)), "nothing asks it")


def _checks_of(clause: Clause) -> list[Check]:
    return [c for c in load_all().values() if c.clause == clause.number and c.kind is Kind.CONTRACT]


def _asked(check: Check, backend: Backend) -> bool | str:
    reason = "no case could tell"
    for seed in SEEDS:
        try:
            check.require(backend)
            ask(check, backend, Sample(seed, backend.dtypes[0]))
            reason = ""
        except (Unsupported, NotThisCase) as cannot:
            reason = reason and str(cannot)
        except BaseException as error:
            if is_ctrl_c(error):
                raise
            return False
    return reason or True
