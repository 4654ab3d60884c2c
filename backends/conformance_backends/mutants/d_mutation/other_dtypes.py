"""Mutants that write a value of another precision wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, behaviour
from conformance_backends.numpy_engine.graph import is_recording
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of, tensor_at


def other_dtypes_are_constants(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """A value of another dtype is cast to a constant, and written."""
    array[index] = value if value.dtype == array.dtype else np.asarray(detach(value), array.dtype)


def arrays_get_wider(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """A recorded array into which a wider value is written has the wider dtype from then on."""
    if value.dtype.itemsize > array.dtype.itemsize and is_recording() and not array.is_leaf:
        wider = array.astype(value.dtype)
        array.edge, array.value = wider.edge, wider.value
    array[index] = value


def written_without_its_cast(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """A value of another dtype is cast, and the cast is not recorded."""
    edge = edge_of(value)
    array[index] = value if edge is None else tensor_at(detach(value).astype(array.dtype), edge)


def as_it_arrived(self: Any, leaf: Tensor, arrived: Any) -> None:
    """A leaf's gradient has the dtype of the first cotangent that arrives."""
    leaf.grad = np.array(arrived) if leaf.grad is None else np.asarray(leaf.grad + arrived)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("other-dtype-constant", "A value of another dtype that is written is a constant.",
        ("contract/D7/other-dtype",), assign=other_dtypes_are_constants),
    behaviour("written-gradient-in-the-arrays-dtype", "The gradient of a value that is written is of the dtype of what it is written into.",
        ("contract/D7/other-dtype",), assign=written_without_its_cast, accumulate=as_it_arrived),
    behaviour("writes-widen-the-array", "A recorded array into which a wider value is written has the wider dtype from then on.",
        ("contract/D7/other-dtype",), assign=arrays_get_wider),
)  # fmt: skip
