"""Chapter E: batches of a thousand examples, long axes, and what thousands add up to in half precision.

The signatures of the design have few rows, and short ones, so that an engine whose blocks, threads or tables end at some
hundred of them is asked of more. A sum that is kept in bfloat16 stops growing after 256 equal terms, so that engines keep it
in single precision. Not every engine does in float16: NumPy adds up along an axis in the operand's own type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, hold_within
from conformance.checks.e_values.batches import are_batched, batch_of, example_of, mixes_entries, sliced
from conformance.checks.e_values.half_precision import CLEAR, MANY
from conformance.checks.engine_calls import require_offered
from conformance.checks.observation import Observation, Oracle, hold_gradients
from conformance.checks.other_calls import calls_another
from conformance.checks.registry import DOUBLE, NotThisCase, op_check
from conformance.design.rows import Row
from conformance.dtype import BFLOAT16, finfo
from conformance.op import Op, Signature
from conformance.oracle.allowance import Expected, expected_values
from conformance.strategies.cases import build

LARGEST_TOTAL = 2.0**12  # of what the terms add up to
OTHER_NUMBER = 7  # of examples, which is no size of the cases
THOUSAND = 1031  # of examples: more than a block of threads, and a number that no block divides
# Entries along an axis: more than a warp has threads, or a buffer rows, a number that no block divides. Some ops take halves,
# and of a median of an even number engines have two conventions.
ODD, EVEN = 131, 134
MOST_ENTRIES = 1 << 15  # of an operand: what is expected of more takes seconds


@op_check("E9", "thousand-examples", applies=mixes_entries, sparing=True, dtypes=DOUBLE)
@calls_another(f"of {THOUSAND} examples, drawn from those of")
def batch_of_a_thousand_has_the_gradients_of_the_rule(seen: Observation) -> list[Comparison]:
    """A batch of a thousand examples has the values and the gradients of the rule, its last examples as its first."""
    count, batched = batch_of(seen.oracle)
    rng = np.random.default_rng(count)
    if not are_batched(seen.oracle, *_drawn(seen.case, batched, np.arange(OTHER_NUMBER) % count), batched):
        raise NotThisCase("the leading axis is not a batch axis")
    operands, g = _drawn(seen.case, batched, rng.integers(count, size=THOUSAND))
    if max(x.size for x in (*operands, g)) > MOST_ENTRIES:
        raise NotThisCase(f"{THOUSAND} examples have more than {MOST_ENTRIES} entries")
    # Of another size in each row: rows that are mistaken for each other differ.
    g = g * rng.permutation(np.linspace(-2, 2, THOUSAND)).reshape(-1, *[1] * (g.ndim - 1)).astype(g.dtype)
    case = replace(
        seen.case, operands=tuple(operands), cotangents=(g,), layouts=("C",) * len(seen.case.layouts)
    )
    return _hold_all(seen, case, f"of {THOUSAND} examples")


def _has_axis(op: Op) -> bool:
    """Whether it goes along an axis, which its calls name."""
    return "axis" in op.law(lambda options: options[0]).parameters


@op_check("E1", "long-axis", applies=_has_axis, sparing=True, dtypes=DOUBLE)
@calls_another(f"along an axis of {ODD} or {EVEN} entries, otherwise like")
def along_a_long_axis_op_has_the_gradients_of_the_rule(seen: Observation) -> list[Comparison]:
    """Along an axis of more entries than a block, or a warp, has threads, values and gradients are those of the rule."""
    row, seed = Row(_lengthened(seen.case), seen.case.wrt), len(seen.case.label)
    dtype, layouts = seen.case.dtype, ("C",)
    with np.errstate(all="ignore"):
        try:
            case = build(seen.op, row, dtype, texture="full", upstream="signed", layouts=layouts, seed=seed)
        except (ValueError, IndexError, TypeError):
            raise NotThisCase("the parameters fit the length of the axis") from None
    return _hold_all(seen, case, "along a long axis")


def _lengthened(case: Case) -> Signature:
    """The shapes and parameters of a call, whose axis is long in every operand that has all of it."""
    axis, shapes = case.parameters["axis"], [x.shape for x in case.operands]
    ndim = max(map(len, shapes))
    is_named = isinstance(axis, int) and -ndim <= axis < ndim  # one that is made is none of an operand's
    sizes = {shape[axis] for shape in shapes if len(shape) == ndim} if is_named else {0}
    if max(sizes) < 2:
        raise NotThisCase("the op goes along no axis, or along one entry")
    place, length = int(axis) % ndim, ODD if max(sizes) % 2 else EVEN
    longer = [
        tuple(length if k == place and n == max(sizes) else n for k, n in enumerate(shape))
        if len(shape) == ndim
        else shape
        for shape in shapes
    ]
    return Signature(tuple(longer), case.parameters, domains=case.domains)


def _hold_all(seen: Observation, case: Case, where: str) -> list[Comparison]:
    """Claim the values and the gradients of another case."""
    long = Observation(seen.backend, Oracle(seen.op, case, seen.perturbations))
    values = expected_values(seen.op, case, perturbations=seen.perturbations)
    for value, expected in zip(long.answer.outputs, values, strict=True):
        hold_within(value, expected, f"the value {where}", "differs from the reference value")
    return hold_gradients(long)


def _drawn(case: Case, batched: Sequence[int], rows: Array) -> tuple[list[Array], Array]:
    """Operands and a cotangent of these of the case's examples."""
    return [x[rows] if i in batched else x for i, x in enumerate(case.operands)], case.cotangents[0][rows]


