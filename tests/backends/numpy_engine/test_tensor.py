"""A tensor differentiates NumPy calls however they are written, or refuses them by name."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_engine import Tensor

from .operands import A, B, S, V, differences, leaf


def test_the_examples_in_the_docstring_are_true() -> None:
    results = doctest.testmod(engine, raise_on_error=False)
    assert results.attempted >= 5
    assert results.failed == 0


SPELLINGS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "np.tanh(x)": (lambda x: np.sum(np.tanh(x)), (A,)),
    "x @ w": (lambda x, w: np.sum(x @ w), (A, B)),
    "array @ x": (lambda x: np.sum(A @ x * 2.0), (B,)),
    "x @ vector": (lambda x, v: np.sum(x @ v), (A, V)),
    "x[1:]": (lambda x: np.sum(x[1:] * x[1:]), (A,)),
    "x[0]": (lambda x: np.sum(x[0] * 3.0), (A,)),
    "x[..., None]": (lambda x: np.sum(x[..., None] * np.ones(2)), (A,)),
    "x[[0, 0, 2]]": (lambda x: np.sum(x[[0, 0, 2]] * x[[0, 0, 2]]), (A,)),
    "x[mask]": (lambda x: np.sum(x[A > 0] * 2.0), (A,)),
    "np.sum(x, 0)": (lambda x: np.sum(np.sum(x, 0) * V), (A,)),
    "np.sum(x, axis=1, keepdims=True)": (lambda x: np.sum(x * np.sum(x, axis=1, keepdims=True)), (A,)),
    "x.sum()": (lambda x: (x * x).sum(), (A,)),
    "x.mean(axis=0)": (lambda x: np.sum(x.mean(axis=0) * V), (A,)),
    "np.mean(x)": (lambda x: np.mean(x * x), (A,)),
    "np.concatenate": (lambda x, y: np.sum(np.concatenate([x, y], axis=0) ** 2.0), (A, S @ A)),
    "np.concatenate with a constant": (lambda x: np.sum(np.concatenate((x, A)) * 2.0), (A,)),
    "np.stack": (lambda x, y: np.sum(np.stack([x, y]) * 2.0), (V, V + 1)),
    "np.einsum": (lambda x, w: np.sum(np.einsum("ij,jk->ik", x, w) ** 2.0), (A, B)),
    "np.where": (lambda x, y: np.sum(np.where(A > 0, x, y) * 3.0), (A, 2 * A)),
    "x.T": (lambda x: np.sum(x.T @ x), (A,)),
    "x.reshape": (lambda x: np.sum(x.reshape(4, 3) @ A), (A,)),
    "np.reshape": (lambda x: np.sum(np.reshape(x, (2, 6)) * 2.0), (A,)),
    "np.maximum": (lambda x: np.sum(np.maximum(x, 0.0) * x), (A,)),
    "1.0 + x": (lambda x: np.sum(1.0 + x), (A,)),
    "2 - x": (lambda x: np.sum((2 - x) * x), (A,)),
    "2 / x": (lambda x: np.sum(2 / (x * x + 1)), (A,)),
    "array - x": (lambda x: np.sum((A - x) * x), (2 * A,)),
    "array * x": (lambda x: np.sum(V * x), (A,)),
    "x ** 3.0": (lambda x: np.sum(x**3.0), (np.abs(A) + 1,)),
    "-x": (lambda x: np.sum(-x * x), (A,)),
    "+np.exp(x)": (lambda x: np.sum(np.exp(x)), (A,)),
    "x broadcast": (lambda x, v: np.sum(x * v + v), (A, V)),
    "comparison": (lambda x: np.sum(x * (x > 0)), (A,)),
}  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_numpy_call_is_differentiated(spelling: str) -> None:
    function, operands = SPELLINGS[spelling]
    leaves = [leaf(x) for x in operands]
    output = function(*leaves)
    assert output.value == pytest.approx(function(*operands))
    output.backward()
    for one, numeric in zip(leaves, differences(function, *operands), strict=True):
        np.testing.assert_allclose(one.grad, numeric, rtol=1e-6, atol=1e-6)


def test_at_complex_operands_the_cotangent_is_multiplied_by_the_derivative() -> None:
    z, g = Tensor(V + 1j, requires_grad=True), V - 2j
    np.exp(z).backward(g)
    np.testing.assert_allclose(z.grad, g * np.exp(V + 1j))
    assert z.grad.dtype == np.complex128


def test_a_real_operand_gets_the_real_part_through_complex_numbers() -> None:
    x, g = leaf(V), V - 2j
    (x * (3 + 4j)).backward(g)
    np.testing.assert_allclose(x.grad, (g * (3 + 4j)).real)
    assert x.grad.dtype == np.float64


def test_a_vector_without_a_gradient_argument_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a gradient argument"):
        (leaf(V) * 2.0).backward()


def test_a_gradient_argument_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the gradient has shape \(3,\), the output \(4,\)"):
        (leaf(V) * 2.0).backward(np.ones(3))


def test_a_gradient_argument_of_integers_is_refused() -> None:
    with pytest.raises(TypeError, match="must be floating point"):
        (leaf(V) * 2.0).backward(np.ones(4, int))


@pytest.mark.parametrize("value", [np.arange(3), np.array([True])])
def test_a_leaf_of_integers_or_truth_values_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="only floating point"):
        Tensor(value, requires_grad=True)


def test_a_complex_output_without_a_gradient_argument_is_refused() -> None:
    with pytest.raises(TypeError, match="pass a gradient"):
        np.sum(Tensor(V + 1j, requires_grad=True)).backward()


def test_a_complex_gradient_argument_of_a_real_output_is_refused() -> None:
    with pytest.raises(TypeError, match="of a float64 output"):
        (leaf(V) * 2.0).backward(np.ones(4, complex))


@pytest.mark.parametrize("function", [np.abs, np.real, np.vecdot.__call__])
def test_what_is_not_holomorphic_is_refused_at_complex_operands(function: Any) -> None:
    z = Tensor(V + 1j, requires_grad=True)
    with pytest.raises(TypeError, match="of complex numbers has no derivative here"):
        function(z, V) if function not in (np.abs, np.real) else function(z)


def test_backward_of_a_constant_is_refused() -> None:
    with pytest.raises(RuntimeError, match="nothing behind this tensor"):
        Tensor(1.0).backward()


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda x: np.fft.fft(x), "np.fft"),
        (lambda x: np.add.reduce(x), "np.add.reduce"),
        (lambda x: np.interp(x, V, V), "np.interp"),
        (lambda x: np.tanh(x, out=np.zeros(4)), "np.tanh"),
    ],
)
def test_a_function_without_a_row_is_refused_by_name(call: Callable[[Any], Any], named: str) -> None:
    with pytest.raises(TypeError, match=named):
        call(leaf(V))
