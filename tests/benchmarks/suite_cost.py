"""What the suite costs, beside the engines' own tests of gradients on the same cases.

    python tests/benchmarks/suite_cost.py [BACKEND ...] [--every 16] [--rounds 3] [--workers] [--json FILE]

Every n-th op of the catalogue is asked in float64, in quick's cases, without shrinking, in one process per backend.
Each round asks an op's questions with nothing remembered, again with what a run keeps for the next, and gives the same cases
to the engine's own testers, one after the other. A figure is the sum over ops of the median over rounds, in CPU seconds
of that process: read ratios, and only within one run. Nothing of this is asserted anywhere.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

START = time.process_time()  # of the imports below, which every worker of a run pays for

from conformance import kept  # noqa: E402
from conformance.backend import Backend  # noqa: E402
from conformance.case import Case  # noqa: E402
from conformance.checks.e_values import batches, forward_mode, nan_isolation, second_order  # noqa: E402
from conformance.load import load_backend, registered  # noqa: E402
from conformance.ops import CATALOGUE  # noqa: E402
from conformance.oracle import allowance  # noqa: E402
from conformance.questions import Item, items_of  # noqa: E402
from conformance.run.execute import Executor  # noqa: E402
from conformance.run.plan import PROFILES  # noqa: E402
from conformance.strategies import cases as strategy  # noqa: E402

DTYPE, PROFILE, SEED = "float64", "quick", 0
PERIOD = 0.002  # seconds between two looks at what is computed
FIRST, AGAIN = "conformance, first time", "conformance, again"
PARTS = ("engine", "oracle", "generation", "own")
COMMAND = [sys.executable, "-c", "import sys; from conformance.cli import main; sys.exit(main())"]
REMEMBERED = (
    strategy.draw_cases,
    allowance.expected_gradients,
    allowance.expected_values,
    forward_mode._drawn,
    second_order.expected_of,
    nan_isolation._reached,
    batches._batched,
)


# ---- one backend, in a process of its own -------------------------------------------------------------


def measured(spec: str, names: Sequence[str], rounds: int) -> dict[str, Any]:
    """What one backend costs on some ops, as plain data."""
    imports = time.process_time() - START
    before = time.process_time()
    backend = load_backend(spec)
    loading = time.process_time() - before
    executor = Executor(backend, seed=SEED, effort=PROFILES[PROFILE], shrink=False, scripts=False)
    names = [name for name in names if name in backend.ops]
    for name in names:  # the design of its families is made once in a run
        strategy.draw_cases(CATALOGUE[name], DTYPE, SEED, executor.effort)
    asked: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    with Looking() as looking, tempfile.TemporaryDirectory() as folder:
        for name in names:
            found, spent = _of_op(executor, name, rounds, Path(folder, name))
            asked.update(found)
            seconds.update(spent)
    return {
        "backend": spec,
        "ops": len(names),
        "asked": dict(asked),
        "seconds": dict(seconds),
        "shares": looking.shares(),
        "cpu seconds of imports": imports,
        "cpu seconds of loading": loading,
        "peak memory in MiB": peak_memory(),
    }


def _of_op(
    executor: Executor, name: str, rounds: int, shelf: Path
) -> tuple[dict[str, int], dict[str, float]]:
    """How many questions, cases and samples there are of an op, and the median seconds of each way to check them."""
    items = [
        item
        for item in items_of(executor.backend.name, (DTYPE,))
        if item.kind.name == "op" and item.subject == name
    ]
    cases = strategy.draw_cases(CATALOGUE[name], DTYPE, SEED, executor.effort)
    ways: dict[str, Callable[[], int]] = {
        FIRST: lambda: _questions_anew(executor, items, None),
        AGAIN: lambda: _questions_anew(executor, items, shelf),
    }
    for tester, accepts in executor.backend.testers.items():
        ways[tester] = functools.partial(_samples, executor.backend, cases, accepts)
    _questions_anew(executor, items, shelf)
    times: dict[str, list[float]] = {way: [] for way in ways}
    counts: dict[str, int] = {"cases": len(cases)}
    for _ in range(rounds):
        for way, run in ways.items():
            before = time.process_time()
            counts[way] = run()
            times[way].append(time.process_time() - before)
    return counts, {way: statistics.median(found) for way, found in times.items()}


def _questions_anew(executor: Executor, items: Sequence[Item], shelf: Path | None) -> int:
    """Put an op's questions as in a new process; returns how many there were: a check on a case each."""
    for remembered in REMEMBERED:
        remembered.cache_clear()  # type: ignore[attr-defined]
    with kept.opened(shelf):
        results = list(executor.results(items))
    return sum(result.cases + result.undecided for result in results)


def _samples(backend: Backend, cases: Sequence[Case], accepts: Callable[..., bool]) -> int:
    """Give the cases to one of the engine's own testers; returns how many it took."""
    taken = 0
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in cases:
            try:
                accepts(backend.call(case.op, case.parameters), case.operands)
                taken += 1
            except Exception:  # an operand that is no number, an output that is no array
                continue
    return taken


