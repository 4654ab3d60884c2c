"""Mutants that store gradients at the wrong place, or overwrite stored ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance_backends.mutants.d_mutation.aliasing import cotangents_passed_on
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.seeds import seed
from conformance_backends.numpy_engine.tensor import Tensor


def added_in_place(self: Any, leaf: Tensor, arrived: Any) -> None:
    """A second gradient is added in place to the first."""
    if leaf.grad is None:
        leaf.grad = np.array(arrived, dtype=leaf.dtype)
    else:
        leaf.grad += arrived


def long_in_place(self: Any, leaf: Tensor, arrived: Any) -> None:
    """A second gradient is added in place to the first where that is long, to save the memory of another."""
    (added_in_place if np.size(arrived) >= 1000 else SteppedTape.accumulate)(self, leaf, arrived)


def third_in_place(self: Any, leaf: Tensor, arrived: Any) -> None:
    """The sum of two gradients is a new array, to which a third is added in place."""
    if leaf.grad is not None and id(leaf.grad) in self.kept:
        leaf.grad += arrived
        return
    had_one = leaf.grad is not None
    SteppedTape.accumulate(self, leaf, arrived)
    if had_one:
        self.kept[id(leaf.grad)] = leaf.grad


def overwritten_in_place(self: Any, leaf: Tensor, arrived: Any) -> None:
    """The earlier gradient is set to zero in place, and the sum is a new array."""
    total = np.array(arrived, dtype=leaf.dtype) + (0 if leaf.grad is None else leaf.grad)
    if leaf.grad is not None:
        leaf.grad *= 0
    leaf.grad = total


def into_the_same_memory(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Each leaf has one array for its gradients, which is written anew after clearing."""
    if leaf.grad is not None:
        SteppedTape.accumulate(self, leaf, arrived)
        return
    leaf.grad = self.kept.setdefault(id(leaf), np.empty(leaf.shape, leaf.dtype))
    leaf.grad[...] = arrived


