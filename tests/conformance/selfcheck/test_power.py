"""A question that passes wrong answers is found; the checks of a few ops and clauses pass none."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import pytest

from conformance.checks import Check, load_all, registry
from conformance.checks.comparison import decides, hold_equal
from conformance.checks.engine_calls import gradients_of, is_refused
from conformance.checks.observation import plain
from conformance.checks.sample import Sample
from conformance.cli import main
from conformance.selfcheck.power import EVERY, ONES, Power, power_of_suite
from conformance.selfcheck.wrong_answers import NUMBERS

pytestmark = pytest.mark.costly


def product(engine: Any, sample: Sample, g: Any = None) -> tuple[list[Any], Any, Any, Any]:
    x, w = sample.array(), sample.array()
    g = sample.array() if g is None else g(x)
    return gradients_of(engine, engine.op("multiply"), [x, w], g), x, w, g


def as_it_should_be(engine: Any, sample: Sample) -> None:
    """Both gradients, for a signed cotangent."""
    got, x, w, g = product(engine, sample)
    hold_equal(got[0], g * w, "x's gradient")
    hold_equal(got[1], g * x, "w's gradient")


def compares_nothing(engine: Any, sample: Sample) -> None:
    """The gradient is computed, and not looked at."""
    _, x, _, _ = product(engine, sample)
    hold_equal(x, x, "x itself")


def compares_magnitudes(engine: Any, sample: Sample) -> None:
    """A sign that is wrong is not seen."""
    got, _, w, g = product(engine, sample)
    hold_equal(np.abs(got[0]), np.abs(g * w), "the magnitude of x's gradient")


def compares_first_entry(engine: Any, sample: Sample) -> None:
    """One entry of several."""
    got, _, w, g = product(engine, sample)
    hold_equal(got[0].ravel()[:1], (g * w).ravel()[:1], "the first entry of x's gradient")


def for_ones_only(engine: Any, sample: Sample) -> None:
    """The cotangent is always ones."""
    got, _, w, _ = product(engine, sample, np.ones_like)
    hold_equal(got[0], w, "x's gradient")


def is_finite(engine: Any, sample: Sample) -> None:
    """NaN is seen, and no other number."""
    got, *_ = product(engine, sample)
    decides(True)
    assert np.isfinite(got[0]).all()


def refuses(engine: Any, sample: Sample) -> None:
    """There is no number to replace."""
    assert is_refused(
        lambda: plain(engine, engine.op("multiply")(*map(engine.array, np.ones((2, 2, 3))[:, 0:0], 5)))
    )


def power_of(monkeypatch: pytest.MonkeyPatch, function: Any, **about: Any) -> Power:
    check = Check("planted", "B1", "contract", function, is_named_by_clause=True, **about)
    load_all()
    monkeypatch.setitem(registry.CHECKS, check.key, check)
    (power,) = power_of_suite([check.key]).powers
    return power


@pytest.mark.parametrize(
    ("function", "passes"),
    [
        (as_it_should_be, set()),
        (compares_nothing, {EVERY}),
        (compares_magnitudes, {"negated, at all entries", "negated, at one entry"}),
        (compares_first_entry, {name for name in NUMBERS if name.endswith("one entry")}),
        (for_ones_only, {ONES}),
        (is_finite, {EVERY}),
        (refuses, set()),
    ],
)
def test_a_planted_check_passes_what_it_does_not_compare(
    monkeypatch: pytest.MonkeyPatch, function: Any, passes: set[str]
) -> None:
    power = power_of(monkeypatch, function)
    assert power.cases
    assert set(power.passes) == passes


def test_what_satisfies_the_claim_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    signs = tuple((name, "a magnitude has no sign") for name in NUMBERS if name.startswith("negated"))
    assert power_of(monkeypatch, compares_magnitudes, satisfied_by=signs).passes == ()
    assert power_of(monkeypatch, compares_nothing, satisfied_by=signs).passes == (EVERY,)


def test_every_declared_sort_of_wrong_answer_exists() -> None:
    declared = {sort for check in load_all().values() for sort, _ in check.satisfied_by}
    assert declared <= set(NUMBERS)


def contracts_of_this_commit() -> list[str]:
    """Every twelfth contract: another part where CONFORMANCE_PART says so, such as "--shard 2/6"."""
    named = os.environ.get("CONFORMANCE_PART", "").removeprefix("--shard ")
    part, count = map(int, (named or "1/12").split("/"))
    contracts = sorted(key for key, check in load_all().items() if check.kind == "contract")
    return contracts[part - 1 :: count]


@pytest.mark.parametrize("query", contracts_of_this_commit())
def test_contracts_pass_no_wrong_answer(query: str) -> None:
    report = power_of_suite([query])
    assert [(power.name, power.passes) for power in report.passing] == []
    assert not report.undecided


@pytest.mark.parametrize(
    "query",
    [
        "op/tanh",
        "op/matmul/*/float32",
        "op/floor",
        "point/relu",
        "point/log/at-0",
        "point/clip/at-min/forward",
        "example",
    ],
)
def test_questions_of_the_suite_pass_no_wrong_answer(query: str) -> None:
    report = power_of_suite([query])
    assert [(power.name, power.passes) for power in report.passing] == []
    assert not report.undecided


def test_the_command_lists_what_passes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    power_of(monkeypatch, compares_nothing)
    arguments = ["selftest", "--power", "-n", "1", "contract/B1/planted"]
    assert main(arguments) == 1
    assert f"contract/B1/planted: {EVERY}" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["counts"]["pass wrong answers"] == 1


def test_several_processes_find_the_same() -> None:
    alone, shared = (power_of_suite(["op/tanh/vjp", "op/floor"], workers=n) for n in (1, 2))
    assert [(p.name, p.noticed) for p in alone.powers] == [(p.name, p.noticed) for p in shared.powers]
