"""Chapter E: the gradient of what is copied thousands of times, in half precision (E15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.case import Array, Case
from conformance.checks.comparison import hold_close
from conformance.checks.e_values.half_precision import half_precisions
from conformance.checks.engine_calls import require_offered
from conformance.checks.observation import Observation, Oracle
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.op import Shape
from conformance.ops import find
from conformance.ops.names import BROADCAST_TO, EMBEDDING, GETITEM_INTEGER_ARRAY, REPEAT, TAKE, TILE
from conformance.oracle.allowance import Expected

# A sum of equal terms, added one by one, stops growing after 2048 terms in float16 and after 256 in bfloat16.
MANY = 4096
# A gradient is wrong by more than this part of itself where its sum stopped growing; partial sums that are each rounded
# stay within it. Where the textbook rule itself does not, nothing is asked.
PART = 1 / 8
PICKED = [1] * MANY
# Ops that copy, the shape of what they copy, of what they make of it, and how.
CALLS: tuple[tuple[str, Shape, Shape, dict[str, Any]], ...] = (
    (BROADCAST_TO, (1,), (MANY,), {"shape": (MANY,)}),
    (BROADCAST_TO, (2, 1), (MANY // 2, 2, 1), {"shape": (MANY // 2, 2, 1)}),
    (TILE, (2,), (2 * MANY,), {"reps": (MANY,)}),
    (REPEAT, (2,), (2 * MANY,), {"repeats": MANY, "axis": 0}),
    (TAKE, (3,), (MANY,), {"indices": PICKED, "axis": 0}),
    (GETITEM_INTEGER_ARRAY, (3,), (MANY,), {"index": (PICKED,)}),
    (EMBEDDING, (3, 1), (MANY, 1), {}),
)


@contract("E15", "long-copies")
def gradient_of_thousands_of_copies_goes_on_growing(engine: Backend, sample: Sample) -> None:
    """In half precision the gradient of what is broadcast, tiled, repeated or picked thousands of times does not stop growing."""
    wrong: list[tuple[str, Observation]] = []
    asked = 0
    for case in _copies(engine, sample):
        seen = Observation(engine, Oracle(find(case.op), case))
        if not _is_clear(seen.expected[0]):
            continue
        try:
            require_offered(seen)
            _hold(seen, case.op)
            asked += 1
        except Unsupported:
            continue
        except Violation:
            wrong.append((case.op, seen))
    if wrong:
        _hold(wrong[0][1], " and by ".join(dict.fromkeys(op for op, _ in wrong)))
    if not asked:
        raise Unsupported(f"{engine.engine} copies nothing in half precision")


def _hold(seen: Observation, ops: str) -> None:
    """Claim a gradient; `ops` are all of which it is wrong."""
    (got,), (expected,) = seen.answer.gradients, seen.expected
    hold_close(
        got,
        np.asarray(expected.exact, float),
        _allowed(expected),
        f"the gradient of {MANY} copies by {ops} in {seen.case.dtype}",
    )


def _allowed(expected: Expected) -> Array:
    return np.maximum(np.abs(expected.exact) * PART, expected.allowed).astype(float)


def _is_clear(expected: Expected) -> bool:
    """Whether the textbook rule's sums go on growing."""
    size = np.abs(expected.exact)
    return bool((expected.allowed < size * PART)[size > 0].all())


def _copies(engine: Backend, sample: Sample) -> Iterator[Case]:
    """The calls, in every half precision, with a cotangent of equal entries."""
    term = sample.rng.integers(1, 13) * sample.rng.choice((-0.25, 0.25))
    for dtype in half_precisions(engine):
        for op, shape, made, parameters in CALLS:
            if op not in engine.ops:
                continue
            indices = (np.array(PICKED),) if op == EMBEDDING else ()
            operands = (np.ones(shape, dtype), *indices)
            layouts = ("C",) * (len(operands) + 1)
            yield Case(op, operands, parameters, (np.full(made, term, dtype),), layouts, dtype)
