"""Conventions are measured in a process of its own, which an engine may end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from conformance.atlas.conventions import MeasuredConvention, measure_conventions
from conformance.backend import Backend
from conformance.clauses import STANDARD, Clause
from conformance.load import load_backend
from conformance.run.process.apart import Ended, messages_of


def try_conventions(
    backend: Backend,
    spec: str,
    progress: Callable[[str], None],
    heard: Callable[[str], None],
    clauses: Iterable[Clause] = STANDARD.values(),
) -> Iterator[MeasuredConvention]:
    """What the engine does where engines differ; a clause at which it ends the process is not measured.

    `progress` gets what is being asked, and `heard` what the engine wrote to the terminal meanwhile.
    """
    waiting = [clause for clause in clauses if clause.conventions]
    known = dict(backend.conventions)
    while waiting:
        check = waiting[0].number
        try:
            numbers = [clause.number for clause in waiting]
            for found in messages_of(_measure_all, spec, numbers, known, heard=heard):
                if isinstance(found, str):
                    check = found
                    progress(check)
                    continue
                waiting.remove(found.clause)
                if len(found.found) == 1:
                    known[found.clause.number] = found.found[0]
                yield found
            return
        except Ended as end:
            clause = waiting.pop(0)
            declared = backend.conventions.get(clause.number)
            yield MeasuredConvention(clause, declared, (), f"{end}, in {check}")


def _measure_all(
    send: Callable[[Any], None], spec: str, numbers: Sequence[str], known: Mapping[str, str]
) -> None:
    """Send each check before it is run, and each convention when it is known."""
    backend = load_backend(spec)
    clauses = [STANDARD[number] for number in numbers]
    for measured in measure_conventions(backend, clauses, known=known, note=send):
        send(measured)
