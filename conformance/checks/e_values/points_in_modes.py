"""Special points in forward mode, in second order and in vectorized functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, restricted
from conformance.case import Array
from conformance.checks.comparison import decides, tolerances
from conformance.checks.observation import plain
from conformance.checks.point_observation import PointObservation, brief, is_alike
from conformance.checks.registry import NotThisCase, check
from conformance.errors import Unsupported, Violation
from conformance.op import OperandKind
from conformance.ops import find
from conformance.ops.names import ADD
from conformance.points.point import Nature
from conformance.points.second_order import second_derivatives


def of_operand(observed: PointObservation, i: int) -> Function:
    """The call as a function of one operand, the others being constants, whose zero tangents could make a NaN."""
    arrays = [observed.backend.array(np.array(x)) for x in observed.place.operands]
    return restricted(observed.function(), arrays, (i,))


def upstream(observed: PointObservation, i: int) -> list[Array]:
    """The cotangents of the outputs."""
    outputs = observed.backend.forward(of_operand(observed, i), [np.array(observed.place.operands[i])])
    return observed.upstream(outputs)


def weighed(backend: Backend, weights: Sequence[Array], arrays: Sequence[Any]) -> Any:
    """Σ ⟨weight, array⟩ over entries that are not zero, so that an infinite weight makes no NaN; None is zero."""
    total = np.longdouble(0)
    for weight, array in zip(weights, arrays, strict=True):
        if array is not None:
            values = plain(backend, array)
            if values.shape != weight.shape:
                raise Violation(f"a tangent has shape {values.shape}, its output {weight.shape}")
            is_there = values != 0
            total += np.sum(weight[is_there].astype(np.longdouble) * values[is_there])
    return total


def columns(x: Array, push: Callable[[Array], Any]) -> Array:
    """An array of x's shape: what `push` gives for the direction of each entry."""
    slopes = np.zeros(x.shape, np.longdouble)
    for place in np.ndindex(x.shape):
        direction = np.zeros_like(x)
        direction[place] = 1
        slopes[place] = push(direction)
    return slopes


def is_wrong_alone(observed: PointObservation, i: int, slope: Array | None = None) -> bool:
    """Whether the engine's gradient is not allowed, and no other than a given one; the check of the point reports it."""
    gradient = observed.gradients[i]
    if gradient.shape != observed.place.operands[i].shape:
        return True
    if slope is not None and not is_alike(slope, gradient.astype(np.longdouble), observed.rounding(gradient)):
        return False
    try:
        with tolerances():  # which are those of another question
            observed.hold_between(gradient, observed.place.within[i], "", "")
    except Violation:
        return True
    return False


# ---- forward mode -----------------------------------------------------------------------------------


def pushed(observed: PointObservation, i: int) -> Array:
    """The gradient of an operand as forward mode gives it: one tangent for each entry."""
    function, weights = of_operand(observed, i), upstream(observed, i)
    x = np.array(observed.place.operands[i])
    is_symmetric = find(observed.point.op).domain(i).kind is OperandKind.POSITIVE_DEFINITE

    def push(direction: Array) -> Any:
        if is_symmetric:  # of others the op takes only one half into account
            direction = (direction + np.swapaxes(direction, -1, -2)) / 2
        _, tangents = observed.backend.jvp(function, [np.array(x)], [direction])
        return weighed(observed.backend, weights, tangents)

    return columns(x, push)


@check("point", "E2", "forward", Capability.FORWARD, has_floor=True)
def forward_mode_is_fair_at_special_points(observed: PointObservation) -> None:
    """In forward mode, too, the slope at a special point is in the range that it allows, and is the one of reverse mode."""
    if observed.point.nature is Nature.BORDER:
        _hold_border(observed)
        return
    slopes = {i: pushed(observed, i) for i in observed.wrt}
    for i, slope in slopes.items():
        if is_wrong_alone(observed, i, slope):
            raise NotThisCase("the gradient itself is not allowed there")
        is_excused = np.isnan(slope) & _meets_infinity(observed, i)
        interval = observed.place.within[i]
        got = np.where(is_excused & (interval is not None), 0 if interval is None else interval[0], slope)
        observed.hold_between(got, interval, f"the slope along operand {i}", "is not allowed in forward mode")
    observed.hold_total(slopes)
    for i, slope in slopes.items():
        _hold_reverse(observed, i, slope)


