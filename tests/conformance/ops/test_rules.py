"""Every row's rule agrees with its reference, numerically.

This is the quick check made while rows are written; the oracles prove them far more sharply.

Rules are also traced, to differentiate them again. Besides NumPy's functions that are rows, the
differentiable steps in them are these of ours, rows too: getitem, scatter_add, index_add,
index_update, concat, stack, split, astype, einsum, solve, inv, matrix_power, sigmoid, softplus,
softmax, unfold and fold.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.op import Op
from conformance.ops import CATALOGUE

from .values import operands, random_chooser

SIGNATURES = 24
OPS = pytest.mark.parametrize("op", CATALOGUE.values(), ids=CATALOGUE.keys())


def calls(op: Op) -> Any:
    """Signatures drawn by a seeded chooser, each with operands in double precision."""
    for number in range(SIGNATURES):
        seed = zlib.crc32(f"{op.name} {number}".encode())
        signature = op.law(random_chooser(seed))
        yield signature, operands(op, signature, seed)


def cast(op: Op, arrays: list[Any], dtype: Any) -> list[Any]:
    return [a.astype(dtype) if op.is_differentiable(i) else a for i, a in enumerate(arrays)]


def outputs(op: Op, arrays: Any, parameters: Any) -> tuple[Any, ...]:
    z = op.reference(*arrays, **parameters)
    return z if op.has_several_outputs else (z,)


def cotangents(op: Op, z: tuple[Any, ...]) -> Any:
    rng = np.random.default_rng(7)
    g = tuple(rng.uniform(-2, 2, np.shape(part)).astype(part.dtype)[()] for part in z)
    return g if op.has_several_outputs else g[0]


@OPS
@pytest.mark.parametrize(
    "dtype", [np.float32, np.float64, np.longdouble], ids=["single", "double", "extended"]
)
def test_cotangent_has_the_operands_shape_and_dtype(op: Op, dtype: Any) -> None:
    for signature, arrays in calls(op):
        arrays = cast(op, arrays, dtype)
        z = outputs(op, arrays, signature.parameters)
        assert op.name == "astype" or all(part.dtype == dtype for part in z), (signature, z)
        g = cotangents(op, z)
        for index in filter(op.is_differentiable, range(len(arrays))):
            got = op.rule(index, g, z if op.has_several_outputs else z[0], *arrays, **signature.parameters)
            assert np.shape(got) == np.shape(arrays[index]), (signature, index)
            assert got.dtype == dtype, (signature, index)


def directional(op: Op, g: Any, arrays: list[Any], index: int, v: Any, parameters: Any) -> Any:
    """d⟨g, z⟩ along v by central differences, extrapolated twice."""

    def perturbed(h: Any) -> Any:
        shifted = [a + h * v if i == index else a for i, a in enumerate(arrays)]
        parts = zip(g if op.has_several_outputs else (g,), outputs(op, shifted, parameters), strict=True)
        return sum(np.sum(gs * part) for gs, part in parts)

    def central(h: Any) -> Any:
        return (perturbed(h) - perturbed(-h)) / (2 * h)

    step = np.longdouble(2) ** -9
    a, b, c = (central(step / 2**k) for k in range(3))
    return ((4 * c - b) * 16 - (4 * b - a)) / 45


@OPS
def test_rule_is_the_derivative_of_the_reference(op: Op) -> None:
    rng = np.random.default_rng(11)
    for signature, arrays in calls(op):
        arrays = cast(op, arrays, np.longdouble)
        z = outputs(op, arrays, signature.parameters)
        g = cotangents(op, z)
        for index in filter(op.is_differentiable, range(len(arrays))):
            v = rng.uniform(-1, 1, np.shape(arrays[index])).astype(np.longdouble)
            bar = op.rule(index, g, z if op.has_several_outputs else z[0], *arrays, **signature.parameters)
            got, expected = np.sum(bar * v), directional(op, g, arrays, index, v, signature.parameters)
            scale = np.sum(np.abs(bar * v)) + sum(np.sum(np.abs(part)) for part in z) + 1
            assert abs(got - expected) <= 1e-9 * scale, (signature, index, got, expected)


@pytest.mark.parametrize("op", ["mean", "mse"])
def test_half_precision_is_divided_by_a_count_that_it_cannot_hold(op: str) -> None:
    engine, x = NumpyTape(), np.ones(66_000, np.float16)
    parameters, others = ({}, []) if op == "mean" else ({"reduction": "mean"}, [np.zeros_like(x)])
    _, gradients = engine.vjp(engine.call(op, parameters), [x, *others], [np.float16(1000)])
    assert gradients[0] is not None
    slope = 1000 / 66_000 * (1 if op == "mean" else 2)
    assert np.allclose(engine.numpy(gradients[0]), slope, rtol=1e-3)
