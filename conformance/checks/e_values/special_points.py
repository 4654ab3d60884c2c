"""Chapter E: gradients and values at special points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, as_tuple
from conformance.case import Array
from conformance.checks.comparison import decides, decides_by_refusal, differ_in_axes_of_one, tolerances
from conformance.checks.engine_calls import decline_if_declared
from conformance.checks.observation import plain
from conformance.checks.point_observation import RAISES, PointObservation, brief, first_apart, is_alike
from conformance.checks.registry import CheckFunction, NotThisCase, check
from conformance.errors import ConformanceError, Violation
from conformance.ops import find
from conformance.oracle.allowance import SAFETY_FACTOR, ULPS, extended
from conformance.points.point import TAIL, Extremes, Nature, SpecialPoint
from conformance.program import Program


def point_check(clause: str, nature: Nature) -> Callable[[CheckFunction], CheckFunction]:
    """Register the check of the special points of one nature."""
    return check("point", clause, nature.value, has_floor=True)


@point_check("E11", Nature.TIE)
def weights_at_a_tie_sum_to_one(observed: PointObservation) -> None:
    """At a tie the weights are not negative, sum to one, and are the declared ones."""
    observed.hold_fair("is not a valid weight")
    observed.hold_total()
    observed.hold_declared()


@point_check("E12", Nature.KINK)
def gradient_at_a_kink_is_a_subgradient(observed: PointObservation) -> None:
    """At a kink the gradient is in the Clarke subdifferential, and is the declared one."""
    observed.hold_fair("is outside the Clarke subdifferential")
    observed.hold_total()
    observed.hold_declared()


@point_check("E12", Nature.BORDER)
def gradient_at_a_border_is_as_declared(observed: PointObservation) -> None:
    """Where a domain ends, or the op jumps, the gradient is the declared one; the atlas reports it."""
    try:
        observed.hold_fair("is not the only valid one")
    except ConformanceError:
        raise
    except Exception as refusal:
        decline_if_declared(refusal, observed.backend, observed.point.op, observed.place.dtype)
        if observed.backend.points.get(observed.point.key, RAISES) != RAISES:
            raise Violation(f"the engine refuses {observed.point.key}: {refusal}") from refusal
        if observed.point.key not in observed.backend.points:
            raise NotThisCase("the engine refuses it, and the adapter declares nothing here") from None
        decides_by_refusal()
        return
    if observed.backend.points.get(observed.point.key) == RAISES:
        raise Violation(f"{observed.point.key} is declared to raise, but the engine gives {observed.found}")
    observed.hold_declared()


@point_check("E12", Nature.COMPOSITION)
def composition_follows_its_ops(observed: PointObservation) -> None:
    """Where a composed function is smooth, the gradient is right or is the chain rule applied to the ops' own gradients."""
    observed.hold_shapes()
    decides(any(interval is not None for interval in observed.place.within))
    if observed.is_limit:
        return
    decides(True)
    for i, chained in enumerate(by_the_chain_rule(observed.backend, observed.place.program())):
        if not is_alike(observed.gradients[i], chained, observed.rounding(chained)):
            raise Violation(
                f"the gradient of operand {i} of {observed.point.name} is neither right nor the chain rule "
                "applied to its ops' own gradients",
                expected=chained,
                got=observed.gradients[i],
            )


def by_the_chain_rule(backend: Backend, program: Program) -> list[Array]:
    """The gradients of a program's leaves by the chain rule, from the engine's own gradients of each op alone."""
    values = [np.array(x) for x in program.leaves]
    for step in program.steps:
        operands = [values[i] for i in step.inputs]
        values.append(plain(backend, backend.forward(backend.call(step.op, step.parameters), operands)[0]))
    adjoints = [np.zeros_like(x) for x in values]
    adjoints[-1] = np.array(program.cotangent)
    for number, step in reversed(list(enumerate(program.steps, start=len(program.leaves)))):
        operands, g = [values[i] for i in step.inputs], adjoints[number]
        _, pulled = backend.vjp(backend.call(step.op, step.parameters), operands, [g])
        for source, cotangent in zip(step.inputs, pulled, strict=True):
            if cotangent is not None:
                adjoints[source] = adjoints[source] + plain(backend, cotangent)
    return adjoints[: len(program.leaves)]


@point_check("E13", Nature.LIMIT)
def gradient_is_the_limit(observed: PointObservation) -> None:
    """At a removable singularity of the rule the gradient is the limit."""
    observed.hold_fair("is not the limit")


