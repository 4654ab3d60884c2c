"""Derivatives with a closed form are found within the estimated error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conformance.oracle.derivative import complex_step, extended_differences, is_analytic, ridders

X = np.array([0.75, -1.25, 2.0], dtype=np.longdouble)
V = np.array([1.0, -0.5, 0.25], dtype=np.longdouble)

Function = Callable[[Any], Any]


@pytest.mark.parametrize(
    "function", [np.exp, np.tanh, lambda x: x * x, lambda x: np.where(x > 0, x, 0 * x), np.sort], ids=range(5)
)
def test_analytic_functions_are_recognised(function: Function) -> None:
    assert is_analytic(function, X, V)


@pytest.mark.parametrize(
    "function",
    [
        np.abs,
        np.conj,
        np.real,
        lambda x: x * np.conj(x),
        lambda x: np.abs(x) ** 2,
        lambda x: x.astype(np.float64),
    ],
    ids=["abs", "conj", "real", "squared modulus", "modulus squared", "cast"],
)
def test_a_reference_that_leaves_the_complex_plane_is_not_differentiated_by_complex_step(
    function: Function,
) -> None:
    assert not is_analytic(function, X, V)


@pytest.mark.parametrize("function", [np.cbrt, np.hypot.outer], ids=["no complex loop", "another call"])
def test_a_reference_that_refuses_complex_operands_is_not_analytic(function: Any) -> None:
    assert not is_analytic(lambda x: np.ravel(function(x) if function is np.cbrt else function(x, x)), X, V)


@pytest.mark.parametrize(
    ("function", "slope"),
    [(np.exp, np.exp(X)), (np.sin, np.cos(X)), (lambda x: 1 / x, -1 / X**2), (np.arctan, 1 / (1 + X**2))],
    ids=["exp", "sin", "reciprocal", "arctan"],
)
def test_both_methods_give_textbook_derivatives(function: Function, slope: Any) -> None:
    expected = slope * V
    np.testing.assert_allclose(complex_step(function, X, V).value, expected, rtol=1e-17)
    found = extended_differences(function, X, V, max_step=0.5)
    np.testing.assert_allclose(found.value, expected, rtol=1e-13)
    assert (np.abs(found.value - expected) <= found.error + 1e-18).all()


def test_a_singularity_nearby_shortens_the_step() -> None:
    near = np.array([1e-3], dtype=np.longdouble)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = extended_differences(np.log, near, np.ones(1, np.longdouble))
    np.testing.assert_allclose(found.value, 1 / near, rtol=1e-11)


def test_a_kink_nearby_shortens_the_step() -> None:
    near_kink = np.array([0.01, -0.3], dtype=np.longdouble)
    found = extended_differences(np.abs, near_kink, np.ones(2, np.longdouble))
    np.testing.assert_allclose(found.value, [1, -1], rtol=1e-15)


def test_a_step_across_a_kink_has_a_large_error_estimate() -> None:
    found = ridders(np.abs, np.array([0.03], np.longdouble), np.ones(1, np.longdouble), np.longdouble(1))
    assert found.truncation[0] > 1e-3
