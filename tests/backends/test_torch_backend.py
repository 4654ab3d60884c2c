"""The adapter passes operands to torch, and results back, unchanged.

The suite itself measures how accurate torch is; a large error here is a mistake in the table.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from conformance.checks.e_values.flat_ops import flat_op_sends_nothing_back
from conformance.errors import Unsupported, Violation
from conformance.layout import LAYOUTS, laid_out
from conformance.load import load_backend
from conformance.ops import ALL_OPS, CATALOGUE, FLAT

from .faithful import hold, observations

torch = pytest.importorskip("torch")
backends = pytest.importorskip("conformance_backends.torch_backend")

# F.kl_div warns that another of its means will be the default one day.
pytestmark = pytest.mark.filterwarnings("ignore:reduction. 'mean' divides the total loss")

TAPE, FUNC = load_backend("torch"), load_backend("torch.func")
MODES = pytest.mark.parametrize("backend", [TAPE, FUNC], ids=["tape", "func"])
KNOWN = {("sign", "the value at NaN differs from the reference value")}  # faults of torch's, of flat ops
NAMED = [name for name in TAPE.ops if name in CATALOGUE]


def test_every_name_in_the_table_is_in_the_catalogue() -> None:
    assert set(TAPE.ops) <= set(ALL_OPS)


def is_refused(call: Callable[[], Any]) -> bool:
    try:
        call()
    except (RuntimeError, TypeError, ValueError):
        return True
    return False


@MODES
@pytest.mark.parametrize("name", NAMED)
def test_an_op_is_the_catalogues(backend: Any, name: str) -> None:
    held = 0
    for seen in observations(backend, name, "float64", "float32"):
        with suppress(Unsupported):  # a value of a parameter that torch does not take
            hold(seen)
            held += 1
    assert held


@MODES
@pytest.mark.parametrize("name", [name for name in TAPE.ops if name in FLAT])
def test_a_flat_op_is_the_catalogues(backend: Any, name: str) -> None:
    for seen in observations(backend, name, "float64"):
        try:
            flat_op_sends_nothing_back(seen)
        except Violation as violation:
            if (name, str(violation)) not in KNOWN:
                raise


@MODES
@pytest.mark.parametrize(
    ("dtype", "name"), [(dtype, name) for dtype, names in TAPE.no_gradient.items() for name in sorted(names)]
)
def test_an_op_declared_without_a_gradient_has_a_value_and_refuses_the_gradient(
    backend: Any, dtype: str, name: str
) -> None:
    for seen in observations(backend, name, dtype):
        seen.forward()
        with pytest.raises(RuntimeError, match="does not support automatic differentiation"):
            _ = seen.answer


# ---- arrays -------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 1, 3), (2, 0)])
def test_an_array_keeps_values_and_strides_but_no_memory(layout: str, shape: tuple[int, ...]) -> None:
    value = laid_out(
        np.ones(shape) if layout == "expanded" else np.arange(np.prod(shape)).reshape(shape), layout
    )
    array = TAPE.array(value)
    np.testing.assert_array_equal(TAPE.numpy(array), value)
    if value.size and layout != "reversed":
        assert [s * value.itemsize for s in array.stride()] == list(value.strides)
    assert not np.shares_memory(TAPE.memory(array), value)
    assert not array._is_view()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "int64", "int32", "bool"])
def test_an_array_keeps_its_dtype(dtype: str) -> None:
    assert TAPE.numpy(TAPE.array(np.ones((2, 3), dtype))).dtype == dtype


@pytest.mark.parametrize("layout", LAYOUTS)
def test_bfloat16_keeps_its_numbers_and_memory_of_its_own(layout: str) -> None:
    value = laid_out(np.full((2, 3), 0.3).astype("bfloat16"), layout)
    leaf = TAPE.leaf(value)
    assert leaf.dtype is torch.bfloat16
    assert leaf.is_leaf
    assert not leaf._is_view()
    np.testing.assert_array_equal(TAPE.numpy(leaf), value)
    TAPE.memory(leaf)[1, 2] = 7
    assert leaf[1, 2].item() == 7


def test_memory_is_the_arrays_own() -> None:
    array = TAPE.array(np.ones(3))
    TAPE.memory(array)[1] = 7
    assert array.tolist() == [1, 7, 1]


def test_a_leaf_is_a_leaf_in_any_layout() -> None:
    leaf = TAPE.leaf(np.asfortranarray(np.ones((2, 3))))
    assert leaf.is_leaf
    assert leaf.requires_grad
    assert leaf.stride() == (1, 2)


# ---- conventions: what the adapter declares is what torch does ----------------------------------------


def gradient_with(backend: Any, shape: tuple[int, ...], cotangent: Any) -> Any:
    (gradient,) = backend.vjp(torch.square, [np.ones(shape)], [cotangent])[1]
    return gradient


@MODES
def test_seeds_are_required_as_declared(backend: Any) -> None:
    assert not is_refused(lambda: backend.gradient(torch.square, [np.ones(())]))
    for clause, shape in (("A2", (3,)), ("A3", (1,))):
        refused = is_refused(functools.partial(backend.gradient, torch.square, [np.ones(shape)]))
        assert refused == (backend.conventions[clause] == "refused"), clause


@MODES
def test_gradient_arguments_are_accepted_as_declared(backend: Any) -> None:
    for shape in ((), (1,), (1, 3)):
        assert is_refused(functools.partial(gradient_with, backend, (3,), np.ones(shape))), shape
    assert backend.conventions["A4"] == "refused"
    for dtype in ("float32", "int64"):
        assert gradient_with(backend, (3,), np.ones(3, dtype)).dtype == torch.float64
    assert backend.conventions["A5"] == "cast"


def test_leaves_accumulate_until_they_are_cleared() -> None:
    leaf = TAPE.leaf(np.ones(()))
    for expected in (2.0, 4.0):
        TAPE.backward(torch.square(leaf))
        assert TAPE.grad(leaf) == expected
    TAPE.clear(leaf)
    assert TAPE.grad(leaf) is None


def test_backward_can_run_again_if_the_graph_is_retained() -> None:
    leaf = TAPE.leaf(np.ones(()))
    output = torch.square(leaf)
    TAPE.backward(output, retain=True)
    TAPE.backward(output)
    assert TAPE.grad(leaf) == 4
    assert is_refused(lambda: TAPE.backward(output))


# ---- custom rules, and the graph --------------------------------------------------------------


@MODES
def test_what_a_rule_returns_reaches_torch_unchanged(backend: Any) -> None:
    def gradients(backward: Any) -> Any:
        rule = backend.custom(lambda a, b: a * b, backward)
        _, got = backend.vjp(rule, [np.full((2, 3), 2.0), np.full((2, 3), 3.0)], [np.ones((2, 3))])
        return [None if g is None else float(g.sum()) for g in got]

    assert gradients(lambda g, a, b: (g * b, g * a)) == [18, 12]
    assert gradients(lambda g, a, b: (g * b, None))[0] == 18
    for wrong in (lambda g, a, b: (g,), lambda g, a, b: (g, g, g), lambda g, a, b: (g.T, g)):
        assert is_refused(functools.partial(gradients, wrong))
    assert gradients(lambda g, a, b: (g * b, g * a, None)) == [18, 12]
    assert backend.conventions["C5"] == "tolerated"


def test_the_graph_has_operands_in_order_and_names_only_leaves() -> None:
    a, b, d = (TAPE.leaf(np.asarray(x)) for x in (2.0, 3.0, 4.0))
    product = TAPE.graph((a + b) * d)
    total, leaf = product.inputs
    assert (product.name, total.name) == ("MulBackward0", "AddBackward0")
    assert [node.variable for node in total.inputs] == [a, b]
    assert leaf.variable is d
    assert leaf.names_variable
    assert not product.names_variable
    assert not total.names_variable


def test_constants_have_no_node_and_shared_nodes_are_one() -> None:
    x = TAPE.leaf(np.ones(3))
    y = torch.tanh(x)
    top = TAPE.graph(y * y + TAPE.array(np.ones(3)))
    assert top.inputs[1] is None
    assert top.inputs[0].inputs[0] is top.inputs[0].inputs[1]


def test_a_deep_graph_can_be_returned() -> None:
    y = TAPE.leaf(np.ones(()))
    for _ in range(5000):
        y = -y
    node, depth = TAPE.graph(y), 0
    while node.inputs:
        node, depth = node.inputs[0], depth + 1
    assert depth == 5000


@MODES
def test_nothing_warns(backend: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        backend.vjp(torch.sum, [np.broadcast_to(np.ones(3), (2, 3))], [np.ones(())])


@MODES
@pytest.mark.parametrize("axis", [None, (0, 1), (-1, 0)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_a_product_over_several_axes_is_one_product_of_torchs(
    backend: Any, axis: Any, keepdims: bool
) -> None:
    x = np.array([[1e-200, 1e-50], [1e200, 1e200]])  # that of the second row alone overflows
    (got,) = backend.forward(backend.call("prod", {"axis": axis, "keepdims": keepdims}), [x])
    assert got.shape == ((1, 1) if keepdims else ())
    assert float(got) == pytest.approx(1e150)
