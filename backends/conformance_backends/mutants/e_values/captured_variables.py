"""Mutants whose nested derivatives take each other's variables for their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import as_tuple
from conformance_backends.mutants.c_modes.special_numbers import simplified
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.graph import backward_pass, set_recording
from conformance_backends.numpy_engine.tensor import edge_of, tensor_at


def variables_shared(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], cotangents: Sequence[Any]
) -> tuple[Any, ...]:
    """An inner gradient is taken by the arrays themselves, wherever the function uses them."""
    edges = [edge_of(x) for x in arrays]
    output = function(*arrays)
    start = edge_of(output) if len(cotangents) == 1 else None
    if start is None or None in edges:
        return SteppedTape.nested_vjp(self, function, arrays, cotangents)
    with set_recording(True):
        ended = backward_pass([(start, cotangents[0])], {edge[0] for edge in edges if edge})
    return tuple(ended[edge[0]][edge[1]] if edge and edge[0] in ended else None for edge in edges)


def unreached_is_the_captured(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], cotangents: Sequence[Any]
) -> tuple[Any, ...]:
    """Of a function that depends on what it captures alone, an inner gradient is that by what it captures."""
    found = SteppedTape.nested_vjp(self, function, arrays, cotangents)
    if any(gradient is not None for gradient in found):
        return found
    return tuple(function(*arrays) * g for g in cotangents)


def unreached_is_constant(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], wrt: Any, *, auxiliary: bool = False
) -> Any:
    """The value of a function that depends on what it captures alone is a constant."""
    value, gradients, others = SteppedTape.value_and_gradient(
        self, function, arrays, wrt, auxiliary=auxiliary
    )
    is_reached = any(np.any(np.asarray(g.value)) for g in as_tuple(gradients) if g is not None)
    return (value if is_reached else value.detach()), gradients, others


def second_place_is_constant(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], cotangents: Sequence[Any]
) -> tuple[Any, ...]:
    """Of an array that is differentiated by in two places, the gradient by the second place is a constant."""
    pulled = SteppedTape.nested_vjp(self, function, arrays, cotangents)
    again = [any(x is y for y in arrays[:i]) for i, x in enumerate(arrays)]
    return tuple(p.detach() if twice and p is not None else p for p, twice in zip(pulled, again, strict=True))


def cotangent_of_itself_is_constant(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], cotangents: Sequence[Any]
) -> tuple[Any, ...]:
    """A cotangent that is an operand, too, is a constant."""
    given = [g.detach() if any(g is x for x in arrays) else g for g in cotangents]
    return SteppedTape.nested_vjp(self, function, arrays, given)


def tangent_at_a_constant_is_constant(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, ...]:
    """Where all operands are constants, so are their tangents."""
    is_constant = not any(edge_of(x) for x in arrays)
    given = [tensor_at(t.value, None) for t in tangents] if is_constant else tangents
    return SteppedTape.nested_jvp(self, function, arrays, given)


def detached_from_the_inner_one(self: Any, array: Any) -> Any:
    """Detaching an inner variable gives the outer one."""
    node = edge_of(array) and array.node
    return tensor_at(array.value, node.edges[0] if node and node.name == "identity" else None)


def _square(x: Any, n: Any) -> Any:
    """The square by a product, which does not depend on the exponent."""
    return SteppedTape.ops["multiply"](x, x)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("inner-variable-is-outer", "An inner gradient includes the derivative by what the function captures.",
        ("contract/E4/captured",), nested_vjp=variables_shared),
    behaviour("unreached-is-the-captured", "Of a function of what it captures alone an inner gradient is that value.",
        ("contract/E4/captured-alone",), nested_vjp=unreached_is_the_captured),
    behaviour("unreached-value-is-constant", "The value of a function of what it captures alone is a constant.",
        ("contract/E4/captured-alone",), value_and_gradient=unreached_is_constant),
    behaviour("second-place-is-constant", "The gradient by an array that is named a second time is a constant.",
        ("contract/E4/same-array",), nested_vjp=second_place_is_constant),
    behaviour("cotangent-of-itself-is-constant", "A cotangent that is the operand, too, is a constant of the gradient.",
        ("contract/E4/by-one-argument",), nested_vjp=cotangent_of_itself_is_constant),
    behaviour("tangent-at-a-constant-is-constant", "A tangent at constant operands is a constant.",
        ("contract/E4/by-one-argument",), nested_jvp=tangent_at_a_constant_is_constant),
    behaviour("detached-from-the-inner-one", "What an inner gradient detaches is no constant for the outer one.",
        ("contract/E4/detached",), detach=detached_from_the_inner_one),
    Mutant("square-by-product", "A power of 2 does not depend on its exponent.",
        ("contract/E4/special-numbers",), simplified("pow", 2, _square), ("pow",)),
)  # fmt: skip
