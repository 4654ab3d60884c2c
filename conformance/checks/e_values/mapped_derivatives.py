"""Gradients that are mapped over a stack (E3), and second derivatives of ops that are mapped over a batch (E4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.backend import Backend, Capability, Function, restricted
from conformance.case import Array, Case
from conformance.checks.c_modes.ops_in_modes import batch_of, stacked
from conformance.checks.comparison import Comparison, compare, hold_all_within, hold_equal
from conformance.checks.e_values.forward_mode import quadratic
from conformance.checks.e_values.second_order import (
    SecondOrderCase,
    expected_along_directions,
    has_curvature,
    reverse_over_reverse,
)
from conformance.checks.engine_calls import gradients_of, unless_refused
from conformance.checks.observation import Observation, Oracle, plain
from conformance.checks.registry import NotThisCase, contract, op_check
from conformance.checks.sample import Sample
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


# ---- exactly ---------------------------------------------------------------------------------------------


@contract("E3", "stacked", Capability.VECTORIZING, Capability.HIGHER_ORDER)
def jacobian_by_a_vectorized_pullback(engine: Backend, sample: Sample) -> None:
    """A pullback mapped over a stack of one-hot cotangents gives the rows of the Jacobian."""
    function, x, jacobian = quadratic(engine, sample)
    point = engine.array(np.array(x))
    pulled = engine.vectorized(lambda g: engine.nested_vjp(function, [point], [g])[0])
    got = plain(engine, pulled(engine.array(np.eye(2, dtype=x.dtype)[:, None])))
    hold_equal(got, jacobian[:, None], "a Jacobian by stacked cotangents")


@contract("E3", "mapped", Capability.VECTORIZING, Capability.HIGHER_ORDER)
def vectorized_gradients_are_the_loops(engine: Backend, sample: Sample) -> None:
    """A gradient mapped over a stack of points is the stack of the gradients at each."""
    function, x, _ = quadratic(engine, sample)
    points, g = sample.array((4, 1, 3)), sample.array((1, 2))
    upstream = engine.array(np.array(g))
    mapped = engine.vectorized(lambda a: engine.nested_vjp(function, [a], [upstream])[0])
    got = plain(engine, mapped(engine.array(np.array(points))))
    loop = [gradients_of(engine, function, [point], g)[0] for point in points]
    for i, single in enumerate(loop):
        hold_equal(got[i], np.zeros_like(x) if single is None else single, f"the gradient at point {i}")
