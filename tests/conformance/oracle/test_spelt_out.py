"""Functions spelt out are the functions, and what they sum may be summed in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.ops import find
from conformance.oracle.allowance import expect
from conformance.oracle.spelt_out import SPELT_OUT

RNG = np.random.default_rng(0)
A, B, SQUARE = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(4, 3, 5)), RNG.normal(size=(3, 3))
CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    *(
        (np.linalg.vector_norm, (A,), {"ord": order, "axis": axis, "keepdims": keepdims})
        for order in (0, 0.5, 1, 2, 2.5, -1, np.inf, -np.inf)
        for axis, keepdims in ((None, True), ((0, 1), False), (-1, True))
    ),
    *((np.tensordot, (A, B), {"axes": axes}) for axes in (0, 1, ([1, 2], [1, 0]))),
    (np.tensordot, (np.zeros((2, 0)), np.zeros((0, 3))), {"axes": 1}),
    (np.tensordot, (np.zeros((0, 2)), np.zeros((2, 3))), {"axes": 1}),
    *((np.einsum, call, {}) for call in (
        ("...ij,...j->...i", A, A[:, 0]), ("ijk->", A), ("ii->i", SQUARE), ("ii", SQUARE), ("ij,jk", SQUARE, A[0]),
        ("...ij,...j->...i", A[:1], np.ones((2, 1))), ("a,b,c->cab", A[0, 0], A[0, 1], A[0, :, 0]),
        ("bij,bjk", np.ones((2, 128, 128)), np.ones((2, 128, 128))),
    )),
]  # fmt: skip


@pytest.mark.parametrize(("function", "operands", "keywords"), CALLS)
def test_a_function_spelt_out_is_the_function(function: Any, operands: Any, keywords: Any) -> None:
    found = SPELT_OUT[function](None, *operands, **keywords)
    expected = function(*operands, **keywords)
    assert np.shape(found) == np.shape(expected)
    assert np.allclose(found, expected, rtol=1e-13)


def loop(terms: Any) -> float:
    total = 0.0
    for term in terms:
        total += term
    return total


def test_a_norm_whose_powers_are_added_one_by_one_is_within_its_allowance() -> None:
    op, x = find("vector_norm"), np.round(RNG.uniform(-3, 3, 1025) * 8) / 8
    (expected,) = expect(lambda xs: [op.reference(xs[0], ord=2.5)], [x], "float64", [1.0])
    for order in range(20):
        plain = loop(np.random.default_rng(order).permutation(np.abs(x) ** 2.5)) ** (1 / 2.5)
        assert abs(plain - expected.exact) <= expected.allowed


@pytest.mark.parametrize("name", ["tensordot", "einsum"])
def test_a_product_whose_terms_are_added_one_by_one_is_within_its_allowance(name: str) -> None:
    parameters = {"axes": 1} if name == "tensordot" else {"subscripts": "i,i->"}
    x, y = RNG.normal(size=(2, 2000))
    (expected,) = expect(lambda xs: [find(name).reference(*xs, **parameters)], [x, y], "float64", [0.0])
    for order in range(20):
        plain = loop(np.random.default_rng(order).permutation(x * y))
        assert abs(plain - expected.exact) <= expected.allowed


def test_where_some_order_of_factors_overflows_nothing_is_decided() -> None:
    factors = [np.array([x]) for x in (1e200, 1e-200, 1e200, 1e-100)]
    einsum = find("einsum").reference
    (expected,) = expect(lambda xs: [einsum(*xs, subscripts="i,i,i,i->")], factors, "float64", [0.0])
    assert expected.allowed == np.inf
