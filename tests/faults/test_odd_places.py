"""Files in odd places: links, pipes, folders and names that could mean two things."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from conformance import load
from conformance.cli import main
from conformance.errors import AdapterError, UsageError
from conformance.load import load_backend, modes_of, name_of
from conformance.run.resume import hold_asked
from conformance.runfile.jsonl import read_run
from conformance.runfile.records import EndLine, Verdict
from conformance.runfile.writer import RunWriter

from ..conformance.conftest import clean_environment
from ..conformance.runfile.drawn_runs import HEADER, line

pytestmark = pytest.mark.costly

RESULT, END = line("tanh", Verdict.PASS), EndLine(True, {"pass": 1})


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_run_file_that_is_a_link_stays_one() -> None:
    Path("run.jsonl").symlink_to("kept/here.jsonl")
    writer = RunWriter(Path("run.jsonl"), HEADER)
    writer.write(RESULT)
    writer.write(END)
    writer.close()
    assert Path("run.jsonl").is_symlink()
    assert read_run(Path("kept/here.jsonl")).is_complete


def test_a_link_to_itself_and_a_pipe_that_nobody_reads_are_refused_before_anything_is_asked() -> None:
    Path("loop.jsonl").symlink_to("loop.jsonl")
    os.mkfifo("pipe")
    for name in ("loop.jsonl", "pipe"):
        with pytest.raises(UsageError, match=f"cannot write the run file {name}"):
            RunWriter(Path(name), HEADER)


def test_a_resumed_run_whose_file_is_a_link_keeps_it(capsys: Any) -> None:
    query = ("-q", "op/tanh/vjp/float64", "-q", "op/exp/vjp/float64", "-n", "1", "--no-timing")
    assert main(["run", "numpy", *query, "-o", "whole.jsonl"]) == 0
    lines = Path("whole.jsonl").read_text().splitlines(keepends=True)
    Path("cut.jsonl").write_text("".join(lines[:2]))
    Path("link.jsonl").symlink_to("cut.jsonl")
    assert main(["run", "--resume", "link.jsonl", "-n", "1"]) == 0
    assert read_run(Path("link.jsonl")).is_complete
    assert len(read_run(Path("cut.jsonl")).results) == 2


def test_an_adapter_that_is_no_file_is_called_what_it_is() -> None:
    Path("folder.py").mkdir()
    Path("broken.py").symlink_to("nowhere.py")
    Path("plain").touch()
    says = {
        "folder.py": "folder.py is a folder, not a file",
        "broken.py": "it is a link to nowhere.py, which is none",
        "absent.py:Mine": "there is no file absent.py",
        "plain": "plain is a file, but an adapter is a file whose name ends in .py",
    }
    for spec, said in says.items():
        with pytest.raises(UsageError, match=said):
            modes_of(spec)


def test_a_folder_with_a_colon_is_no_module() -> None:
    Path("c:d").mkdir()
    Path("c:d/mine.py").touch()
    assert modes_of("c:d/mine.py") == ["c:d/mine.py"]
    assert name_of("c:d/mine.py") == "mine"
    assert name_of("c:d/mine.py:Other") == "Other"


def test_a_name_that_two_packages_give_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [EntryPoint("mine", f"{module}:Mine", load.GROUP) for module in ("one", "two")]

    def found(*, group: str, name: str = "mine") -> list[EntryPoint]:
        return [point for point in points if (point.group, point.name) == (group, name)]

    monkeypatch.setattr(load, "entry_points", found)
    with pytest.raises(UsageError, match="two installed backends are called mine: one:Mine, two:Mine"):
        modes_of("mine")
    points.pop()
    assert modes_of("mine") == ["mine"]


def test_a_disk_that_is_full_from_the_start_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Any, line: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(RunWriter, "_append", full)
    with pytest.raises(UsageError, match=r"cannot write the run file run\.jsonl: No space left on device"):
        RunWriter(Path("run.jsonl"), HEADER)
    assert list(tmp_path.iterdir()) == []


def test_a_line_that_cannot_be_written_names_its_file() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("Linux's disk that is full")
    with pytest.raises(UsageError, match="cannot write the run file /dev/full: No space left on device"):
        RunWriter(Path("/dev/full"), HEADER)


def test_a_full_folder_for_temporary_files_is_not_the_adapters_fault() -> None:
    limited = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)); "
    limited += (
        "sys.argv = ['conformance', 'doctor', 'numpy']; runpy.run_module('conformance', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", limited],
        env={**clean_environment(), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert "could not say what it is: in " in done.stdout
    assert "nothing can be written: File too large; TMPDIR names another folder" in done.stdout


def test_a_run_that_goes_on_loses_no_answer_to_what_is_asked_no_more() -> None:
    known = line("tanh", Verdict.PASS)
    hold_asked(Path("run.jsonl"), [known], {known.id})
    with pytest.raises(
        UsageError, match=f"has 1 results of questions that are not asked any more, such as {known.id}"
    ):
        hold_asked(Path("run.jsonl"), [known], set())


def test_a_resumed_run_that_had_no_time_for_a_result_leaves_the_other_as_it_was() -> None:
    path = Path("run.jsonl")
    for results in ([RESULT], []):
        writer = RunWriter(path, HEADER, beside=path if path.exists() else None)
        for each in (*results, END):
            writer.write(each)
        writer.close()
        assert writer.path == path
        assert read_run(path).counts() == {"pass": 1}
    assert os.listdir() == ["run.jsonl"]


ABSTRACT = """
import abc
from conformance_backends.numpy_backend import NumpyTape

