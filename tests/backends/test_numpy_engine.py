"""The reference engine computes what calculus says, however it is called."""

from __future__ import annotations

import doctest
import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_engine import Accumulation, Tensor, custom, grad, hessian, jvp, no_grad, vjp

RNG = np.random.default_rng(7)
A = RNG.standard_normal((3, 4))
B = RNG.standard_normal((4, 2))
V = RNG.standard_normal(4)
S = RNG.standard_normal((3, 3))


def leaf(value: Any) -> Tensor:
    return Tensor(np.array(value, dtype=float), requires_grad=True)


def differences(function: Callable[..., Any], *operands: Any, step: float = 1e-6) -> list[Any]:
    """The gradients of a scalar function of arrays, by central differences."""
    gradients = []
    for position, operand in enumerate(operands):
        gradient = np.zeros(np.shape(operand))
        for place in np.ndindex(gradient.shape):
            ends = []
            for sign in (1, -1):
                moved = [np.array(x, dtype=float) for x in operands]
                moved[position][place] += sign * step
                ends.append(float(function(*moved)))
            gradient[place] = (ends[0] - ends[1]) / (2 * step)
        gradients.append(gradient)
    return gradients


def test_the_examples_in_the_docstring_are_true() -> None:
    told = doctest.testmod(engine, raise_on_error=False)
    assert told.attempted >= 5
    assert told.failed == 0


# ---- however NumPy spells it -------------------------------------------------------------------

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
def test_numpy_s_own_spelling_is_differentiated(spelling: str) -> None:
    function, operands = SPELLINGS[spelling]
    leaves = [leaf(x) for x in operands]
    output = function(*leaves)
    assert output.value == pytest.approx(function(*operands))
    output.backward()
    for one, numeric in zip(leaves, differences(function, *operands), strict=True):
        np.testing.assert_allclose(one.grad, numeric, rtol=1e-6, atol=1e-6)


def test_at_complex_operands_the_cotangent_meets_the_slope_itself() -> None:
    z, g = Tensor(V + 1j, requires_grad=True), V - 2j
    np.exp(z).backward(g)
    np.testing.assert_allclose(z.grad, g * np.exp(V + 1j))
    assert z.grad.dtype == np.complex128


def test_a_real_operand_gets_the_real_part_through_complex_numbers() -> None:
    x, g = leaf(V), V - 2j
    (x * (3 + 4j)).backward(g)
    np.testing.assert_allclose(x.grad, (g * (3 + 4j)).real)
    assert x.grad.dtype == np.float64


# ---- refusals -------------------------------------------------------------------------------------


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
    with pytest.raises(TypeError, match="which of its parts is meant"):
        np.sum(Tensor(V + 1j, requires_grad=True)).backward()


def test_a_complex_gradient_argument_of_a_real_output_is_refused() -> None:
    with pytest.raises(TypeError, match="of a float64 output"):
        (leaf(V) * 2.0).backward(np.ones(4, complex))


@pytest.mark.parametrize("function", [np.abs, np.real, np.vecdot.__call__])
def test_what_is_not_holomorphic_is_refused_at_complex_operands(function: Any) -> None:
    z = Tensor(V + 1j, requires_grad=True)
    with pytest.raises(TypeError, match="of complex numbers has no derivative here"):
        function(z, V) if function not in (np.abs, np.real) else function(z)


def test_a_constant_has_nothing_to_go_back_to() -> None:
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


# ---- accumulating and cutting ---------------------------------------------------------------------


def test_gradients_accumulate_until_cleared() -> None:
    x = leaf([1.0, 2.0])
    for count in (1, 2, 3):
        np.sum(x * x).backward()
        np.testing.assert_array_equal(x.grad, count * np.array([2.0, 4.0]))
    x.grad = None
    np.sum(x * x).backward()
    np.testing.assert_array_equal(x.grad, [2.0, 4.0])


def test_a_gradient_is_nobody_else_s_memory() -> None:
    x, y, g = leaf(V), leaf(V), np.ones(4)
    (x + y).backward(g)
    assert not np.shares_memory(x.grad, y.grad)
    assert not np.shares_memory(x.grad, g)


def test_recording_resumes_after_an_exception() -> None:
    x = leaf(1.0)
    with pytest.raises(KeyError), no_grad():
        raise KeyError
    assert (x * 2.0).node is not None


def test_scopes_without_recording_nest() -> None:
    x = leaf(1.0)
    with no_grad():
        with no_grad():
            assert (x * 2.0).node is None
        assert (x * 2.0).node is None
    assert (x * 2.0).node is not None


def test_bfloat16_is_wide_within_an_op_and_narrow_after_it() -> None:
    x = Tensor(np.array(1.0, "bfloat16"), requires_grad=True)
    y = np.sum(np.broadcast_to(x, (1000,)))
    y.backward()
    assert (x.grad.dtype, y.dtype) == ("bfloat16", "bfloat16")
    assert y.value == x.grad == 1000  # NumPy's own sum of bfloat16 ends at 256
    assert (x + Tensor(np.array(256.0, "bfloat16"))).value == 256
    assert x.astype("float32").dtype == "float32"


def test_a_generator_left_halfway_keeps_its_scope_to_itself() -> None:
    x = leaf(1.0)

    def values() -> Any:
        with no_grad():
            yield x * 2.0

    running = values()
    assert next(running).node is None
    running.close()
    assert (x * 2.0).node is not None


