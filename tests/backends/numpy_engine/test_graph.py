"""The graph records, accumulates and frees what it should, also with custom rules."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_engine import Accumulation, Tensor, custom, grad, no_grad

from .operands import V, leaf


def test_gradients_accumulate_until_cleared() -> None:
    x = leaf([1.0, 2.0])
    for count in (1, 2, 3):
        np.sum(x * x).backward()
        np.testing.assert_array_equal(x.grad, count * np.array([2.0, 4.0]))
    x.grad = None
    np.sum(x * x).backward()
    np.testing.assert_array_equal(x.grad, [2.0, 4.0])


def test_a_gradient_shares_no_memory() -> None:
    x, y, g = leaf(V), leaf(V), np.ones(4)
    (x + y).backward(g)
    assert not np.shares_memory(x.grad, y.grad)
    assert not np.shares_memory(x.grad, g)


def test_recording_resumes_after_an_exception() -> None:
    x = leaf(1.0)
    with pytest.raises(KeyError), no_grad():
        raise KeyError
    assert (x * 2.0).node is not None


def test_no_grad_scopes_nest() -> None:
    x = leaf(1.0)
    with no_grad():
        with no_grad():
            assert (x * 2.0).node is None
        assert (x * 2.0).node is None
    assert (x * 2.0).node is not None


def test_bfloat16_ops_compute_in_float32() -> None:
    x = Tensor(np.array(1.0, "bfloat16"), requires_grad=True)
    y = np.sum(np.broadcast_to(x, (1000,)))
    y.backward()
    assert (x.grad.dtype, y.dtype) == ("bfloat16", "bfloat16")
    assert y.value == x.grad == 1000  # NumPy's own sum of bfloat16 ends at 256
    assert (x + Tensor(np.array(256.0, "bfloat16"))).value == 256
    assert x.astype("float32").dtype == "float32"


def test_a_scope_in_a_closed_generator_ends() -> None:
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


def test_a_custom_rule_gets_the_upstream_cotangent() -> None:
    seen: list[Any] = []

    def backward(g: Any, x: Any) -> list[Any]:
        seen.append(np.array(g))
        return [g * 10.0]

    x = leaf(V)
    np.sum(custom(np.tanh, backward)(x) * 3.0).backward()
    np.testing.assert_array_equal(seen, [np.full(4, 3.0)])
    np.testing.assert_array_equal(x.grad, np.full(4, 30.0))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda g, x: [g, g], "2 cotangents for 1 operands"),
        (lambda g, x: [], "0 cotangents for 1 operands"),
        (lambda g, x: [np.ones(3)], r"has shape \(3,\), its operand \(4,\)"),
    ],
)
def test_a_wrong_result_of_a_rule_is_refused(rule: Any, message: str) -> None:
    output = np.sum(custom(np.tanh, rule)(leaf(V)))
    with pytest.raises(ValueError, match=message):
        output.backward()


def test_none_from_a_rule_is_zero() -> None:
    x, y = leaf(V), leaf(V)
    np.sum(custom(lambda a, b: a * b, lambda g, a, b: (g * b, None))(x, y)).backward()
    np.testing.assert_array_equal(x.grad, V)
    assert y.grad is None


def test_a_custom_rule_is_differentiated_again() -> None:
    cube = custom(lambda x: x**3, lambda g, x: [g * 3.0 * x * x])
    second = grad(lambda x: grad(lambda y: np.sum(cube(y)))(x)[0])
    np.testing.assert_allclose(second(np.array(2.0))[0].value, 12.0)


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


def test_only_an_accumulation_node_has_a_variable() -> None:
    node = (leaf(1.0) * 2.0).node
    with pytest.raises(AttributeError, match="variable"):
        node.variable  # noqa: B018
    assert "multiply" in repr(node)


def test_a_leaf_has_one_accumulation_node() -> None:
    x = leaf(1.0)
    y = x * x
    assert y.node.inputs[0] is y.node.inputs[1] is x.node


def test_a_chain_of_a_hundred_thousand_nodes_does_not_overflow_the_stack() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1.0
    y.backward()
    assert x.grad == 1.0
    assert y.value == 100_001.0
    del y
    assert x.grad == 1.0


@pytest.mark.parametrize("has_backward", [False, True])
def test_memory_is_freed_with_the_output_and_without_the_garbage_collector(*, has_backward: bool) -> None:
    gc.collect()
    gc.disable()
    try:
        x = leaf(np.ones(3))
        middle = np.tanh(x)
        output = np.sum(middle * middle)
        alive = [weakref.ref(middle.node), weakref.ref(output.node), weakref.ref(middle)]
        if has_backward:
            output.backward()
        del middle, output
        assert [one() for one in alive] == [None] * 3
        gone = [weakref.ref(x), weakref.ref(x.node)]
        del x
        assert [one() for one in gone] == [None] * 2
    finally:
        gc.enable()


def test_a_leaf_that_nobody_has_receives_nothing() -> None:
    x, forgotten = leaf(V), leaf(V)
    gone = weakref.ref(forgotten)
    output = np.sum(x * forgotten)
    del forgotten
    assert gone() is None
    output.backward()
    np.testing.assert_array_equal(x.grad, V)


def test_a_node_waits_for_its_latest_consumer() -> None:
    called: list[str] = []

    def step(name: str) -> Any:
        def backward(g: Any, x: Any) -> list[Any]:
            called.append(name)
            return [g]

        return custom(lambda x: x * 1.0, backward)

    x = leaf(2.0)
    shared = step("shared")(x)
    short = step("short")(shared)
    long = step("long-2")(step("long-1")(shared))
    (short + long).backward()
    assert called[-1] == "shared"
    assert called.count("shared") == 1
    assert called.index("long-2") < called.index("long-1")
    assert x.grad == 2.0


def test_a_sum_passes_the_cotangent_on_and_shares_no_memory() -> None:
    x, y, g = leaf(V), leaf(V), np.array([1.0, -0.0, np.inf, 3.0])
    node = (x + y).node
    with no_grad():
        assert all(pulled is g for pulled in node.pullback([g]))
    (x + y).backward(g)
    for gradient in (x.grad, y.grad):
        np.testing.assert_array_equal(np.signbit(gradient), np.signbit(g))
        assert not np.shares_memory(gradient, g)


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