def peak_memory() -> float:
    """Of this process so far, in MiB."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


class Looking:
    """A thread that looks every few milliseconds at what the main one computes, while the suite is asking.

    It is given the interpreter's lock at once: else it would see what gives the lock away by itself, such as calls of the system.
    """

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._main = threading.get_ident()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Looking:
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        sys.setswitchinterval(self._interval)

    def shares(self) -> dict[str, float]:
        """The share of each part."""
        total = sum(self._seen.values()) or 1
        return {part: self._seen[part] / total for part in PARTS}

    def _look(self) -> None:
        while not self._ended.wait(PERIOD):
            frame = sys._current_frames().get(self._main)
            if frame is not None and (part := part_of(list(_files(frame)))):
                self._seen[part] += 1


def _files(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        yield frame.f_code.co_filename.replace(os.sep, "/")
        frame = frame.f_back


def part_of(files: Sequence[str]) -> str:
    """Which part a stack belongs to, innermost file first; empty where the suite is not asking.

    The outermost that is not the suite's own counts: what an adapter calls is the engine's, the catalogue's rules too.
    """
    if not any(file.endswith("conformance/run/execute.py") for file in files):
        return ""
    for file in reversed(files):
        if "/conformance_backends/" in file:
            return "engine"
        if "/conformance/oracle/" in file:
            return "oracle"
        if "/conformance/strategies/" in file or "/conformance/design/" in file:
            return "generation"
    return "own"


# ---- the whole command --------------------------------------------------------------------------------


def in_child(spec: str, every: int, rounds: int) -> dict[str, Any]:
    """Measure a backend in a fresh process."""
    command = [sys.executable, __file__, spec, "--child", "--every", str(every), "--rounds", str(rounds)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def scaling(spec: str, names: Sequence[str], rounds: int) -> float:
    """How much sooner two workers end than one, on some ops: the median over rounds."""
    queries = [part for name in names for part in ("-q", f"op/{name}")]
    found = []
    for _ in range(rounds):
        times = []
        for workers in ("1", "2"):
            with tempfile.TemporaryDirectory() as folder:
                before = time.perf_counter()
                command = [
                    *COMMAND,
                    "run",
                    spec,
                    *queries,
                    "--profile",
                    PROFILE,
                    "-n",
                    workers,
                    "-o",
                    f"{folder}/r.jsonl",
                ]
                subprocess.run(command, check=False, capture_output=True)
                times.append(time.perf_counter() - before)
        found.append(times[0] / times[1])
    return statistics.median(found)


def start_up(arguments: Sequence[str], rounds: int) -> float:
    """The CPU seconds of a command that asks nothing: the median over rounds."""
    found = []
    for _ in range(rounds):
        before = os.times()
        subprocess.run([*COMMAND, *arguments], check=False, capture_output=True)
        after = os.times()
        found.append(
            after.children_user + after.children_system - before.children_user - before.children_system
        )
    return statistics.median(found)


def table(found: dict[str, Any]) -> str:
    """The figures as Markdown."""
    lines = [
        f"{found['machine']}; {found['rounds']} rounds, every {found['every']}th op, {DTYPE}, {PROFILE}",
        "",
    ]
    lines += [
        "| backend | way | samples | CPU s | per CPU s | cases per CPU s | samples per CPU s, as a multiple of |",
        "|---|---|---|---|---|---|---|",
    ]
    for line in found["backends"]:
        rates = {way: line["asked"][way] / max(spent, 1e-9) for way, spent in line["seconds"].items()}
        testers = {way: rate for way, rate in rates.items() if way not in (FIRST, AGAIN) and rate}
        for way, spent in line["seconds"].items():
            cases = line["asked"]["cases"] if way in (FIRST, AGAIN) else line["asked"][way]
            beside = ", ".join(
                f"{rates[way] / rate:.2f} {name}" for name, rate in testers.items() if name != way
            )
            lines.append(
                f"| {line['backend']} | {way} | {line['asked'][way]} | {spent:.2f} | {rates[way]:.0f} "
                f"| {cases / max(spent, 1e-9):.0f} | {beside} |"
            )
    lines += [
        "",
        "| backend | "
        + " | ".join(PARTS)
        + " | importing the suite, CPU s | loading the engine, CPU s | peak MiB |",
        "|---" * (len(PARTS) + 4) + "|",
    ]
    for line in found["backends"]:
        shares = " | ".join(f"{line['shares'][part]:.0%}" for part in PARTS)
        costs = f"{line['cpu seconds of imports']:.2f} | {line['cpu seconds of loading']:.2f} | {line['peak memory in MiB']:.0f}"
        lines.append(f"| {line['backend']} | {shares} | {costs} |")
    lines += [
        "",
        *(f"`conformance {command}`: {spent:.2f} CPU s" for command, spent in found["start-up"].items()),
    ]
    if found["-n 2 over -n 1"]:
        lines.append(f"-n 2 ends {found['-n 2 over -n 1']:.2f} times as soon as -n 1")
    return "\n".join(lines)


def machine() -> str:
    """Processor, cores, load, Python and NumPy."""
    names = [line.partition(":")[2].strip() for line in _cpuinfo() if line.startswith("model name")]
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    parts = [names[0] if names else platform.processor(), f"{os.cpu_count()} cores", load]
    return ", ".join([*filter(None, parts), f"Python {platform.python_version()}", f"NumPy {np.__version__}"])


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "backends", nargs="*", metavar="BACKEND", help="default: every installed one with testers, and numpy"
    )
    parser.add_argument(
        "--every", type=int, default=16, metavar="N", help="ask every n-th op of the catalogue"
    )
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument(
        "--workers", action="store_true", help="also run the first backend with -n 1 and -n 2"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = list(CATALOGUE)[:: options.every]
    if options.child:
        print(json.dumps(measured(options.backends[0], names, options.rounds)))
        return
    specs = options.backends or [
        name for name in registered() if name == "numpy" or load_backend(name).testers
    ]
    commands = (["--help"], ["list", "backends"], ["doctor"])
    found = {
        "machine": machine(),
        "every": options.every,
        "rounds": options.rounds,
        "backends": [in_child(spec, options.every, options.rounds) for spec in specs],
        "start-up": {" ".join(command): start_up(command, options.rounds) for command in commands},
        "-n 2 over -n 1": scaling(specs[0], names, options.rounds) if options.workers else None,
    }
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(table(found))


if __name__ == "__main__":
    main()
