"""Mutants that let something through ops without a slope, or spoil what these mask."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from conformance.backend import Backend, Function
from conformance.op import Trait
from conformance.ops import FLAT
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, Wrong, behaviour, bent_rule, value, with_ops
from conformance_backends.numpy_backend import NumpyTape

ASKED = ("op/flat",)
ROUNDING = ("floor", "rint")


def recorded(op: str, bent: Wrong | None = None) -> Function:
    """A flat op recorded like any other, with its rule of zeros or with `bent` around that."""
    right = FLAT[op]

    def rule(index: int, g: Any, z: Any, /, *operands: Any, **parameters: Any) -> Any:
        if bent is None:
            return right.rule(index, g, z, *operands, **parameters)
        return bent(right.rule, index, g, z, *operands, **parameters)

    sloped = replace(right, rule=rule, traits=right.traits - {Trait.FLAT})
    return lambda *operands, **parameters: engine.apply(sloped, operands, parameters)


class Recording(NumpyTape):
    """The reference engine with flat ops recorded: zeros come back, and that is what it elects."""

    conventions: ClassVar = {**NumpyTape.conventions, "E19": "zeros"}
    ops: ClassVar = {**NumpyTape.ops, **{op: recorded(op) for op in FLAT}}


def leak(name: str, wrong: str, ops: tuple[str, ...], bent: Wrong) -> Mutant:
    """A mutant that records flat ops, some of them with a bent rule."""

    def make() -> Backend:
        return with_ops({op: recorded(op, bent) for op in ops}, Recording)

    return Mutant(name, wrong, ASKED, make, ops)


def straight_through(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """The cotangent itself, as estimators that train through rounding have it on purpose."""
    return g


def spike(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Zero times the infinite slope of the jump."""
    return np.full_like(g, np.inf) * 0


def of_the_result(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Zeros in the shape of the result, whatever the operand's."""
    return np.zeros_like(g)


# ---- masks -----------------------------------------------------------------------------------------


def masked_product(name: str, wrong: str, ops: tuple[str, ...], factor: int) -> Mutant:
    """A mutant whose products by truth values send back `factor` times the right gradient."""

    def bent(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
        has_mask = any(x.dtype.kind == "b" for x in xs)
        return right(i, g * factor if has_mask else g, z, *xs)

    def make() -> Backend:
        return with_ops({"multiply": bent_rule("multiply", bent)})

    return Mutant(name, wrong, ASKED, make, ops)


def truncated(right: Any, x: Any) -> Any:
    """Towards zero, where floor goes down."""
    return np.trunc(x)


def half_up(right: Any, x: Any) -> Any:
    """Halves go up, where rint goes to the even neighbour."""
    return np.floor(x + 0.5)


def never(right: Any, x: Any, y: Any) -> Any:
    """As if no two numbers were equal."""
    return np.zeros(np.broadcast_shapes(np.shape(x), np.shape(y)), bool)


def last_position(right: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """The position counted from the other end."""
    return (x.size if axis is None else x.shape[axis]) - 1 - right(x, axis=axis, keepdims=keepdims)


MUTANTS = (
    leak("rounding-straight-through", "Rounding hands the cotangent on as if it were the identity.", ROUNDING, straight_through),
    leak("sign-spikes", "The slope of sign is infinite at its jump, and times zero everywhere else: NaN.", ("sign",), spike),
    leak("flat-zeros-of-result", "Zeros for a broadcast operand have the shape of the result.", ("floor_divide", "heaviside"), of_the_result),
    masked_product("mask-counts-twice", "What is multiplied by a comparison is counted twice.", ("less", "not_equal"), 2),
    masked_product("mask-cut-with-comparison", "A product with a comparison is cut from the graph like the comparison itself.", ("greater",), 0),
    value("floor-truncates", "floor rounds negative numbers towards zero.", ASKED, ("floor",), truncated),
    value("rint-halves-up", "rint rounds halves up.", ASKED, ("rint",), half_up),
    value("equal-never", "No two numbers are equal.", ASKED, ("equal",), never),
    value("argmax-from-the-end", "argmax counts positions from the other end.", ASKED, ("argmax",), last_position),
    behaviour("elects-zeros-refuses", "Zeros are elected for rounding, and the walk back is refused.", ASKED, ops=ROUNDING,
        base=NumpyTape, conventions={**NumpyTape.conventions, "E19": "zeros"}),
    behaviour("elects-refusal-sends-zeros", "Refusal is elected for rounding, and zeros are given.", ASKED, ops=ROUNDING,
        base=Recording, conventions={**NumpyTape.conventions, "E19": "refused"}),
)  # fmt: skip
