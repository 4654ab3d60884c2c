"""A check that could not notice a wrong gradient is found; the suite has none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.backend import Backend
from conformance.checks import Check, load_all
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of
from conformance.checks.sample import Sample
from conformance.selfcheck.power import power_of_checks
from conformance.selfcheck.selftest import registered_controls


def right() -> list[Backend]:
    return [control.make() for control in registered_controls().values()]


def fault_of(function: Any) -> str:
    (power,) = power_of_checks([Check("planted", "B1", "contract", function)], right())
    assert power.cases
    return power.fault


def times_zero(engine: Backend, sample: Sample) -> None:
    """x * 0 has no gradient to speak of."""
    x, g = sample.array(), sample.array()
    got = gradients_of(engine, engine.op("multiply"), [x, np.zeros_like(x)], g)
    hold_equal(got[0], np.zeros_like(x), "x's gradient")


def for_ones_only(engine: Backend, sample: Sample) -> None:
    """The cotangent is always ones."""
    x, w = sample.array(), sample.array()
    hold_equal(gradients_of(engine, engine.op("multiply"), [x, w], np.ones_like(x))[0], w, "x's gradient")


def for_a_signed_cotangent(engine: Backend, sample: Sample) -> None:
    """As it should be."""
    x, w, g = (sample.array() for _ in range(3))
    hold_equal(gradients_of(engine, engine.op("multiply"), [x, w], g)[0], g * w, "x's gradient")


@pytest.mark.parametrize(
    ("function", "fault"),
    [
        (times_zero, "all that it expected was zero"),
        (for_ones_only, "did not depend on the cotangent"),
        (for_a_signed_cotangent, ""),
    ],
)
def test_the_power_of_a_planted_check_is_measured(function: Any, fault: str) -> None:
    found = fault_of(function)
    assert fault in found
    assert bool(found) is bool(fault)


def test_every_check_of_the_suite_has_power() -> None:
    powers = power_of_checks(load_all().values(), right())
    assert [f"{s.check.key}: {s.fault}" for s in powers if s.fault] == []