@point_check("E14", Nature.FINITE)
def gradient_at_an_extreme_is_the_true_one(observed: PointObservation) -> None:
    """At huge, subnormal and infinite operands the gradient is finite where the true one is."""
    observed.hold_shapes()
    for i, gradient in observed.gradients.items():
        if not np.isfinite(gradient).all() and observed.place.within[i] is not None:
            raise Violation(
                f"the gradient of operand {i} at {observed.point.key} is {brief(gradient)}, where the true one is finite",
                expected=observed.place.within[i][0].astype(float),  # type: ignore[index]  # just seen not to be None
                got=gradient,
            )
    observed.hold_fair("is not the true one")


@point_check("E16", Nature.MASK)
def entry_that_is_not_selected_contributes_zero(observed: PointObservation) -> None:
    """An entry that is not selected contributes zero, even if it or its cotangent is infinite or NaN."""
    observed.hold_fair("differs from that of the selection")


@point_check("E24", Nature.TAIL)
def gradient_in_a_tail_is_accurate_relatively(observed: PointObservation) -> None:
    """Where a gradient is far smaller than elsewhere, it is within 0.05 % of the true one, and is not zero."""
    observed.hold_shapes()
    for i in observed.wrt:
        interval = observed.place.within[i]
        if interval is None:
            continue
        true, got = interval[0], observed.gradients[i].astype(np.longdouble)
        decides(True)
        if not is_alike(got, true, TAIL * np.abs(true)):
            raise Violation(
                f"the gradient of operand {i} at {observed.point.key} is {brief(got, true)}, not {brief(true, got)}",
                expected=true.astype(float),
                got=observed.gradients[i],
            )


# ---- values ------------------------------------------------------------------------------------------


def _reference(op: str, parameters: Mapping[str, Any]) -> Callable[..., Any]:
    return lambda *operands: find(op).reference(*operands, **parameters)


def _evaluated(observed: PointObservation, operands: Sequence[Array]) -> list[Array]:
    """What the reference, or the references of a composition one after the other, give."""
    point = observed.point
    with np.errstate(all="ignore"):
        if point.steps:
            return [np.asarray(observed.place.program().run(_reference, operands)[-1])]
        return [np.asarray(z) for z in as_tuple(_reference(point.op, point.parameters)(*operands))]


def _rounding(expected: Array, point: SpecialPoint, dtype: str) -> Any:
    """What the point allows of its value, or a few units in the last place of the largest entry, or of one."""
    if point.value_error is not None:
        return point.value_error(Extremes(dtype)) * np.abs(expected)
    size = np.abs(expected[np.isfinite(expected)]).max(initial=1)
    return SAFETY_FACTOR * ULPS * np.finfo(dtype).eps * size


def nans_last(x: Array) -> Array:
    """A vector with its NaN behind its numbers, whose order stays."""
    return x[np.argsort(np.isnan(x), kind="stable")] if np.ndim(x) == 1 else np.asarray(x)


@point_check("E22", Nature.VALUE)
def value_at_a_special_point_is_the_references(observed: PointObservation) -> None:
    """At a special point the value is the reference's, exactly or as its formula rounds, or another that the point names; NaN and infinities included."""
    arranged = nans_last if observed.point.has_nans_anywhere else np.asarray
    operands = [np.array(x) for x in observed.place.operands]
    try:
        in_its_precision = _evaluated(observed, operands)
    except np.linalg.LinAlgError as refusal:
        raise NotThisCase(f"the reference has no value there: {refusal}") from None
    exact = _evaluated(observed, [extended(x) for x in operands])
    found = [plain(observed.backend, z) for z in observed.backend.forward(observed.function(), operands)]
    for got, *values in zip(found, exact, in_its_precision, strict=True):
        decides(bool(got.size))
        fair = [*values, *(np.asarray(z, exact[0].dtype) for z in observed.point.also)]
        pairs = [(z, _rounding(z, observed.point, observed.place.dtype)) for z in fair]

        def is_fair(
            altered: Callable[[Array], Array], given: Array = got, pairs: Sequence[tuple[Array, Any]] = pairs
        ) -> bool:
            return any(is_alike(arranged(altered(given)), *pair) for pair in pairs)

        tolerances.put(is_fair)
        if not is_fair(np.asarray):
            _hold_shape(observed, got, values[0].shape, is_fair)
            raise Violation(
                f"the value at {observed.point.key} is {brief(got, values[0])}, not {brief(values[0], got)}",
                expected=values[0].astype(values[1].dtype),
                got=got,
                where="" if observed.point.has_nans_anywhere else first_apart(got, *pairs[0]),
            )


def _hold_shape(
    observed: PointObservation,
    got: Array,
    shape: tuple[int, ...],
    is_fair: Callable[[Callable[[Array], Array]], bool],
) -> None:
    """Claim the shape of the value, where its entries are right but for that, or cannot be compared."""
    if got.shape == shape:
        return
    if not differ_in_axes_of_one(got.shape, shape) or is_fair(lambda z: z.reshape(shape)):
        raise Violation(f"the value at {observed.point.key} has shape {got.shape}, not {shape}")
