"""Chapter E: accuracy in half precision, of reverse and of forward mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, as_tuple
from conformance.case import Array, Case
from conformance.checks.comparison import (
    Comparison,
    decides,
    hold_all_within,
    hold_close,
    hold_within,
    tolerances,
)
from conformance.checks.e_values.forward_mode import forward_mode_is_the_transpose_of_reverse_mode
from conformance.checks.engine_calls import one_sample_in_four, require_offered
from conformance.checks.members import Member, is_right_alone, members
from conformance.checks.observation import Observation, Oracle, hold_gradients, plain
from conformance.checks.registry import NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.dtype import BFLOAT16, HALF, finfo, is_inexact
from conformance.errors import Unsupported, Violation, text_of
from conformance.op import Op, Shift, Trait
from conformance.ops import CATALOGUE, find
from conformance.ops.names import ADD, MATMUL, MEAN, SUM
from conformance.oracle.allowance import MANY_PERTURBATIONS, Expected, expected_values
from conformance.oracle.uncertainty import beyond_doubt
from conformance.points import SPECIAL_POINTS
from conformance.points.point import Nature

# A sum of equal terms, added one by one, stops growing after 2048 terms in float16 and after 256 in bfloat16.
MANY = 4096
CLEAR = 8  # times what is allowed: where rounding leaves less of every entry, nothing is decided
# Ops and shapes of operands; of the second operand the gradient is a sum along one axis, along several around one that stays, and of products.
LONG = (
    (ADD, ((MANY,), ())),
    (ADD, ((2, 3, MANY // 16, 8), (3, 1, 1))),
    (MATMUL, ((MANY, 1), (1, 1))),
)
UPSTREAM = -2  # the gradient of what the tied entries are reduced to
TIED = 70_001  # more than float16 has; an odd number, so that one of them is in the middle


# A few signatures in bfloat16: it rounds as float16 does, to fewer digits, and engines compile each signature again.
@op_check("E15", "half-precision", dtypes=HALF, sparing_in=frozenset({BFLOAT16.name}), is_diagnosed=True)
def half_precision_gradient_is_as_accurate_as_the_textbook_rule(seen: Observation) -> list[Comparison]:
    """In half precision the gradient is as accurate as the textbook rule computed in half precision."""
    require_offered(seen)
    compared = hold_gradients(seen)
    undecided = 0
    for position, (got, expected) in enumerate(zip(seen.answer.gradients, seen.expected, strict=True)):
        undecided += bool(expected.allowed.size) and bool(np.isinf(expected.allowed).all())
        if got is not None and got.dtype != seen.case.operands[seen.wrt[position]].dtype:
            raise Violation(f"{seen.label(position)} has dtype {got.dtype}, its operand {seen.case.dtype}")
    if undecided == len(seen.expected):
        raise NotThisCase(f"the textbook rule overflows {seen.case.dtype} everywhere here")
    if any(_is_blurred(expected) for expected in seen.expected):
        raise NotThisCase(
            f"the textbook rule of a gradient has hardly a digit left in {seen.case.dtype} here"
        )
    return compared


@op_check("E15", "half-precision-value", dtypes=HALF, sparing_in=frozenset({BFLOAT16.name}))
def half_precision_value_is_as_accurate_as_the_textbook_formula(seen: Observation) -> list[Comparison]:
    """In half precision the value is as accurate as the reference computed in half precision."""
    require_offered(seen)
    if not _keeps_precision(seen.op, seen.case):
        raise NotThisCase("the call names the precision of its value")
    values = seen.forward()
    allowed = expected_values(seen.op, seen.case, perturbations=seen.perturbations)
    if all(np.isinf(expected.allowed).all() for expected in allowed):
        raise NotThisCase(f"the reference overflows {seen.case.dtype} everywhere here")
    if any(_is_blurred(expected) or _is_flat(expected) for expected in allowed):
        raise NotThisCase(
            f"the reference has hardly a digit left in {seen.case.dtype} here, or its entries are alike"
        )
    return hold_all_within(
        ((got, expected, "the value") for got, expected in zip(values, allowed, strict=True)),
        claim="differs from the reference value",
    )


def _is_blurred(expected: Expected) -> bool:
    """Whether there are gradients other than zero, each of them allowed an error of nearly its own size."""
    size = np.abs(expected.exact)
    return bool((size > 0).any()) and not (expected.allowed * CLEAR < size).any()


def _keeps_precision(op: Op, case: Case) -> bool:
    """Whether the reference's values are as precise as its operands, whatever these are."""
    return all(
        np.asarray(z).dtype == dtype
        for dtype in (np.float32, np.float64)
        for z in as_tuple(
            op.reference(
                *(x.astype(dtype) if is_inexact(x.dtype) else x for x in case.operands), **case.parameters
            )
        )
    )


