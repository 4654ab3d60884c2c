"""Special points as one entry, or one row, among ordinary ones, and along several axes (E9)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.case import Array
from conformance.checks.comparison import hold_close
from conformance.checks.e_values.points_in_modes import is_wrong_alone
from conformance.checks.observation import plain
from conformance.checks.point_observation import PointObservation
from conformance.checks.registry import NotThisCase, check
from conformance.errors import Violation
from conformance.ops import find
from conformance.values import TEXTURES, operands

PLACE, ROWS = 1, 3  # the point is the middle one of three
ROUNDINGS = 64  # by which an engine's kernels for one entry and for several may differ


@check("point", "E9", "among-others", has_floor=True)
def gradient_is_fair_among_ordinary_entries(observed: PointObservation) -> None:
    """A special point beside ordinary operands, as an entry or a row, has a gradient in its range, and they have theirs."""
    if any(is_wrong_alone(observed, i) for i in observed.wrt):
        raise NotThisCase("the gradient itself is not allowed there")
    place, rows = observed.place, _rows(observed)
    # The rows of an op along the last axis, or the columns of one along the first.
    axis, stack = (-1, 0) if len(place.point.key) % 2 else (0, -1)
    stacked = [np.stack(arrays, axis=stack) for arrays in zip(*rows, strict=True)]
    alone = [_pulled(observed, row, place.point.parameters) for row in rows]
    pulled = _pulled(observed, stacked, _along(place.point.parameters, axis), stack)
    for position, i in enumerate(observed.wrt):
        for number in range(ROWS):
            what = f"the gradient of operand {i} in row {number + 1} of {ROWS}"
            if pulled[position].shape != stacked[i].shape:
                raise Violation(
                    f"{what} is in an array of shape {pulled[position].shape}, not {stacked[i].shape}"
                )
            got = np.take(pulled[position], number, axis=stack)
            if number == PLACE:
                observed.hold_between(observed.decided(i, got), place.within[i], what, "is not allowed")
                continue
            expected = alone[number][position]
            size = np.abs(expected).max(initial=1).astype(np.longdouble)
            allowed = np.full(expected.shape, ROUNDINGS * np.finfo(place.dtype).eps * size)
            hold_close(
                got, expected, allowed, f"{what}, beside {place.point.key}, is not that of the row alone"
            )


@check("point", "E9", "over-axes", has_floor=True)
def gradient_is_fair_over_several_axes(observed: PointObservation) -> None:
    """A special point of a reduction, laid out along two axes that are reduced together, kept or not, has a gradient in its range."""
    if any(is_wrong_alone(observed, i) for i in observed.wrt):
        raise NotThisCase("the gradient itself is not allowed there")
    backend, place = observed.backend, observed.place
    (x,), parameters = place.operands, place.point.parameters
    for shape, axis in (((1, len(x)), (0, 1)), ((len(x), 1), (-1, 0))):
        for kept in (False, True) if "keepdims" in parameters else (None,):
            given = {**parameters, "axis": axis} | ({} if kept is None else {"keepdims": kept})
            traced = backend.trace(backend.call(place.point.op, given), [x.reshape(shape).copy()])
            shapes = [plain(backend, output).shape for output in traced.outputs]
            if any(math.prod(s) != 1 for s in shapes):
                raise Violation(f"the value over axis={axis}, keepdims={kept}, has shape {shapes[0]}")
            (got,) = traced.pull([backend.array(place.cotangent(()).reshape(s)) for s in shapes])
            values = np.zeros(shape, x.dtype) if got is None else plain(backend, got)
            what = f"the gradient of its operand as one of shape {shape}, over axis={axis}, keepdims={kept},"
            if values.shape != shape:
                raise Violation(f"{what} has shape {values.shape}")
            observed.hold_between(
                observed.decided(0, values.reshape(x.shape)), place.within[0], what, "is not allowed"
            )


def _rows(observed: PointObservation) -> list[Sequence[Array]]:
    """Ordinary operands, the point, and ordinary operands."""
    op, rng, given = find(observed.point.op), np.random.default_rng(0), observed.place.operands
    domains = [op.domain(i) for i in range(len(given))]
    shapes = [x.shape for x in given]
    others = [operands(domains, shapes, observed.place.dtype, TEXTURES[0], rng) for _ in range(ROWS - 1)]
    return [others[0], given, others[1]]


def _along(parameters: Mapping[str, Any], axis: int) -> dict[str, Any]:
    """Those of the point, along one axis of two; a mask of its entries is of every row's."""
    changed: dict[str, Any] = {"axis": axis} if "axis" in parameters else {}
    masks = {
        name: mask
        for name, mask in parameters.items()
        if isinstance(mask, list) and np.asarray(mask).dtype == bool
    }
    if axis == 0:
        changed |= {name: np.expand_dims(mask, -1).tolist() for name, mask in masks.items()}
    return {**parameters, **changed}


def _pulled(
    observed: PointObservation,
    arrays: Sequence[Array],
    parameters: Mapping[str, Any],
    stack: int | None = None,
) -> list[Array]:
    """The engine's gradients for the point's cotangent, which each row has where they are stacked along an axis."""
    backend, place = observed.backend, observed.place
    traced = backend.trace(
        backend.call(place.point.op, parameters), [np.array(x) for x in arrays], observed.wrt
    )
    cotangents = []
    for output in traced.outputs:
        shape = list(plain(backend, output).shape)
        if stack is not None:
            if not shape or shape[stack] != ROWS:
                raise Violation(
                    f"the value of {ROWS} rows, of which one is {place.point.key}, has shape {tuple(shape)}"
                )
            shape.pop(stack)
        observed.hold_fits(tuple(shape))
        g = place.cotangent(tuple(shape))
        cotangents.append(g if stack is None else np.stack([g] * ROWS, axis=stack))
    pulled = traced.pull([backend.array(g) for g in cotangents])
    return [
        np.zeros_like(arrays[i]) if g is None else plain(backend, g)
        for i, g in zip(observed.wrt, pulled, strict=True)
    ]
