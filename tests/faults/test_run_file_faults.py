"""A finished run file is never lost, and losing the terminal loses nothing."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from conformance.errors import AdapterError, Interrupted, UsageError
from conformance.run.recorder import Recorder
from conformance.run.resume import hold_alike
from conformance.runfile.jsonl import read_run
from conformance.runfile.merge import without_times
from conformance.runfile.records import EndLine, ResultLine, RunLine, Verdict
from conformance.runfile.writer import RunWriter

from ..conformance.conftest import clean_environment
from ..conformance.runfile.drawn_runs import HEADER, line

pytestmark = pytest.mark.costly

RESULT = line("tanh", Verdict.PASS)
END = EndLine(True, {"pass": 1})


def with_backend(**changed: Any) -> RunLine:
    first, *others = HEADER.backends
    return structs.replace(HEADER, backends=(structs.replace(first, **changed), *others))


def write(path: Path, *lines: Any, force: bool = False) -> RunWriter:
    writer = RunWriter(path, HEADER, force=force)
    for each in lines:
        writer.write(each)
    return writer


# ---- the file ------------------------------------------------------------------------------------


def test_a_file_that_is_there_gets_a_number(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("earlier")
    writer = write(path, RESULT, END)
    assert path.read_text() == "earlier"
    writer.close()
    assert writer.moved == tmp_path / "run-2.jsonl"
    assert writer.moved.read_text() == "earlier"
    assert read_run(path).is_complete


def test_a_file_is_replaced_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("earlier")
    write(path, RESULT, END, force=True).close()
    assert os.listdir(tmp_path) == ["run.jsonl"]


@pytest.mark.parametrize("force", [False, True])
def test_a_run_without_results_replaces_nothing(tmp_path: Path, *, force: bool) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("earlier")
    writer = write(path, EndLine(True, {}), force=force)
    writer.close()
    assert path.read_text() == "earlier"
    assert writer.path == tmp_path / "run-2.jsonl"


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    first, second = write(path, RESULT, END), write(path, RESULT, END)
    second.close()
    first.close()
    assert {first.path.name, second.path.name} == {"run.jsonl", "run-2.jsonl"}
    assert read_run(first.path).is_complete
    assert read_run(second.path).is_complete


def test_a_second_writer_by_force_is_refused(tmp_path: Path) -> None:
    first = write(tmp_path / "run.jsonl", force=True)
    with pytest.raises(UsageError, match="another run is writing"):
        write(tmp_path / "run.jsonl", force=True)
    first.close()


def test_what_a_killed_run_left_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    write(path, RESULT).abandon()
    writer = write(path, RESULT, END)
    writer.close()
    assert writer.path == path
    left = read_run(tmp_path / "run.jsonl.part")
    assert [r.id for r in left.results] == [RESULT.id]
    assert not left.is_complete


@pytest.mark.parametrize("is_finished", [True, False])
def test_what_is_removed_while_a_run_goes_on_is_written_again(tmp_path: Path, *, is_finished: bool) -> None:
    path = tmp_path / "folder" / "run.jsonl"
    writer = write(path, RESULT)
    shutil.rmtree(path.parent)
    writer.write(END)
    (writer.close if is_finished else writer.abandon)()
    assert writer.path == (path if is_finished else path.with_name("run.jsonl.part"))
    assert [result.id for result in read_run(writer.path).results] == [RESULT.id]


def test_what_is_cut_while_a_run_goes_on_is_written_again(tmp_path: Path) -> None:
    writer = write(tmp_path / "run.jsonl", RESULT)
    whole = writer.part.read_bytes()
    os.truncate(writer.part, 50)
    writer.write(END)
    assert writer.part.read_bytes().startswith(whole)
    with writer.part.open("ab") as file:
        file.write(b"of somebody else")
    writer.close()
    assert read_run(writer.path).is_complete


def test_a_file_whose_name_cannot_be_taken_stays_under_its_provisional_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = write(tmp_path / "run.jsonl", RESULT, END)
    recorder = Recorder(writer, lambda _: None, lambda *_: None)
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(PermissionError(1, "not permitted")))
    recorder.finish(END)
    assert recorder.error is not None
    assert [result.id for result in read_run(writer.path).results] == [RESULT.id]
    assert writer.path == tmp_path / "run.jsonl.part"


def test_another_run_that_took_the_name_meanwhile_keeps_its_file(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    first = write(path, RESULT)
    first.part.unlink()
    second = write(path, line("exp", Verdict.PASS))
    first.write(END)
    first.close()
    second.write(END)
    second.close()
    ids = {file.name: read_run(file).results[0].id for file in tmp_path.iterdir()}
    assert ids == {"run-2.jsonl": RESULT.id, "run.jsonl": line("exp", Verdict.PASS).id}


@pytest.mark.parametrize("path", [".", "/dev/null/run.jsonl", "x" * 300 + ".jsonl", "/proc/run.jsonl"])
def test_a_file_that_cannot_be_written_is_said_in_a_line(path: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="cannot write the run file"):
        write(Path(path))


# ---- a run that is resumed -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "error", "said"),
    [
        (
            structs.replace(HEADER, spec=structs.replace(HEADER.spec, digest="other")),
            UsageError,
            "another state of this suite",
        ),
        (with_backend(version="99"), UsageError, "this is 99: run it anew"),
        (structs.replace(HEADER, backends=()), UsageError, "also has mine; name all its backends"),
        (with_backend(error="it raised"), AdapterError, "stays as it is: it raised"),
    ],
)
def test_a_run_goes_on_with_what_it_was_begun_with(
    now: RunLine, error: type[Exception], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.jsonl"
    write(path, RESULT, END).close()
    hold_alike(path, HEADER)
    with pytest.raises(error, match=said):
        hold_alike(path, now)


def test_an_adapter_that_is_broken_meanwhile_loses_no_result(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from conformance_backends.numpy_backend import NumpyTape\nclass Mine(NumpyTape): name = 'mine'\n"
    )
    begun = shell(tmp_path, "$C run mine.py -q op/tanh/vjp/float64 -n 1; head -2 run.jsonl > cut.jsonl")
    assert begun.returncode == 0, begun.stderr
    before = (tmp_path / "cut.jsonl").read_bytes()
    done = shell(tmp_path, "echo 'raise ValueError' > mine.py; $C run mine.py --resume cut.jsonl")
    assert done.returncode == 11
    assert "stays as it is" in done.stderr
    assert (tmp_path / "cut.jsonl").read_bytes() == before
    assert not list(tmp_path.glob("cut-2.jsonl"))


def test_a_resumed_run_that_is_interrupted_at_once_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    write(path, RESULT, END).close()
    before = path.read_bytes()
    taken: list[ResultLine] = []

    def interrupt(result: ResultLine) -> None:
        taken.append(result)
        raise KeyboardInterrupt

    writer = RunWriter(path, HEADER, force=True, beside=path)
    with pytest.raises(Interrupted):
        Recorder(writer, interrupt, lambda *_: None).take_over([RESULT, RESULT])
    assert len(taken) == 1
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"run.jsonl": before}


# ---- the terminal, the disk, signals -------------------------------------------------------------

RUN = "run numpy -q op/tanh/vjp/float64 -n 1"


def shell(folder: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A script of bash, in which $C is the command line of this project."""
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**clean_environment(), "C": f"{sys.executable} -P -m conformance", **environment},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=240,
        check=False,
    )


