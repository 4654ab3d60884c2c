"""The cache of compiled functions is bounded, can be switched off and cleared, and changes no answer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.cli import main
from conformance.cli.progress import Progress
from conformance.load import load_backend
from conformance.run.process import caches
from conformance.runfile.jsonl import SCHEMA
from conformance.runfile.records import RunLine, SpecLine

KEEPING = """
import os
from pathlib import Path
from conformance_backends.numpy_backend import NumpyTape

class Keeping(NumpyTape):
    def keep_compiled(self, folder):
        Path(folder, f"kept-{os.getpid()}").write_bytes(bytes(1000))
        return "" if "REFUSED" not in os.environ else "this processor is not for it"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: Any) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(caches.SWITCH, raising=False)
    return tmp_path / "cache" / "autograd-conformance"


@pytest.fixture
def keeping(tmp_path: Path) -> Path:
    path = tmp_path / "keeping.py"
    path.write_text(KEEPING)
    return path


def test_an_engine_that_keeps_nothing_makes_no_folder(folder: Path) -> None:
    assert caches.keep_compiled(NumpyTape()) == ""
    assert not folder.exists()


def test_a_folder_is_of_one_release_of_one_engine_and_of_its_user_alone(folder: Path, keeping: Path) -> None:
    backend = load_backend(str(keeping))
    assert caches.keep_compiled(backend) == ""
    (of_engine,) = (folder / "compiled").iterdir()
    assert of_engine.name.startswith(f"numpy-{backend.version()}-")
    assert of_engine.stat().st_mode & 0o077 == 0
    assert len(list(caches.kept(folder))) == 1


@pytest.mark.costly
def test_a_run_keeps_what_is_compiled_unless_it_is_switched_off(
    command: Any, keeping: Path, folder: Path, tmp_path: Path
) -> None:
    asked = ("run", keeping, "-q", "op/exp/shape/float64", "-n", 1, "--force")
    places = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert command(*asked, "--no-cache", **places).code == 0
    assert not folder.exists()
    done = command(*asked, **places, REFUSED="1")
    assert done.code == 0
    assert "nothing compiled is kept for the next run: this processor is not for it" in done.out
    assert len(list(caches.kept(folder))) >= 2  # of the description, and of the worker


def test_the_environment_switches_it_off(monkeypatch: Any, keeping: Path, folder: Path) -> None:
    monkeypatch.setenv(caches.SWITCH, "1")
    assert caches.keep_compiled(load_backend(str(keeping))) == ""
    assert not folder.exists()


def test_switching_it_off_ends_with_the_run() -> None:
    with caches.switched_off(is_wanted=True):
        assert not caches.is_on()
        assert os.environ[caches.SWITCH] == "1"
    assert caches.is_on()
    with caches.switched_off(is_wanted=False):
        assert caches.is_on()


def test_a_folder_that_cannot_be_made_is_a_reason_and_no_error(folder: Path, keeping: Path) -> None:
    folder.parent.write_text("a file")
    assert "Not a directory" in caches.keep_compiled(load_backend(str(keeping)))


def test_a_place_that_takes_nothing_is_said_once_however_many_engines_there_are(
    folder: Path, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    header = RunLine(SCHEMA, "r1", "2026-01-01T00:00:00+00:00", "quick", 0, SpecLine("0", "d"), {}, ())
    Progress().begin(header, 1, ["of one", "of another"])
    assert capsys.readouterr().out.count("is kept") == 2
    assert not caches.root().exists()
    (tmp_path / "file").touch()
    for place, why in (
        (tmp_path / "file", "file is no folder"),
        (tmp_path / "shut", "shut may only be read"),
    ):
        monkeypatch.setenv("XDG_CACHE_HOME", str(place))
        # To root, who runs tests in containers, only a file system is ever shut.
        monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "shut")
        (tmp_path / "shut").mkdir(exist_ok=True)
        Progress().begin(header, 1, ["of one", "of another"])
        said = capsys.readouterr().out
        assert said.count("is kept") == 1
        assert f"{why}; XDG_CACHE_HOME names another" in said
    monkeypatch.setenv(caches.SWITCH, "1")
    assert not caches.unusable()


def test_what_was_not_used_for_longest_is_removed_first(folder: Path) -> None:
    part = folder / "expected" / "state"
    part.mkdir(parents=True)
    for age in range(4):
        path = part / f"{age}"
        path.write_bytes(bytes(100))
        os.utime(path, (1e9 - age, 1e9 - age))
    assert caches.trim(400) == 0
    assert caches.trim(300) == 200  # to three quarters of it
    assert sorted(file.path.name for file in caches.kept(folder)) == ["0", "1"]


def test_files_of_others_in_the_folder_are_neither_trimmed_nor_cleared(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "expected" / "state").mkdir(parents=True)
    (home / "expected" / "state" / "0").write_bytes(bytes(100))
    (home / "thesis").mkdir()
    (home / "thesis" / "text").write_bytes(bytes(1000))
    folder.parent.mkdir(parents=True)
    folder.symlink_to(home)
    assert caches.trim(50) == 100
    assert caches.clear() == 0
    assert [path.name for path in home.rglob("*")] == ["thesis", "text"]


def test_it_is_shown_and_cleared(folder: Path, keeping: Path, capsys: Any) -> None:
    caches.keep_compiled(load_backend(str(keeping)))
    assert main(["cache"]) == 0
    said = capsys.readouterr().out
    assert str(folder) in said
    assert "compiled/numpy-" in said
    assert main(["cache", "--clear"]) == 0
    assert "removed 0.0 MiB" in capsys.readouterr().out
    assert not folder.exists()
    assert main(["cache", "--clear"]) == 0
