"""A timing comparison, from its options to its table."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from conformance.backend import Backend
from conformance.cli.console import print_json
from conformance.load import load_backend, modes_of
from conformance.run.conduct import specs_of
from conformance.run.describe import describe
from conformance.run.plan import header_of
from conformance.runfile.records import EndLine, TimingLine
from conformance.runfile.writer import RunWriter
from conformance.timing.measure import HAND_WRITTEN, Progress, measure


def bench(options: argparse.Namespace, host: Mapping[str, str]) -> int:
    """Measure every backend in one process, interleaved; each line is written as soon as it is known."""
    specs = specs_of(options.backends)
    backends = [load_backend(spec) for spec in specs]
    reference = _reference(options.reference, dict(zip(specs, backends, strict=True)))
    header = header_of("bench", options.seed, [describe(spec) for spec in specs])
    if hasattr(os, "getloadavg"):
        host = {**host, "load before": f"{os.getloadavg()[0]:.2f}"}
    header = msgspec.structs.replace(header, host={**header.host, **host, **devices(backends)})
    options.output.parent.mkdir(parents=True, exist_ok=True)
    # Away from a terminal no width is given, and a table must stay whole.
    console = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 200)
    lines: list[TimingLine] = []

    def print_progress(progress: Progress) -> None:
        console.print(
            f"{progress.done + 1}/{progress.total} {progress.workload} {progress.size}", markup=False
        )

    measured = measure(
        backends,
        reference=reference,
        dtype=options.dtype,
        workloads=options.workload or None,
        sizes=options.size or None,
        seed=options.seed,
        on_progress=print_progress,
    )
    writer = RunWriter(Path(options.output), header)  # once it is known that there is something to measure
    for line in measured:
        lines.append(line)
        writer.write(line)
    writer.write(EndLine(complete=True, counts={}))
    writer.close()
    if options.as_json:
        print_json({"run": str(options.output), "timings": lines})
    for what in ("forward", "gradient"):
        console.print(table_of(lines, what))
    for text in (*elsewhere(backends), *remarks(lines), *doubts(lines)):
        console.print(text, markup=False)
    console.print(f"run file {options.output}", markup=False)
    return 0


def _reference(spec: str, backends: Mapping[str, Backend]) -> str:
    """The name of the backend that others are compared with; UsageError where there is none of that name, timed or not."""
    if spec in backends:
        return backends[spec].name
    if spec not in {backend.name for backend in backends.values()}:
        modes_of(spec)
    return spec


def devices(backends: Sequence[Backend]) -> dict[str, str]:
    """Where each engine computes whose adapter can say so: a time on a GPU stands beside NumPy on the CPU."""
    return {
        f"device of {backend.name}": backend.device() for backend in backends if hasattr(backend, "device")
    }


def elsewhere(backends: Sequence[Backend]) -> Iterator[str]:
    """Which engines do not compute on the CPU, as hand-written NumPy does."""
    for name, device in devices(backends).items():
        if device != "cpu":
            yield f"{name} is {device}: its times are of that device, those of hand-written NumPy of the CPU"


def remarks(lines: Sequence[TimingLine]) -> Iterator[str]:
    """Why there is no time, and what was timed in place of an op that the engine has not by that name: each once."""
    refused = dict.fromkeys((line.backend, line.workload, line.refused) for line in lines if line.refused)
    for backend, workload, why in refused:
        yield f"n/a {backend}, {workload}: {why}"
    for backend, idiom in dict.fromkeys((line.backend, idiom) for line in lines for idiom in line.idioms):
        yield f"{backend} is timed with {idiom}: it has no function of that name"


def doubts(lines: Sequence[TimingLine]) -> Iterator[str]:
    """What the marks of the table mean: each reason for doubt once, with how many times it is about."""
    doubtful = [line for line in lines if line.doubt]
    if not doubtful:
        yield "no time is doubtful"
        return
    yield f"? {len(doubtful)} of {len(lines)} times cannot be trusted:"
    # One sentence for all that were disturbed: the figures in it differ from program to program.
    reasons = Counter(line.doubt.partition(":")[0] for line in doubtful)
    for reason, count in reasons.most_common():
        example = next(line.doubt for line in doubtful if line.doubt.startswith(reason))
        yield f"  {count} × {example}" + (", for one of them" if count > 1 and example != reason else "")


def table_of(lines: list[TimingLine], what: str) -> Table:
    """Ratios to hand-written NumPy with their intervals; a refused answer has no number."""
    names = list(dict.fromkeys(line.backend for line in lines if line.backend != HAND_WRITTEN))
    table = Table(title=f"{what}: times hand-written NumPy [95 % interval]", box=None, title_justify="left")
    for name in ("workload", "size", HAND_WRITTEN, *names):
        table.add_column(name, justify="left" if name in ("workload", "size") else "right")
    for workload, size in dict.fromkeys((line.workload, line.size) for line in lines):
        row = {x.backend: x for x in lines if (x.workload, x.size, x.what) == (workload, size, what)}
        table.add_row(
            workload, size, _time(row.get(HAND_WRITTEN)), *(_ratio(row.get(name)) for name in names)
        )
    return table


def _time(line: TimingLine | None) -> str:
    if line is None or line.median is None:
        return "–"
    return f"{'? ' if line.doubt else ''}{line.median * 1e6:.0f} µs"


def _ratio(line: TimingLine | None) -> str:
    if line is None:
        return "not run"
    if line.ratio is None:
        return "n/a"
    mark = "? " if line.doubt else ""
    return f"{mark}{line.ratio:.2f} \\[{line.ratio_low:.2f}, {line.ratio_high:.2f}]"
