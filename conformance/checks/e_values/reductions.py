"""Chapter E: gradients of reductions under equivalent parameters, those of long rows whose rules cost their square, and of many entries."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, hold_close, hold_close_within_either, hold_within
from conformance.checks.engine_calls import require_offered
from conformance.checks.members import ops_of
from conformance.checks.observation import Observation, Oracle
from conformance.checks.registry import NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.design.rows import Row, rows_of
from conformance.errors import Unsupported, Violation
from conformance.op import Op, Signature, Trait
from conformance.ops import find
from conformance.ops.names import CUMMAX, CUMULATIVE_PROD, CUMULATIVE_SUM, LOGCUMSUMEXP, NANPROD, PROD
from conformance.oracle.allowance import expected_values
from conformance.strategies.cases import build

MANY, FEWER = (4097, 5000), (1025, 4097)  # entries: at least, and fewer than
HAS_FEWER = 1 / 4  # of ops: a path for lengths between may be wrong alone
FEW = (24, 25)  # entries
OF_ANY_LENGTH = frozenset(
    {Trait.ELEMENTWISE, Trait.REDUCTION, Trait.LOSS, Trait.ORDER_INVARIANT, Trait.ORDER_EQUIVARIANT}
)
ROWS = ((1100,), (131, 2))  # longer than a block of threads, and than a warp; along the first axis
BOTH = (1100, 2)  # in place of the first, of engines to which a shape costs a compilation


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
    value = seen.op.reference(*seen.case.operands, **other)
    outputs = value if seen.op.has_several_outputs else (value,)
    reshaped = [g.reshape(np.shape(z)) for g, z in zip(seen.case.cotangents, outputs, strict=True)]
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
    along = (CUMULATIVE_PROD, CUMULATIVE_SUM, LOGCUMSUMEXP, CUMMAX, PROD)
    named = [name for name in along if name in engine.ops]
    if not named:
        raise Unsupported("the adapter names no product, and no running one, sum or maximum")
    for name in named:
        for shape in (BOTH, ROWS[-1]) if engine.compiles_signatures else ROWS:
            spread = sample.rng.permutation(np.linspace(-1, 1, int(np.prod(shape)))).reshape(shape)
            x = np.exp(spread / 8).astype(sample.dtype)
            if name == PROD:
                x[(len(x) // 2, *[0] * (x.ndim - 1))] = 0  # beside it every product of the others is zero
            parameters = {"axis": 0} | ({"keepdims": False} if name == PROD else {})
            g = sample.array(np.shape(find(name).reference(x, **parameters)))
            yield Case(name, (x,), parameters, (g,), ("C",) * 2, sample.dtype)


@contract("E1", "many-entries", is_wide=True)
def many_entries_have_the_gradient_of_the_rule(engine: Backend, sample: Sample) -> None:
    """An op of one axis with thousands of entries, a number that no block divides, has the rule's values and gradients."""
    count = 0
    for op in ops_of(engine, sample):
        oracle = _oracle_of_many_entries(op, sample.seed, sample.dtype)
        if oracle is None:
            continue
        seen = Observation(engine, oracle)
        try:
            _hold(seen)
            count += 1
        except (NotThisCase, Unsupported):
            continue
        except (
            Exception
        ) as failure:  # what the engine gets wrong, or refuses, of few as well, the checks of the op report
            if _is_wrong_for_many(seen, failure):
                raise
    if not count:
        raise NotThisCase("the engine has no such op of this sample")


def _hold(seen: Observation) -> None:
    """Claim that the values and the gradients are those of the rule."""
    for value, expected in zip(seen.answer.outputs, expected_values(seen.op, seen.case), strict=True):
        hold_within(value, expected, f"the value of {seen.case.label}")
    for position, (got, expected) in enumerate(zip(seen.answer.gradients, seen.expected, strict=True)):
        hold_within(got, expected, f"{seen.label(position)} of {seen.case.label}")


def _is_wrong_for_many(seen: Observation, failure: Exception) -> bool:
    """Whether an even and an odd number of the entries, from the worst one on, have another answer, a right one: their number is what is wrong."""
    size = seen.case.operands[0].size
    first, is_one_of_many = 0, False
    if isinstance(failure, Violation) and failure.allowed is not None and np.shape(failure.got) == (size,):
        is_one_of_many = True
        errors = np.abs(np.subtract(failure.got, failure.expected)) / failure.allowed
        first = int(np.argmax(np.nan_to_num(errors, nan=np.inf)))
    for count in FEW:
        places = np.arange(first, first + count) % size
        xs = tuple(x[places] for x in seen.case.operands)
        gs = tuple(g[places] if g.shape == (size,) else g for g in seen.case.cotangents)
        few = Observation(seen.backend, Oracle(seen.op, replace(seen.case, operands=xs, cotangents=gs)))
        try:
            _hold(few)
        except Exception:  # the checks of the op report it
            return False
        if is_one_of_many and _has_same_answers(seen, first, few):
            return False
    return True


def _has_same_answers(seen: Observation, place: int, few: Observation) -> bool:
    """Whether an entry has the answers, to rounding, that it has as the first of few: then it is no worse there, and hard to allow for."""
    rounding = 32 * np.finfo(seen.case.dtype).eps
    pairs = zip(
        (*seen.answer.outputs, *seen.answer.gradients),
        (*few.answer.outputs, *few.answer.gradients),
        strict=True,
    )
    return all(
        np.isclose(many[place], alone[0], rtol=rounding, atol=0, equal_nan=True)
        for many, alone in pairs
        if many is not None
        and alone is not None
        and np.size(many) > place
        and np.ndim(many) == np.ndim(alone) == 1
    )


@lru_cache(maxsize=256)  # what is expected of thousands of entries takes longer than an engine's answer
def _oracle_of_many_entries(op: Op, seed: int, dtype: str) -> Oracle | None:
    case = _of_many_entries(op, Sample(seed, dtype))
    return None if case is None else Oracle(op, case)


def _of_many_entries(op: Op, sample: Sample) -> Case | None:
    """A call of operands that are one axis, made long; None where the op has none, or what it computes overflows."""
    if op.traits.isdisjoint(OF_ANY_LENGTH) or op.name in (PROD, NANPROD):
        return None
    rows = [
        row for row in rows_of(op) if row.wrt is None and row.can_decide and _may_be_longer(row.signature)
    ]
    if not rows:
        return None
    rng = np.random.default_rng([sample.seed, zlib.crc32(op.name.encode())])
    signature = rows[int(rng.integers(len(rows)))].signature
    shape = (int(rng.integers(*(FEWER if rng.random() < HAS_FEWER else MANY))),)
    longer = Signature(
        tuple(shape for _ in signature.shapes), signature.parameters, domains=signature.domains
    )
    seed = int(rng.integers(1 << 31))
    case = build(op, Row(longer), sample.dtype, texture="full", upstream="signed", layouts=("C",), seed=seed)
    return case if np.isfinite(op.reference(*case.operands, **case.parameters)).all() else None


def _may_be_longer(signature: Signature) -> bool:
    """Whether its operands are one axis, and no parameter says something of each entry."""
    is_one_axis = {len(shape) for shape in signature.shapes} == {1} and len(set(signature.shapes)) == 1
    return is_one_axis and not any(isinstance(value, list) for value in signature.parameters.values())
