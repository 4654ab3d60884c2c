"""Chapter E: gradients of reductions under equivalent parameters, and those of long rows whose rules cost their square."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, hold_close, hold_close_within_either, hold_within
from conformance.checks.engine_calls import require_offered
from conformance.checks.observation import Observation, Oracle
from conformance.checks.registry import NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.op import Op, Trait
from conformance.ops import find
from conformance.ops.names import CUMMAX, CUMULATIVE_PROD, LOGCUMSUMEXP, PROD
from conformance.oracle.allowance import expected_values

ROWS = ((1100,), (131, 2))  # longer than a block of threads, and than a warp; along the first axis


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

        def derived(position: int = position, own: Array = expected.allowed) -> Array:
            """What each of the two calls is allowed: their sums are taken in other orders."""
            return own + seen.allowed_for(parameters=other, cotangents=reshaped)[position]

        hold_close_within_either(again.gradients[position], first, 2 * expected.allowed, derived, what)


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


@contract("E1", "long-rows")
def long_rows_have_the_gradient_of_the_rule(engine: Backend, sample: Sample) -> list[Comparison]:
    """Along rows longer than a block of threads products and running products, sums and maxima have the rule's values and gradients."""
    compared = []
    for case in _long_rows(engine, sample):
        seen = Observation(engine, Oracle(find(case.op), case))
        require_offered(seen)
        for value, expected in zip(seen.answer.outputs, expected_values(seen.op, case), strict=True):
            compared.append(hold_within(value, expected, f"the value of {case.label}"))
        for position, (got, expected) in enumerate(zip(seen.answer.gradients, seen.expected, strict=True)):
            compared.append(hold_within(got, expected, f"{seen.label(position)} of {case.label}"))
    return compared


def _long_rows(engine: Backend, sample: Sample) -> Iterator[Case]:
    """Calls of numbers near 1, whose products stay near it, all of them distinct; in a product one is zero."""
    named = [name for name in (CUMULATIVE_PROD, LOGCUMSUMEXP, CUMMAX, PROD) if name in engine.ops]
    if not named:
        raise Unsupported("the adapter names no product, and no running one, sum or maximum")
    for name in named:
        for shape in ROWS[-1:] if engine.compiles_signatures else ROWS:
            spread = sample.rng.permutation(np.linspace(-1, 1, int(np.prod(shape)))).reshape(shape)
            x = np.exp(spread / 8).astype(sample.dtype)
            if name == PROD:
                x[(len(x) // 2, *[0] * (x.ndim - 1))] = 0  # beside it every product of the others is zero
            parameters = {"axis": 0} | ({"keepdims": False} if name == PROD else {})
            g = sample.array(np.shape(find(name).reference(x, **parameters)))
            yield Case(name, (x,), parameters, (g,), ("C",) * 2, sample.dtype)
