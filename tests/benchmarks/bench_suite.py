"""How fast the suite itself is: run with `pytest tests/benchmarks/bench_suite.py -s`.

Two figures: the CPU time of `conformance run numpy --profile quick`, workers included, and the share of
a run that is spent inside an engine's own calls, in one process. Nothing is asserted about a time.
"""

from __future__ import annotations

import itertools
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from conformance.load import load_backend
from conformance.questions import items_of
from conformance.run import threads
from conformance.run.execute import Executor
from conformance.run.plan import PROFILES
from conformance.timing.share import engine_clock

threads.one_each()  # as a run does, before an engine starts


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_cpu_time_of_a_quick_run(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; from conformance.cli import main; sys.exit(main())"]
    command += ["run", "numpy", "--profile", "quick", "-o", str(tmp_path / "run.jsonl")]
    spent = []

    def run() -> None:
        before = cpu_seconds()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        spent.append(cpu_seconds() - before)

    benchmark.pedantic(run, rounds=3)
    benchmark.extra_info["cpu seconds"] = [round(value, 1) for value in spent]
    print(f"\nrun numpy --profile quick: CPU time {min(spent):.1f} s (of {len(spent)} runs)")


@pytest.mark.parametrize("name", ["numpy", "torch", "torch.func", "jax", "jax.jit"])
def test_share_inside_the_engine(benchmark: BenchmarkFixture, name: str) -> None:
    pytest.importorskip(name.partition(".")[0])
    backend = load_backend(name)
    items = [item for item in items_of(name, backend.dtypes) if item.dtype != "float32"]

    def run() -> tuple[float, float]:
        started = time.perf_counter()
        with engine_clock(backend) as clock:
            executor = Executor(backend, seed=0, effort=PROFILES["quick"], shrink=False)
            for _, group in itertools.groupby(items, key=lambda item: item.group):
                list(executor.results(list(group)))
        return clock.seconds, time.perf_counter() - started

    inside, total = benchmark.pedantic(run, rounds=1)
    benchmark.extra_info["share inside the engine"] = round(inside / total, 3)
    print(f"\n{name}: {inside:.1f} s of {total:.1f} s inside the engine's own calls, {inside / total:.0%}")
