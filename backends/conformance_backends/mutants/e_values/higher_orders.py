"""Mutants whose derivatives are right, but not those of a higher order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, rule, with_ops
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.graph import is_recording
from conformance_backends.numpy_engine.tensor import detach

Outputs = tuple[Any, ...]


def first_tangent(self: Any, function: Callable[..., Any], operands: Any, tangents: Any) -> Any:
    """Notes that a tangent is computed."""
    self.kept["is_forward"] = True
    try:
        return SteppedTape.jvp(self, function, operands, tangents)
    finally:
        self.kept["is_forward"] = False


def constant_in_forward_mode(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], tangents: Sequence[Any]
) -> Outputs:
    """A tangent whose tangent is computed takes its operands as constants."""
    given = [detach(x) for x in arrays] if self.kept.get("is_forward") else arrays
    return SteppedTape.nested_jvp(self, function, given, tangents)


def constant_three_deep(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], cotangents: Sequence[Any]
) -> Outputs:
    """A gradient within two others is a constant."""
    depth = self.kept["depth"] = self.kept.get("depth", 0) + 1
    try:
        pulled = SteppedTape.nested_vjp(self, function, arrays, cotangents)
    finally:
        self.kept["depth"] -= 1
    return tuple(g if g is None or depth < 3 else detach(g) for g in pulled)


def tangents_are_constants(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], tangents: Sequence[Any]
) -> Any:
    """A tangent does not depend on the tangents of the operands, but for the first."""
    given = [tangents[0], *map(detach, tangents[1:])]
    return SteppedTape.nested_jvp(self, function, arrays, given)


def cotangents_count_twice(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], cotangents: Sequence[Any]
) -> Outputs:
    """A recorded gradient has its value, and twice its derivative by the cotangent."""
    doubled = [g + (g - detach(g)) for g in cotangents]
    return SteppedTape.nested_vjp(self, function, arrays, doubled)


def every_part_is_the_first() -> Backend:
    """In a recorded pass an operand of a product that is a part of several outputs has the first one's history."""

    def call(*operands: Any) -> Any:
        output = NumpyTape.ops["multiply"](*operands)
        node = output.node
        if node is not None:
            right = node.pullback

            def pullback(cotangents: Any) -> Any:
                edges = node.edges
                node.edges = [edge and (edge[0], 0) for edge in edges] if is_recording() else edges
                try:
                    return right(cotangents)
                finally:
                    node.edges = edges

            node.pullback = pullback
        return output

    return with_ops({"multiply": call}, SteppedTape)


def slope_along_its_tangent(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """A slope that is recorded is that of its tangent at the operand: its derivative is right, and has none itself."""
    if not is_recording():
        return right(i, g, z, x)
    here = detach(x)
    e = np.exp(here)
    return g * (e + e * (x - here))


MUTANTS: tuple[Mutant, ...] = (
    Mutant("every-part-is-the-first", "In a recorded pass a part of one op's outputs has the history of the first.",
        ("contract/E4/parts",), every_part_is_the_first, ("multiply",)),
    behaviour("tangent-of-tangent-lost", "A tangent is a constant where forward mode differentiates it again.",
        ("op/forward-over-forward", "contract/E4/four-orders"), ops=("tanh",), jvp=first_tangent, nested_jvp=constant_in_forward_mode),
    behaviour("tangents-are-constants", "A recorded tangent has no derivative by the tangents of the operands after the first.",
        ("contract/E4/by-tangent",), nested_jvp=tangents_are_constants),
    behaviour("cotangents-count-twice", "The derivative of a gradient by its cotangent is doubled.",
        ("op/by-cotangent",), ops=("tensordot", "squeeze", "exp"), nested_vjp=cotangents_count_twice),
    rule("slope-along-its-tangent", "The slope of exp is recorded as that of its tangent: two derivatives are right, and the third is zero.",
        ("op/third-order",), ("exp",), slope_along_its_tangent),
    behaviour("constant-three-deep", "A gradient that is computed within two others is a constant.",
        ("contract/E4/three-deep",), nested_vjp=constant_three_deep),
)  # fmt: skip
