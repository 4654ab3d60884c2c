"""The adapter passes operands to jax, and results back, unchanged.

The suite itself measures how accurate jax is; a large error here is a mistake in the table.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from conformance.checks.e_values.flat_ops import flat_op_sends_nothing_back
from conformance.errors import Unsupported
from conformance.load import load_backend
from conformance.ops import ALL_OPS, CATALOGUE, FLAT
from conformance.strategies import Effort

from .faithful import hold, observations

jax = pytest.importorskip("jax")
backends = pytest.importorskip("conformance_backends.jax_backend")

EAGER, JIT = load_backend("jax"), load_backend("jax.jit")
MODES = pytest.mark.parametrize("backend", [EAGER, JIT], ids=["eager", "jit"])
# Every signature is compiled, so most ops are checked in one mode at their first signature only.
FEW, SEVERAL = Effort(signatures=1, draws=1, samples=1, programs=1), Effort(3, 1, 1, 1)
PARAMETRISED = ["clip", "sum", "repeat", "getitem", "take", "tensordot", "conv2d", "split"]


def test_every_name_in_the_table_is_in_the_catalogue() -> None:
    assert set(EAGER.ops) <= set(ALL_OPS)


def is_refused(call: Callable[[], Any]) -> bool:
    try:
        call()
    except (TypeError, ValueError):
        return True
    return False


@pytest.mark.parametrize("name", [name for name in JIT.ops if name in CATALOGUE])
def test_an_op_is_the_catalogues(name: str) -> None:
    for seen in observations(JIT, name, "float64", effort=FEW):
        with suppress(Unsupported):  # a value of a parameter that jax does not take
            hold(seen)


@pytest.mark.costly
@MODES
@pytest.mark.parametrize("name", PARAMETRISED)
def test_an_ops_parameters_are_the_catalogues(backend: Any, name: str) -> None:
    for seen in observations(backend, name, "float64", effort=SEVERAL):
        with suppress(Unsupported):  # a value of a parameter that jax does not take
            hold(seen)


@pytest.mark.costly
@pytest.mark.parametrize("name", [name for name in EAGER.ops if name in FLAT])
def test_a_flat_op_is_the_catalogues(name: str) -> None:
    for seen in observations(EAGER, name, "float64", effort=FEW):
        flat_op_sends_nothing_back(seen)


# ---- arrays -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "int64", "int32", "bool"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 0)])
def test_an_array_keeps_dtype_and_shape_but_no_memory(dtype: str, shape: tuple[int, ...]) -> None:
    value = np.ones(shape, dtype)
    array = EAGER.array(value)
    value[...] = 0
    got = EAGER.numpy(array)
    assert (got.dtype, got.shape) == (dtype, shape)
    assert got.all()


def test_arrays_are_immutable() -> None:
    with pytest.raises(Unsupported, match="immutable"):
        EAGER.memory(EAGER.array(np.ones(3)))


# ---- conventions: what the adapter declares is what jax does ------------------------------------------


@MODES
def test_seeds_are_refused_as_declared(backend: Any) -> None:
    assert not is_refused(lambda: backend.gradient(jax.numpy.square, [np.ones(())]))
    for clause, shape in (("A2", (3,)), ("A3", (1,))):
        assert backend.conventions[clause] == "refused"
        assert is_refused(functools.partial(backend.gradient, jax.numpy.square, [np.ones(shape)])), clause


@MODES
def test_gradient_arguments_are_refused_as_declared(backend: Any) -> None:
    for clause, cotangent in (("A4", np.ones(())), ("A4", np.ones((1, 3))), ("A5", np.ones(3, "float32"))):
        assert backend.conventions[clause] == "refused"
        assert is_refused(functools.partial(backend.vjp, jax.numpy.square, [np.ones(3)], [cotangent])), clause


@MODES
def test_a_pullback_can_be_called_again(backend: Any) -> None:
    _, pulled = backend.pullback(jax.numpy.square, [backend.array(np.ones(3))])
    for _ in range(2):
        np.testing.assert_array_equal(pulled(backend.array(np.ones(3)))[0], [2, 2, 2])


# ---- compiling -----------------------------------------------------------------------------------


def test_other_values_cause_no_compilation() -> None:
    traced: list[int] = []

    def counted(x: Any, y: Any) -> Any:
        traced.append(1)
        return x * y

    def run(value: float) -> None:
        operands, cotangents = [np.full(3, value), np.full(3, 2 * value)], [np.ones(3)]
        _, (gradient,) = JIT.vjp(counted, operands, cotangents, wrt=[0])
        np.testing.assert_array_equal(gradient, operands[1])
        trace = JIT.trace(counted, operands, wrt=[1])
        np.testing.assert_array_equal(trace.pull([JIT.array(cotangents[0])])[0], operands[0])
        np.testing.assert_array_equal(JIT.forward(counted, operands)[0], operands[0] * operands[1])

    run(1.0)
    before = len(traced)
    run(2.0)
    assert len(traced) == before
    JIT.forget()
    run(3.0)
    assert len(traced) > before


@MODES
def test_several_outputs_take_several_cotangents(backend: Any) -> None:
    def both(x: Any) -> Any:
        return 2 * x, 3 * x

    outputs, gradients = backend.vjp(both, [np.ones(2)], [np.ones(2), np.full(2, 10.0)])
    assert len(outputs) == 2
    np.testing.assert_array_equal(gradients[0], [32, 32])
    trace = backend.trace(both, [np.ones(2)])
    np.testing.assert_array_equal(trace.pull([backend.array(np.ones(2))] * 2)[0], [5, 5])


# ---- custom rules ---------------------------------------------------------------------------


@MODES
def test_what_a_rule_returns_reaches_jax_unchanged(backend: Any) -> None:
    def gradients(backward: Any) -> Any:
        rule = backend.custom(lambda a, b: a * b, backward)
        _, got = backend.vjp(rule, [np.full((2, 3), 2.0), np.full((2, 3), 3.0)], [np.ones((2, 3))])
        return [float(g.sum()) for g in got]

    assert gradients(lambda g, a, b: (g * b, g * a)) == [18, 12]
    assert gradients(lambda g, a, b: (g * b, None)) == [18, 0]
    for wrong in (
        lambda g, a, b: (g,),
        lambda g, a, b: (g, g, g),
        lambda g, a, b: (g.T, g),
        lambda g, a, b: (g * b, g * a, None),
    ):
        assert is_refused(functools.partial(gradients, wrong))
    assert backend.conventions["C5"] == "refused"
