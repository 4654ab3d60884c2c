"""Second derivatives of ops that are mapped over a batch (E4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.backend import Capability, Function, restricted
from conformance.case import Array, Case
from conformance.checks.c_modes.ops_in_modes import batch_of, stacked
from conformance.checks.comparison import Comparison, compare, hold_all_within
from conformance.checks.e_values.second_order import (
    SecondOrderCase,
    expected_along_directions,
    has_curvature,
    reverse_over_reverse,
)
from conformance.checks.engine_calls import unless_refused
from conformance.checks.observation import Observation, Oracle
from conformance.checks.registry import NotThisCase, op_check
from conformance.oracle.allowance import Expected

TWO = 2  # calls side by side


@op_check(
    *("E4", "mapped-second", Capability.VECTORIZING, Capability.HIGHER_ORDER),
    applies=has_curvature,
    sparing=True,
)
def mapped_op_has_the_second_derivatives_of_a_loop(seen: Observation) -> list[Comparison]:
    """The gradient of the gradient of an op that is mapped over a batch of calls is that of each of them."""
    batch = (batch_of(seen) * TWO)[:TWO]
    examples = [Observation(seen.backend, Oracle(seen.op, case, seen.perturbations)) for case in batch]
    found = [expected_along_directions(example) for example in examples]
    mapped = seen.backend.vectorized(seen.backend.call(seen.op.name, seen.case.parameters))
    if not all(map(_is_right_alone, examples, *zip(*found, strict=True))) or not _is_mapped(
        seen, mapped, batch
    ):
        raise NotThisCase("an example alone is not right, or the op is not mapped: other checks report that")
    operands, cotangents = _side_by_side(batch)
    function = restricted(mapped, [seen.backend.array(np.array(x)) for x in operands], seen.wrt)
    directions = [np.stack(arrays) for arrays in zip(*(along for along, _ in found), strict=True)]
    case = SecondOrderCase(seen.backend, function, [operands[i] for i in seen.wrt], directions, cotangents)
    bounds = zip(*(expected for _, expected in found), strict=True)
    pairs = enumerate(zip(reverse_over_reverse(case), bounds, strict=True))
    return hold_all_within(
        (
            (got, stacked(each), f"the derivative of {seen.label(n)} in a batch of calls")
            for n, (got, each) in pairs
        ),
        claim="differs from the derivative of the reference VJP",
    )


def _side_by_side(batch: Sequence[Case]) -> tuple[list[Array], list[Array]]:
    """The operands and the cotangents of several calls, stacked."""
    parts = ([case.operands for case in batch], [case.cotangents for case in batch])
    operands, cotangents = ([np.stack(arrays) for arrays in zip(*part, strict=True)] for part in parts)
    return operands, cotangents


def _is_right_alone(example: Observation, directions: Sequence[Array], expected: Sequence[Expected]) -> bool:
    """Whether a call by itself has its second derivatives."""
    got = unless_refused(lambda: reverse_over_reverse(SecondOrderCase.of(example, directions)))
    return got is not None and all(
        compare(g, bound, "").error <= 1 for g, bound in zip(got, expected, strict=True)
    )


def _is_mapped(seen: Observation, mapped: Function, batch: Sequence[Case]) -> bool:
    """Whether the engine maps the op, with its gradients."""
    operands, cotangents = _side_by_side(batch)
    return unless_refused(lambda: seen.backend.vjp(mapped, operands, cotangents, seen.wrt)) is not None
