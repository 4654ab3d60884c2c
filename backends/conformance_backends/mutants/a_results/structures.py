"""Mutants that return gradients in another structure than that of the operands."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.structures import arrays_in, rebuilt
from conformance_backends.numpy_engine.tensor import Tensor


def sorted_by_key(self: Any, function: Any, structure: Any) -> Any:
    """The gradients of a dictionary are computed in insertion order, and assigned in the sorted order of its keys."""
    gradient = SteppedTape.structured_gradient(self, function, structure)
    if isinstance(gradient, dict):
        gradient["rest"] = dict(
            zip(gradient["rest"], [gradient["rest"][k] for k in sorted(gradient["rest"])], strict=True)
        )
    return gradient


def flattened(self: Any, function: Any, structure: Any) -> Any:
    """The gradients are returned as one flat tuple."""
    gradient = SteppedTape.structured_gradient(self, function, structure)
    return gradient if isinstance(gradient, dict) else (gradient[0], *gradient[1])


def summed_over_places(self: Any, function: Any, structure: Any) -> Any:
    """An array that is in several places has the sum of its gradients in each."""
    gradient = SteppedTape.structured_gradient(self, function, structure)
    arrays, found = arrays_in(structure), arrays_in(gradient)
    of_each = {id(x): [g for y, g in zip(arrays, found, strict=True) if y is x] for x in arrays}
    return rebuilt(gradient, iter([reduce(operator.add, of_each[id(x)]) for x in arrays]))


def summed_over_equals(self: Any, function: Any, structure: Any) -> Any:
    """Numbers that are equal have the sum of their gradients each: they are looked up by their value."""
    gradient = SteppedTape.structured_gradient(self, function, structure)
    arrays, found = arrays_in(structure), arrays_in(gradient)
    equals = [
        [g for y, g in zip(arrays, found, strict=True) if y is x or (not x.ndim and not y.ndim and y == x)]
        for x in arrays
    ]
    return rebuilt(gradient, iter([reduce(operator.add, gradients) for gradients in equals]))


def without_empty_parts(self: Any, function: Any, structure: Any) -> Any:
    """What is empty is left out."""
    gradient = SteppedTape.structured_gradient(self, function, structure)
    if not isinstance(gradient, dict):
        return gradient
    return {key: part for key, part in gradient.items() if isinstance(part, Tensor) or part}


def without_names(self: Any, function: Any, structure: Any) -> Any:
    """The gradient of a named tuple is a plain one."""
    return _unnamed(SteppedTape.structured_gradient(self, function, structure))


def _unnamed(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _unnamed(inner) for key, inner in part.items()}
    if isinstance(part, list):
        return [_unnamed(inner) for inner in part]
    return tuple(map(_unnamed, part)) if isinstance(part, tuple) else part


MUTANTS: tuple[Mutant, ...] = (
    behaviour("structure-without-names", "The gradient of a named tuple is a tuple without names.",
        ("contract/A21/named",), structured_gradient=without_names),
    behaviour("structure-in-order-of-keys", "The gradients of a dictionary are assigned in the sorted order of its keys.",
        ("contract/A21/same-structure",), structured_gradient=sorted_by_key),
    behaviour("nested-structure-flattened", "The gradients of nested tuples are returned flat.",
        ("contract/A21/same-structure",), structured_gradient=flattened),
    behaviour("structure-knows-arrays-once", "An array in two places of a structure has the sum of its gradients in both.",
        ("contract/A21/any-form",), structured_gradient=summed_over_places),
    behaviour("structure-knows-numbers-once", "Two equal numbers of a structure have the sum of their gradients each.",
        ("contract/A21/equal-leaves",), structured_gradient=summed_over_equals),
    behaviour("structure-without-empty-parts", "The gradient of a dictionary lacks the parts that are empty.",
        ("contract/A21/any-form",), structured_gradient=without_empty_parts),
)  # fmt: skip