# injected, exit code, whether the run file is whole
SURROUNDED = [
    (f"$C {RUN} | head -1; exit ${{PIPESTATUS[0]}}", {}, 0),
    (f"$C {RUN} >&-", {}, 0),
    (f"$C {RUN} >/dev/full", {}, 4),
    (f"$C {RUN} 2>&- >/dev/full", {}, 4),
    (
        f"$C {RUN}",
        {"PYTHONIOENCODING": "ascii", "PYTEST_ADDOPTS": "--nonsense", "PYTEST_PLUGINS": "nonsense"},
        0,
    ),
    # Without -P: the project itself keeps modules of the working folder out.
    (
        f"echo 'raise SystemExit(9)' > random.py; ${{C/-P /}} {RUN}",
        {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        0,
    ),
    (f"$C {RUN} -o /dev/full", {}, 4),
]


@pytest.mark.parametrize(("script", "environment", "code"), SURROUNDED, ids=[s for s, _, _ in SURROUNDED])
def test_what_surrounds_a_run_loses_no_result(
    script: str, environment: dict[str, str], code: int, tmp_path: Path
) -> None:
    done = shell(tmp_path, script, **environment)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    if ">/dev/full" in script and "2>&-" not in script:
        assert (
            done.stderr.strip()
            == "conformance: No space left on device: the output; run.jsonl has the results"
        )
    if "-o" not in script:
        assert read_run(tmp_path / "run.jsonl").counts() == {"pass": 1}


# How many files a process may open, the exit code, and what is said before the one line about it: where even the backends
# cannot be described, nothing is.
@pytest.mark.parametrize(("limit", "code", "before"), [(6, 4, "conformance: "), (9, 11, "could not start: ")])
def test_a_limit_of_open_files_is_said_in_a_line(limit: int, code: int, before: str, tmp_path: Path) -> None:
    done = shell(tmp_path, f"ulimit -n {limit}; $C {RUN} 2>&1")
    assert done.returncode == code, done.stdout
    said = [line for line in done.stdout.splitlines() if "open files" in line]
    assert said == [f"{before}too many open files: raise the limit, such as with: ulimit -n 1024"]
    assert "Traceback" not in done.stdout
    assert "problem of the suite" not in done.stdout


# injected, exit code: verbs that print, where nothing can be printed
PRINTED = [
    ("$C list ops | head -1; exit ${PIPESTATUS[0]}", {}, 0),
    ("$C list ops >/dev/full", {}, 4),
    ("$C --version >/dev/full", {"PYTHONUNBUFFERED": ""}, 4),  # what is kept until the end is lost there
    ("$C list ops >&-", {}, 0),
    ("$C explain sum", {"PYTHONIOENCODING": "ascii"}, 0),
    ("$C explain sum", {"PYTHONIOENCODING": "cp1252"}, 0),
    ("$C list checks", {"PYTHONOPTIMIZE": "2"}, 4),
]


@pytest.mark.parametrize(("script", "environment", "code"), PRINTED, ids=[s + str(e) for s, e, _ in PRINTED])
def test_a_verb_that_cannot_print_ends_in_order(
    script: str, environment: dict[str, str], code: int, tmp_path: Path
) -> None:
    done = shell(tmp_path, script, **environment)
    assert done.returncode == code, done.stdout[-2000:] + done.stderr
    assert "Traceback" not in done.stderr


SIGNALS = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGALRM", "SIGXCPU", "SIGKILL")
CHOSEN = SIGNALS if os.environ.get("CONFORMANCE_FAULTS") == "all" else ("SIGTERM", "SIGKILL")
ASKED = [part for op in ("tanh", "exp") for part in ("-q", f"op/{op}/*/float64")]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "conformance", *arguments]


