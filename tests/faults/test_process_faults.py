"""An engine that harms its process costs one answer, and leaves no process behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.runfile.jsonl import Run, read_run

from ..conformance.conftest import clean_environment
from . import process_faults

WHICH = "All" if os.environ.get("CONFORMANCE_FAULTS") == "all" else "Sample"
ADAPTERS = Path(__file__).with_name("process_faults.py")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and processes are Linux's here")

# injected, verdict of the one question, a part of its message; the exit code of the run is 1, or 12 of one interrupted
FAULTS = [
    ("Exits0", "crash", "this ended the process"),
    ("Exits1", "crash", "this ended the process"),
    ("Aborts", "crash", "Aborted"),
    ("Segfaults", "crash", "Segmentation fault"),
    ("Sigbus", "crash", "Bus error"),
    ("Sigfpe", "crash", "Floating point exception"),
    ("Sigill", "crash", "Illegal instruction"),
    ("Sigkill", "interrupted", "killed from outside, twice"),
    ("Sigterm", "interrupted", "killed from outside, twice"),
    ("Sighup", "crash", "this ended the process"),
    ("Sigusr1", "crash", "this ended the process"),
    ("Sigalrm", "crash", "this ended the process"),
    ("Sigquit", "crash", "this ended the process"),
    ("Sigint", "pass", ""),
    ("ForksAndHolds", "crash", "this ended the process"),
    ("ForksAndDetaches", "crash", "this ended the process"),
    ("ClosesAll", "crash", "this ended the process"),
    ("LeavesChildren", "pass", ""),
    ("Overflows", "crash", ""),
    ("Descriptors", "pass", ""),
    ("Prints", "pass", ""),
    ("PrintsErrors", "pass", ""),
    ("Stops", "timeout", "no answer within 8 s"),
    ("Hangs", "timeout", "no answer within 8 s"),
    ("HangsInC", "timeout", "no answer within 8 s"),
    ("HangsUnwatched", "timeout", "no answer within 8 s"),
    ("HangsMasked", "timeout", "no answer within 8 s"),
    ("Loops", "timeout", "no answer within 8 s"),
]


def ran(folder: Path, which: str) -> tuple[subprocess.CompletedProcess[str], Run]:
    """One run of an engine with many faults."""
    ops = sorted(getattr(process_faults, which).harms.values())
    done = subprocess.run(
        [
            *(
                sys.executable,
                "-P",
                "-m",
                "conformance",
                "run",
                f"{ADAPTERS}:{which}",
                "-n",
                "1",
                "--timeout",
                "8",
            ),
            *(part for op in ops for part in ("-q", f"op/{op}/layout/float64")),
            *("-q", f"op/{ops[0]}/vjp/float64", "-q", f"op/{ops[-1]}/vjp/float64"),
        ],
        cwd=folder,
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    return done, read_run(folder / "run.jsonl")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return ran(tmp_path_factory.mktemp("faults"), WHICH)


@pytest.mark.parametrize(("name", "verdict", "says"), FAULTS, ids=[name for name, _, _ in FAULTS])
def test_a_fault_costs_one_answer(whole: Any, name: str, verdict: str, says: str) -> None:
    harms = getattr(process_faults, WHICH).harms
    if name not in harms:
        pytest.skip("a sample is run; all are with CONFORMANCE_FAULTS=all")
    (hit,) = (r for r in whole[1].results if r.id.endswith(f"/op/{harms[name]}/layout/float64"))
    message = hit.evidence.message if hit.evidence else ""
    assert (hit.verdict, says in message) == (verdict, True), message


def test_no_answer_is_lost_and_nothing_is_left_behind(whole: Any) -> None:
    done, run = whole
    assert done.returncode == 1, done.stdout + done.stderr
    assert run.is_complete, run.missing
    assert [r.verdict for r in run.results if r.check == "vjp"] == ["pass", "pass"]
    assert "Traceback" not in done.stderr
    assert len(done.stdout) < 100_000
    living = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "time.sleep(600)" not in living
    assert not [line for line in living.splitlines() if str(ADAPTERS) in line], living
