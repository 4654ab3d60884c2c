"""Running on from an earlier run file: which file can be, and what of it is asked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.cli import main
from conformance.errors import AdapterError
from conformance.run.conduct import Request
from conformance.run.process.deadline import Limit
from conformance.run.resume import hold_alike, resumed
from conformance.runfile.jsonl import SCHEMA, encode
from conformance.runfile.records import BackendLine, Evidence, ResultLine, RunLine, SpecLine, Verdict
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


@pytest.mark.parametrize(
    ("timeout", "budget", "kept"),
    [
        (0.0, 0.0, []),
        (2.0, 0.0, ["a", "known"]),
        (2.5, 0.0, []),
        (1.0, 0.0, ["a", "known"]),
        (0.0, 900.0, []),
    ],
)
def test_what_had_no_answer_in_time_is_asked_again_where_it_has_more(
    timeout: float, budget: float, kept: list[str]
) -> None:
    late = Evidence(Limit(2.0).exceeded(in_question=False) + "\nin f")
    other = ResultLine("x", "numpy", "op", "tanh", "vjp", "E1", "must", "float64", Verdict.PASS, 1, 0.0)
    lines = [
        msgspec.structs.replace(other, id="a", verdict=Verdict.TIMEOUT, evidence=late),
        msgspec.structs.replace(other, id="known", verdict=Verdict.KNOWN, evidence=late),
        msgspec.structs.replace(other, id="b", verdict=Verdict.FAIL, evidence=Evidence("no answer is right")),
        other,
    ]
    Path("run.jsonl").write_text("\n".join(map(encode, [HEADER, *lines])) + "\n")
    request = Request(
        (), (), "quick", 0, 1, "", timeout, Path("run.jsonl"), None, resume=Path("run.jsonl"), budget=budget
    )
    _, answered = resumed(request)
    assert [r.id for r in answered] == [*kept, "b", "x"]


@pytest.mark.parametrize("spec", ["ed.py", "ed.py:Mine"])
def test_an_adapter_that_cannot_be_imported_any_more_is_named_with_its_error(spec: str) -> None:
    then, path = BackendLine("micrograd", "micrograd", "1", spec=spec), Path("run.jsonl")
    path.write_text(encode(msgspec.structs.replace(HEADER, backends=(then,))) + "\n")
    now = BackendLine("ed" if spec.endswith("py") else "Mine", "", "", error="SyntaxError: it is broken")
    with pytest.raises(AdapterError, match="cannot go on, and stays as it is: SyntaxError: it is broken"):
        hold_alike(path, msgspec.structs.replace(HEADER, backends=(now,)))
