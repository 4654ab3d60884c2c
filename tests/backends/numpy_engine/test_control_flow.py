"""Loops, branches, frozen leaves and values with gradients of the reference engine, in a few numbers."""

from __future__ import annotations

import numpy as np
import pytest
from conformance_backends.numpy_engine import (
    Tensor,
    branch,
    needs_gradient,
    scan,
    value_and_grad,
    while_loop,
)


def test_a_scan_stacks_its_outputs_and_sums_what_it_captures() -> None:
    w = Tensor(2.0, requires_grad=True)
    last, outputs = scan(lambda h, x: (h * w + x, h), Tensor(1.0), Tensor(np.array([1.0, 2.0])))
    assert last.value == 8  # (1 · 2 + 1) · 2 + 2
    assert outputs.value.tolist() == [1, 3]
    last.backward()
    assert w.grad == 5  # 2 w + 1


def test_a_scan_of_nothing_has_outputs_of_length_zero() -> None:
    last, outputs = scan(lambda h, x: (h, x[0]), Tensor(1.0), Tensor(np.zeros((0, 2, 3))))
    assert last.value == 1
    assert outputs.shape == (0, 3)


def test_a_loop_goes_on_while_its_condition_holds() -> None:
    x = Tensor(3.0, requires_grad=True)
    doubled = while_loop(lambda a: a < 20, lambda a: a * 2, x)
    doubled.backward()
    assert (doubled.value, x.grad) == (24, 8)


def test_a_branch_calls_one_function() -> None:
    for flag, expected in ((True, 4), (False, -2)):
        got = branch(Tensor(np.array(flag)), lambda a: a * a, lambda a: -a, [Tensor(2.0)])
        assert got.value == expected


def test_a_frozen_leaf_keeps_its_gradient_and_gets_none() -> None:
    x = Tensor(3.0, requires_grad=True)
    (x * x).backward()
    needs_gradient(x, False)
    assert not (x * x).requires_grad
    assert x.grad == 6
    needs_gradient(x, True)
    (x * x).backward()
    assert x.grad == 12


def test_a_result_cannot_be_frozen() -> None:
    with pytest.raises(RuntimeError, match="only a leaf"):
        needs_gradient(Tensor(3.0, requires_grad=True) * 2, False)


def test_a_value_comes_with_the_gradients_in_the_order_of_the_positions() -> None:
    value, (by_y, by_x) = value_and_grad(lambda x, y: x * x * y, (1, 0))(3.0, 2.0)
    assert (value.value, by_y.value, by_x.value) == (18, 9, 12)


def test_what_is_handed_on_beside_a_value_is_a_constant() -> None:
    (value, further), gradient = value_and_grad(lambda x: (x * x, {"x": x}), 0, has_aux=True)(3.0)
    assert (value.value, gradient.value, further["x"].value) == (9, 6, 3)
    assert not further["x"].requires_grad


@pytest.mark.parametrize(("argnums", "error"), [((0, 0), ValueError), ((0, -2), ValueError), (2, IndexError)])
def test_odd_positions_are_refused(argnums: int | tuple[int, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        value_and_grad(lambda x, y: x * y, argnums)(3.0, 2.0)
