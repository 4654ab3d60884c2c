"""What the other engines of a run answer where a gradient differs from the reference VJP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Backend
from conformance.case import Case
from conformance.checks import load_all
from conformance.cli import main
from conformance.diagnosis.cross_engine import MARK, MOST, DisagreedEntry, answer_of, cross_engine_answers
from conformance.questions.cases import CaseQuestion
from conformance.run.execute import result_of
from conformance.runfile.diagnostics import Agreement, Diagnostic
from conformance.runfile.jsonl import decode, encode, read_run
from conformance.runfile.records import CrossEngineLine, Evidence, ResultLine, Verdict, with_cross_engine

HERE = [0.5, 1.0]
SLOPE = float(1 - np.tanh(1.0) ** 2)

WRONG = """
import numpy as np
from conformance_backends import numpy_engine
from conformance_backends.numpy_backend import NumpyTape

class Wrong(NumpyTape):
    engine = "wrong"
    ops = {**NumpyTape.ops, "tanh": numpy_engine.custom(np.tanh, lambda g, x: [g * 7])}
"""


def calling(function: Any) -> NumpyTape:
    """An adapter that has `function` for tanh."""
    return type("Calling", (NumpyTape,), {"ops": {**NumpyTape.ops, "tanh": function}})()


def failed(backend: Backend) -> ResultLine:
    case = Case("tanh", (np.array(HERE),), {}, (np.array([0.0, 1.0]),), ("C", "C"), "float64")
    return result_of(load_all()["op/vjp"], backend, CaseQuestion(case))


def entry(got: float = 7.0) -> DisagreedEntry:
    line = failed(calling(engine.custom(np.tanh, lambda g, x: [g * 7])))
    assert line.evidence is not None
    return DisagreedEntry(line.id, line.evidence.token, 0, (1,), got)


# ---- what one engine answers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "got", "side"),
    [
        (lambda g, x: [g * (1 - np.tanh(x) ** 2)], 7.0, Agreement.RULE),
        (lambda g, x: [g * 7], 7.0, Agreement.ENGINE),
        (lambda g, x: [g * np.nan], np.nan, Agreement.ENGINE),
        (lambda g, x: [g * np.nan], 7.0, Agreement.UNKNOWN),
        (lambda g, x: [g * 5], 7.0, Agreement.NEITHER),
        (lambda g, x: [None], 0.0, Agreement.ENGINE),
        (lambda g, x: [g * (1 - np.tanh(x) ** 2)], SLOPE * (1 + 1e-15), Agreement.UNKNOWN),
    ],
)
def test_an_engine_agrees_with_what_it_is_near(rule: Any, got: float, side: Agreement) -> None:
    assert answer_of(calling(engine.custom(np.tanh, rule)), entry(got)).agrees_with is side


def test_an_answer_has_the_engine_s_name_and_number() -> None:
    assert answer_of(calling(engine.custom(np.tanh, lambda g, x: [g * 5])), entry()).line == (
        "numpy: its gradient there is 5 (agrees with neither)"
    )


def test_an_engine_that_raises_or_lacks_the_op_does_not_decide() -> None:
    def refuse(x: Any) -> Any:
        raise ValueError("not today")

    assert answer_of(calling(refuse), entry()).says == "it raised ValueError: not today"
    without = type("Without", (NumpyTape,), {"ops": {"add": np.add}})()
    assert answer_of(without, entry()) == Diagnostic("numpy", "it has no tanh in float64")


# ---- which engines answer, and to what -------------------------------------------------------------------------


def test_an_engine_does_not_answer_to_its_own_failures() -> None:
    line = failed(calling(engine.custom(np.tanh, lambda g, x: [g * 7])))
    assert list(cross_engine_answers([line], [("no.such:Adapter", [line.backend])])) == []


def test_a_result_without_a_diagnosis_is_not_checked_on_other_engines() -> None:
    line = failed(NumpyTape())
    assert line.verdict is Verdict.PASS
    bare = msgspec.structs.replace(line, verdict=Verdict.FAIL, evidence=Evidence("it is wrong", token="c1:x"))
    assert list(cross_engine_answers([line, bare], [("no.such:Adapter", ["another"])])) == []


def test_an_engine_that_cannot_start_answers_nothing() -> None:
    line = failed(calling(engine.custom(np.tanh, lambda g, x: [g * 7])))
    assert list(cross_engine_answers([line], [("no.such:Adapter", ["another"])])) == []


def test_the_answers_before_an_engine_dies_are_kept(tmp_path: Path) -> None:
    adapter = tmp_path / "dying.py"
    adapter.write_text(WRONG.replace("[g * 7]", "__import__('os')._exit(1) if g[0] else [g * 7]", 1))
    line = failed(calling(engine.custom(np.tanh, lambda g, x: [g * 7])))
    assert line.evidence is not None
    token = Case("tanh", (np.array(HERE),), {}, (np.array([1.0, 1.0]),), ("C", "C"), "float64").token
    deadly = msgspec.structs.replace(
        line, id="deadly", evidence=msgspec.structs.replace(line.evidence, token=token)
    )
    said = list(cross_engine_answers([line, deadly], [(str(adapter), ["another"])]))
    assert [(s.id, s.diagnostic.agrees_with) for s in said] == [(line.id, Agreement.ENGINE)]


def test_an_engine_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = tmp_path / "hanging.py"
    adapter.write_text("while True:\n    pass\n")
    monkeypatch.setenv("CONFORMANCE_PATIENCE", "0.5")
    line = failed(calling(engine.custom(np.tanh, lambda g, x: [g * 7])))
    assert list(cross_engine_answers([line], [(str(adapter), ["another"])])) == []


def test_a_print_that_looks_like_an_answer_is_ignored(tmp_path: Path) -> None:
    adapter = tmp_path / "loud.py"
    adapter.write_text(f'print("{MARK}{{")\n{WRONG}')
    line = failed(calling(engine.custom(np.tanh, lambda g, x: [g * 7])))
    (said,) = cross_engine_answers([line], [(str(adapter), ["another"])])
    assert (said.id, said.diagnostic.name) == (line.id, "wrong")


def test_of_many_failures_the_unexpected_ones_come_first() -> None:
    line = failed(calling(engine.custom(np.tanh, lambda g, x: [g * 7])))
    known = [msgspec.structs.replace(line, id=f"known{i}", verdict=Verdict.KNOWN) for i in range(MOST)]
    said = list(cross_engine_answers([*known, line], [("numpy", ["another"])]))
    assert len(said) == MOST
    assert said[0] == CrossEngineLine(
        line.id, Diagnostic("numpy", f"its gradient there is {SLOPE:.10g}", Agreement.RULE)
    )


# ---- in a run ------------------------------------------------------------------------------------------


@pytest.mark.costly
def test_what_other_engines_answer_is_in_the_run_file_and_on_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    adapter, run = tmp_path / "wrong.py", tmp_path / "run.jsonl"
    adapter.write_text(WRONG)
    assert main(["run", str(adapter), "numpy", "-q", "op/tanh/vjp/float64", "-n", "1", "-o", str(run)]) == 1
    assert "diagnostic numpy: its gradient there is" in capsys.readouterr().out
    said = [line for line in map(decode, run.read_text().splitlines()) if isinstance(line, CrossEngineLine)]
    assert [(s.id, s.diagnostic.name, s.diagnostic.agrees_with) for s in said] == [
        ("wrong/op/tanh/vjp/float64", "numpy", Agreement.RULE)
    ]
    (result,) = (r for r in read_run(run).results if r.verdict is Verdict.FAIL)
    assert result.evidence is not None
    assert result.evidence.diagnostics[-1] == said[0].diagnostic


def test_an_answer_to_no_result_of_the_file_is_left_out() -> None:
    line = failed(NumpyTape())
    stray = CrossEngineLine("no/such/result", Diagnostic("numpy", "its gradient there is 1"))
    assert decode(encode(stray)) == stray
    assert with_cross_engine([line], [stray]) == [line]
    assert with_cross_engine([line], [CrossEngineLine(line.id, stray.diagnostic)]) == [line]