def test_another_thread_records() -> None:
    x, seen = leaf(1.0), []
    with no_grad():
        thread = threading.Thread(target=lambda: seen.append((x * 2.0).node))
        thread.start()
        thread.join()
        assert (x * 2.0).node is None
    assert seen[0] is not None


def test_a_detached_value_is_the_same_constant() -> None:
    x = leaf(V)
    y = np.sum(x.detach() * x)
    y.backward()
    np.testing.assert_array_equal(x.grad, V)
    assert x.detach().node is None


# ---- rules of one's own ----------------------------------------------------------------------------


def test_a_rule_by_hand_gets_the_upstream_cotangent() -> None:
    seen: list[Any] = []

    def backward(g: Any, x: Any) -> list[Any]:
        seen.append(np.array(g))
        return [g * 10.0]

    x = leaf(V)
    np.sum(custom(np.tanh, backward)(x) * 3.0).backward()
    np.testing.assert_array_equal(seen, [np.full(4, 3.0)])
    np.testing.assert_array_equal(x.grad, np.full(4, 30.0))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda g, x: [g, g], "2 cotangents for 1 operands"),
        (lambda g, x: [], "0 cotangents for 1 operands"),
        (lambda g, x: [np.ones(3)], r"has shape \(3,\), its operand \(4,\)"),
    ],
)
def test_a_wrong_answer_of_a_rule_is_refused(answer: Any, said: str) -> None:
    output = np.sum(custom(np.tanh, answer)(leaf(V)))
    with pytest.raises(ValueError, match=said):
        output.backward()


def test_none_from_a_rule_is_zero() -> None:
    x, y = leaf(V), leaf(V)
    np.sum(custom(lambda a, b: a * b, lambda g, a, b: (g * b, None))(x, y)).backward()
    np.testing.assert_array_equal(x.grad, V)
    assert y.grad is None


def test_a_rule_by_hand_is_differentiated_again() -> None:
    cube = custom(lambda x: x**3, lambda g, x: [g * 3.0 * x * x])
    second = grad(lambda x: grad(lambda y: np.sum(cube(y)))(x)[0])
    np.testing.assert_allclose(second(np.array(2.0))[0].value, 12.0)


# ---- the graph -----------------------------------------------------------------------------------------


def test_the_graph_shows_ops_operands_and_leaves() -> None:
    a, b = leaf(1.0), leaf(2.0)
    node = ((a + b) * 3.0).node
    assert node is not None
    assert node.name == "multiply"
    total, constant = node.inputs
    assert constant is None
    assert [n.variable for n in total.inputs] == [a, b]
    assert all(isinstance(n, Accumulation) for n in total.inputs)
    assert [edge[1] for edge in total.edges] == [0, 0]


def test_only_an_accumulation_node_knows_a_variable() -> None:
    node = (leaf(1.0) * 2.0).node
    with pytest.raises(AttributeError, match="variable"):
        node.variable  # noqa: B018
    assert "multiply" in repr(node)


def test_a_leaf_has_one_accumulation_node() -> None:
    x = leaf(1.0)
    y = x * x
    assert y.node.inputs[0] is y.node.inputs[1] is x.node


def test_a_chain_of_a_hundred_thousand_nodes_exhausts_no_stack() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1.0
    y.backward()
    assert x.grad == 1.0
    assert y.value == 100_001.0
    del y
    assert x.grad == 1.0


@pytest.mark.parametrize("walk", [False, True])
def test_memory_is_freed_with_the_output_and_without_the_garbage_collector(*, walk: bool) -> None:
    gc.collect()
    gc.disable()
    try:
        x = leaf(np.ones(3))
        middle = np.tanh(x)
        output = np.sum(middle * middle)
        alive = [weakref.ref(middle.node), weakref.ref(output.node), weakref.ref(middle), weakref.ref(x.node)]
        if walk:
            output.backward()
        del middle, output
        assert [one() for one in alive] == [None] * 4
        gone = weakref.ref(x)
        del x
        assert gone() is None
    finally:
        gc.enable()


def test_a_chain_of_diamonds_takes_linear_time() -> None:
    calls: list[int] = []

    def backward(g: Any, x: Any) -> list[Any]:
        calls.append(1)
        return [g]

    step = custom(lambda x: x * 1.0, backward)
    x = leaf(1.0)
    y = x
    for _ in range(60):
        y = step(y)
        y = y + y
    y.backward()
    assert len(calls) == 60
    assert x.grad == 2.0**60


# ---- transforms ------------------------------------------------------------------------------------


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


def test_the_hessian_of_a_linear_function_is_zero() -> None:
    np.testing.assert_array_equal(hessian(lambda x: np.sum(3.0 * x), V).value, np.zeros((4, 4)))


def test_a_jvp_agrees_with_differences() -> None:
    t = RNG.standard_normal(4)
    output, moved = jvp(lambda x: np.tanh(x) * x, (V,), (t,))
    step = 1e-6
    f = lambda x: np.tanh(x) * x  # noqa: E731
    np.testing.assert_array_equal(output.value, f(V))
    np.testing.assert_allclose(
        moved.value, (f(V + step * t) - f(V - step * t)) / (2 * step), rtol=1e-7, atol=1e-9
    )


def test_the_jvp_of_a_constant_is_zero() -> None:
    _, moved = jvp(lambda x: np.ones(3) + 0.0 * np.sum(x.detach()), (V,), (V,))
    np.testing.assert_array_equal(moved.value, np.zeros(3))
