"""The measurement: every workload on every backend, right answers first.

For each workload of each size, a backend's answers go through the gate; then those admitted and the
hand-written form are timed in alternation, once for the value and once for the gradient.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from conformance.backend import Backend
from conformance.errors import UsageError, brief, error_text, is_ctrl_c
from conformance.runfile.records import TimingLine
from conformance.timing.gate import Refused, Solution, admit_forward, admit_gradient, solve
from conformance.timing.idioms import Finder
from conformance.timing.noise import CALIBRATION, Noise, impossible
from conformance.timing.prepare import Step, is_waited_for, prepare_forward, prepare_gradient
from conformance.timing.programs import WORKLOADS
from conformance.timing.rounds import Budget, Contender, Rounds, ratio, time_interleaved
from conformance.timing.workloads import ON_REQUEST, SIZES, Workload, label

HAND_WRITTEN = "hand-written"
"""The name under which plain NumPy without an engine stands in the table."""

WHATS = ("forward", "gradient")


@dataclass(frozen=True)
class Progress:
    """Where a measurement is: `done` of `total` workloads and sizes, and the one that starts now."""

    done: int
    total: int
    workload: str
    size: str


@dataclass(frozen=True)
class Entry:
    """A backend at the start line: what is timed and how long the first calls took, or why it is out."""

    name: str
    steps: Mapping[str, Step] = field(default_factory=dict)
    first: Mapping[str, float] = field(default_factory=dict)
    refused: str = ""
    idioms: tuple[str, ...] = ()
    compiles: bool = False
    computes_with_numpy: bool = False
    waits: bool = False


def measure(
    backends: Sequence[Backend],
    *,
    reference: str,
    dtype: str = "float64",
    budget: Budget | None = None,
    workloads: Collection[str] | None = None,
    sizes: Collection[str] | None = None,
    seed: int = 0,
    on_progress: Callable[[Progress], None] | None = None,
) -> Iterator[TimingLine]:
    """Time the backends on the workloads, line by line.

    Args:
        backends: whom to time; all on the same operands, interleaved.
        reference: the name of the backend that `ratio_to_reference` divides by; where it is not among
            the backends, or was refused, there is no such ratio.
        dtype: of all operands.
        budget: how many rounds, and how long at most.
        workloads: names in WORKLOADS; all by default.
        sizes: names in SIZES or ON_REQUEST; those in SIZES by default.
        seed: of the operands, the order of the backends within each sweep, and the bootstrap.
        on_progress: called before each workload and size.

    Yields:
        For each workload, size and what: the hand-written form's line, then one per backend.

    Raises:
        UsageError: if a workload or a size does not exist.
    """
    chosen = [
        (WORKLOADS[name], WORKLOADS[name].sizes[size])
        for name in known(workloads, WORKLOADS, "workload")
        for size in known(SIZES if sizes is None else sizes, (*SIZES, *ON_REQUEST), "size")
    ]
    return _measured(chosen, backends, reference, dtype, budget or Budget(), seed, on_progress)


def known(names: Collection[str] | None, options: Collection[str], what: str) -> list[str]:
    """Those of `options` that are named, in their own order."""
    for name in names or ():
        if name not in options:
            raise UsageError(f"there is no {what} called {brief(name)!r}; there are {', '.join(options)}")
    return [option for option in options if names is None or option in names]


def _measured(
    chosen: Sequence[tuple[Workload, Mapping[str, int]]],
    backends: Sequence[Backend],
    reference: str,
    dtype: str,
    budget: Budget,
    seed: int,
    on_progress: Callable[[Progress], None] | None,
) -> Iterator[TimingLine]:
    for done, (workload, size) in enumerate(chosen):
        if on_progress:
            on_progress(Progress(done, len(chosen), workload.name, label(size)))
        solution = solve(workload, size, dtype, seed)
        entries = [hand_written(solution), *(enter(backend, solution, dtype) for backend in backends)]
        forward: dict[str, Rounds] = {}
        for what in WHATS:
            contenders = [Contender(e.name, e.steps[what], e.waits) for e in entries if not e.refused]
            noise = Noise()
            rounds = time_interleaved([*contenders, CALIBRATION], budget, seed, noise.watch)
            noise.judge(rounds.pop(CALIBRATION.name))
            for entry in entries:
                line = line_of(entry, what, solution, rounds, reference=reference, seed=seed)
                yield doubted(line, entry, rounds, forward, noise, seed)
            forward = rounds


def doubted(
    line: TimingLine,
    entry: Entry,
    rounds: Mapping[str, Rounds],
    forward: Mapping[str, Rounds],
    noise: Noise,
    seed: int,
) -> TimingLine:
    """The line with what disturbed its measurement, or why it cannot be true; `forward` are the rounds of the values."""
    if entry.refused:
        return line
    mine = rounds[entry.name]
    doubt = noise.doubt or impossible(
        mine,
        forward.get(entry.name),
        ratio(mine, rounds[HAND_WRITTEN], seed),
        computes_with_numpy=entry.computes_with_numpy,
    )
    return replace(line, doubt=doubt, share=round(noise.share, 3), spread=round(noise.spread, 3))


def hand_written(solution: Solution) -> Entry:
    """The hand-written form, which needs no gate: it is what the gate compares with."""
    workload, size, operands = solution.workload, solution.size, solution.operands
    steps: dict[str, Step] = {
        "forward": lambda: (workload.forward(size, *operands),),
        "gradient": lambda: workload.gradient(size, *operands),
    }
    return Entry(HAND_WRITTEN, steps)


def enter(backend: Backend, solution: Solution, dtype: str) -> Entry:
    """Prepare a backend's steps and admit them, or say why not.

    Whatever an engine raises is a reason to leave it out, never to stop the measurement.
    """
    try:
        if dtype not in backend.dtypes:
            raise Refused(f"{backend.engine} has no gradients in {dtype}")
        # A function for each: an engine that remembers what it compiled must not know it already.
        find = Finder(backend, dtype)
        functions = {what: solution.workload.program(find, solution.size) for what in WHATS}
        prepared, first = {}, {}
        for what, prepare in (("gradient", prepare_gradient), ("forward", prepare_forward)):
            start = time.perf_counter()
            prepared[what] = prepare(backend, functions[what], solution.operands)
            prepared[what]()
            first[what] = time.perf_counter() - start
        admit_gradient(backend, functions["gradient"], solution, prepared["gradient"])
        admit_forward(backend, solution, prepared["forward"])
    except Refused as refusal:
        return Entry(backend.name, refused=str(refusal))
    except BaseException as error:  # SystemExit too: an engine does not decide when a comparison ends
        if is_ctrl_c(error):
            raise
        return Entry(backend.name, refused=error_text(error))
    return Entry(
        backend.name,
        prepared,
        first,
        idioms=tuple(f"{name} as {text}" for name, text in find.used.items()),
        compiles=backend.compiles_signatures,
        computes_with_numpy=getattr(backend, "computes_with_numpy", False),
        waits=is_waited_for(backend),
    )


def line_of(
    entry: Entry, what: str, solution: Solution, rounds: Mapping[str, Rounds], *, reference: str, seed: int
) -> TimingLine:
    """An entry's line of the run file."""
    place = {
        "workload": solution.workload.name,
        "size": label(solution.size),
        "backend": entry.name,
        "dtype": solution.operands[0].dtype.name,
        "what": what,
    }
    if entry.refused:
        return TimingLine(**place, refused=entry.refused)
    mine = rounds[entry.name]
    line = TimingLine(
        **place,
        median=mine.statistics.median,
        low=mine.statistics.q1,
        high=mine.statistics.q3,
        rounds=mine.statistics.rounds,
        idioms=entry.idioms,
        compile_seconds=max(0.0, entry.first[what] - mine.statistics.median) if entry.compiles else None,
        ratio_to_reference=ratio(mine, rounds[reference], seed).value if reference in rounds else None,
    )
    if entry.name == HAND_WRITTEN:
        return line
    to_hand = ratio(mine, rounds[HAND_WRITTEN], seed)
    return replace(line, ratio=to_hand.value, ratio_low=to_hand.low, ratio_high=to_hand.high)
