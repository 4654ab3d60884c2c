"""Chapter E: accuracy in half precision."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conformance.backend import Backend
from conformance.case import Case
from conformance.checks.comparison import Comparison, hold_within
from conformance.checks.engine_calls import require_offered
from conformance.checks.observation import Observation, Oracle, hold_gradients
from conformance.checks.registry import NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.dtype import BFLOAT16, HALF
from conformance.errors import Unsupported, Violation
from conformance.ops import find
from conformance.ops.names import ADD, MATMUL

# A sum of equal terms, added one by one, stops growing after 2048 terms in float16 and after 256 in bfloat16.
MANY = 4096


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
    return compared


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
    """Calls whose gradients are long sums of equal terms: of a broadcast operand, and in a matrix product."""
    narrow = [dtype for dtype in engine.dtypes if dtype in HALF]
    if not narrow:
        raise Unsupported(f"{engine.engine} declares no gradients in half precision")
    term = sample.rng.integers(1, 13) * sample.rng.choice((-0.25, 0.25))
    for dtype in narrow:
        for op, shapes in ((ADD, ((MANY,), ())), (MATMUL, ((MANY, 1), (1, 1)))):
            operands = tuple(np.ones(shape, dtype) for shape in shapes)
            yield Case(op, operands, {}, (np.full(shapes[0], term, dtype),), ("C",) * 3, dtype)