def _is_flat(expected: Expected) -> bool:
    """Whether there are several entries, and none differs from another by more than is allowed of both."""
    if expected.exact.size < 2 or np.isnan(expected.exact).any():
        return False
    return bool(np.ptp(expected.exact) <= 2 * expected.allowed.max())


def half_precisions(engine: Backend) -> list[str]:
    """Those that an engine declares; Unsupported where it declares none."""
    narrow = [dtype for dtype in engine.dtypes if dtype in HALF]
    if not narrow:
        raise Unsupported(f"{engine.engine} declares no gradients in half precision")
    return narrow


@contract("E15", "long-sum")
def long_sum_is_as_accurate_as_the_textbook_rule(engine: Backend, sample: Sample) -> list[Comparison]:
    """In half precision a gradient that adds up thousands of entries is as accurate as the textbook rule."""
    compared = []
    for case in _long_sums(engine, sample):
        seen = Observation(engine, Oracle(find(case.op), case))
        require_offered(seen)
        for position, (got, expected) in enumerate(zip(seen.answer.gradients, seen.expected, strict=True)):
            compared.append(hold_within(got, expected, f"{seen.label(position)} of {case.label}"))
    return compared


def _long_sums(engine: Backend, sample: Sample) -> Iterator[Case]:
    """Calls whose gradients are long sums of equal terms: of a broadcast operand, along one axis and several, and in a matrix product."""
    term = sample.rng.integers(1, 13) * sample.rng.choice((-0.25, 0.25))
    for dtype in half_precisions(engine):
        for op, shapes in LONG:
            operands = tuple(np.ones(shape, dtype) for shape in shapes)
            yield Case(op, operands, {}, (np.full(shapes[0], term, dtype),), ("C",) * 3, dtype)


@contract("E15", "long-sum-value")
def value_of_a_long_sum_is_as_accurate_as_the_reference(engine: Backend, sample: Sample) -> list[Comparison]:
    """In half precision a sum, a mean and a product of matrices that add up thousands of entries have the reference's value.

    What a mean adds up is larger than the type's largest number; the mean is not.
    """
    narrow = half_precisions(engine)
    compared, term = [], sample.rng.integers(1, 13) * sample.rng.choice((-0.25, 0.25))
    for dtype in narrow:
        row = np.full((1, MANY), term, dtype)
        column = np.full((MANY, 1), 0.25, dtype)
        along: dict[str, Any] = {"axis": -1, "keepdims": False}
        calls: tuple[tuple[str, tuple[Array, ...], dict[str, Any]], ...] = (
            (SUM, (row,), along),
            (MATMUL, (row, column), {}),
        )
        for name, operands, parameters in calls:
            if name not in engine.ops:
                continue
            case = Case(name, operands, parameters, (), ("C",) * len(operands), dtype)
            function = engine.call(name, parameters)
            (value,) = engine.forward(function, [np.array(x) for x in operands])
            (expected,) = expected_values(find(name), case)
            compared.append(hold_within(plain(engine, value), expected, f"the value of {case.label}"))
        if MEAN in engine.ops:
            large = 64 * row
            (value,) = engine.forward(engine.call(MEAN, along), [np.array(large)])
            allowed = np.full(1, CLEAR * float(finfo(dtype).eps) * np.abs(large.astype(np.longdouble)).max())
            what = f"the mean of {MANY} equal entries in {dtype}"
            hold_close(plain(engine, value), large[:, 0], allowed, what)
    return compared


