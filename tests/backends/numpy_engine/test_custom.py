"""Custom rules of each operand: several outputs, outputs in rules, what is called, and how long nodes live."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_engine import Tensor, custom_by_operand, grad


def exp_and_square(called: list[int]) -> Any:
    """The op (eˣ, x² w), whose rule of x uses its first output."""

    def backward(index: int, cotangents: Any, operands: Any, outputs: Any) -> Any:
        called.append(index)
        (g, h), (x, w) = cotangents, operands
        return g * outputs[0] + 2 * h * x * w if index == 0 else h * x * x

    return custom_by_operand(lambda x, w: (np.exp(x), x * x * w), backward)


def test_a_rule_gets_zeros_for_an_output_that_is_not_used() -> None:
    x, w = Tensor(2.0, requires_grad=True), Tensor(3.0)
    called: list[int] = []
    exp_and_square(called)(x, w)[0].backward()
    assert x.grad == np.exp(2.0)
    assert called == [0]


def test_an_output_in_a_rule_has_its_derivative() -> None:
    op = exp_and_square([])
    slope = lambda x: grad(lambda y: op(y, 3.0)[0])(x)[0]  # noqa: E731
    assert grad(slope)(1.5)[0].value == np.exp(1.5)


def test_a_cotangent_of_another_shape_is_refused() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    wrong = custom_by_operand(lambda a: a + a, lambda i, gs, xs, zs: gs[0][:1])
    with pytest.raises(ValueError, match="shape"):
        wrong(x).backward([1.0, 1.0])


def test_a_node_dies_with_its_outputs() -> None:
    outputs = exp_and_square([])(Tensor(2.0, requires_grad=True), 3.0)
    node = weakref.ref(outputs[0].node)
    gc.disable()  # a cycle would keep it until the next collection
    try:
        del outputs
        assert node() is None
    finally:
        gc.enable()
