"""Sums in an order of their own: right, as far off as a plain loop, and only where order matters."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.case import Case
from conformance.ops import find
from conformance.oracle.allowance import MANY_PERTURBATIONS, expected_values
from conformance.oracle.draws import Draws
from conformance.oracle.rounding import rounding_by, rounding_on
from conformance.oracle.summation import FEW, in_any_order

RNG = np.random.default_rng(0)
X = RNG.uniform(1, 2, (3, 50, 4))
DRAWS = Draws()


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 1), (1, 2), (0, 1, 2), None])
@pytest.mark.parametrize("keepdims", [False, True])
def test_a_sum_is_the_sum(axis: object, keepdims: bool) -> None:
    got = in_any_order(np.add, "reduce", [X], {"axis": axis, "keepdims": keepdims}, "float64", DRAWS)
    expected = np.add.reduce(X, axis=axis, keepdims=keepdims)  # type: ignore[arg-type]
    if got is None:
        assert axis in (0, -1)  # few terms
        return
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("a", "b"), [((5, 9), (9, 4)), ((9,), (9, 4)), ((5, 9), (9,)), ((9,), (9,)), ((2, 1, 5, 9), (3, 9, 4))]
)
def test_a_product_is_the_product(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    left, right = RNG.normal(size=a), RNG.normal(size=b)
    got = in_any_order(np.matmul, "__call__", [left, right], {}, "float64", DRAWS)
    assert got is not None
    assert got.shape == np.matmul(left, right).shape
    np.testing.assert_allclose(got, np.matmul(left, right), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("axis", [-1, -2, -3])
def test_a_product_along_an_axis_is_the_product(axis: int) -> None:
    left, right = RNG.normal(size=(9, 9, 9)), RNG.normal(size=(2, 9, 9, 9))
    got = in_any_order(np.vecdot, "__call__", [left, right], {"axis": axis}, "float64", DRAWS)
    assert got is not None
    np.testing.assert_allclose(got, np.vecdot(left, right, axis=axis), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("axis", [-1, -2])
def test_a_plain_loop_over_equal_products_is_allowed(axis: int) -> None:
    """Each of its sums is rounded the same way, so that the errors add up."""
    x, y = (np.moveaxis(np.full((1, 66), n, np.float32), -1, axis) for n in (1.3196816, -271.76923))
    case = Case("vecdot", (x, y), {"axis": axis}, (np.ones(1, np.float32),), ("C",) * 3, "float32")
    (expected,) = expected_values(find("vecdot"), case, perturbations=MANY_PERTURBATIONS)
    total = np.add.accumulate((x * y).ravel())[-1]
    assert (abs(total - expected.exact) <= expected.allowed).all()
    assert (expected.allowed < 1e-4 * abs(expected.exact)).all()


def test_few_terms_masks_integers_and_half_precision_are_left_to_numpy() -> None:
    def own(x: np.ndarray, dtype: str = "float64", **keywords: object) -> object:
        return in_any_order(np.add, "reduce", [x], {"axis": 0, **keywords}, dtype, DRAWS)

    many = np.ones(FEW + 1)
    assert own(many) == FEW + 1
    assert own(many[1:]) is None
    assert own(many, where=many > 0) is None
    assert own(many.astype(int)) is None
    assert own(many.astype(np.float16), "float16") is None
    assert in_any_order(np.multiply, "reduce", [many], {"axis": 0}, "float64", DRAWS) is None


@pytest.mark.parametrize("count", [100, 1025, 65537])
def test_a_plain_loop_is_allowed_and_a_wrong_sum_is_not(count: int) -> None:
    x = RNG.uniform(1, 2, count)
    case = Case("sum", (x,), {}, (np.array(1.0),), ("C", "C"), "float64")
    (expected,) = expected_values(find("sum"), case, perturbations=MANY_PERTURBATIONS)
    assert abs(np.add.accumulate(x)[-1] - expected.exact) <= expected.allowed
    assert expected.allowed < 1e-12 * expected.exact


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(("part", "is_decided"), [(0.3, False), (0.2, True)])
def test_a_sum_that_another_order_overflows_decides_nothing(
    dtype: str, part: float, is_decided: bool
) -> None:
    """The sum is zero; of its terms all of one sign together are no number of the type, or the largest but a few."""
    terms = np.array([1, -1, 1, -1, 1, -1, 1, -1], dtype) * np.asarray(part * np.finfo(dtype).max, dtype)
    case = Case("sum", (terms,), {}, (np.array(1, dtype),), ("C", "C"), dtype)
    (expected,) = expected_values(find("sum"), case, perturbations=MANY_PERTURBATIONS)
    assert np.isfinite(expected.allowed) == is_decided


def test_a_product_that_another_order_overflows_decides_nothing() -> None:
    large = 0.6 * float(np.finfo("float32").max)
    rows, ones = np.array([[large, large, -large], [1, 2, 3]], "float32"), np.ones((3, 1), "float32")
    with np.errstate(over="ignore"):
        got = in_any_order(np.matmul, "__call__", [rows, ones], {}, "float32", DRAWS)
    assert got is not None
    np.testing.assert_array_equal(got, [[np.nan], [6]])


def test_a_running_sum_that_another_order_overflows_decides_nothing_from_there_on() -> None:
    large = 0.6 * float(np.finfo("float32").max)
    terms = np.array([-large, large, large, -large], "float32")
    with np.errstate(over="ignore"):
        got = in_any_order(np.add, "accumulate", [terms], {"axis": 0}, "float32", DRAWS)
    assert got is not None
    np.testing.assert_array_equal(got, [terms[0], 0, np.nan, np.nan])


@pytest.mark.parametrize(
    ("factors", "is_lost"),
    [
        ([2.0**600, 2.0**600, 2.0**-600, 2.0**-600], True),  # overflows, or vanishes, in another order
        ([2.0**600, 2.0**-600, 0.5], False),
        ([0.0, 2.0**600, 2.0**600], False),
        ([1.5, -3.0, 0.25], False),
    ],
)
def test_a_product_that_another_order_loses_is_no_number(factors: list[float], is_lost: bool) -> None:
    with rounding_by(Draws(), "float64"), np.errstate(all="ignore"):
        product = np.asarray(np.prod(rounding_on(np.array(factors))))
    assert bool(np.isnan(product)) == is_lost
