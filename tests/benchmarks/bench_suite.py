"""How fast the suite itself is: run with `pytest tests/benchmarks/bench_suite.py -s`.

It prints the CPU time of `conformance run numpy --profile quick`, workers included. Nothing is asserted about a time.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture


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
