"""An array and a view of it as two operands of one op (B1)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product as product_of
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported
from conformance.ops import find
from conformance.ops.names import ADD, FLIP, GETITEM, MATMUL, MULTIPLY, PERMUTE_DIMS, RESHAPE

SIDE = 3  # of a square array, so that each view has the array's shape

VIEWS: tuple[tuple[str, dict[str, Any]], ...] = (
    (PERMUTE_DIMS, {"axes": (1, 0)}),
    (GETITEM, {"index": (slice(None, None, -1),)}),
    (FLIP, {"axis": 1}),
    (RESHAPE, {"shape": (SIDE, SIDE)}),
)

# An op of two operands, and the cotangents of both for one of its output.
PRODUCTS: tuple[tuple[str, Callable[[Array, Array, Array], tuple[Array, Array]]], ...] = (
    (ADD, lambda g, a, b: (g, g)),
    (MULTIPLY, lambda g, a, b: (g * b, g * a)),
    (MATMUL, lambda g, a, b: (g @ b.T, a.T @ g)),
)


@contract("B1", "beside-a-view")
def array_and_a_view_of_it_are_two_operands(engine: Backend, sample: Sample) -> None:
    """An array and a view of it, such as the transposed one, are two operands of one op, in either order, whose cotangents are added."""
    x, g = sample.array((SIDE, SIDE)), sample.array((SIDE, SIDE))
    views = [(name, parameters) for name, parameters in VIEWS if name in engine.ops]
    products = [(name, pull) for name, pull in PRODUCTS if name in engine.ops]
    if not views or not products:
        raise Unsupported("the adapter names no view, or no op of two operands")
    for name, parameters in views:
        view = engine.call(name, parameters)
        row = find(name)
        y = row.reference(x, **parameters)
        for (product, pull), is_behind in product_of(products, (False, True)):
            combine = engine.op(product)

            def function(a: Any, f: Any = combine, v: Any = view, is_behind: bool = is_behind) -> Any:
                return f(v(a), a) if is_behind else f(a, v(a))

            # The cotangents of both operands, in their order, then that of the view sent on to the array.
            pulled = pull(g, y, x)[::-1] if is_behind else pull(g, x, y)
            expected = pulled[0] + np.asarray(row.rule(0, pulled[1], y, x, **parameters))
            (got,) = gradients_of(engine, function, [x], g)
            place = "behind" if is_behind else "before"
            hold_equal(got, expected, f"the gradient of an array {place} {name} of it in {product}")
