"""Chapter E: the values of gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import as_tuple
from conformance.checks.observation import Observation, hold_close, hold_equal, hold_within
from conformance.checks.registry import NotThisCase, op_check
from conformance.errors import Violation
from conformance.op import Op, Trait
from conformance.oracle.allowance import expected_values


@op_check("E1", "vjp", is_diagnosed=True)
def gradient_is_the_rules(seen: Observation) -> tuple[float, float]:
    """The VJP equals the rule within the allowed error."""
    worst = (0.0, 0.0)
    for position, (got, expected) in enumerate(zip(seen.answer.gradients, seen.expected, strict=True)):
        worst = max(worst, hold_within(got, expected, seen.label(position)))
    return worst


@op_check("E22", "value")
def value_is_the_references(seen: Observation) -> None:
    """The value equals the reference within the allowed error."""
    plainly = as_tuple(seen.op.reference(*seen.case.operands, **seen.case.parameters))
    allowed = expected_values(seen.op, seen.case, perturbations=seen.perturbations)
    for got, expected, plain in zip(seen.answer.outputs, allowed, plainly, strict=True):
        hold_within(got, expected, "the value", claim="is not the reference's")
        if got.dtype != np.asarray(plain).dtype:
            raise Violation(f"the value has dtype {got.dtype}, the reference's {np.asarray(plain).dtype}")


def _has_several_arrays(op: Op) -> bool:
    return Trait.ELEMENTWISE in op.traits and len(op.domains) > 1


@op_check("E8", "broadcasting", applies=_has_several_arrays, once_per_signature=True)
def broadcast_gradient_is_the_sum(seen: Observation) -> None:
    """The gradient of a broadcast operand is the sum over the axes along which it was broadcast."""
    full = np.broadcast_shapes(*(x.shape for x in seen.case.operands))
    if all(x.shape == full for x in seen.case.operands):
        raise NotThisCase("no operand is broadcast")
    copied = seen.ask(operands=[np.array(np.broadcast_to(x, full)) for x in seen.case.operands])
    for position, index in enumerate(seen.wrt):
        shape = seen.case.operands[index].shape
        if copied.gradients[position] is None:
            raise Violation(f"{seen.label(position)} was dropped for the copied operand")
        summed = _summed_to(copied.gradients[position], shape)
        allowed = 2 * seen.expected[position].allowed
        what = f"{seen.label(position)} is not the sum of the copies' gradients"
        hold_close(seen.answer.gradients[position], summed, allowed, what)


def _summed_to(gradient: Any, shape: tuple[int, ...]) -> Any:
    extra = gradient.ndim - len(shape)
    axes = tuple(a for a in range(gradient.ndim) if a < extra or shape[a - extra] == 1)
    return gradient.sum(axis=axes).reshape(shape)


@op_check("E17", "repeatable")
def same_call_gives_the_same_bits(seen: Observation) -> None:
    """The same call twice gives bit-equal gradients."""
    again = seen.ask()
    for position, (first, second) in enumerate(zip(seen.answer.gradients, again.gradients, strict=True)):
        if first is not None:
            hold_equal(second, first, f"{seen.label(position)} differs between two equal calls")


def _is_reduction(op: Op) -> bool:
    return Trait.REDUCTION in op.traits


@op_check("E20", "axis-forms", applies=_is_reduction, once_per_signature=True)
def axis_spelling_does_not_matter(seen: Observation) -> None:
    """An axis spelled otherwise, and keepdims, leave a reduction's gradient as it is."""
    shape = seen.case.operands[0].shape
    parameters = dict(seen.case.parameters)
    axis = parameters["axis"]
    other = {**parameters, "axis": _respelled(axis, len(shape))}
    if "keepdims" in parameters:
        other["keepdims"] = not parameters["keepdims"]
    output = np.shape(seen.op.reference(*seen.case.operands, **other))
    reshaped = [g.reshape(output) for g in seen.case.cotangents]
    again = seen.ask(parameters=other, cotangents=reshaped)
    for position, expected in enumerate(seen.expected):
        first = seen.answer.gradients[position]
        if first is None:
            raise NotThisCase("the engine gives no gradient here")
        what = f"{seen.label(position)} changes when axis={axis!r} is written {other['axis']!r}"
        hold_close(again.gradients[position], first, 2 * expected.allowed, what)


def _respelled(axis: Any, ndim: int) -> Any:
    if axis is None:
        return tuple(range(ndim))
    if isinstance(axis, int):
        return axis - ndim if axis >= 0 else axis + ndim
    return tuple(a - ndim if a >= 0 else a + ndim for a in reversed(axis))


def _is_loss(op: Op) -> bool:
    return Trait.LOSS in op.traits


@op_check("E21", "loss-reductions", applies=_is_loss, once_per_signature=True)
def mean_is_sum_over_count(seen: Observation) -> None:
    """A loss's gradient under mean is that under sum over the count, which is that of its terms."""
    parameters = dict(seen.case.parameters)
    terms = np.shape(seen.op.reference(*seen.case.operands, **{**parameters, "reduction": "none"}))
    count = int(np.prod(terms))
    if not count:
        raise NotThisCase("the mean of no term has no gradient")
    one = np.asarray(3.0, seen.case.dtype)
    answers = {
        reduction: seen.ask(parameters={**parameters, "reduction": reduction}, cotangents=[cotangent])
        for reduction, cotangent in (
            ("none", np.full(terms, one)),
            ("sum", one),
            ("mean", one),
        )
    }
    for position, _ in enumerate(seen.wrt):
        none, summed, mean = (answers[r].gradients[position] for r in ("none", "sum", "mean"))
        if none is None or summed is None or mean is None:
            raise Violation(f"{seen.label(position)} was dropped under some reduction")
        allowed = _few_ulps(none)
        hold_close(summed, none, allowed, f"{seen.label(position)} under sum is not that of the terms")
        what = f"{seen.label(position)} under mean is not that under sum over {count}"
        hold_close(mean * count, summed, allowed, what)


def _few_ulps(values: Any) -> Any:
    """Eight units in the last place of the largest entry: two gradients of one engine, rounded twice."""
    return np.full(
        values.shape, 8 * np.finfo(values.dtype).eps * np.abs(values).max(initial=1.0), np.longdouble
    )


@op_check("D10", "layout")
def layout_does_not_matter(seen: Observation) -> None:
    """How operands and cotangents lie in memory does not change the gradient."""
    if set(seen.case.layouts) == {"C"}:
        raise NotThisCase("everything lies in C order")
    lying = seen.ask(operands=seen.case.laid_out_operands(), cotangents=seen.case.laid_out_cotangents())
    for position, expected in enumerate(seen.expected):
        first = seen.answer.gradients[position]
        what = f"{seen.label(position)} changes with layouts {', '.join(seen.case.layouts)}"
        if first is not None:
            hold_close(lying.gradients[position], first, 2 * expected.allowed, what)
