"""Running on from an earlier run file: which file can be, and what of it is asked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.runfile.jsonl import SCHEMA, encode
from conformance.runfile.records import BackendLine, RunLine, SpecLine
from conformance.runfile.writer import RunWriter

HEADER = RunLine(
    SCHEMA, "r1", "2026-01-01T00:00:00+00:00", "quick", 0, SpecLine("0", "d"), {}, (BackendLine("numpy", "numpy", "1"),)
)  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: Any) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.part"])
def test_a_run_that_goes_on_is_not_resumed(name: str, folder: Path, capsys: Any) -> None:
    writer = RunWriter(Path("run.jsonl"), HEADER)
    assert main(["run", "--resume", name]) == 4
    assert (
        "conformance: another run is still writing run.jsonl.part; wait for its end"
        in capsys.readouterr().err
    )
    assert [path.name for path in folder.iterdir()] == ["run.jsonl.part"]
    writer.abandon()
    assert main(["run", "--resume", name]) == 4  # the file of one that was killed is read
    assert "is of another state of this suite" in capsys.readouterr().err
    assert Path("run.jsonl.part").read_text() == encode(HEADER) + "\n"
