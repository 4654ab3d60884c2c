"""Transforms return right gradients, tangents and second derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_engine import grad, hessian, jacobian, jacobian_by_columns, jvp, vjp

from .operands import RNG, A, B, V, differences


def smooth(x: Any) -> Any:
    return np.sum(np.tanh(x) * np.exp(-x * x) + np.sin(x * x[::-1]))


def test_grad_agrees_with_differences() -> None:
    np.testing.assert_allclose(grad(smooth)(V)[0].value, differences(smooth, V)[0], rtol=1e-7, atol=1e-8)


def test_grad_of_a_vector_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a gradient argument"):
        grad(lambda x: x * 2.0)(V)


def test_value_and_grad_gives_both() -> None:
    value, (gradient,) = engine.value_and_grad(smooth)(V)
    assert value.value == smooth(V)
    np.testing.assert_array_equal(gradient.value, grad(smooth)(V)[0].value)


def test_a_pullback_works_any_number_of_times() -> None:
    _, pullback = vjp(lambda x, w: np.tanh(x) @ w, A, B)
    g = np.ones((3, 2))
    first, second, double = pullback(g), pullback(g), pullback(2 * g)
    for once, again, twice in zip(first, second, double, strict=True):
        np.testing.assert_array_equal(once.value, again.value)
        np.testing.assert_allclose(2 * once.value, twice.value, rtol=1e-15)


def test_an_operand_without_influence_has_no_gradient() -> None:
    _, pullback = vjp(lambda x, y: x * 2.0, V, V)
    assert pullback(np.ones(4))[1] is None


def test_a_gradient_differentiated_twice_more_is_the_third_derivative() -> None:
    def first(x: Any) -> Any:
        return grad(lambda y: np.sum(np.sin(y * y)))(x)[0]

    def second(x: Any) -> Any:
        return grad(lambda y: np.sum(first(y)))(x)[0]

    def third(x: Any) -> Any:
        return grad(lambda y: np.sum(second(y)))(x)[0]

    x = np.array([0.3, -0.7, 1.1])
    s, c = np.sin(x * x), np.cos(x * x)
    np.testing.assert_allclose(first(x).value, 2 * x * c, rtol=1e-14)
    np.testing.assert_allclose(second(x).value, 2 * c - 4 * x * x * s, rtol=1e-13)
    np.testing.assert_allclose(third(x).value, -12 * x * s - 8 * x**3 * c, rtol=1e-13)


def test_a_hessian_is_symmetric_and_agrees_with_differences_of_gradients() -> None:
    matrix = hessian(smooth, V).value
    np.testing.assert_allclose(matrix, matrix.T, rtol=1e-12, atol=1e-14)
    step = 1e-6
    for column, e in enumerate(np.eye(4)):
        up, down = (grad(smooth)(V + sign * step * e)[0].value for sign in (1, -1))
        np.testing.assert_allclose(matrix[:, column], (up - down) / (2 * step), rtol=1e-5, atol=1e-6)


def test_a_jacobian_has_the_axes_of_the_output_then_those_of_the_operand() -> None:
    for whole in (jacobian, jacobian_by_columns):
        by_matrix, by_vector = whole(
            lambda m, v: np.matmul(m, v), np.arange(6.0).reshape(2, 3), np.arange(3.0)
        )
        np.testing.assert_array_equal(by_matrix.value, np.einsum("ik,l->ikl", np.eye(2), np.arange(3.0)))
        np.testing.assert_array_equal(by_vector.value, np.arange(6.0).reshape(2, 3))
        (of_nothing,) = whole(lambda v: np.sum(np.ones(2)) + 0 * v[:1], V)
        np.testing.assert_array_equal(of_nothing.value, np.zeros((1, 4)))
        (by_nothing,) = whole(lambda v: v * 2.0, np.zeros((2, 0)))
        assert by_nothing.shape == (2, 0, 2, 0)


def test_the_hessian_of_a_linear_function_is_zero() -> None:
    np.testing.assert_array_equal(hessian(lambda x: np.sum(3.0 * x), V).value, np.zeros((4, 4)))


def test_a_jvp_agrees_with_differences() -> None:
    t = RNG.standard_normal(4)
    output, pushed = jvp(lambda x: np.tanh(x) * x, (V,), (t,))
    step = 1e-6
    f = lambda x: np.tanh(x) * x  # noqa: E731
    np.testing.assert_array_equal(output.value, f(V))
    np.testing.assert_allclose(
        pushed.value, (f(V + step * t) - f(V - step * t)) / (2 * step), rtol=1e-7, atol=1e-9
    )


def test_the_jvp_of_a_constant_is_zero() -> None:
    _, pushed = jvp(lambda x: np.ones(3) + 0.0 * np.sum(x.detach()), (V,), (V,))
    np.testing.assert_array_equal(pushed.value, np.zeros(3))