def stored_for_outputs(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """Every intermediate array stores the cotangent of the output."""
    SteppedTape.backward(self, output, gradient)
    self.kept["cotangent"] = seed(output, gradient).value


def of_any_array(self: Any, leaf: Any) -> Any:
    """The gradient of an intermediate array is the output's cotangent."""
    return leaf.grad if leaf.is_leaf else self.kept["cotangent"]


def refused_for_non_leaf(self: Any, leaf: Any) -> Any:
    """The gradient of an intermediate array is refused."""
    if not leaf.is_leaf:
        raise RuntimeError("not a leaf")
    return leaf.grad


def storing(self: Any, function: Any, arrays: Any, cotangents: Any) -> Any:
    """A gradient computed by a functional call is added to the leaves' gradients too."""
    gradients = SteppedTape.nested_vjp(self, function, arrays, cotangents)
    for array, g in zip(arrays, gradients, strict=True):
        if array.is_leaf and array.requires_grad:
            SteppedTape.accumulate(self, array, g.value)
    return gradients


def zeros_stored(self: Any, function: Any, arrays: Any, cotangents: Any) -> Any:
    """A functional call fills the leaves that hold no gradient with zeros."""
    gradients = SteppedTape.nested_vjp(self, function, arrays, cotangents)
    for array in arrays:
        if array.is_leaf and array.requires_grad and array.grad is None:
            SteppedTape.accumulate(self, array, np.zeros_like(array.value))
    return gradients


def summed_elsewhere(self: Any, leaf: Tensor, arrived: Any) -> None:
    """The sum is kept beside the stored gradient, which is a copy of it."""
    total = np.array(arrived, dtype=leaf.dtype) + (0 if leaf.grad is None else self.kept.get(id(leaf), 0))
    self.kept[id(leaf)], leaf.grad = total, np.array(total)


def sums_are_scalars(self: Any, leaf: Tensor, arrived: Any) -> None:
    """The sum of two gradients of a number is no array."""
    fresh = np.array(arrived, dtype=leaf.dtype)
    leaf.grad = fresh if leaf.grad is None else leaf.grad + fresh


def read_only(self: Any, leaf: Tensor, arrived: Any) -> None:
    """The stored gradient is memory that cannot be written."""
    SteppedTape.accumulate(self, leaf, arrived)
    np.asarray(leaf.grad).flags.writeable = False


def write_clears(self: Any, array: Any) -> Any:
    """Whoever takes a leaf's memory, to write into it, clears its gradient."""
    if isinstance(array, Tensor):
        array.grad = None
    return SteppedTape.memory(self, array)


def one_for_equal(gradients: Sequence[Any]) -> tuple[Any, ...]:
    """Equal gradients are one tensor."""
    return tuple(next(h for h in gradients if h is g or _is_equal(h, g)) for g in gradients)


def _is_equal(first: Any, second: Any) -> bool:
    both = isinstance(first, Tensor) and isinstance(second, Tensor)
    return both and np.array_equal(first.value, second.value)


def shared_within(self: Any, function: Any, operands: Any, cotangents: Any) -> Any:
    """Equal gradients by arrays of a graph are one tensor."""
    return one_for_equal(SteppedTape.gradients_within(self, function, operands, cotangents))


def shared_with_value(self: Any, function: Any, arrays: Any, wrt: Any, *, auxiliary: bool = False) -> Any:
    """Equal gradients that come with the value are one tensor."""
    value, gradients, beside = SteppedTape.value_and_gradient(
        self, function, arrays, wrt, auxiliary=auxiliary
    )
    return value, one_for_equal(gradients) if isinstance(gradients, tuple) else gradients, beside


def shared_in_structure(self: Any, function: Any, structure: Any) -> Any:
    """Equal gradients of a dict are one tensor."""
    found = SteppedTape.structured_gradient(self, function, structure)
    if not isinstance(found, dict):
        return found
    return dict(zip(found, one_for_equal(tuple(found.values())), strict=True))


MUTANTS: tuple[Mutant, ...] = (
    behaviour("added-in-earlier-memory", "A second gradient is added in place, though the adapter declares that the first is kept.",
        ("contract/B4/earlier-reference",), accumulate=added_in_place),
    behaviour("long-in-place", "A second gradient is added in place where it is long, though the adapter declares that the first is kept.",
        ("contract/B4/earlier-reference",), accumulate=long_in_place),
    Mutant("gradients-of-one-entry-shared", "add passes its cotangent on without a copy, and a leaf stores the array that arrives if it has one entry.",
        ("contract/B5/own-memory",), lambda: cotangents_passed_on(1), ("add",)),
    behaviour("functional-calls-zero-leaves", "A gradient computed by a functional call leaves zeros stored where nothing was.",
        ("contract/B9/functional-call", "contract/B9/every-op"), nested_vjp=zeros_stored),
    behaviour("third-in-place", "A third gradient is added in place to the sum of the first two, though the adapter declares that it is kept.",
        ("contract/B4/earlier-reference",), accumulate=third_in_place),
    behaviour("one-array-for-all-gradients", "After clearing, the next gradient is written into the array of the one before.",
        ("contract/B4/after-clearing",), accumulate=into_the_same_memory),
    behaviour("declares-updating-keeps", "The adapter declares that an earlier gradient is updated, and it keeps its values.",
        ("contract/B4/earlier-reference",), conventions={**SteppedTape.conventions, "B4": "updated"}),
    behaviour("earlier-gradient-overwritten", "The memory of an earlier gradient is overwritten by the next backward.",
        ("contract/B4/earlier-reference",), accumulate=overwritten_in_place),
    behaviour("declares-keeping-keeps-none", "The adapter declares that gradients of all arrays are kept, and none is kept.",
        ("contract/B8/non-leaf",), conventions={**SteppedTape.conventions, "B8": "kept"}),
    behaviour("output-cotangent-for-all", "Every intermediate array reports the output's cotangent as its gradient.",
        ("contract/B8/non-leaf",), backward=stored_for_outputs, grad=of_any_array,
        conventions={**SteppedTape.conventions, "B8": "kept"}),
    behaviour("non-leaf-refused", "The gradient of an intermediate array is refused, though the adapter declares None.",
        ("contract/B8/non-leaf",), grad=refused_for_non_leaf),
    behaviour("functional-call-stores", "A gradient computed by a functional call is stored at the leaves as well.",
        ("contract/B9/functional-call",), nested_vjp=storing),
    behaviour("sums-are-scalars", "The sum of two gradients of a number cannot be written.",
        ("contract/B13/zeroed",), accumulate=sums_are_scalars),
    behaviour("stored-read-only", "Stored gradients cannot be written, though the adapter declares that arrays can.",
        ("contract/B13/zeroed", "contract/B5/own-memory", "op/gradients-own-memory"), accumulate=read_only),
    behaviour("summed-elsewhere", "The sum of gradients is kept beside the stored one, which a user sets to zero in vain.",
        ("contract/B13/zeroed",), accumulate=summed_elsewhere),
    behaviour("write-clears", "A write into a leaf's memory clears its stored gradient.",
        ("contract/B3/update-steps",), memory=write_clears),
    behaviour("gradients-within-shared", "Equal gradients by arrays of a graph are one array.",
        ("contract/B5/within",), ops=("add",), gradients_within=shared_within),
    behaviour("gradients-with-value-shared", "Equal gradients that come with the value are one array.",
        ("contract/B5/with-value",), ops=("add",), value_and_gradient=shared_with_value),
    behaviour("gradients-in-structure-shared", "Equal gradients in one structure are one array.",
        ("contract/B5/structured",), ops=("add",), structured_gradient=shared_in_structure),
)  # fmt: skip