@contract("E15", "many-ties")
def gradients_of_many_ties_sum_to_the_upstream(engine: Backend, sample: Sample) -> None:
    """In half precision the gradients of 70 000 tied entries have the sign of the upstream one and sum to it."""
    one_sample_in_four(sample)
    ties = [
        Observation(engine, Oracle(op, _all_tied(op.name, dtype)))
        for op in CATALOGUE.values()
        for dtype in engine.dtypes
        if _routes(op) and op.name in engine.ops and dtype in HALF
    ]
    if not ties:
        raise Unsupported(f"{engine.engine} declares no order statistic in half precision")
    for seen in ties:
        require_offered(seen)
        (weights,) = map(np.asarray, seen.answer.gradients)
        # Each weight is rounded, those below the normal numbers to a multiple of the least of them.
        limits = finfo(seen.case.dtype)
        allowed = 4 * abs(UPSTREAM) * float(limits.eps) + TIED * float(limits.smallest_subnormal)

        def is_fair(
            altered: Callable[[Array], Array], given: Array = weights, allowed: float = allowed
        ) -> bool:
            wide = np.asarray(altered(given), np.longdouble)
            return bool((wide <= 0).all() and abs(wide.sum() - UPSTREAM) <= allowed)

        tolerances.put(is_fair)
        decides(True)
        if not is_fair(np.asarray):
            raise Violation(
                f"the gradients of {TIED} tied entries in {seen.op.name} sum to "
                f"{float(np.sum(weights, dtype=np.longdouble)):.4g} in {seen.case.dtype}, not to the upstream {UPSTREAM}"
            )


def _routes(op: Op) -> bool:
    """Whether an op sends its cotangent to the entries that it selects, and it is specified what ties make of it.

    An op with further parameters selects by them a place in the order, which one of the tied entries alone has.
    """
    ties = [p for p in SPECIAL_POINTS.values() if p.op == op.name and p.nature is Nature.TIE]
    is_specified = any(not p.parameters.keys() - {"axis", "keepdims"} for p in ties)
    return is_specified and {Trait.REDUCTION, Trait.PIECEWISE_LINEAR, Shift(1)} <= op.traits


def _all_tied(op: str, dtype: str) -> Case:
    """A reduction of entries that are all equal, to one number."""
    parameters = {"axis": None, "keepdims": False}
    return Case(
        op, (np.full(TIED, 2, dtype),), parameters, (np.full((), UPSTREAM, dtype),), ("C", "C"), dtype
    )


# ---- forward mode ----------------------------------------------------------------------------------------


@contract("E2", "half-precision", Capability.FORWARD, is_wide=True)
def forward_mode_in_half_precision_is_the_transpose_of_reverse_mode(engine: Backend, sample: Sample) -> None:
    """In half precision, in any op, ⟨w, Jv⟩ = ⟨Jᵀw, v⟩, and the entries of Jv are those of the rule."""
    narrow = half_precisions(engine)
    asked = replace(sample, dtype=type_of(sample, narrow))
    count = 0
    for member in members(engine, asked, is_built=False):
        try:
            _hold_forward(Observation(engine, member.oracle))
            count += 1
        except (NotThisCase, Unsupported):
            continue
        except Exception as failure:
            if is_right_alone(engine, member) and _is_right_in_double(engine, member):
                raise Violation(f"{member}: {text_of(failure)}") from failure
    if not count:
        raise NotThisCase("the engine has none of this sample's ops")


def type_of(sample: Sample, narrow: Sequence[str]) -> str:
    """The type that a sample has: the next sample has another one, and so has the next of the same ops, as PARTS is odd."""
    return narrow[sample.seed % len(narrow)]


def _is_right_in_double(engine: Backend, member: Member) -> bool:
    """Whether the same call in double precision has its tangents; the checks of the op report where it has not."""
    case = member.case
    wide = [
        tuple(x.astype("float64") if is_inexact(x.dtype) else x for x in arrays)
        for arrays in (case.operands, case.cotangents)
    ]
    call = replace(case, operands=wide[0], cotangents=wide[1], dtype="float64")
    try:
        _hold_forward(Observation(engine, Oracle(member.op, call)))
    except Exception:
        return False
    return True


def _hold_forward(seen: Observation) -> None:
    """Claim the relation; many perturbations are tried before an engine is called wrong."""
    require_offered(seen)
    try:
        forward_mode_is_the_transpose_of_reverse_mode(seen)
    except Violation as failure:
        if failure.error is None or failure.error > beyond_doubt(seen.case.dtype):
            raise
        forward_mode_is_the_transpose_of_reverse_mode(seen.with_perturbations(MANY_PERTURBATIONS))
