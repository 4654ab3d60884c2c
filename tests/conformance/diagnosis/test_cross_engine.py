"""What the other engines of a run say of a gradient that differs from the reference VJP."""

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
    return result_of(load_all()["op/vjp"], backend, case)


def entry(got: float = 7.0) -> DisagreedEntry:
    line = failed(calling(engine.custom(np.tanh, lambda g, x: [g * 7])))
    assert line.evidence is not None
    return DisagreedEntry(line.id, line.evidence.token, 0, (1,), got)


# ---- what one engine says -------------------------------------------------------------------------------


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
def test_a_bystander_agrees_with_whom_it_is_near(rule: Any, got: float, side: Agreement) -> None:
    assert answer_of(calling(engine.custom(np.tanh, rule)), entry(got)).agrees_with is side


def test_a_bystander_says_its_number_and_who_it_is() -> None:
    assert answer_of(calling(engine.custom(np.tanh, lambda g, x: [g * 5])), entry()).told == (
        "numpy: it says 5 (agrees with neither)"
    )


def test_a_bystander_that_raises_or_lacks_the_op_cannot_tell() -> None:
    def refuse(x: Any) -> Any:
        raise ValueError("not today")

    assert answer_of(calling(refuse), entry()).says == "it raised ValueError: not today"
    without = type("Without", (NumpyTape,), {"ops": {"add": np.add}})()
    assert answer_of(without, entry()) == Diagnostic("numpy", "it has no tanh of float64")


# ---- who is asked, and about what -------------------------------------------------------------------------


def test_an_engine_is_not_asked_about_its_own_failures() -> None:
    line = failed(calling(engine.custom(np.tanh, lambda g, x: [g * 7])))
    assert list(cross_engine_answers([line], [("no.such:Adapter", [line.backend])])) == []


def test_a_result_in_which_no_witness_was_heard_is_nobody_s_matter() -> None:
    line = failed(NumpyTape())
    assert line.verdict is Verdict.PASS
    bare = msgspec.structs.replace(line, verdict=Verdict.FAIL, evidence=Evidence("it is wrong", token="c1:x"))
    assert list(cross_engine_answers([line, bare], [("no.such:Adapter", ["another"])])) == []


def test_a_bystander_that_cannot_start_says_nothing() -> None:
    line = failed(calling(engine.custom(np.tanh, lambda g, x: [g * 7])))
    assert list(cross_engine_answers([line], [("no.such:Adapter", ["another"])])) == []


def test_a_bystander_that_dies_has_said_what_it_said_before(tmp_path: Path) -> None:
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


def test_a_bystander_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = tmp_path / "hanging.py"
    adapter.write_text("while True:\n    pass\n")
    monkeypatch.setenv("CONFORMANCE_PATIENCE", "0.5")
    line = failed(calling(engine.custom(np.tanh, lambda g, x: [g * 7])))
    assert list(cross_engine_answers([line], [(str(adapter), ["another"])])) == []


def test_a_bystander_that_prints_what_looks_like_a_statement_is_not_believed(tmp_path: Path) -> None:
    adapter = tmp_path / "loud.py"
    adapter.write_text(f'print("{MARK}{{")\n{WRONG}')
    line = failed(calling(engine.custom(np.tanh, lambda g, x: [g * 7])))
    (said,) = cross_engine_answers([line], [(str(adapter), ["another"])])
    assert (said.id, said.diagnostic.name) == (line.id, "wrong")


def test_of_many_failures_the_unexpected_ones_are_asked_first() -> None:
    line = failed(calling(engine.custom(np.tanh, lambda g, x: [g * 7])))
    known = [msgspec.structs.replace(line, id=f"known{i}", verdict=Verdict.KNOWN) for i in range(MOST)]
    said = list(cross_engine_answers([*known, line], [("numpy", ["another"])]))
    assert len(said) == MOST
    assert said[0] == CrossEngineLine(line.id, Diagnostic("numpy", f"it says {SLOPE:.10g}", Agreement.RULE))


# ---- in a run ------------------------------------------------------------------------------------------


def test_what_bystanders_say_is_in_the_run_file_and_on_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    adapter, run = tmp_path / "wrong.py", tmp_path / "run.jsonl"
    adapter.write_text(WRONG)
    assert main(["run", str(adapter), "numpy", "-q", "op/tanh/vjp/float64", "-n", "1", "-o", str(run)]) == 1
    assert "diagnostic numpy: it says" in capsys.readouterr().out
    said = [line for line in map(decode, run.read_text().splitlines()) if isinstance(line, CrossEngineLine)]
    assert [(s.id, s.diagnostic.name, s.diagnostic.agrees_with) for s in said] == [
        ("wrong/op/tanh/vjp/float64", "numpy", Agreement.RULE)
    ]
    (result,) = (r for r in read_run(run).results if r.verdict is Verdict.FAIL)
    assert result.evidence is not None
    assert result.evidence.diagnostics[-1] == said[0].diagnostic


def test_testimony_about_nothing_in_the_file_is_left_out() -> None:
    line = failed(NumpyTape())
    stray = CrossEngineLine("no/such/result", Diagnostic("numpy", "it says 1"))
    assert decode(encode(stray)) == stray
    assert with_cross_engine([line], [stray]) == [line]
    assert with_cross_engine([line], [CrossEngineLine(line.id, stray.diagnostic)]) == [line]