def answers(path: Path) -> dict[str, ResultLine]:
    """A whole run's results by id, without what differs between two runs."""
    run = read_run(path)
    assert run.is_complete, run.missing
    return {r.id: without_times(r) for r in run.results}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ResultLine]:
    """The answers of a run of two workers that nothing disturbed."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    asked = command("run", "numpy", *ASKED, "-n", "2")
    subprocess.run(asked, cwd=folder, env=clean_environment(), timeout=240, check=True, capture_output=True)
    return answers(folder / "run.jsonl")


def started_with(mark: str) -> list[int]:
    """The processes that live, or are not waited for, in whose environment this stands."""
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in environment.read_bytes():
                found.append(int(environment.parent.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="processes are Linux's here")
@pytest.mark.parametrize("name", CHOSEN)
def test_what_a_signal_cut_short_is_resumed_and_equals_a_run_that_was_not(
    name: str, tmp_path: Path, uninterrupted: dict[str, ResultLine]
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    started = subprocess.Popen(
        command("run", "numpy", *ASKED, "-n", "1"),
        cwd=tmp_path,
        env={**clean_environment(), "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    part = tmp_path / "run.jsonl.part"
    while not part.exists() or part.read_bytes().count(b"\n") < 3:
        assert started.poll() is None
        time.sleep(0.02)
    os.kill(started.pid, getattr(signal, name))
    code = started.wait(timeout=60)
    if name == "SIGKILL":
        assert code == -signal.SIGKILL
        cut = read_run(part)
        assert cut.end is None
    else:
        assert code == 2
        cut = read_run(tmp_path / "run.jsonl")
        assert cut.end is not None
        assert not list(temporary.iterdir())
    end = time.monotonic() + 10  # the workers of a killed run end with it, but it cannot wait for them
    while (living := started_with(str(temporary))) and name == "SIGKILL" and time.monotonic() < end:
        time.sleep(0.05)
    assert not living
    assert not cut.is_complete
    resumed = subprocess.run(
        command("run", "--resume", "run.jsonl", "-n", "1"),
        cwd=tmp_path,
        env=clean_environment(),
        timeout=240,
        check=False,
    )
    assert resumed.returncode == 0
    assert 0 < len(cut.results) < len(uninterrupted)
    assert answers(tmp_path / "run.jsonl") == uninterrupted
    assert not part.exists()
