"""Gradients stay right with hooks, writes in place and recomputation."""

from __future__ import annotations

import gc
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest
from conformance_backends.numpy_engine import (
    Tensor,
    anomaly,
    checkpoint,
    custom,
    grad,
    hook,
    jvp,
    no_grad,
    vjp,
)

X = np.array([1.0, 2.0, 3.0])
ONES = np.ones(3)


def leaf(value: Any) -> Tensor:
    return Tensor(np.array(value, dtype=float), requires_grad=True)


def gradient(function: Any, x: Any = X) -> Any:
    """By the tape, which does not record the backward pass."""
    variable = leaf(x)
    np.sum(function(variable)).backward()
    return variable.grad


def second(function: Any, x: Any = X) -> Any:
    """The gradient of the gradient's sum, by transforms, which record the backward pass."""
    return grad(lambda y: np.sum(grad(lambda z: np.sum(function(z)))(y)[0]))(x)[0].value


# ---- several outputs pushed forward ---------------------------------------------------------------


def test_a_jvp_has_a_tangent_per_output() -> None:
    _, (first, other) = jvp(lambda x: (x * x, np.ones(3) + 0.0 * x.detach()), (X,), (ONES,))
    np.testing.assert_array_equal(first.value, 2 * X)
    np.testing.assert_array_equal(other.value, np.zeros(3))


# ---- checkpoints ------------------------------------------------------------------------------------


def busy(x: Any) -> Any:
    return np.tanh(x) * np.exp(x * 0.3) + x * x


def test_a_checkpoint_has_the_same_gradients_to_the_last_bit() -> None:
    np.testing.assert_array_equal(gradient(checkpoint(busy)), gradient(busy))
    np.testing.assert_array_equal(second(checkpoint(busy)), second(busy))


def test_a_checkpoint_sends_cotangents_to_what_it_captures() -> None:
    x, w = leaf(X), leaf(X)
    doubled = w + w
    np.sum(checkpoint(lambda a: a * w * doubled)(x)).backward()
    assert np.array_equal(x.grad, 2 * X * X)
    assert np.array_equal(w.grad, 4 * X * X)


def test_a_hook_of_what_a_checkpoint_captures_is_called_once() -> None:
    x, w = leaf(X), leaf(X)
    doubled, calls = w + w, []
    hook(doubled, lambda g: calls.append(g))
    hook(w, lambda g: 3 * g)
    np.sum(checkpoint(lambda a: a * doubled)(x)).backward()
    assert len(calls) == 1
    assert np.array_equal(w.grad, 6 * X)


def test_a_checkpoint_recomputes_once_per_backward_pass() -> None:
    calls = []

    def counted(x: Any) -> Any:
        calls.append(x)
        return x * x

    x = leaf(X)
    y = np.sum(checkpoint(counted)(x))
    assert len(calls) == 1
    y.backward()
    y.backward()
    assert len(calls) == 3
    assert checkpoint(counted)(Tensor(X)).edge is None


def test_a_checkpoint_of_several_outputs_and_constants() -> None:
    both = checkpoint(lambda x, places: (x[places] * 2.0, x * x))
    x = leaf(X)
    first, _ = both(x, np.array([2, 0]))
    np.sum(first).backward()
    np.testing.assert_array_equal(x.grad, [2.0, 0.0, 2.0])


# ---- writes -----------------------------------------------------------------------------------------


def written(x: Any) -> Any:
    y = x * x
    z = y * y
    y[0] = 10.0 * x[1]
    return z + y


def test_a_write_leaves_saved_values_unchanged() -> None:
    np.testing.assert_array_equal(gradient(written), 4 * X**3 + 2 * X * [0, 1, 1] + [0, 10, 0])
    np.testing.assert_array_equal(second(written), 12 * X**2 + [0, 2, 2])


def test_a_write_after_a_custom_rule_or_a_checkpoint_leaves_saved_values_unchanged() -> None:
    square = custom(lambda a: a * a, lambda g, a: (2 * g * a,))
    for squared in (square, checkpoint(lambda a: a * a)):

        def overwritten(x: Any, squared: Any = squared) -> Any:
            y = x * 1.0
            z = squared(y)
            y[...] = 7.0
            return z * x

        np.testing.assert_array_equal(gradient(overwritten), 3 * X**2)
        np.testing.assert_array_equal(second(overwritten), 6 * X)


def test_a_write_broadcasts_and_writes_no_memory() -> None:
    a = np.arange(6.0).reshape(2, 3)
    x, v = Tensor(a), leaf([1.0, 2.0, 3.0])
    x[:] = v
    np.testing.assert_array_equal(a, np.arange(6.0).reshape(2, 3))
    np.sum(x * Tensor(a)).backward()
    np.testing.assert_array_equal(v.grad, a.sum(axis=0))


