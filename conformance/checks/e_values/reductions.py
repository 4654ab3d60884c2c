"""Chapter E: gradients of reductions under equivalent parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.checks.comparison import hold_close
from conformance.checks.observation import Observation
from conformance.checks.registry import NotThisCase, op_check
from conformance.errors import Violation
from conformance.op import Op, Trait


def _is_reduction(op: Op) -> bool:
    return Trait.REDUCTION in op.traits


@op_check("E20", "axis-forms", applies=_is_reduction, once_per_signature=True, calls_anew=True)
def axis_spelling_does_not_matter(seen: Observation) -> None:
    """An equivalent axis, or keepdims, does not change a reduction's gradient."""
    shape = seen.case.operands[0].shape
    parameters = dict(seen.case.parameters)
    axis = parameters["axis"]
    other = {**parameters, "axis": _respelled(axis, len(shape))}
    if "keepdims" in parameters:
        other["keepdims"] = not parameters["keepdims"]
    output = np.shape(seen.op.reference(*seen.case.operands, **other))
    reshaped = [g.reshape(output) for g in seen.case.cotangents]
    again = seen.vjp(parameters=other, cotangents=reshaped)
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


@op_check("E21", "loss-reductions", applies=_is_loss, once_per_signature=True, calls_anew=True)
def mean_is_sum_over_count(seen: Observation) -> None:
    """A loss's gradient under mean is that under sum divided by the count; that under sum is that of the terms."""
    parameters = dict(seen.case.parameters)
    terms = np.shape(seen.op.reference(*seen.case.operands, **{**parameters, "reduction": "none"}))
    count = int(np.prod(terms))
    if not count:
        raise NotThisCase("the mean of no term has no gradient")
    upstream = np.asarray(3.0, seen.case.dtype)
    calls: dict[str, dict[str, Any]] = {
        reduction: {"parameters": {**parameters, "reduction": reduction}, "cotangents": [cotangent]}
        for reduction, cotangent in (
            ("none", np.full(terms, upstream)),
            ("sum", upstream),
            ("mean", upstream),
        )
    }
    answers = {reduction: seen.vjp(**call) for reduction, call in calls.items()}
    own = {reduction: seen.allowed_for(**call) for reduction, call in calls.items()}
    for position, _ in enumerate(seen.wrt):
        none, summed, mean = (answers[r].gradients[position] for r in ("none", "sum", "mean"))
        if none is None or summed is None or mean is None:
            raise Violation(f"{seen.label(position)} was dropped under some reduction")
        of_none, of_sum, of_mean = (own[r][position] for r in ("none", "sum", "mean"))
        hold_close(
            summed, none, of_none + of_sum, f"{seen.label(position)} under sum is not that of the terms"
        )
        what = f"{seen.label(position)} under mean is not that under sum over {count}"
        hold_close(mean * count, summed, count * of_mean + of_sum, what)
