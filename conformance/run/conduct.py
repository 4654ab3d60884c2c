"""Conducting a run: header, one session per engine, footer, exit code."""

from __future__ import annotations

import datetime
import os
import platform
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

import conformance
from conformance.diagnosis.cross_engine import cross_engine_answers
from conformance.errors import UsageError
from conformance.load import modes_of, registered
from conformance.questions import Item, items_of
from conformance.run import threads
from conformance.run.describe import Description, describe_all
from conformance.run.plan import digest, select, shard
from conformance.run.session import run_session
from conformance.runfile.jsonl import SCHEMA, RunWriter
from conformance.runfile.known import read_known
from conformance.runfile.records import (
    UNEXPECTED,
    CrossEngineLine,
    EndLine,
    ResultLine,
    RunLine,
    SpecLine,
    Verdict,
    counts_of,
    with_cross_engine,
)

PASSED, FAILED, INTERRUPTED, INTERNAL, STALE, NOT_STARTED, INCOMPLETE = 0, 1, 2, 3, 10, 11, 12


@dataclass(frozen=True)
class Request:
    """What a run is to check, and where its results go."""

    specs: tuple[str, ...]
    queries: tuple[str, ...]
    profile: str
    seed: int
    workers: int
    shard: str
    timeout: float
    output: Path
    known: Path | None


class Listener(Protocol):
    """What is notified of how a run goes."""

    def begin(self, header: RunLine, total: int) -> None:
        """The header is written; so many questions follow."""

    def result(self, result: ResultLine) -> None:
        """One answer is in the file."""

    def end(
        self, header: RunLine, results: Sequence[ResultLine], request: Request, trouble: Sequence[str]
    ) -> None:
        """The footer is written."""


def specs_of(names: Sequence[str]) -> list[str]:
    """The backends that names on the command line stand for; every installed one by default."""
    chosen = [spec for name in names for spec in modes_of(name)] if names else list(registered())
    if not chosen:
        raise UsageError("no backend is installed; name one: module:Name, or file.py")
    return list(dict.fromkeys(chosen))


def engine_of(spec: str) -> str:
    """What shares worker processes: the modes of one engine, and nothing else."""
    return spec if ":" in spec or spec.endswith(".py") else spec.partition(".")[0]


def conduct(request: Request, listener: Listener) -> int:
    """Run; every result is in the file as soon as it is known."""
    started = time.perf_counter()
    threads.one_each()
    known = read_known(request.known) if request.known else ()
    descriptions = _described(request)
    items = {d.spec: list(items_of(d.line.name, d.dtypes)) for d in descriptions if not d.line.error}
    chosen = _chosen(request, items)
    header = header_of(request.profile, request.seed, descriptions, request.queries)
    writer = _writer(request.output, header)
    results: list[ResultLine] = []

    def keep(result: ResultLine) -> None:
        results.append(result)
        writer.write(result)
        listener.result(result)

    listener.begin(header, len(chosen))
    trouble: list[str] = []
    said: list[CrossEngineLine] = []
    was_interrupted = False
    try:
        for specs, part in _sessions(descriptions, items, chosen):
            trouble += run_session(
                specs,
                part,
                _options(request),
                workers=request.workers or os.cpu_count() or 1,
                known=known,
                timeout=request.timeout,
                keep=keep,
            )
        for line in cross_engine_answers(results, _engines(descriptions)):
            writer.write(line)
            said.append(line)
    except KeyboardInterrupt:
        was_interrupted = True
    is_complete = len(results) == len(chosen) and not was_interrupted and not trouble
    code = exit_code(results, descriptions, trouble, is_complete=is_complete, was_interrupted=was_interrupted)
    seconds = round(time.perf_counter() - started, 3)
    writer.write(EndLine(is_complete, counts_of(results), seconds, code))
    writer.close()
    listener.end(header, with_cross_engine(results, said), request, trouble)
    return code


def _described(request: Request) -> list[Description]:
    """What the request's backends say of themselves; UsageError where two say the same name."""
    descriptions = describe_all(specs_of(request.specs))
    names = [d.line.name for d in descriptions]
    if len(set(names)) < len(names):
        raise UsageError(f"two backends have one name: {', '.join(sorted(names))}; rename a class or a file")
    return descriptions


def _chosen(request: Request, items: Mapping[str, Sequence[Item]]) -> list[Item]:
    """The questions that the request's queries match; where it names a shard, that part of them."""
    everything = [item for part in items.values() for item in part]
    chosen = select(everything, request.queries) if everything else []
    return shard(chosen, request.shard) if request.shard else chosen


def _writer(output: Path, header: RunLine) -> RunWriter:
    """The run file, begun; UsageError where it cannot be."""
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        return RunWriter(output, header)
    except OSError as error:
        raise UsageError(f"cannot write the run file {output}: {error.strerror}") from None


def _sessions(
    descriptions: Sequence[Description], items: Mapping[str, Sequence[Item]], chosen: Sequence[Item]
) -> list[tuple[list[str], list[Item]]]:
    """The chosen items by engine."""
    picked = {item.id for item in chosen}
    sessions: dict[str, tuple[list[str], list[Item]]] = {}
    for description in descriptions:
        part = [item for item in items.get(description.spec, []) if item.id in picked]
        if part:
            specs, gathered = sessions.setdefault(engine_of(description.spec), ([], []))
            specs.append(description.spec)
            gathered.extend(part)
    return list(sessions.values())


def _engines(descriptions: Sequence[Description]) -> list[tuple[str, list[str]]]:
    """Every engine that could start: how to load its first mode, and the names of all its modes."""
    engines: dict[str, tuple[str, list[str]]] = {}
    for description in descriptions:
        if not description.line.error:
            _, names = engines.setdefault(engine_of(description.spec), (description.spec, []))
            names.append(description.line.name)
    return list(engines.values())


def _options(request: Request) -> list[str]:
    options = ["--conformance-profile", request.profile, "--conformance-seed", str(request.seed)]
    for query in request.queries:
        options += ["--conformance-query", query]
    if request.shard:
        options += ["--conformance-shard", request.shard]
    if request.known:
        options += ["--conformance-known", str(request.known.resolve())]
    return options


def header_of(
    profile: str, seed: int, descriptions: Sequence[Description] = (), queries: tuple[str, ...] = ()
) -> RunLine:
    """The first line of a run file, whoever writes it."""
    return RunLine(
        schema=SCHEMA,
        id=uuid.uuid4().hex[:12],
        started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        profile=profile,
        seed=seed,
        spec=SpecLine(conformance.__version__, digest()),
        host={
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
            "numpy": np.__version__,
            "cores": str(os.cpu_count()),
            "extended precision": f"{np.finfo(np.longdouble).nmant + 1} bits",
        },
        backends=tuple(d.line for d in descriptions),
        queries=queries,
    )


def exit_code(
    results: Sequence[ResultLine],
    descriptions: Sequence[Description],
    trouble: Sequence[str],
    *,
    is_complete: bool,
    was_interrupted: bool,
) -> int:
    """What the run says to whoever started it; the gravest first."""
    if was_interrupted:
        return INTERRUPTED
    if trouble or any(r.verdict is Verdict.INTERNAL_ERROR for r in results):
        return INTERNAL
    if any(d.line.error for d in descriptions):
        return NOT_STARTED
    if any(r.verdict in UNEXPECTED for r in results):
        return FAILED
    if not is_complete or any(r.verdict is Verdict.INTERRUPTED for r in results):
        return INCOMPLETE
    return STALE if any(r.verdict is Verdict.FIXED for r in results) else PASSED
