"""The values of flat rows do not change with their operands, and their rule is zero."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest

from conformance.op import Op
from conformance.ops import FLAT, find
from conformance.ops.flat import ROUNDING

from .values import CLEARANCE, operands, random_chooser

SIGNATURES = 24
FLAT_OPS = pytest.mark.parametrize("op", FLAT.values(), ids=FLAT.keys())


def calls(op: Op) -> Any:
    """Signatures drawn by a seeded chooser, each with operands at a distance from the jumps."""
    for number in range(SIGNATURES):
        seed = zlib.crc32(f"{op.name} {number}".encode())
        signature = op.law(random_chooser(seed))
        yield signature.parameters, operands(op, signature, seed)


@FLAT_OPS
def test_the_value_does_not_change_around_a_generic_point(op: Op) -> None:
    rng = np.random.default_rng(5)
    for parameters, arrays in calls(op):
        value = op.reference(*arrays, **parameters)
        for index in filter(op.is_differentiable, range(len(arrays))):
            perturbed = list(arrays)
            perturbed[index] = perturbed[index] + rng.uniform(
                -CLEARANCE / 4, CLEARANCE / 4, perturbed[index].shape
            )
            np.testing.assert_array_equal(op.reference(*perturbed, **parameters), value)


@FLAT_OPS
def test_the_rule_is_zero_of_the_operands_shape_and_dtype(op: Op) -> None:
    for parameters, arrays in calls(op):
        value = np.asarray(op.reference(*arrays, **parameters))
        for index in filter(op.is_differentiable, range(len(arrays))):
            x = arrays[index].astype(np.float32)
            cotangent = op.rule(index, np.ones(value.shape), value, *arrays[:index], x, *arrays[index + 1 :])
            assert (cotangent.shape, cotangent.dtype) == (x.shape, np.float32)
            assert not cotangent.any()


@FLAT_OPS
def test_rounding_has_real_values_and_everything_else_counts(op: Op) -> None:
    parameters, arrays = next(calls(op))
    kind = np.asarray(op.reference(*arrays, **parameters)).dtype.kind
    assert (kind == "f") is (op in ROUNDING)
    assert kind in "fbi"


def test_an_alias_finds_its_row() -> None:
    assert find("round") is FLAT["rint"]
    assert find("ge") is FLAT["greater_equal"]