def test_a_written_value_may_have_leading_axes_of_length_1_more() -> None:
    x, v = Tensor(np.zeros(3)), leaf([[1.0, 2.0]])
    x[0:2] = v
    np.testing.assert_array_equal(x.value, [1, 2, 0])
    np.sum(x * np.array([3.0, 5.0, 7.0])).backward()
    np.testing.assert_array_equal(v.grad, [[3, 5]])


def test_a_leaf_is_written_only_in_a_no_grad_scope() -> None:
    x = leaf(X)
    with pytest.raises(RuntimeError, match="leaf"):
        x[0] = 5.0
    with no_grad():
        x[0] = 5.0
    assert x.is_leaf
    np.sum(x * x).backward()
    np.testing.assert_array_equal(x.grad, [10.0, 4.0, 6.0])


# ---- hooks ------------------------------------------------------------------------------------------


def test_a_hook_on_a_leaf_outlives_what_was_computed_before() -> None:
    x, seen = leaf(X), []
    remove = hook(x, seen.append)
    gc.collect()
    for _ in range(2):
        np.sum(x + x).backward()
    np.testing.assert_array_equal(seen, [2 * ONES, 2 * ONES])
    remove()
    remove()
    np.sum(x + x).backward()
    assert len(seen) == 2


def test_hooks_are_called_in_order_each_with_the_result_of_the_one_before() -> None:
    x, seen = leaf(X), []
    y = x * 1.0
    hook(y, lambda g: 2 * g)
    hook(y, lambda g: seen.append(g))
    hook(y, lambda g: Tensor(g) + 1.0)
    np.sum(y + y).backward()
    np.testing.assert_array_equal(seen, [4 * ONES])
    np.testing.assert_array_equal(x.grad, 5 * ONES)


def test_a_hook_belongs_to_one_of_several_outputs() -> None:
    x, seen = leaf(X), []
    low, high = checkpoint(lambda a: (a * 2.0, a * 3.0))(x)
    hook(high, seen.append)
    np.sum(low).backward()
    assert seen == []
    np.sum(low + high).backward()
    np.testing.assert_array_equal(seen, [ONES])


def test_what_a_hook_returns_is_differentiated_again() -> None:
    def first(x: Any) -> Any:
        removers = []

        def hooked(x: Any) -> Any:
            y = x * 1.0
            removers.append(hook(y, lambda g: g * g))
            return y * y * 0.5

        (gradient,) = vjp(hooked, x)[1](ONES)
        removers[0]()  # or it would square the cotangent that reaches y through the gradient, too
        return gradient

    np.testing.assert_array_equal(first(X).value, X * X)
    np.testing.assert_array_equal(vjp(first, X)[1](ONES)[0].value, 2 * X)


def test_invalid_hooks_are_refused() -> None:
    with pytest.raises(ValueError, match="constant"):
        hook(Tensor(X), print)
    x = leaf(X)
    hook(x, lambda g: g[:1])
    with pytest.raises(ValueError, match="replaced"):
        np.sum(x * x).backward()


def test_a_hooked_leaf_is_freed() -> None:
    x = leaf(X)
    hook(x, lambda g: None)
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


# ---- anomalies ----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_op_that_makes_a_nan_is_named() -> None:
    zero = leaf(np.zeros(3))

    def backward() -> None:
        (np.sum(np.sqrt(zero * 1.0)) * 0.0).backward()

    backward()
    with anomaly(), pytest.raises(FloatingPointError, match="sqrt"):
        backward()
    backward()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_nan_that_is_a_sum_of_infinities_is_found_where_they_meet() -> None:
    x = leaf(1.0)
    y = x * 1.0
    with anomaly(), pytest.raises(FloatingPointError, match="multiply computed"):
        (y * np.inf - y * np.inf).backward()


def test_a_finite_backward_pass_is_no_anomaly() -> None:
    with anomaly():
        np.testing.assert_array_equal(gradient(lambda x: x * x), 2 * X)


# ---- structures -----------------------------------------------------------------------------------------


def test_the_gradient_of_a_structure_has_the_same_structure() -> None:
    weights = {"layers": [(X, 2 * X), (3 * X,)], "unused": X}

    def loss(w: Any, scale: Any) -> Any:
        (a, b), (c,) = w["layers"]
        return np.sum(a * b * c) * scale

    of_weights, of_scale = grad(loss)(weights, np.array(2.0))
    assert list(of_weights) == ["layers", "unused"]
    (a, b), (c,) = of_weights["layers"]
    np.testing.assert_array_equal([a.value, b.value, c.value], [12 * X**2, 6 * X**2, 4 * X**2])
    assert of_weights["unused"] is None
    assert of_scale.value == np.sum(6 * X**3)


class Layer(NamedTuple):
    """Weights with names."""

    weight: Any
    bias: Any


def test_the_gradient_of_a_named_tuple_is_one() -> None:
    (of_layer,) = grad(lambda layer: np.sum(layer.weight * X + layer.bias))(Layer(2 * X, X))
    assert isinstance(of_layer, Layer)
    np.testing.assert_array_equal(of_layer.weight.value, X)
    np.testing.assert_array_equal(of_layer.bias.value, ONES)
