"""Mutants that record writes by some indices wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.c_modes.transforms import noting_the_map
from conformance_backends.mutants.mutant import Mutant, SteppedTape, WithTransforms, behaviour, with_ops
from conformance_backends.numpy_engine.graph import is_recording
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of


def masks_are_not_recorded(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """A write by a mask is not recorded."""
    is_mask = any(isinstance(part, np.ndarray) and part.dtype == bool for part in index)
    edge = edge_of(array)
    array[index] = detach(value) if is_mask else value
    if is_mask:
        array.edge = edge


def lists_are_tuples(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """A list as an index is taken for a tuple."""
    array[tuple(index) if isinstance(index, list) else index] = value


def one_number_is_divided(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """One number that is written at several places receives the mean of their cotangents."""
    count = array.value[index].size
    if value.ndim or count < 2:
        array[index] = value
        return
    constant = Tensor(value.value * (1 - 1 / count))
    array[index] = value * (1 / count) + constant


def more_axes_are_constants(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """An array with more axes than its place has is written as a constant."""
    array[index] = value if value.ndim <= array.value[index].ndim else detach(value)


def pushed_through_writes(self: Any, function: Any, operands: Any, tangents: Any) -> Any:
    """While a tangent is computed, what is written is a constant."""
    self.kept["is_forward"] = True
    try:
        return SteppedTape.jvp(self, function, operands, tangents)
    finally:
        self.kept["is_forward"] = False


def constant_in_forward_mode(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """Writes what is a constant in forward mode."""
    array[index] = value.detach() if self.kept.get("is_forward") else value


def masks_write_into_memory(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """A write by a mask is made in the memory that the array has, though an op may have saved it."""
    memory = array.value
    array[index] = value
    if any(isinstance(part, np.ndarray) and part.dtype == bool for part in _parts(index)):
        memory[...] = array.value
        array.value = memory


def _parts(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def empty_mask_ends_the_graph(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """After a write by a mask that selects nothing the array is a constant."""
    array[index] = value
    if not array.value[index].size:
        array.edge = None


def constant_in_a_nested_gradient(self: Any, array: Any, index: Any, value: Any) -> None:
    """What is written in a function whose gradient is recorded is a constant."""
    array[index] = detach(value) if self.kept.get("nested") else value


def noting_the_nested_gradient(self: Any, function: Any, arrays: Any, cotangents: Any) -> Any:
    """The gradient, during which it is known that it is computed."""
    self.kept["nested"] = True
    try:
        return SteppedTape.nested_vjp(self, function, arrays, cotangents)
    finally:
        self.kept["nested"] = False


def own_parts_are_constants(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """A part of an array that is written into it is a constant."""
    is_own = value.node is not None and array.edge in value.node.edges
    array[index] = detach(value) if is_own else value


def first_of_more_rows(self: Any, array: Any, index: Any, value: Any) -> None:
    """Of a value with more axes than its place has the first entries along them are written."""
    place = np.empty(array.shape)[index]
    while np.ndim(value) > place.ndim:
        value = value[0]
    SteppedTape.assign(self, array, index, value)


def refused_write_ends_the_graph(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """A write that is refused leaves a constant."""
    try:
        array[index] = value
    except Exception:
        array.edge = None
        raise


def what_is_read_back_is_a_constant() -> Any:
    """What is read at the index that was written last is a constant."""
    right = SteppedTape.ops["getitem"]

    def getitem(x: Any, *, index: Any) -> Any:
        node: Any = x.edge[0] if x.edge else None
        last = node.parameters["index"] if getattr(node, "name", "") == "index_update" else None
        is_written = last is not None and repr(last) == repr(index)
        return right(Tensor(x.value) if is_written else x, index=index)

    return with_ops({"getitem": getitem}, SteppedTape)


def value_alone_where_mapped(self: Any, array: Any, index: Any, value: Any) -> None:
    """A write changes the value, not the gradient, in a mapped function."""
    if self.kept.get("mapped"):
        written = np.array(array.value)
        written[index] = np.asarray(engine.detach(value))
        array.value = written
    else:
        WithTransforms.assign(self, array, index, value)


def unrecorded_writes_end_the_graph(self: Any, array: Any, index: Any, value: Any) -> None:
    """A result that is written in a no_grad scope has no history afterwards."""
    array[index] = value
    if not is_recording() and not array.is_leaf:
        array.edge = None


MUTANTS: tuple[Mutant, ...] = (
    behaviour("written-where-mapped", "In a mapped function a write changes the value and not the gradient.",
        ("contract/D7/inside-others",), base=WithTransforms, vectorized=noting_the_map, assign=value_alone_where_mapped),
    Mutant("read-back-is-a-constant", "What is read at the index that was written last is a constant.",
        ("contract/D7/added-twice",), what_is_read_back_is_a_constant, ("getitem",)),
    behaviour("mask-unrecorded", "A write by a mask is not recorded.",
        ("contract/D7/every-index",), assign=masks_are_not_recorded),
    behaviour("mask-writes-into-memory", "A write by a mask changes the values that ops saved.",
        ("contract/D3/every-index",), assign=masks_write_into_memory),
    behaviour("list-index-is-a-tuple", "A write by a list of integers is one by a tuple of them.",
        ("contract/D7/every-index",), assign=lists_are_tuples),
    behaviour("empty-mask-detaches", "A write by a mask that selects nothing makes the array a constant.",
        ("contract/D7/every-index",), assign=empty_mask_ends_the_graph),
    behaviour("spread-number-averaged", "One number written at several places receives the mean of their cotangents.",
        ("contract/D7/every-index",), assign=one_number_is_divided),
    behaviour("axis-more-constant", "An array that has more axes than its place is written as a constant.",
        ("contract/D7/every-index",), assign=more_axes_are_constants),
    behaviour("written-tangent-lost", "In forward mode a written value has no tangent.",
        ("contract/D7/forward",), jvp=pushed_through_writes, assign=constant_in_forward_mode),
    behaviour("written-constants-in-a-nested-gradient", "What is written in a function whose gradient is recorded is a constant.",
        ("contract/D7/second-order",), assign=constant_in_a_nested_gradient, nested_vjp=noting_the_nested_gradient),
    behaviour("own-part-constant", "A part of an array that is written into it is a constant.",
        ("contract/D7/own-part",), assign=own_parts_are_constants),
    behaviour("refused-write-ends-the-graph", "A write that is refused leaves the array a constant.",
        ("contract/D7/refused",), assign=refused_write_ends_the_graph),
    behaviour("first-of-more-rows", "Of a value with more axes than its place has the first entries are written.",
        ("contract/D7/refused",), assign=first_of_more_rows),
    behaviour("unrecorded-write-ends-the-graph", "A result that is written in a no_grad scope is a constant afterwards.",
        ("contract/D7/in-no-grad",), assign=unrecorded_writes_end_the_graph),
)  # fmt: skip