def _hold_reverse(observed: PointObservation, i: int, slope: Array) -> None:
    """Claim that where a point allows several gradients, the slope is the one that the engine chooses in reverse mode."""
    gradient, interval = observed.gradients[i].astype(np.longdouble), observed.place.within[i]
    is_choice = observed.point.nature in (Nature.KINK, Nature.TIE)  # elsewhere a range is what rounding makes
    if not is_choice or interval is None or is_wrong_alone(observed, i):
        return
    is_open = (interval[0] < interval[1]) & ~np.isnan(slope)
    here, there, rounding = slope[is_open], gradient[is_open], observed.rounding(gradient)[is_open]
    decides(is_open.any())
    tolerances.put(lambda altered: is_alike(altered(slope)[is_open], there, rounding))
    if not is_alike(here, there, rounding):
        raise Violation(
            f"the slope along operand {i} at {observed.point.key} is {brief(slope)} in forward mode, and {brief(gradient)} "
            f"in reverse mode: each is allowed, but one function has one Jacobian"
        )


def _meets_infinity(observed: PointObservation, i: int) -> Array:
    """The entries beside which the engine's gradient is not finite: a tangent of zero times it is NaN."""
    gradient = observed.gradients[i]
    is_infinite = ~np.isfinite(gradient)
    others: Array = np.asarray(is_infinite.sum() - is_infinite > 0)
    return others


def _hold_border(observed: PointObservation) -> None:
    """Claim of numbers that the slope is one of the named ones, the engine's in reverse mode, or NaN."""
    conventions = list(observed.place.conventions.values())
    try:
        slopes = {i: pushed(observed, i) for i in observed.wrt if not observed.place.operands[i].ndim}
        given = observed.gradients
    except (Unsupported, Violation):
        raise
    except Exception as refusal:
        raise NotThisCase(f"the engine refuses it: {refusal}") from None
    for i, slope in slopes.items():
        decides(True)
        named = [c[i] for c in conventions if c[i] is not None]
        fair = [*named, given[i].astype(np.longdouble), np.asarray(np.nan)]

        def is_fair(altered: Callable[[Array], Array], slope: Array = slope, fair: Any = fair) -> bool:
            got = altered(slope)
            return any(is_alike(got, value, observed.rounding(np.asarray(value))) for value in fair)

        tolerances.put(is_fair)
        if not is_fair(np.asarray):
            raise Violation(
                f"the slope along operand {i} at {observed.point.key} is {brief(slope)} in forward mode, which is no "
                f"convention; reverse mode gives {brief(given[i])}"
            )


# ---- second order -----------------------------------------------------------------------------------


class SecondOrder:
    """The derivative, by an operand, of its first entry's gradient."""

    def __init__(self, observed: PointObservation, i: int) -> None:
        self.observed, self.backend = observed, observed.backend
        self.function = of_operand(observed, i)
        self.x = np.array(observed.place.operands[i])
        self.weights = upstream(observed, i)
        self.direction = np.zeros_like(self.x)
        self.direction[(0,) * self.x.ndim] = 1

    def gradient(self, a: Any) -> Any:
        """The gradient, recorded; None for one that is zero."""
        given = [self.backend.array(np.array(g)) for g in self.weights]
        return self.backend.nested_vjp(self.function, [a], given)[0]

    def tangents(self, a: Any) -> Any:
        """The outputs' tangents along the direction, recorded."""
        return self.backend.nested_jvp(self.function, [a], [self.backend.array(np.array(self.direction))])

    def by_reverse(self, function: Function, weights: Sequence[Array]) -> Array:
        """The gradient of several arrays, each with its cotangent.

        To each a leaf of zeros is added: an engine may refuse the gradient of an array that depends on nothing.
        """
        add = self.backend.op(ADD)

        def shifted(a: Any, *zeros: Any) -> Any:
            sums = [c if z is None else add(z, c) for z, c in zip(function(a), zeros, strict=True)]
            return sums[0] if len(sums) == 1 else tuple(sums)

        operands = [np.array(self.x), *map(np.zeros_like, weights)]
        _, pulled = self.backend.vjp(shifted, operands, [np.array(g) for g in weights])
        return np.zeros_like(self.x) if pulled[0] is None else plain(self.backend, pulled[0])

    def reverse_over_reverse(self) -> Array:
        """The gradient of the gradient."""
        return self.by_reverse(lambda a: [self.gradient(a)], [self.direction])

    def reverse_over_forward(self) -> Array:
        """The gradient of the tangents."""
        return self.by_reverse(self.tangents, self.weights)

    def forward_over_reverse(self) -> Array:
        """The gradient's tangent, which is a row too, since the Hessian is symmetric."""
        _, (got,) = self.backend.jvp(self.gradient, [np.array(self.x)], [np.array(self.direction)])
        return np.zeros_like(self.x) if got is None else plain(self.backend, got)

    def forward_over_forward(self) -> Array:
        """The tangents' tangents, along the direction of each entry in turn."""

        def push(direction: Array) -> Any:
            _, tangents = self.backend.jvp(self.tangents, [np.array(self.x)], [direction])
            return weighed(self.backend, self.weights, tangents)

        return columns(self.x, push)