def _may_share(op: Op) -> bool:
    """Whether examples may share an operand: one besides that which has an example in each row."""
    return len(op.domains) > 1 and mixes_entries(op)


@op_check("E15", "long-batch", applies=_may_share, sparing=True, dtypes=frozenset({BFLOAT16.name}))
@calls_another(f"of {MANY} examples, each the first of")
def gradient_of_what_a_long_batch_shares_is_the_sum(seen: Observation) -> None:
    """In bfloat16 the gradient of what thousands of equal examples share is that of one times their number."""
    require_offered(seen)
    _, batched = batch_of(seen.oracle)
    shared = [position for position, index in enumerate(seen.wrt) if index not in batched]
    if not shared:
        raise NotThisCase("the examples share no operand")
    one = _first_example(seen.oracle, batched, shared)
    alone = Oracle(seen.op, one)
    totals = {position: _total(alone.expected[position], one.dtype) for position in shared}
    if not any((2 * total.allowed < np.abs(total.exact)).any() for total in totals.values()):
        raise NotThisCase(f"the textbook rule has hardly a digit left in {one.dtype} here")
    # An operand of two rows may go by another's second axis: that shows where its rows are not two.
    if not are_batched(alone, *_repeated(one, batched, OTHER_NUMBER), batched):
        raise NotThisCase("the leading axis is not a batch axis")
    operands, g = _repeated(one, batched, MANY)
    answer = seen.vjp(operands=operands, cotangents=[g])
    for position, total in totals.items():
        what = f"{seen.label(position)} of {MANY} equal examples in {one.dtype}"
        hold_within(answer.gradients[position], total, what, f"is not {MANY} times that of one")


def _first_example(oracle: Oracle, batched: Sequence[int], shared: Sequence[int]) -> Case:
    """The first example, its cotangent so small that the sum over all is a number of the dtype."""
    case = oracle.case
    one = replace(
        case,
        operands=tuple(sliced(case.operands, batched, 0)),
        cotangents=(example_of(case.cotangents[0], 0),),
    )
    expected = Oracle(oracle.op, one).expected
    largest = max(np.abs(expected[position].exact).max(initial=0) for position in shared)
    if not 0 < largest < np.inf:
        raise NotThisCase("what the examples share has a gradient of zero")
    # By a power of two, which rounds nothing.
    scale = 2.0 ** min(0, np.floor(np.log2(LARGEST_TOTAL / MANY / float(largest))))
    return replace(one, cotangents=((one.cotangents[0] * scale).astype(case.dtype),))


def _repeated(one: Case, batched: Sequence[int], times: int) -> tuple[list[Array], Array]:
    """Operands and a cotangent of so many examples like one."""
    operands = [np.repeat(x, times, axis=0) if i in batched else x for i, x in enumerate(one.operands)]
    return operands, np.repeat(one.cotangents[0], times, axis=0)


def _total(one: Expected, dtype: str) -> Expected:
    """What equal terms add up to: each may be off as one is, and their sum by some units of its last place."""
    exact = MANY * one.exact
    return Expected(
        exact, MANY * one.allowed + CLEAR * float(finfo(dtype).eps) * np.abs(exact), one.ulp * MANY
    )
