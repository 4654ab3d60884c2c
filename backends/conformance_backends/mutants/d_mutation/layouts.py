"""Mutants that misread arrays whose memory is not in C order."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, behaviour, rule, value


def in_memory_order(array: Any) -> Any:
    """The entries in the order of memory, read as if in C order."""
    return np.ravel(array, order="K").reshape(np.shape(array))


def from_the_first_row(array: Any) -> Any:
    """A negative stride ignored."""
    is_reversed = any(stride < 0 for stride in array.strides)
    return array[(slice(None, None, -1),) * array.ndim] if is_reversed else array


def without_its_stride(array: Any) -> Any:
    """A vector as if its entries stood one behind the other."""
    is_strided = array.ndim == 1 and array.size > 1 and array.strides[0] > array.itemsize
    return np.lib.stride_tricks.as_strided(array, strides=(array.itemsize,)) if is_strided else array


def shifted_where_channels_are_last(
    right: Any, i: int, g: Any, z: Any, x: Any, *, padding: Any, **parameters: Any
) -> Any:
    """The gradient of a pool with margins, one place too far, where the channels of the image vary fastest."""
    pulled = right(i, g, z, x, padding=padding, **parameters)
    flags = getattr(x, "value", x).flags, np.moveaxis(getattr(x, "value", x), 1, -1).flags
    is_last = x.ndim == 4 and flags[1].c_contiguous and not flags[0].c_contiguous
    return np.roll(pulled, 1, axis=-1) if is_last and np.any(padding) else pulled


def custom_in_memory_order(self: Any, forward: Any, backward: Any) -> Any:
    """A custom rule is given its cotangent in the order of its memory."""

    def laid_out(g: Any, *xs: Any) -> Any:
        return backward(g if isinstance(g, engine.Tensor) else in_memory_order(g), *xs)

    return engine.custom(forward, laid_out)


def checkpoint_in_memory_order(self: Any, function: Any) -> Any:
    """A checkpoint keeps its operands in the order of their memory."""

    def again(*operands: Any) -> Any:
        laid_out = [engine.Tensor(in_memory_order(x.value)) - engine.detach(x) for x in operands]
        return function(*(x + y for x, y in zip(operands, laid_out, strict=True)))

    def operation(*operands: Any) -> Any:
        functions = iter((function, again))
        return engine.checkpoint(lambda *xs: next(functions)(*xs))(*operands)

    return operation


def position_in_memory_order(right: Any, x: Any, *, axis: Any, keepdims: bool) -> Any:
    """Without an axis the position is counted in the order of memory."""
    return right(x if axis is not None else in_memory_order(x), axis=axis, keepdims=keepdims)


BUILT = ("contract/D10/built-functions",)

MUTANTS: tuple[Mutant, ...] = (
    rule("transposed-cotangent-misread", "A cotangent that is not contiguous is read in the order of its buffer.",
        ("op/layout",), ("multiply",), lambda right, i, g, z, *xs: right(i, in_memory_order(g), z, *xs)),
    rule("negative-strides-ignored", "A reversed operand is read forwards in its own gradient.",
        ("op/layout",), ("square",), lambda right, i, g, z, x: right(i, g, z, from_the_first_row(x))),
    value("added-in-buffer-order", "Values that are added by index are read in the order of their buffer.",
        ("op/layout",), ("index_add",), lambda right, x, v, **p: right(x, in_memory_order(v), **p)),
    rule("mask-read-forwards", "A mask of negative strides is read forwards in the gradients.",
        ("op/layout",), ("masked_scatter",), lambda right, i, g, z, x, mask, v: right(i, g, z, x, from_the_first_row(mask), v)),
    rule("operand-in-buffer-order", "An operand that is not in C order is read in the order of its buffer.",
        ("op/layout",), ("exp", "multiply"), lambda right, i, g, z, *xs: right(i, g, z, *map(in_memory_order, xs))
        if len(xs) > 1 else g * np.exp(in_memory_order(xs[0]))),
    rule("weight-without-its-stride", "A weight of every second entry of its memory is read as every entry.",
        ("op/layout",), ("batch_norm",), lambda right, i, g, z, x, w, b, **p: right(i, g, z, x, without_its_stride(w), b, **p)),
    rule("channels-last-misplaced", "The gradient of a pool with margins is one place too far where the channels of the image vary fastest.",
        ("op/layout",), ("avg_pool2d",), shifted_where_channels_are_last),
    value("position-in-memory-order", "Without an axis the position of the least entry is counted in the order of memory.",
        ("op/flat-layout",), ("argmin",), position_in_memory_order),
    behaviour("custom-cotangent-misread", "A custom rule's cotangent that is not contiguous is read in the order of its buffer.",
        BUILT, custom=custom_in_memory_order),
    behaviour("checkpoint-operands-misread", "A checkpoint computes again with operands in the order of their buffers.",
        BUILT, checkpoint=checkpoint_in_memory_order),
)  # fmt: skip
