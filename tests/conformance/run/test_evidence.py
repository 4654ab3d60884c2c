"""Evidence is kept where a part of it cannot be had."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec
import numpy as np
import pytest
from conformance_backends.mutants import MUTANTS
from conformance_backends.numpy_backend import NumpyTape

from conformance.questions import Item, items_of
from conformance.run import evidence
from conformance.run.execute import Executor
from conformance.run.failure_text import failure_text
from conformance.run.verdict import result_for
from conformance.runfile.records import Evidence, ResultLine, Verdict
from conformance.strategies import Effort

EFFORT = Effort(signatures=1, draws=1, samples=1, programs=1)


def test_a_script_that_takes_too_much_memory_is_left_out_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def script_of(*given: Any) -> str:
        raise MemoryError

    monkeypatch.setattr(evidence, "script_of", script_of)
    mutant = next(m for m in MUTANTS if m.name == "declares-replacing-accumulates")
    backend = mutant.make()
    items = [i for i in items_of(backend.name, ("float64",)) if "/contract/B3/" in i.id]
    results = Executor(backend, seed=0, effort=EFFORT).results(items)
    failed = [result for result in results if result.verdict is Verdict.FAIL]
    assert failed
    for result in failed:
        assert result.evidence is not None
        assert "could not be written down" not in result.evidence.message
        assert result.evidence.token
        assert not result.evidence.script


@pytest.mark.parametrize("lines", [3, 2000, 20_000])
def test_a_script_is_recorded_whole_or_ends_with_a_line_that_says_what_prints_it(lines: int) -> None:
    script = "import numpy as np\n" + "\n".join(f"x{i} = np.ones({i})" for i in range(lines))
    recorded = Evidence(message="", script=evidence.kept_of(script)).script
    compile(recorded, "recorded", "exec")
    is_long = lines == 20_000
    assert (recorded == script) is not is_long
    assert len(recorded) < evidence.LONGEST_SCRIPT + 300
    first, said = recorded.rpartition("\n")[::2]
    assert not is_long or (script.startswith(first) and "conformance replay" in said and "--script" in said)


def test_of_a_script_whose_first_line_is_too_long_the_last_line_is_left() -> None:
    recorded = evidence.kept_of(f"x = {list(range(20_000))}")
    assert recorded.startswith("# ")
    assert "\n" not in recorded


class Raises(NumpyTape):
    """Its sum indexes behind the last entry."""

    ops: ClassVar[dict[str, Any]] = {**NumpyTape.ops, "sum": lambda x, axis, keepdims: np.arange(3)[7]}


def test_an_exception_has_the_line_that_raised_it_and_a_wrong_number_has_none() -> None:
    mutant = next(m for m in MUTANTS if m.name == "declares-replacing-accumulates").make()
    for backend, ids, said in (
        (Raises(), "/op/sum/vjp/", "  raised  test_evidence.py:"),
        (mutant, "/contract/B3/", ""),
    ):
        items = [i for i in items_of(backend.name, ("float64",)) if ids in i.id]
        results = [r for r in Executor(backend, seed=0, effort=EFFORT).results(items) if r.evidence]
        texts = [failure_text(r, None) for r in results if r.verdict in (Verdict.ERROR, Verdict.FAIL)]
        assert texts
        for text in texts:
            assert said in text if said else "  raised  " not in text


@pytest.mark.parametrize(
    ("case", "values"),
    [
        ({"operands": [True, ["nan", 1.5]], "cotangent": [[2.0]]}, "True; [nan, 1.5]; cotangent [2.0]"),
        ({"operands": [[0.125] * 99], "cotangent": [1.0]}, ""),  # too many to read
        ({"operands": 7}, ""),  # of a run file that somebody changed
        ({}, ""),
    ],
)
def test_the_numbers_of_a_small_call_are_shown(case: dict[str, Any], values: str) -> None:
    """A mask, an index or a magnitude is all there is to a failure, and its shape says nothing."""
    shown = Evidence("off", call="where () (2,)", case=case)
    line = ResultLine(
        *("x/op/where/vjp/float64", "x", "op", "where", "vjp", "E1", "must", "float64", Verdict.FAIL),
        cases=1,
        seconds=0.0,
        evidence=shown,
    )
    text = failure_text(line, None)
    assert ("  values  " in text) == bool(values)
    assert values in text


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("thousand-examples", "of 1031 examples, drawn from those of "),
        ("long-axis", "along an axis of 131 or 134 "),
    ],
)
def test_a_check_that_makes_a_larger_call_of_its_case_says_so_before_it(check: str, words: str) -> None:
    line = result_for(
        Item("numpy", f"op/{check}", "sum", "float64"),
        Verdict.FAIL,
        cases=1,
        seconds=0.0,
        evidence=Evidence(message="differs", call="sum (2,3) axis=0 float64"),
    )
    (call,) = (each for each in failure_text(line, None).splitlines() if each.startswith("  call"))
    assert call.startswith(f"  call    {words}")
    assert call.endswith("sum (2,3) axis=0 float64")
    alike = msgspec.structs.replace(line, check="vjp")
    assert "  call    sum (2,3) axis=0 float64\n" in failure_text(alike, None)
