"""The adapter passes operands to tinygrad, and results back, unchanged: a few ops, since each call is compiled."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.errors import Unsupported
from conformance.ops import ALL_OPS
from conformance.run.declarations import hold_declarations
from conformance.run.mapping import try_mapping

pytest.importorskip("tinygrad", reason="tinygrad is not installed: tox run -e tinygrad")
backends = pytest.importorskip("conformance_backends.tinygrad.backend")

ENGINE = backends.Tinygrad()


def test_what_is_declared_exists() -> None:
    hold_declarations(ENGINE)


@pytest.mark.parametrize("name", ["subtract", "mean", "getitem", "matmul"])
def test_an_op_is_the_catalogues(name: str) -> None:
    assert not try_mapping(ENGINE, ALL_OPS[name], "float32").slips


def _taken(indices: np.ndarray) -> np.ndarray:
    """The entries of a matrix at `indices` along its rows, as tinygrad takes them."""
    take = ENGINE.call("take_along_axis", {"axis": 1})
    (got,) = ENGINE.forward(lambda x: take(x, ENGINE.array(indices)), [np.arange(6.0).reshape(2, 3)])
    return got


def test_entries_are_taken_at_indices_of_another_length() -> None:
    assert _taken(np.array([[2], [0]])).tolist() == [[2.0], [3.0]]


def test_indices_that_would_be_repeated_are_not_offered() -> None:
    with pytest.raises(Unsupported):
        _taken(np.array([[2, 0]]))


def test_a_0_d_leaf_has_a_gradient() -> None:
    leaf = ENGINE.leaf(np.array(3.0))
    ENGINE.backward(leaf * leaf)
    assert ENGINE.numpy(ENGINE.grad(leaf)) == 6.0


def test_reading_a_value_keeps_its_history() -> None:
    leaf = ENGINE.leaf(np.array([1.0, 2.0]))
    square = leaf * leaf
    ENGINE.numpy(square)
    ENGINE.backward(square.sum())
    assert ENGINE.numpy(ENGINE.grad(leaf)).tolist() == [2.0, 4.0]
