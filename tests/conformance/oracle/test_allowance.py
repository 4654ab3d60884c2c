"""The allowed error follows from the rule, and so does the oracle's own uncertainty."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.case import Case
from conformance.ops import CATALOGUE, find
from conformance.oracle.allowance import (
    MANY_PERTURBATIONS,
    PERTURBATIONS,
    expected_gradients,
    natural_gradient_sizes,
)
from conformance.oracle.uncertainty import oracle_uncertainty
from conformance.strategies import Effort, draw_cases

WITH_A_ZERO = np.array([[3.375, 0.875, 0.0], [1.0, 3.375, 0.625], [-0.25, -0.25, 3.25]])


@pytest.mark.parametrize("name", ["tanh", "matmul", "softmax", "det", "cumulative_prod", "sort"])
def test_the_oracle_is_far_more_exact_than_an_engine_must_be(name: str) -> None:
    op = find(name)
    for case in draw_cases(op, "float64", 0, Effort(3, 2, 1, 1)):
        for expected, uncertainty in zip(
            expected_gradients(op, case), oracle_uncertainty(op, case), strict=True
        ):
            assert uncertainty.shape == expected.exact.shape
            assert (uncertainty <= expected.allowed / 100).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", sorted(set(CATALOGUE) - {"imag"}))  # of real numbers imag is zero
def test_every_op_has_a_gradient_that_is_checked_to_its_last_digits(name: str, dtype: str) -> None:
    op = find(name)
    found = [
        expected
        for case in draw_cases(op, dtype, 0, Effort(8, 2, 1, 1))
        for expected in expected_gradients(op, case)
    ]
    assert all(np.isfinite(expected.allowed).all() for expected in found), "anything is allowed"
    allowed = [
        float((expected.allowed[shown] / np.abs(expected.exact[shown])).min())
        for expected in found
        if (shown := expected.exact != 0).any()
    ]
    assert min(allowed) < 100 * np.finfo(dtype).eps


def test_the_expected_gradients_of_a_case_are_computed_once_for_all_modes_of_an_engine() -> None:
    op, effort = find("tanh"), Effort(3, 2, 1, 1)
    first, second = (draw_cases(op, "float64", 0, effort)[0] for _ in range(2))
    assert expected_gradients(op, first) is expected_gradients(op, second)
    assert expected_gradients(op, first, perturbations=8) is not expected_gradients(op, first)


def test_a_zero_perturbed_to_the_smallest_number_adds_no_uncertainty() -> None:
    case = Case("det", (WITH_A_ZERO,), {}, (np.array(0.5),), ("C", "C"), "float64")
    (uncertainty,) = oracle_uncertainty(find("det"), case)
    assert (uncertainty < 1e-15).all()


def test_an_entry_that_overflows_the_dtype_adds_no_uncertainty_to_others() -> None:
    operand = np.array([1e-250, 1e200, 1e-50, 1e200])  # the gradient of the first entry is 1e350
    whole = {"axis": None, "keepdims": False}
    case = Case("prod", (operand,), whole, (np.array(1.0),), ("C", "C"), "float64")
    (uncertainty,) = oracle_uncertainty(find("prod"), case)
    assert (uncertainty < 1e-15 * 1e150).all()


def test_the_natural_size_of_a_gradient_is_measured() -> None:
    x = np.array([1.0, 400.0])
    for name, size in (("deg2rad", np.pi / 180), ("sigmoid", 0.25), ("tanh", 1.0), ("negative", 1.0)):
        case = Case(name, (x,), {}, (np.ones(2),), ("C", "C"), "float64")
        assert natural_gradient_sizes(find(name), case) == pytest.approx([size], rel=0.05)


@pytest.mark.parametrize("shape", [(), (1,), (2,), (3, 3), (5, 5, 5)])
def test_the_natural_size_does_not_depend_on_the_number_of_entries(shape: tuple[int, ...]) -> None:
    for name, size in (("tanh", 1.0), ("sigmoid", 0.25), ("gelu_tanh", 1.0), ("sinc", 1.0)):
        case = Case(name, (np.full(shape, 3.0),), {}, (np.ones(shape),), ("C", "C"), "float64")
        (found,) = natural_gradient_sizes(find(name), case)
        assert 0.8 * size < found < 1.3 * size


def test_steep_ordinary_operands_do_not_widen_the_allowance_at_flat_ones() -> None:
    case = Case("reciprocal", (np.array([3.0]),), {}, (np.ones(1),), ("C", "C"), "float64")
    assert natural_gradient_sizes(find("reciprocal"), case) == [
        1.0
    ]  # 1/x² is 64 at the smallest ordinary operand


def test_a_gradient_is_measured_for_each_operand() -> None:
    x, y = np.full((2, 2), 2.0), np.full((2, 2), 2.0**40)
    case = Case("matmul", (x, y), {}, (np.ones((2, 2)),), ("C",) * 3, "float64")
    of_x, of_y = natural_gradient_sizes(find("matmul"), case)
    assert of_x >= 2.0**40
    assert of_y < 100


def test_terms_that_cancel_for_ones_do_not_hide_the_size_of_a_gradient() -> None:
    case = Case("multiply", (np.ones((2, 3)), np.ones(3)), {}, (np.ones((2, 3)),), ("C",) * 3, "float64")
    assert min(natural_gradient_sizes(find("multiply"), case)) >= 1


def test_any_error_is_allowed_where_the_exact_value_overflows_the_dtype() -> None:
    case = Case(
        "square",
        (np.array([1e38, 3e38], np.float32),),
        {},
        (np.full(2, 1.1, np.float32),),
        ("C",) * 2,
        "float32",
    )
    (expected,) = expected_gradients(find("square"), case)
    assert np.isfinite(expected.allowed[0])
    assert np.isinf(expected.allowed[1])


def test_an_allowance_is_explained_by_its_parts() -> None:
    x, g = np.array([0.5, 3.0], np.float32), np.ones(2, np.float32)
    (of_tanh,) = expected_gradients(find("tanh"), Case("tanh", (x,), {}, (g,), ("C",), "float32"))
    (of_square,) = expected_gradients(find("square"), Case("square", (x,), {}, (g,), ("C",), "float32"))
    for expected, source in (
        (of_tanh, "4 ulp of 6e-08 for tanh"),
        (of_square, "1 ulp of 1.2e-07 for its own"),
    ):
        text = expected.why((0,))
        assert source in text
        assert expected.spread is not None
        assert text.startswith(f"3 times the {expected.spread[0] / 3:.2g} by which rounding changes")
        largest = float(expected.allowed[0] - expected.spread[0] - expected.units * expected.ulp[0])
        assert f"and {largest:.2g}, an ulp of the usual gradient size" in text


def test_a_plain_loop_over_equal_terms_is_right() -> None:
    """Its partial sums are all rounded to one side; the rule divides by the largest term and rounds nothing."""
    x = np.full(1025, -2.75)
    case = Case(
        "vector_norm",
        (x,),
        {"axis": None, "keepdims": False, "ord": 1.5},
        (np.array(-2.25),),
        ("C", "C"),
        "float64",
    )
    norm = np.add.accumulate(np.abs(x) ** 1.5)[-1] ** (1 / 1.5)
    gradient = -2.25 * np.sign(x) * (np.abs(x) / norm) ** 0.5
    few, many = (
        np.abs(gradient - expected.exact) <= expected.allowed
        for n in (PERTURBATIONS, MANY_PERTURBATIONS)
        for expected in expected_gradients(find("vector_norm"), case, perturbations=n)
    )
    assert not few.any()
    assert many.all()