class Unfinished(NumpyTape, abc.ABC):
    @abc.abstractmethod
    def extra(self): ...
"""


def test_a_class_that_is_abstract_is_not_passed_over_for_one_that_its_file_imports() -> None:
    Path("mine.py").write_text(ABSTRACT)
    with pytest.raises(AdapterError, match="extra"):
        load_backend("mine.py")
    with pytest.raises(UsageError, match=r"mine\.py has no Nope; it has Unfinished"):
        load_backend("mine.py:Nope")


def test_a_working_folder_that_is_gone_is_said_where_no_script_is_installed(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    removed = f"import os, runpy; os.mkdir({str(gone)!r}); os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); "
    removed += "runpy.run_module('conformance', run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", removed], env=clean_environment(), capture_output=True, encoding="utf-8", timeout=100,
        check=False,
    )  # fmt: skip
    assert done.stderr == "conformance: the working folder has been removed; change to another\n"
    assert done.returncode == 4


LATIN = "caf\udce9"  # as Python reads the byte of é in Latin-1


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["run", "numpy", "-o", f"{LATIN}.jsonl"], r"-o 'caf\udce9.jsonl'"),
        (["run", "numpy", "--report", f"{LATIN}.html"], r"--report 'caf\udce9.html'"),
        (["run", f"{LATIN}.py"], r"BACKEND 'caf\udce9.py'"),
        (["smoke", f"{LATIN}.py"], r"BACKEND 'caf\udce9.py'"),
        (["replay", "c1:x", "--on", f"{LATIN}.py"], r"--on 'caf\udce9.py'"),
    ],
)
def test_a_name_that_is_no_utf8_is_refused_where_it_would_reach_workers_or_ids(
    arguments: list[str], what: str, capsys: Any
) -> None:
    assert main(arguments) == 4
    assert f"conformance: {what}: names have to be UTF-8 here, and this one is not" in capsys.readouterr().err


def test_a_working_folder_that_is_no_utf8_is_refused(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    try:
        (tmp_path / LATIN).mkdir()
    except OSError:
        pytest.skip("a file system whose names are UTF-8")
    monkeypatch.chdir(tmp_path / LATIN)
    assert main(["run", "numpy"]) == 4
    assert "conformance: the working folder" in capsys.readouterr().err
    assert main(["list", "ops"]) == 0
