"""The adapter passes operands to MyGrad, and results back, unchanged.

The suite itself measures how accurate MyGrad is; a large error here is a mistake in the table.
"""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conformance.checks.e_values.flat_ops import flat_op_sends_nothing_back
from conformance.errors import Unsupported
from conformance.load import load_backend
from conformance.ops import ALL_OPS, CATALOGUE, FLAT

from .faithful import hold, observations

mg = pytest.importorskip("mygrad")
backends = pytest.importorskip("conformance_backends.mygrad_backend")

ENGINE = load_backend("mygrad")
NAMED = [name for name in ENGINE.ops if name in CATALOGUE]


def is_refused(call: Callable[[], Any]) -> bool:
    try:
        call()
    except (AssertionError, RuntimeError, TypeError, ValueError, mg.errors.InvalidGradient):
        return True
    return False


def test_every_name_in_the_table_is_in_the_catalogue() -> None:
    assert set(ENGINE.ops) <= set(ALL_OPS)


@pytest.mark.parametrize("name", NAMED)
def test_an_op_is_the_catalogues(name: str) -> None:
    for seen in observations(ENGINE, name, "float64", "float32"):
        with contextlib.suppress(Unsupported):  # the adapter offers a part of the row
            hold(seen)


@pytest.mark.parametrize("name", [name for name in ENGINE.ops if name in FLAT])
def test_a_flat_op_is_the_catalogues(name: str) -> None:
    for seen in observations(ENGINE, name, "float64"):
        with contextlib.suppress(Unsupported):  # the adapter offers a part of the row
            flat_op_sends_nothing_back(seen)


# ---- arrays -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "int32", "bool"])
def test_a_tensor_is_around_the_array_itself(dtype: str) -> None:
    value = np.ones((2, 3), dtype)[:, ::-1]
    tensor = ENGINE.array(value)
    assert tensor.constant
    assert ENGINE.numpy(tensor) is value
    assert ENGINE.memory(tensor) is value


def test_a_leaf_is_no_constant() -> None:
    leaf = ENGINE.leaf(np.ones(3))
    assert not leaf.constant
    assert leaf.creator is None


# ---- conventions: what the adapter declares is what MyGrad does ----------------------------------------


def gradient_with(shape: tuple[int, ...], cotangent: Any) -> Any:
    (gradient,) = ENGINE.vjp(mg.square, [np.ones(shape)], [cotangent])[1]
    return gradient


def test_a_non_scalar_is_summed() -> None:
    assert ENGINE.gradient(mg.square, [np.ones(3)])[0].tolist() == [2, 2, 2]
    assert ENGINE.gradient(mg.square, [np.ones(1)])[0].tolist() == [2]
    assert (ENGINE.conventions["A2"], ENGINE.conventions["A3"]) == ("summed", "seeded")


def test_gradient_arguments_are_accepted_as_declared() -> None:
    assert gradient_with((2, 3), np.ones(3)).tolist() == [[2, 2, 2], [2, 2, 2]]
    assert is_refused(lambda: gradient_with((3,), np.ones((1, 3))))
    assert gradient_with((3,), np.ones(3, "float32")).dtype == np.float64
    assert (ENGINE.conventions["A4"], ENGINE.conventions["A5"]) == ("broadcast", "cast")


def test_leaves_are_overwritten_and_can_be_cleared() -> None:
    leaf = ENGINE.leaf(np.ones(()))
    for factor in (2.0, 3.0):
        ENGINE.backward(leaf * factor)
        assert ENGINE.grad(leaf) == factor
    assert ENGINE.conventions["B3"] == "replaces"
    ENGINE.clear(leaf)
    assert ENGINE.grad(leaf) is None


def test_backward_runs_once_per_graph() -> None:
    with pytest.raises(Unsupported, match="frees a graph"):
        ENGINE.backward(mg.square(ENGINE.leaf(np.ones(()))), retain=True)


def test_a_write_in_place_is_recorded() -> None:
    leaf, value = ENGINE.leaf(np.ones(3)), ENGINE.leaf(np.full((), 5.0))
    written = leaf * 2.0
    ENGINE.assign(written, 1, value)
    ENGINE.backward(written * 3.0)
    assert ENGINE.grad(leaf).tolist() == [6, 0, 6]
    assert ENGINE.grad(value) == 3


# ---- custom rules, and the graph --------------------------------------------------------------


def test_what_a_rule_returns_reaches_mygrad_unchanged() -> None:
    def gradients(backward: Any) -> Any:
        rule = ENGINE.custom(lambda a, b: a * b, backward)
        _, got = ENGINE.vjp(rule, [np.full((2, 3), 2.0), np.full((2, 3), 3.0)], [np.ones((2, 3))])
        return [float(g.sum()) for g in got]

    assert gradients(lambda g, a, b: (g * b, g * a)) == [18, 12]
    for wrong in (lambda g, a, b: (g * b, None), lambda g, a, b: (g.T, g)):
        assert is_refused(functools.partial(gradients, wrong))
    with pytest.raises(Unsupported, match="cotangents one by one"):
        gradients(lambda g, a, b: (g, g, g))


def test_the_graph_has_operands_in_order_and_names_only_leaves() -> None:
    a, b, d = (ENGINE.leaf(np.asarray(x)) for x in (2.0, 3.0, 4.0))
    product = ENGINE.graph((a + b) * d)
    total, leaf = product.inputs
    assert (product.name, total.name) == ("Multiply", "Add")
    assert [node.variable for node in total.inputs] == [a, b]
    assert leaf.variable is d
    assert leaf.names_variable
    assert not total.names_variable


def test_constants_have_no_node() -> None:
    x = ENGINE.leaf(np.ones(3))
    assert ENGINE.graph(x * ENGINE.array(np.ones(3))).inputs[1] is None


def test_nothing_warns() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ENGINE.vjp(lambda x: mg.sum(x), [np.broadcast_to(np.ones(3), (2, 3))], [np.ones(())])
