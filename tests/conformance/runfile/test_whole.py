"""A file is written whole, or what was there stays."""

from __future__ import annotations

import os
import re
import stat
from argparse import Namespace
from pathlib import Path

import pytest

from conformance.runfile.jsonl import encode
from conformance.runfile.outputs import hold_apart
from conformance.runfile.whole import no_folder, write_whole
from conformance.runfile.writer import RunWriter

from .drawn_runs import HEADER


def test_what_was_there_stays_where_the_new_text_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "known.toml"
    path.write_text("kept")

    def fill(self: Path, data: bytes) -> int:
        with open(self, "wb") as file:
            file.write(data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fill)
    with pytest.raises(OSError, match=r"No space left on device: .*known.toml"):
        write_whole(path, "a longer text")
    assert [each.name for each in tmp_path.iterdir()] == ["known.toml"]
    assert path.read_text() == "kept"


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "a.toml", tmp_path / "b.toml"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to("a.toml")
    write_whole(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_device_is_written_to(tmp_path: Path) -> None:
    write_whole(Path(os.devnull), "text")
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, "text")


def test_a_pipe_is_written_to_by_the_name_that_leads_to_it() -> None:
    """As /dev/stdout does, which stands for no other path where it is a pipe."""
    reader, writer = os.pipe()
    path = Path(f"/dev/fd/{writer}")
    if not path.exists():
        pytest.skip("a system without /dev/fd")
    hold_apart(Namespace(verb="report", output=[path], force=False))
    write_whole(path, "text")
    run = RunWriter(path, HEADER)
    run.close()
    os.close(writer)
    with open(reader, encoding="utf-8") as file:
        assert file.read() == f"text{encode(HEADER)}\n"


def test_a_folder_that_is_not_there_is_made(tmp_path: Path) -> None:
    write_whole(tmp_path / "some" / "where.md", "text")
    assert (tmp_path / "some" / "where.md").read_text() == "text"


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    said = f"{tmp_path / 'taken'} is a file, not a folder"
    with pytest.raises(OSError, match=re.escape(said)):
        write_whole(tmp_path / "taken" / "run.jsonl", "")
    assert no_folder(tmp_path / "taken" / "deeper" / "run.jsonl") == said
    assert no_folder(tmp_path / "free" / "run.jsonl") == ""
