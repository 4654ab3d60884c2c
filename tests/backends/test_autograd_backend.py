"""The adapter passes operands to autograd, and results back, unchanged.

The suite itself measures how accurate autograd is; a large error here is a mistake in the table.
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

autograd = pytest.importorskip("autograd")
anp = pytest.importorskip("autograd.numpy")
backends = pytest.importorskip("conformance_backends.autograd_backend")

ENGINE = load_backend("autograd")
NAMED = [name for name in ENGINE.ops if name in CATALOGUE]


def is_refused(call: Callable[[], Any]) -> bool:
    try:
        call()
    except (RuntimeError, TypeError, ValueError):
        return True
    return False


def test_every_name_in_the_table_is_in_the_catalogue() -> None:
    assert set(ENGINE.ops) <= set(ALL_OPS)


@pytest.mark.parametrize("name", NAMED)
def test_an_op_is_the_catalogues(name: str) -> None:
    for seen in observations(ENGINE, name, "float64", "float32"):
        with contextlib.suppress(Unsupported):  # the adapter offers a part of the row
            hold(seen)


@pytest.mark.filterwarnings("ignore:Output seems independent of input")  # so it is
@pytest.mark.parametrize("name", [name for name in ENGINE.ops if name in FLAT])
def test_a_flat_op_is_the_catalogues(name: str) -> None:
    for seen in observations(ENGINE, name, "float64"):
        with contextlib.suppress(Unsupported):  # the adapter offers a part of the row
            flat_op_sends_nothing_back(seen)


# ---- arrays -------------------------------------------------------------------------------------


def test_an_array_is_itself() -> None:
    value = np.ones((2, 3))[:, ::-1]
    assert ENGINE.array(value) is value
    assert ENGINE.numpy(value) is value
    assert ENGINE.memory(value) is value


def test_a_scalar_is_read_as_an_array() -> None:
    value = ENGINE.numpy(anp.sum(np.ones(3, "float32")))
    assert isinstance(value, np.ndarray)
    assert (value.dtype, value.shape, value) == ("float32", (), 3)


# ---- conventions: what the adapter declares is what autograd does --------------------------------------


def gradient_with(shape: tuple[int, ...], cotangent: Any) -> Any:
    (gradient,) = ENGINE.vjp(anp.square, [np.ones(shape)], [cotangent])[1]
    return gradient


def test_seeds_are_required_as_declared() -> None:
    assert not is_refused(lambda: ENGINE.gradient(anp.square, [np.ones(())]))
    for clause, shape in (("A2", (3,)), ("A3", (1,))):
        refused = is_refused(functools.partial(ENGINE.gradient, anp.square, [np.ones(shape)]))
        assert refused == (ENGINE.conventions[clause] == "refused"), clause


def test_a_gradient_argument_is_used_unchanged() -> None:
    np.testing.assert_array_equal(gradient_with((2, 3), np.ones(3)), np.full((2, 3), 2.0))
    assert gradient_with((2, 3), np.ones((4, 2, 3))).shape == (4, 2, 3)
    assert gradient_with((3,), np.ones(3, "float32")).dtype == np.float64


def test_a_pullback_can_be_called_again() -> None:
    _, pulled = ENGINE.pullback(anp.square, [np.ones(3)])
    for _ in range(2):
        np.testing.assert_array_equal(pulled(np.ones(3))[0], [2, 2, 2])


def test_one_operand_is_differentiated_by_itself() -> None:
    g = np.ones(3)
    assert ENGINE.vjp(lambda x: x + 1, [np.ones(3)], [g])[1][0] is g


def test_several_outputs_are_pulled_back_together() -> None:
    cotangents = [np.ones(3), np.full(3, 10.0)]
    outputs, (x, w) = ENGINE.vjp(lambda x, w: (x * w, x), [np.full(3, 2.0), np.full(3, 3.0)], cotangents)
    assert [z.tolist() for z in outputs] == [[6, 6, 6], [2, 2, 2]]
    assert (x.tolist(), w.tolist()) == ([13, 13, 13], [2, 2, 2])


# ---- custom rules ------------------------------------------------------------------------


def test_what_a_rule_returns_reaches_autograd_unchanged() -> None:
    def gradients(backward: Any) -> Any:
        rule = ENGINE.custom(lambda a, b: a * b, backward)
        _, got = ENGINE.vjp(rule, [np.full((2, 3), 2.0), np.full((2, 3), 3.0)], [np.ones((2, 3))])
        return [float(g.sum()) for g in got]

    assert gradients(lambda g, a, b: (g * b, g * a)) == [18, 12]
    assert gradients(lambda g, a, b: (g * b, g * a, None)) == [18, 12]
    for wrong in (lambda g, a, b: (g * b, None), lambda g, a, b: (g.T, g)):
        assert is_refused(functools.partial(gradients, wrong))


# ---- beyond gradients ------------------------------------------------------------------------------


def cube(x: Any) -> Any:
    return x * x * x


def test_gradients_can_be_differentiated() -> None:
    ones, x = np.ones(3), np.full(3, 2.0)
    _, (second,) = ENGINE.vjp(lambda a: ENGINE.nested_vjp(cube, [a], [ones])[0], [x], [ones])
    assert second.tolist() == [12, 12, 12]
    _, (mixed,) = ENGINE.vjp(lambda a: ENGINE.nested_jvp(cube, [a], [ones])[0], [x], [ones])
    assert mixed.tolist() == [12, 12, 12]


def test_tangents_of_several_outputs_are_as_many_where_they_are_differentiated() -> None:
    def inner(a: Any) -> Any:
        first, second = ENGINE.nested_jvp(lambda b: (b * b, cube(b)), [a], [np.ones(3)])
        return first, second

    _, (mixed,) = ENGINE.vjp(inner, [np.full(3, 2.0)], [np.ones(3)] * 2)
    assert mixed.tolist() == [14, 14, 14]


def test_tangents_are_pushed_forward() -> None:
    outputs, tangents = ENGINE.jvp(
        lambda a, b: (a * b, a), [np.full(3, 2.0), np.full(3, 3.0)], [np.ones(3)] * 2
    )
    assert [z.tolist() for z in outputs] == [[6, 6, 6], [2, 2, 2]]
    assert [z.tolist() for z in tangents] == [[5, 5, 5], [1, 1, 1]]


def test_a_checkpoint_has_the_same_gradient() -> None:
    _, (gradient,) = ENGINE.vjp(ENGINE.checkpoint(cube), [np.full(3, 2.0)], [np.ones(3)])
    assert gradient.tolist() == [12, 12, 12]


def test_a_structures_gradient_has_its_structure() -> None:
    structure = {"w": [np.ones(2), np.ones(3)], "b": (np.ones(()),)}
    got = ENGINE.structured_gradient(
        lambda s: anp.sum(s["w"][0]) + 2 * anp.sum(s["w"][1]) + 3 * s["b"][0], structure
    )
    assert [g.tolist() for g in got["w"]] == [[1, 1], [2, 2, 2]]
    assert got["b"][0] == 3


def test_nothing_warns() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ENGINE.vjp(anp.sum, [np.broadcast_to(np.ones(3), (2, 3))], [np.ones(())])
