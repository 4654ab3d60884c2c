"""A run that ends at its first failure has that one failure, says what it left out, and can be resumed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.runfile.jsonl import Run, read_run
from conformance.runfile.records import UNEXPECTED

pytestmark = pytest.mark.costly

WRONG = """
from conformance_backends.numpy_backend import NumpyTape

class Wrong(NumpyTape):
    name = "wrong"
    ops = {**NumpyTape.ops, "tanh": lambda x: NumpyTape.ops["tanh"](x) * 1.000001}
"""
QUERIES = ("-q", "op/tanh/*float32", "-q", "op/exp/*float32")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("first")
    (made / "wrong.py").write_text(WRONG)
    return made


def run(folder: Path, name: str, specs: Sequence[str], *more: str) -> tuple[int, Run]:
    output = str(folder / name)
    code = main(["run", *specs, *QUERIES, "-n", "2", "--no-timing", "-o", output, *more])
    return code, read_run(folder / name)


def failures(found: Run) -> list[str]:
    return [result.id for result in found.results if result.verdict in UNEXPECTED]


def test_a_run_ends_at_its_first_failure_and_the_rest_can_be_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = str(folder / "wrong.py")
    code, cut = run(folder, "cut.jsonl", [wrong, "numpy"], "-x")
    assert code == 1
    # The plain gradient is asked before magnitudes and second order.
    assert failures(cut) == ["wrong/op/tanh/vjp/float32"]
    assert not any(result.backend == "numpy" for result in cut.results)  # the next engine is not asked
    assert cut.end is not None
    assert sum(cut.end.not_asked.values()) > 0
    assert "it ended at its first failure, before" in capsys.readouterr().out
    assert main(["run", "--resume", str(folder / "cut.jsonl"), "--trust", "-n", "2", "--no-timing"]) == 1
    whole = read_run(folder / "cut.jsonl")
    assert whole.is_complete
    assert len(failures(whole)) > 1
    assert {result.backend for result in whole.results} == {"wrong", "numpy"}


def test_a_run_whose_last_question_fails_is_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = folder / "last.jsonl"
    query = ("-q", "op/tanh/vjp/float64", "-x", "-n", "1", "--no-timing", "-o", str(output))
    assert main(["run", str(folder / "wrong.py"), *query]) == 1
    assert read_run(output).is_complete
    assert "it ended at" not in capsys.readouterr().out


def test_a_right_engine_is_asked_everything(folder: Path) -> None:
    code, found = run(folder, "right.jsonl", ["numpy"], "--exitfirst")
    assert code == 0
    assert found.is_complete


def test_a_failure_that_is_known_ends_nothing(folder: Path) -> None:
    known = folder / "known.toml"
    known.write_text('[[known]]\nid = "wrong/op/tanh/*"\nreason = "off by a millionth"\nkind = "fault"\n')
    code, found = run(folder, "known.jsonl", [str(folder / "wrong.py")], "-x", "--known", str(known))
    assert found.is_complete
    assert code == 0
