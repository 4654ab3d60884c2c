"""Mutants that treat integer or boolean operands wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, rule, value
from conformance_backends.numpy_engine.seeds import seed
from conformance_backends.numpy_engine.tensor import Tensor


def leaf_of(change: Callable[[Any], Any]) -> Any:
    """A `leaf` that takes integers and truth values after all, changed into something that can be one."""

    def leaf(self: Any, value: Any) -> Tensor:
        return SteppedTape.leaf(self, change(value) if value.dtype.kind in "iub" else value)

    return leaf


class TakesIntegers(SteppedTape):
    """Integers become floating point leaves, and their gradients integers again."""

    def leaf(self, value: Any) -> Any:
        """A leaf whose integer dtype is stored."""
        made = super().leaf(value.astype(np.float64) if value.dtype.kind in "iub" else value)
        if value.dtype.kind in "iub":
            self.kept[id(made)] = made, value.dtype
        return made

    def grad(self, leaf: Any) -> Any:
        """The gradient, cast back."""
        held = super().grad(leaf)
        stored = self.kept.get(id(leaf))
        return held if held is None or stored is None else held.astype(stored[1])


def rounded_beside_integers(self: Any, leaf: Tensor, arrived: Any) -> None:
    """After a constant of integers the gradient is rounded."""
    SteppedTape.accumulate(self, leaf, np.rint(arrived) if self.kept.get("counts") else arrived)


def noting_integers(self: Any, value: Any) -> Tensor:
    """A constant of integers is noted for `rounded_beside_integers`."""
    self.kept["counts"] = self.kept.get("counts") or value.dtype.kind in "iub"
    return SteppedTape.array(self, value)


def integers_scaled(self: Any, output: Tensor, gradient: Any) -> Any:
    """Integers of a gradient argument are divided by 255, as pixels are."""
    if gradient is not None and gradient.dtype.kind in "iub":
        return gradient.value.astype(output.dtype) / 255
    return seed(output, gradient).value


def placed_in_the_dtype_of_indices(
    right: Any, i: int, g: Any, z: Any, table: Any, indices: Any, **k: Any
) -> Any:
    """The place of a row in memory is computed in the dtype of the indices, and overflows."""
    columns = np.asarray(table.shape[-1]).astype(indices.dtype)
    with np.errstate(over="ignore"):
        rows = (indices * columns).astype(np.int64) // table.shape[-1]
    return right(i, g, z, table, rows % table.shape[0], **k)


def zeroth_power_as_first(right: Any, i: int, g: Any, z: Any, x: Any, n: Any) -> Any:
    """An exponent of integers is at least one in the slope."""
    return right(i, g, z, x, np.maximum(n, 1) if n.dtype.kind == "i" else n)


def numpy_integers_keep_the_axis(right: Any, x: Any, index: Any) -> Any:
    """An integer of NumPy is no integer, and so an array of one index, which keeps its axis."""
    return right(x, index=tuple([int(i)] if isinstance(i, np.integer) else i for i in index))


MUTANTS: tuple[Mutant, ...] = (
    rule("integer-exponent-at-least-1", "In the slope of a power an exponent of integers is at least one.",
        ("contract/A16/integers-beside",), ("pow",), zeroth_power_as_first),
    behaviour("integers-differentiated", "Integers are differentiated as if they were real numbers.",
        ("contract/A16/integer-operand",), leaf=leaf_of(lambda x: x.astype(np.float64))),
    behaviour("integers-get-integers", "The gradient of integers is rounded to integers.",
        ("contract/A16/integer-operand",), base=TakesIntegers, leaf=TakesIntegers.leaf,
        conventions={**SteppedTape.conventions, "A16": "zeros"}),
    behaviour("rounded-beside-integers", "The gradient with respect to a factor is rounded when the other factor is of integers.",
        ("contract/A16/integer-partner",), array=noting_integers, accumulate=rounded_beside_integers),
    rule("places-overflow", "The place of a row is computed in the dtype of the indices.",
        ("contract/A16/index-dtypes",), ("embedding",), placed_in_the_dtype_of_indices),
    behaviour("integer-cotangent-scaled", "A gradient argument of integers is divided by 255, as pixels are.",
        ("contract/A5/countable-cotangent",), seed=integers_scaled),
    value("numpy-integers-keep-the-axis", "An integer of NumPy as an index keeps its axis, as an array of one does.",
        ("contract/A16/scalar-indices",), ("getitem",), numpy_integers_keep_the_axis),
)  # fmt: skip
