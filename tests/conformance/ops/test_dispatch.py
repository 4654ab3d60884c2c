"""What the rules of an op have in common is computed once where they are asked together, and is kept nowhere."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from conformance.ops import find
from conformance.ops.dispatch import shared, sharing
from conformance.oracle.allowance import reference_vjp
from conformance.strategies import Effort, draw_cases

calls = 0


@shared
def doubled(x: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    global calls
    calls += 1
    return x * 2


@pytest.fixture(autouse=True)
def from_zero() -> None:
    global calls
    calls = 0


def test_the_same_arrays_are_computed_once_within_the_scope_and_anew_outside() -> None:
    x = np.ones(3)
    with sharing():
        assert doubled(x) is doubled(x)
        assert calls == 1
        np.testing.assert_array_equal(doubled(np.zeros(3)), np.zeros(3))  # an equal address is no equal array
    assert doubled(x) is not doubled(x)
    assert calls == 4


def test_nothing_outlives_the_scope() -> None:
    x = np.ones(3)
    with sharing():
        kept = weakref.ref(doubled(x))
        assert kept() is not None
    gc.collect()
    assert kept() is None


@pytest.mark.parametrize("name", ["lstm", "gru"])
def test_shared_rules_give_what_each_gives_alone(name: str) -> None:
    op = find(name)
    case = next(iter(draw_cases(op, "float64", 0, Effort(1, 1, 1, 1))))
    wrt = range(len(case.operands))
    found = reference_vjp(op, case, wrt)((*case.operands, *case.cotangents))
    z = op.reference(*case.operands, **case.parameters)
    for i in wrt:
        np.testing.assert_array_equal(found[i], op.rule(i, case.cotangents, z, *case.operands))
