"""Every op mapped over a batch in some of its operands, while it captures the others; and what has no slope, mapped (C10).

A batching rule puts the axis of the batch beside the op's own axes. Where an operand has none, because it is captured, the
rule takes another path, and what arrives at that operand is summed over the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.backend import Capability, Function, as_tuple
from conformance.case import Case
from conformance.checks.c_modes.ops_in_modes import (
    BATCHES,
    batch_of,
    hold_of_batch,
    pick,
    stacked,
    stacked_values,
)
from conformance.checks.comparison import Comparison, hold_equal
from conformance.checks.e_values.flat_ops import is_kind_of
from conformance.checks.observation import Observation, Oracle, plain
from conformance.checks.registry import NotThisCase, flat_check, op_check
from conformance.errors import Violation
from conformance.op import Op, OperandKind, Trait
from conformance.oracle.allowance import Expected
from conformance.oracle.summation import FEW
from conformance.parameters import of_engine


def _takes_several(op: Op) -> bool:
    return len(op.domains) > 1 or Trait.VARIADIC in op.traits


@op_check("C10", "mapped-captured", Capability.VECTORIZING, applies=_takes_several, compiles=True)
def op_mapped_over_some_operands_has_the_gradients_of_a_loop(seen: Observation) -> list[Comparison]:
    """An op mapped over some operands, while it captures others, has a loop's values and gradients; those of what is captured are summed."""
    if len(seen.case.operands) < 2:
        raise NotThisCase("there is no operand beside the one that is mapped")
    compared: list[Comparison] = []
    for captured in _captured(seen):
        batch = _sharing(seen, captured)
        function = _mapped(seen, captured)
        operands = [
            np.array(xs[0]) if i in captured else np.stack(xs)
            for i, xs in enumerate(zip(*(case.operands for case in batch), strict=True))
        ]
        cotangents = [np.stack(gs) for gs in zip(*(case.cotangents for case in batch), strict=True)]
        outputs, gradients = seen.backend.vjp(function, operands, cotangents, seen.wrt)
        where = f"mapped over {len(batch)} calls that share {_named(captured)}"
        compared += hold_of_batch(
            seen,
            batch,
            (
                *_gradients(seen, gradients, batch, captured, where),
                *stacked_values(seen, outputs, batch, where),
            ),
        )
    return compared


def _mapped(seen: Observation, captured: Sequence[int]) -> Function:
    """The op of all operands, mapped over those that are not captured."""
    op = seen.backend.call(seen.op.name, seen.case.parameters)

    def function(*arrays: Any) -> Any:
        def row(*rows: Any) -> Any:
            given = iter(rows)
            return op(*(x if i in captured else next(given) for i, x in enumerate(arrays)))

        mapped = of_engine(seen.backend.vectorized(row))
        return mapped(*(x for i, x in enumerate(arrays) if i not in captured))

    return function


def _captured(seen: Observation) -> list[tuple[int, ...]]:
    """The operands that are not mapped: all but the first, as where a layer has weights; and one of them, or all but another."""
    everywhere = range(len(seen.case.operands))
    alone = [(i,) for i in everywhere]
    others = [tuple(j for j in everywhere if j != i) for i in everywhere]
    first = others[0]
    return [first, pick(seen, [few for few in dict.fromkeys((*alone, *others[1:])) if few != first])]


def _sharing(seen: Observation, captured: Sequence[int]) -> list[Case]:
    """Calls that differ in the other operands; in their cotangents alone where operands of two calls could be equal, and must not be.

    They are as many as an axis of a captured operand is long, where one is: an engine that takes it for the axis of the
    batch makes no error of shape.
    """
    lengths = [n for i in captured for n in seen.case.operands[i].shape[::-1] if 1 < n <= max(BATCHES)]
    first, *rest = batch_of(seen, lengths[0] if lengths else 0)
    domains = first.domains or [seen.op.domain(i) for i in range(len(first.operands))]
    is_distinct = [domain.kind is OperandKind.DISTINCT for domain in domains]
    shared = range(len(first.operands)) if sum(is_distinct) > 1 else captured
    return [
        first,
        *(
            replace(
                case,
                operands=tuple(first.operands[i] if i in shared else x for i, x in enumerate(case.operands)),
            )
            for case in rest
        ),
    ]


def _has_equal_terms(case: Case) -> bool:
    """Whether many entries are all alike, and the cotangents too: partial sums of their products are all rounded to one side.

    An engine may add up the terms of all calls in one loop, whose partial sums are larger than those of one call; it adds
    no more terms than there are cotangents.
    """
    arrays = [x for x in (*case.operands, *case.cotangents) if x.dtype.kind not in "iub"]
    return max(x.size for x in arrays) > FEW and all((x.ravel() == x.ravel()[:1]).all() for x in arrays)


def _named(captured: Sequence[int]) -> str:
    return f"operand {captured[0]}" if len(captured) == 1 else f"operands {', '.join(map(str, captured))}"


def _gradients(
    seen: Observation, gradients: Sequence[Any], batch: Sequence[Case], captured: Sequence[int], where: str
) -> Iterator[tuple[Any, Expected, str]]:
    """The engine's gradients, and what is expected of them: side by side, or the sum."""
    alone = [Oracle(seen.op, case, seen.perturbations).expected for case in batch]
    additions = len(batch)
    if any(map(_has_equal_terms, batch)):
        additions = max(additions, sum(g.size for case in batch for g in case.cotangents))
    for position, (g, bounds) in enumerate(zip(gradients, zip(*alone, strict=True), strict=True)):
        is_summed = seen.wrt[position] in captured
        expected = _summed(bounds, seen.case.dtype, additions) if is_summed else stacked(bounds)
        yield None if g is None else plain(seen.backend, g), expected, f"{seen.label(position)} {where}"


def _summed(bounds: Sequence[Expected], dtype: str, additions: int) -> Expected:
    """What is expected of a sum of gradients: they may be added in any order, each addition rounded (Higham 2002, ch. 4)."""
    exact, allowed, ulp = (
        np.asarray(np.sum([getattr(bound, name) for bound in bounds], axis=0))
        for name in ("exact", "allowed", "ulp")
    )
    size = np.sum([np.abs(bound.exact) for bound in bounds], axis=0)
    rounding = additions * np.finfo(dtype).eps * size
    return Expected(exact, allowed + rounding, ulp, is_symmetric=bounds[0].is_symmetric)


@flat_check("C10", "mapped-flat", Capability.VECTORIZING, compiles=True)
def mapped_flat_op_has_the_values_of_a_loop(seen: Observation) -> None:
    """An op without a slope, mapped over a batch of calls, has for each the value that it has alone."""
    batch = batch_of(seen)
    operands = [np.stack(xs) for xs in zip(*(case.operands for case in batch), strict=True)]
    mapped = seen.backend.vectorized(seen.backend.call(seen.op.name, seen.case.parameters))
    (got,) = as_tuple(mapped(*map(seen.backend.array, operands)))
    expected = np.stack([seen.op.reference(*case.operands, **case.parameters) for case in batch])
    value = plain(seen.backend, got)
    if not is_kind_of(value.dtype, expected.dtype):
        raise Violation(
            f"the value in a batch of calls has dtype {value.dtype}, the reference value {expected.dtype}",
            got=value,
        )
    hold_equal(
        value, expected, f"the value in a batch of {len(batch)} calls differs from the reference value"
    )
