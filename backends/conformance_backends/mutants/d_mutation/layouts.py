"""Mutants that misread arrays whose memory is not in C order."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule, value


def in_memory_order(array: Any) -> Any:
    """The entries in the order of memory, read as if in C order."""
    return np.ravel(array, order="K").reshape(np.shape(array))


def from_the_first_row(array: Any) -> Any:
    """A negative stride ignored."""
    is_reversed = any(stride < 0 for stride in array.strides)
    return array[(slice(None, None, -1),) * array.ndim] if is_reversed else array


MUTANTS: tuple[Mutant, ...] = (
    rule("transposed-cotangent-misread", "A cotangent that is not contiguous is read in the order of its buffer.",
        ("op/layout",), ("multiply",), lambda right, i, g, z, *xs: right(i, in_memory_order(g), z, *xs)),
    rule("negative-strides-ignored", "A reversed operand is read forwards in its own gradient.",
        ("op/layout",), ("square",), lambda right, i, g, z, x: right(i, g, z, from_the_first_row(x))),
    value("added-in-buffer-order", "Values that are added by index are read in the order of their buffer.",
        ("op/layout",), ("index_add",), lambda right, x, v, **p: right(x, in_memory_order(v), **p)),
    rule("operand-in-buffer-order", "An operand that is not in C order is read in the order of its buffer.",
        ("op/layout",), ("exp", "multiply"), lambda right, i, g, z, *xs: right(i, g, z, *map(in_memory_order, xs))
        if len(xs) > 1 else g * np.exp(in_memory_order(xs[0]))),
)  # fmt: skip
