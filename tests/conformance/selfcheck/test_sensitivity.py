"""The smallest planted error that is noticed is reported with what hides smaller ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.cli import main
from conformance.cli.pages.sensitivity import page, summary
from conformance.errors import UsageError
from conformance.selfcheck import sensitivity as measuring
from conformance.selfcheck.sensitivity import SUITE, Figure, medians, planted, sensitivity


def noticing(threshold: float) -> Any:
    """A test of gradients of its own that notices d(2 x)/dx where it is off by more than a threshold."""

    def is_right(function: Any, operands: Sequence[Any]) -> bool:
        engine = NumpyTape()
        (gradient,) = engine.gradient(lambda x: engine.ops["sum"](function(x), axis=None), operands[:1])
        return bool(np.all(np.abs(gradient + 1) <= threshold))  # of the op `negative`

    return is_right


def of_negative(monkeypatch: pytest.MonkeyPatch, **testers: Any) -> dict[tuple[str, str], Figure]:
    monkeypatch.setattr(NumpyTape, "testers", testers)
    return {(f.tester, f.dtype): f for found in sensitivity(["numpy"], ["negative"]) for f in found}


def test_the_suite_notices_a_few_units_in_the_last_place(monkeypatch: pytest.MonkeyPatch) -> None:
    for dtype in ("float64", "float32"):
        smallest = of_negative(monkeypatch)[SUITE, dtype].smallest
        assert smallest is not None
        assert np.finfo(dtype).eps < smallest < 32 * np.finfo(dtype).eps


def test_the_threshold_of_another_test_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    found = of_negative(monkeypatch, own=noticing(1e-3))["own", "float64"]
    assert found.smallest == pytest.approx(1e-3, rel=0.2)
    assert found.smallest > 1e-3
    assert not found.is_false_alarm


def test_a_test_that_notices_nothing_or_everything_is_distinguished(monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(function: Any, operands: Any) -> bool:
        raise RuntimeError("not for such functions")

    found = of_negative(monkeypatch, blind=lambda f, xs: True, alarmed=lambda f, xs: False, raising=raising)
    assert found["blind", "float64"].smallest is None
    assert not found["blind", "float64"].is_false_alarm
    assert found["alarmed", "float64"].is_false_alarm
    assert found["raising", "float64"].is_false_alarm


def test_a_planted_error_is_in_the_gradient_alone() -> None:
    backend = planted("numpy", "multiply", 0.5)
    x, w = np.array([1.0, -2.0]), np.array([4.0, 8.0])
    (value,), gradients = backend.vjp(backend.call("multiply", {}), [x, w], [np.array([1.0, -1.0])])
    assert backend.numpy(value).tolist() == [4.0, -16.0]
    assert [backend.numpy(g).tolist() for g in gradients] == [[6.0, -12.0], [1.5, 3.0]]


def test_the_median_leaves_false_alarms_out_and_counts_them() -> None:
    figures = [Figure("b", f"op{n}", "float64", "t", smallest) for n, smallest in enumerate((0.1, 0.2, None))]
    (median,) = medians([*figures, Figure("b", "op3", "float64", "t", is_false_alarm=True)]).values()
    assert (median.median, median.ops, median.alarms) == (0.2, 3, 1)


def test_what_hides_smaller_errors_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(measuring.WELL, "float64", 0.0)
    found = of_negative(monkeypatch)[SUITE, "float64"]
    assert found.why.endswith("beside what is ordinary there")
    assert "1 to its own rounding" in found.why
    assert found.why in page([found])


def test_an_engine_without_rules_by_hand_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NumpyTape, "capabilities", frozenset())
    with pytest.raises(UsageError, match="takes custom rules"):
        list(sensitivity(["numpy"], ["negative"]))


def test_what_was_measured_before_an_interrupt_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def cut_short(*given: Any, **more: Any) -> Iterator[list[Figure]]:
        yield [Figure("mine", "tanh", "float64", SUITE, 1e-15)]
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "sensitivity", cut_short)
    assert main(["sensitivity", "numpy", "--json", "-o", str(tmp_path / "page.md")]) == 2
    said = capsys.readouterr()
    assert [figure["op"] for figure in json.loads(said.out)] == ["tanh"]
    assert "interrupted after 1 figures" in said.err
    assert "tanh" in (tmp_path / "page.md").read_text()


def test_a_test_that_calls_every_op_wrong_has_no_median() -> None:
    alarm = Figure("mine", "tanh", "float64", "other", is_false_alarm=True)
    assert summary([alarm]) == ["mine float64: other 1 called wrong as they are"]


def test_backends_are_compared_over_the_ops_that_all_of_them_have() -> None:
    figures = [
        Figure("wide", "roll", "float32", SUITE, 1e-7),
        Figure("wide", "tanh", "float32", SUITE, 2e-6),
        Figure("narrow", "tanh", "float32", SUITE, 3e-6),
        Figure("wide", "sinc", "float32", SUITE, 9e-6),
        Figure("narrow", "sinc", "float32", SUITE, is_false_alarm=True),
        Figure("wide", "tanh", "float32", "other", 1e-1),
    ]
    assert summary(figures)[-1] == (
        "the ops that all of these have (1), float32: conformance notices 2.0e-06 on wide, 3.0e-06 on narrow"
    )
    assert not any("all of these" in line for line in summary(figures[:2]))
