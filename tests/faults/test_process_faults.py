"""An engine that harms its process costs one answer, and leaves no process behind: in a run, and in pytest without xdist."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.run.describe import describe_all
from conformance.runfile.jsonl import Run, read_run

from ..conformance.conftest import clean_environment
from . import process_faults

WHICH = "All" if os.environ.get("CONFORMANCE_FAULTS") == "all" else "Sample"
ADAPTERS = Path(__file__).with_name("process_faults.py")
pytestmark = [
    pytest.mark.costly,
    pytest.mark.skipif(sys.platform != "linux", reason="signals and processes are Linux's here"),
]

# injected, verdict of the one question, a part of its message; the exit code of the run is 1, or 12 of one interrupted
FAULTS = [
    ("Exits0", "crash", "this ended the process\n(exit 0)"),
    ("Exits1", "crash", "this ended the process\n(exit 1)"),
    ("Aborts", "crash", "(SIGABRT)\nFatal Python error: Aborted"),
    ("Segfaults", "crash", "Segmentation fault"),
    ("Sigbus", "crash", "Bus error"),
    ("Sigfpe", "crash", "Floating point exception"),
    ("Sigill", "crash", "Illegal instruction"),
    ("Sigkill", "interrupted", "killed from outside, twice\n(SIGKILL, perhaps for want of memory)"),
    ("Sigterm", "interrupted", "killed from outside, twice"),
    ("Sighup", "crash", "this ended the process\n(SIGHUP)"),
    ("Sigusr1", "crash", "this ended the process"),
    ("Sigalrm", "crash", "this ended the process"),
    ("Sigquit", "crash", "this ended the process"),
    ("Sigint", "pass", ""),
    ("ForksAndHolds", "crash", "this ended the process"),
    ("ForksAndDetaches", "crash", "this ended the process"),
    ("ClosesAll", "crash", "this ended the process"),
    ("ForksAndReturns", "pass", ""),
    ("LeavesChildren", "pass", ""),
    ("Detaches", "pass", ""),
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


LEAVING = """import os, tempfile
from conformance_backends.numpy_backend import NumpyTape
os.chdir(tempfile.mkdtemp())
os.rmdir(os.getcwd())
class Leaving(NumpyTape): ...
"""


def test_an_adapter_that_removes_the_working_folder_when_it_is_imported_is_asked(tmp_path: Path) -> None:
    (tmp_path / "leaving.py").write_text(LEAVING)
    command = ["run", "leaving.py", "-q", "op/tanh/vjp/float64", "-n", "1"]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "conformance", *command],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module", autouse=True)
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One worker of the tests at a time: the processes of another one's run would be taken for those left behind."""
    import fcntl

    with (tmp_path_factory.getbasetemp().parent / "process-faults.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


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


BRIEF = ("Exits0", "LeavesChildren", "Detaches")  # each death costs pytest a start of the engine


@pytest.fixture(scope="module")
def in_pytest(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest without xdist prints of an engine with faults."""
    harms = getattr(process_faults, WHICH).harms
    ops = [harms[name] for name in (harms if WHICH == "All" else BRIEF)]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider", "-rA"),
            *(f"--conformance-backend={ADAPTERS}:{WHICH}", "--conformance-timeout", "8"),
            *(part for op in ops for part in ("--conformance-query", f"op/{op}/layout/float64")),
        ],
        cwd=tmp_path_factory.mktemp("in-pytest"),
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=400,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(("name", "verdict", "says"), FAULTS, ids=[name for name, _, _ in FAULTS])
def test_pytest_without_xdist_gives_the_same_verdict(
    in_pytest: str, name: str, verdict: str, says: str
) -> None:
    harms = getattr(process_faults, WHICH).harms
    if WHICH == "Sample" and name not in BRIEF:
        pytest.skip("a sample is run; all are with CONFORMANCE_FAULTS=all")
    identifier = f"{WHICH}/op/{harms[name]}/layout/float64"
    if verdict == "pass":
        assert f"PASSED ::{identifier}" in in_pytest
        return
    assert f"FAILED ::{identifier}" in in_pytest
    shown = in_pytest.partition(f"_ {identifier} _")[2].partition("\n____")[0]
    assert says in shown


def test_no_answer_is_lost_and_nothing_is_left_behind(whole: Any) -> None:
    done, run = whole
    assert done.returncode == 1, done.stdout + done.stderr
    assert run.is_complete, run.missing
    assert [r.verdict for r in run.results if r.check == "vjp"] == ["pass", "pass"]
    assert "Traceback" not in done.stderr
    assert len(done.stdout) < 100_000
    nothing_lives_on()


def test_pytest_leaves_nothing_behind(in_pytest: str) -> None:
    assert "passed" in in_pytest
    nothing_lives_on()


def test_an_engine_that_detaches_while_it_is_imported_leaves_nothing_behind(tmp_path: Path) -> None:
    adapter = tmp_path / "early.py"
    adapter.write_text(
        f"import sys; sys.path.insert(0, {str(ADAPTERS.parent)!r})\nfrom process_faults import *; detach()"
    )
    described = describe_all([f"{adapter}:Sample"])
    assert [d.line.name for d in described] == ["Sample"]
    nothing_lives_on()


def nothing_lives_on() -> None:
    """No process of an engine's, however it detached, and no worker."""
    living = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "time.sleep(600)" not in living
    assert not [line for line in living.splitlines() if str(ADAPTERS) in line], living
