"""A pass needs a case in which a wrong answer would have failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks import Check, registry
from conformance.checks.comparison import Decisive, decides, decisions, hold_close, hold_equal
from conformance.checks.engine_calls import gradients_of
from conformance.errors import Unsupported
from conformance.questions import Item
from conformance.run.execute import Executor
from conformance.run.plan import PROFILES
from conformance.runfile.records import ResultLine, Verdict


def result_of(
    monkeypatch: pytest.MonkeyPatch, function: Any, kind: str = "contract", **about: Any
) -> ResultLine:
    check = Check("planted", "B1", kind, function, **about)
    monkeypatch.setitem(registry.CHECKS, check.key, check)
    item = Item("numpy", check.key, "det" if kind == "op" else "B1", "float64")
    (result,) = Executor(NumpyTape(), seed=0, effort=PROFILES["quick"]).results([item])
    return result


def compares_zeros(engine: Any, sample: Any) -> None:
    """x * 0 has no gradient to speak of."""
    x, g = sample.array(), sample.array()
    got = gradients_of(engine, engine.op("multiply"), [x, np.zeros_like(x)], g)
    hold_equal(got[0], np.zeros_like(x), "x's gradient")


def compares_later(engine: Any, sample: Any) -> None:
    """Only a sample after the first three compares anything."""
    hold_equal(sample.array(), sample.array() * 0 if sample.seed < 3 else sample.array(), "a number", slack=9)
    decides(sample.seed == 4)


def compares_nothing_empty(seen: Any) -> None:
    """Of an op: empty cases are passed over."""
    decides(all(x.size > 1 for x in seen.case.operands))


def is_refused(engine: Any, sample: Any) -> None:
    """The engine has no such call."""
    raise Unsupported("no such call")


def test_a_question_that_compared_only_zeros_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of(monkeypatch, compares_zeros)
    assert result.verdict is Verdict.UNDECIDED
    assert result.cases == 0
    assert result.undecided == 2 * PROFILES["quick"].samples
    assert "zeros" in result.reason


def test_a_claim_about_an_outcome_needs_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of(monkeypatch, compares_zeros, is_about_outcome=True)
    assert (result.verdict, result.undecided) == (Verdict.PASS, 0)


@pytest.mark.parametrize(("kind", "function"), [("contract", compares_later), ("op", compares_nothing_empty)])
def test_further_questions_are_asked_until_one_decides(
    monkeypatch: pytest.MonkeyPatch, kind: str, function: Any
) -> None:
    result = result_of(monkeypatch, function, kind)
    assert result.verdict is Verdict.PASS
    assert result.cases >= 1
    assert kind == "op" or result.undecided == 4


def test_what_the_engine_does_not_offer_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of(monkeypatch, is_refused)
    assert (result.verdict, result.undecided) == (Verdict.UNSUPPORTED, 0)


@pytest.mark.parametrize(
    ("expected", "allowed", "decisive"),
    [
        ([], 0.0, Decisive.NOTHING),
        ([1.0], np.inf, Decisive.NOTHING),
        ([0.0, 1e-9], 1e-6, Decisive.NOT_ZERO),
        ([0.0, 1.0], 1e-6, Decisive.ZERO),
        ([np.nan], 1e-6, Decisive.ZERO),
    ],
)
def test_a_comparison_decides_where_zeros_would_fail(
    expected: list[float], allowed: float, decisive: Decisive
) -> None:
    values = np.array(expected)
    with decisions() as noted:
        hold_close(values, values, np.full(values.shape, allowed, np.longdouble), "a gradient")
    assert noted == [decisive]


class Refusing(NumpyTape):
    """The reference engine, which refuses a cotangent of another dtype than its output's, as it declares."""

    conventions: ClassVar[Mapping[str, str]] = {**NumpyTape.conventions, "A5": "refused"}

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """As ever, of one dtype."""
        if gradient is not None and self.numpy(gradient).dtype != self.numpy(output).dtype:
            raise TypeError("the cotangent has another dtype")
        super().backward(output, gradient, retain=retain)


def test_a_cotangent_that_is_refused_as_declared_decides() -> None:
    item = Item("numpy", "op/cotangent-dtype", "tanh", "float64")
    (result,) = Executor(Refusing(), seed=0, effort=PROFILES["quick"]).results([item])
    assert (result.verdict, result.undecided) == (Verdict.PASS, 0)


@pytest.mark.parametrize(
    ("op", "parameter", "values"),
    [("max_pool2d", "ceil_mode", (True,)), ("cross_entropy", "reduction", ("sum", "none"))],
)
def test_where_all_drawn_calls_are_declared_lacking_others_are_asked(
    op: str, parameter: str, values: Any
) -> None:
    """Of an engine that compiles, a few signatures are drawn, and all may have what the engine lacks."""
    members = {"compiles_signatures": True, "lacks": {op: {parameter: values}}}
    backend, item = type("Compiling", (NumpyTape,), members)(), Item("numpy", "op/vjp", op, "float64")
    results = [
        result
        for seed in range(3)
        for result in Executor(backend, seed=seed, effort=PROFILES["quick"]).results([item])
    ]
    assert {result.verdict for result in results} == {Verdict.PASS}


def test_a_case_of_which_processes_ended_is_passed_over() -> None:
    culprits = ("numpy/op/tanh/shape/float64", "numpy/op/tanh/vjp/float64")
    asked = Executor(NumpyTape(), seed=0, effort=PROFILES["quick"], culprits_of=lambda token: culprits)
    (result,) = asked.results([Item("numpy", "op/value", "tanh", "float64")])
    assert (result.verdict, result.cases) == (Verdict.UNDECIDED, 0)
    assert result.evidence is not None
    assert f"of which {' and '.join(culprits)} ended the process" in result.evidence.message


def test_right_answers_beside_a_case_that_is_not_asked_again_are_no_pass() -> None:
    item = Item("numpy", "op/vjp", "tanh", "float64")
    tokens: list[str] = []

    def culprits_of(token: str) -> list[str]:
        tokens.append(token)
        return ["mine/op/tanh/forward/float64"] if len(set(tokens)) == 1 else []

    executor = Executor(NumpyTape(), seed=0, effort=PROFILES["quick"], culprits_of=culprits_of)
    (result,) = executor.results([item])
    assert result.cases > 5
    assert result.verdict is Verdict.UNDECIDED
    assert result.evidence is not None
    assert "mine/op/tanh/forward/float64 ended the process is not asked again" in result.evidence.message
