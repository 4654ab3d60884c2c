"""Mutants that return a gradient through ops whose derivative is zero, or spoil a mask made by them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from conformance.backend import Backend, Function
from conformance.op import Trait
from conformance.ops import FLAT
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, Wrong, altered_rule, behaviour, value, with_ops
from conformance_backends.numpy_backend import NumpyTape


def recorded(op: str, altered: Wrong | None = None) -> Function:
    """A flat op recorded like any other, with its rule of zeros or with `altered` around that."""
    right = FLAT[op]

    def rule(index: int, g: Any, z: Any, /, *operands: Any, **parameters: Any) -> Any:
        if altered is None:
            return right.rule(index, g, z, *operands, **parameters)
        return altered(right.rule, index, g, z, *operands, **parameters)

    recorded_row = replace(right, rule=rule, traits=right.traits - {Trait.FLAT})
    return lambda *operands, **parameters: engine.apply(recorded_row, operands, parameters)


class RecordsFlatOps(NumpyTape):
    """The reference engine with flat ops recorded: it returns zeros, as it declares."""

    conventions: ClassVar = {**NumpyTape.conventions, "E19": "zeros"}
    ops: ClassVar = {**NumpyTape.ops, **{op: recorded(op) for op in FLAT}}


def flat_mutant(name: str, wrong: str, ops: tuple[str, ...], altered: Wrong) -> Mutant:
    """A mutant that records flat ops, some of them with an altered rule."""

    def make() -> Backend:
        return with_ops({op: recorded(op, altered) for op in ops}, RecordsFlatOps)

    return Mutant(name, wrong, FLAT_CHECK, make, ops)


def straight_through(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """The cotangent itself, as estimators that train through rounding have it on purpose."""
    return g


def spike(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Zero times the infinite derivative of the jump."""
    return np.full_like(g, np.inf) * 0


def of_the_result(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Zeros in the shape of the result, whatever the operand's."""
    return np.zeros_like(g)


def masked_product(name: str, wrong: str, ops: tuple[str, ...], factor: int) -> Mutant:
    """A mutant whose products by truth values send back `factor` times the right gradient."""

    def altered(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
        has_mask = any(x.dtype.kind == "b" for x in xs)
        return right(i, g * factor if has_mask else g, z, *xs)

    def make() -> Backend:
        return with_ops({"multiply": altered_rule("multiply", altered)})

    return Mutant(name, wrong, FLAT_CHECK, make, ops)


def truncated(right: Any, x: Any) -> Any:
    """Towards zero, where floor goes down."""
    return np.trunc(x)


def half_up(right: Any, x: Any) -> Any:
    """Halves are rounded up, where rint rounds to even."""
    return np.floor(x + 0.5)


def never(right: Any, x: Any, y: Any) -> Any:
    """False for all numbers."""
    return np.zeros(np.broadcast_shapes(np.shape(x), np.shape(y)), bool)


def by_negation(right: Any, x: Any, y: Any) -> Any:
    """What is not smaller, a NaN among them."""
    return np.logical_not(np.less(x, y))


def last_position(right: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """The position counted from the other end."""
    return (x.size if axis is None else x.shape[axis]) - 1 - right(x, axis=axis, keepdims=keepdims)


FLAT_CHECK = ("op/flat",)
ROUNDING = ("floor", "rint")


def barred(op: str) -> Function:
    """The op of constants alone."""

    def of_constants(*operands: Any, **parameters: Any) -> Any:
        if any(x.requires_grad for x in operands):
            raise TypeError(f"{op} of a variable")
        return NumpyTape.ops[op](*operands, **parameters)

    return of_constants


class BarsRounding(NumpyTape):
    """The reference engine without rounding of what needs a gradient."""

    ops: ClassVar = {**NumpyTape.ops, **{op: barred(op) for op in ROUNDING}}


def in_single(right: Any, x: Any) -> Any:
    """Of the operand in single precision, where large numbers are infinite."""
    return right(np.float32(x))


def nan_is_false(right: Any, x: Any, **p: Any) -> Any:
    """A NaN is taken for 0."""
    return right(np.where(np.isnan(x), 0, x), **p)


def misses_negative_infinity(right: Any, x: Any) -> Any:
    """In half precision -inf is a number."""
    return right(x) & ~((x == -np.inf) & (np.asarray(x).dtype == np.float16))


def zero_at_nan(right: Any, x: Any) -> Any:
    """NaN has the angle 0."""
    return np.where(np.isnan(x), x.dtype.type(0), right(x))


def by_way_of_integers(right: Any, x: Any) -> Any:
    """Large numbers, too, are made integers of 64 bits."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(x), right(x).astype(np.int64).astype(x.dtype), right(x))


MUTANTS: tuple[Mutant, ...] = (
    value("half-infinity-missed", "In float16 -inf is not recognised as infinite.", ("op/flat-narrow",), ("isinf",), misses_negative_infinity),
    value("isfinite-in-single", "Whether a number is finite is asked of it in single precision.", FLAT_CHECK, ("isfinite", "isinf"), in_single),
    value("angle-of-nan-zero", "The angle of NaN is 0.", FLAT_CHECK, ("angle",), zero_at_nan),
    flat_mutant("rounding-straight-through", "Rounding passes the cotangent on as if it were the identity.", ROUNDING, straight_through),
    flat_mutant("sign-spikes", "The derivative of sign is infinity times zero, which is NaN.", ("sign",), spike),
    flat_mutant("flat-zeros-of-result", "The zeros returned for a broadcast operand have the shape of the result.", ("floor_divide", "heaviside"), of_the_result),
    masked_product("mask-counts-twice", "The gradient of a factor that is multiplied by a comparison is doubled.", ("less", "not_equal"), 2),
    masked_product("mask-detached-with-comparison", "A product with a comparison is detached from the graph like the comparison itself.", ("greater",), 0),
    value("nan-counts-as-false", "any and count_nonzero take a NaN for 0.", FLAT_CHECK, ("any", "count_nonzero"), nan_is_false),
    value("floor-truncates", "floor rounds negative numbers towards zero.", FLAT_CHECK, ("floor",), truncated),
    value("floor-by-way-of-integers", "floor is wrong where no integer of 64 bits is large enough.", FLAT_CHECK, ("floor",), by_way_of_integers),
    value("rint-halves-up", "rint rounds halves up.", FLAT_CHECK, ("rint",), half_up),
    value("not-less-is-greater-or-equal", "What is not smaller is taken to be larger or equal, a NaN too.", FLAT_CHECK, ("greater_equal",), by_negation),
    value("equal-never", "No two numbers are equal.", FLAT_CHECK, ("equal",), never),
    value("argmax-from-the-end", "argmax counts positions from the other end.", FLAT_CHECK, ("argmax",), last_position),
    behaviour("declares-zeros-refuses", "The adapter declares zeros for rounding, and the backward pass is refused.", FLAT_CHECK, ops=ROUNDING,
        base=NumpyTape, conventions={**NumpyTape.conventions, "E19": "zeros"}),
    behaviour("declares-refusal-returns-zeros", "The adapter declares refusal for rounding, and zeros are returned.", FLAT_CHECK, ops=ROUNDING,
        base=RecordsFlatOps, conventions={**NumpyTape.conventions, "E19": "refused"}),
    behaviour("declares-refusal-bars", "The adapter declares refusal for rounding, which is not even computed of what needs a gradient.", FLAT_CHECK, ops=ROUNDING,
        base=BarsRounding, conventions={**NumpyTape.conventions, "E19": "refused"}),
)  # fmt: skip