def _hold_second_order(observed: PointObservation, orders: Sequence[str]) -> None:
    """Claim that second derivatives are those that are stated, by each of some orders of the modes."""
    stated = observed.place.ranges(second_derivatives(observed.point) or ())
    refused: list[str] = []
    for i in observed.wrt:
        if stated[i] is None:
            continue
        if is_wrong_alone(observed, i):
            raise NotThisCase("the gradient itself is not allowed there")
        for order in orders:
            try:
                got = getattr(SecondOrder(observed, i), order)()
            except Unsupported as refusal:
                refused.append(str(refusal))
                continue
            claim = f"is not allowed, by {order.replace('_', ' ')}"
            observed.hold_between(got, stated[i], f"the second derivative by operand {i}", claim)
    if len(refused) == len(orders) * sum(stated[i] is not None for i in observed.wrt):
        raise Unsupported(refused[0] if refused else "the point has no operand with a second derivative")


@check("point", "E4", "second-order", Capability.HIGHER_ORDER, has_floor=True)
def second_derivative_at_special_points(observed: PointObservation) -> None:
    """At a special point the derivative of the gradient is that of the function, or between those of its two sides."""
    _hold_second_order(observed, ["reverse_over_reverse"])


@check("point", "E4", "second-order-forward", Capability.HIGHER_ORDER, Capability.FORWARD, has_floor=True)
def second_derivative_at_special_points_by_forward_mode(observed: PointObservation) -> None:
    """The same where forward mode is one of the two modes, in either order, or both."""
    _hold_second_order(observed, ["forward_over_reverse", "reverse_over_forward", "forward_over_forward"])


# ---- vectorized functions ---------------------------------------------------------------------------


@check("point", "E3", "mapped", Capability.VECTORIZING, has_floor=True)
def mapped_gradient_is_fair_at_special_points(observed: PointObservation) -> None:
    """In a function mapped over a batch of two special points each has a gradient in the range that it allows."""
    backend, place = observed.backend, observed.place
    operands = [np.stack([x, x]) for x in place.operands]
    traced = backend.trace(backend.vectorized(observed.function()), operands, observed.wrt)
    shapes = [plain(backend, z).shape for z in traced.outputs]
    for shape in shapes:
        if shape[:1] != (2,):
            raise Violation(f"the value of a batch of two has shape {shape}")
        observed.hold_fits(shape[1:])
    pulled = traced.pull([backend.array(np.stack([place.cotangent(s[1:])] * 2)) for s in shapes])
    if any(is_wrong_alone(observed, i) for i in observed.wrt):
        raise NotThisCase("the gradient itself is not allowed there")
    for row in range(2):
        for i, gradient in zip(observed.wrt, pulled, strict=True):
            got = np.zeros_like(operands[i]) if gradient is None else plain(backend, gradient)
            if got.shape != operands[i].shape:
                raise Violation(
                    f"the gradient of operand {i} of a batch has shape {got.shape}, not {operands[i].shape}"
                )
            what = f"the gradient of operand {i} in row {row} of a batch"
            observed.hold_between(observed.decided(i, got[row]), place.within[i], what, "is not allowed")
