"""Several runs read as one: the first header leads, later results win by id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

import msgspec

from conformance.errors import UsageError
from conformance.runfile.jsonl import Run
from conformance.runfile.records import BackendLine, EndLine

T = TypeVar("T")


def unite(runs: Sequence[Run]) -> Run:
    """One run holding the lines of all; it is complete only if every one of them is."""
    if not runs:
        raise UsageError("a report needs at least one run file: conformance report RUN.jsonl -o REPORT.html")
    host = {key: fact for run in reversed(runs) for key, fact in run.header.host.items()}
    header = msgspec.structs.replace(runs[0].header, backends=_backends(runs), host=host)
    united = Run(
        header,
        _last((line for run in runs for line in run.results), lambda line: line.id),
        _last(
            (line for run in runs for line in run.timings),
            lambda line: (line.workload, line.size, line.backend, line.dtype, line.what),
        ),
        _last((line for run in runs for line in run.proofs), lambda line: (line.op, line.oracle)),
        _last((line for run in runs for line in run.mutants), lambda line: line.name),
        generated=_last((line for run in runs for line in run.generated), lambda line: line.name),
        damage=tuple(damage for run in runs for damage in run.damage),
    )
    united.end = _end(runs, united.counts())
    return united


def _backends(runs: Sequence[Run]) -> tuple[BackendLine, ...]:
    """Every backend once; the first header to name it leads here too."""
    lines: dict[str, BackendLine] = {}
    for run in runs:
        for line in run.header.backends:
            lines.setdefault(line.name, line)
    return tuple(lines.values())


def _last(lines: Iterable[T], key: Callable[[T], Hashable]) -> list[T]:
    """The last line of each key, in the order in which the keys first came."""
    return list({key(line): line for line in lines}.values())


def _end(runs: Sequence[Run], counts: dict[str, int]) -> EndLine | None:
    ends = [run.end for run in runs if run.end is not None]
    if len(ends) < len(runs):
        return None
    return EndLine(
        complete=all(end.complete for end in ends),
        budget=sum(end.budget for end in ends),
        not_asked=dict(sum((Counter(end.not_asked) for end in ends), Counter[str]())),
        trouble=tuple(dict.fromkeys(text for end in ends for text in end.trouble)),
        left_out=tuple(sorted({op for end in ends for op in end.left_out})),
        unexplained=tuple(dict.fromkeys(text for end in ends for text in end.unexplained)),
        counts=counts,
        seconds=sum(end.seconds for end in ends),
        exit_code=max(end.exit_code for end in ends),
    )


def backend_names(run: Run) -> list[str]:
    """The backends by name: those of the header, then any that only its lines name."""
    names = [line.name for line in run.header.backends]
    names += [line.backend for line in run.results]
    return list(dict.fromkeys(names))
