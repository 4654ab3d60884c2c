"""Chapter E: forward mode."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, hold_close, hold_equal, hold_within
from conformance.checks.engine_calls import gradients_of, tangents_of
from conformance.checks.observation import Observation, Oracle, plain
from conformance.checks.registry import NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.kept import kept
from conformance.op import Op, Trait
from conformance.ops.names import MATMUL, MULTIPLY, NEGATIVE
from conformance.oracle.allowance import (
    PER_ARRAY,
    PER_ENTRY,
    PER_PLACE,
    Expected,
    allowance_scope,
    expect,
    natural_gradient_sizes,
    reference_vjp,
)
from conformance.values import NEAR_THE_LARGEST, direction

ROWS = 2  # of the Jacobian are compared entry by entry; the adjoint relation covers all of it


@op_check("E2", "forward", Capability.FORWARD, compiles=True)
def forward_mode_is_the_transpose_of_reverse_mode(seen: Observation) -> list[Comparison]:
    """⟨w, Jv⟩ = ⟨Jᵀw, v⟩, and the entries of Jv are those that the transposed rule gives."""
    return hold_along(seen, lambda u: seen.shared("tangents", lambda: tangents_of(seen, u)), "the tangent")


def hold_along(
    seen: Observation,
    product: Callable[[Sequence[Array]], Sequence[Array]],
    name: str,
    *,
    at_least: float = 0,
    is_one: bool = False,
) -> list[Comparison]:
    """Claim that `product`, Jv as the engine finds it for the v that it is given, is Jv, and the transpose of its VJP.

    Where `is_one`, all operands have one direction. NotThisCase where there is no output, or Jv is nowhere `at_least` so many
    times what it may be off.
    """
    if not any(g.size for g in seen.case.cotangents):
        raise NotThisCase("there is no output")
    tangents, places, (entries, inner) = _drawn(seen.op, seen.case, seen.perturbations, is_one)
    if at_least and not any((np.abs(e.exact) > at_least * e.allowed).any() for e in (entries, inner)):
        raise NotThisCase("what the Jacobian makes of the direction is zero")
    pushed = product(tangents)
    for i, (pushed_output, g) in enumerate(zip(pushed, seen.case.cotangents, strict=True)):
        if pushed_output.shape != g.shape:
            raise Violation(f"{name} has shape {pushed_output.shape}, output {i} {g.shape}")
    got = np.concatenate([np.ravel(t) for t in pushed])[places]
    what = f"{name} at the entries {places} of the flattened outputs"
    compared = hold_within(got, entries, what, claim="differs from the reference JVP")
    _hold_adjoint(seen, tangents, pushed, entries, inner)
    return [compared]


def compared_places(seen: Oracle, rng: np.random.Generator) -> list[int]:
    """Which entries are compared one by one: all where that is cheap, else a few."""
    count = sum(g.size for g in seen.case.cotangents)
    if Trait.ELEMENTWISE in seen.op.traits or count <= ROWS:
        return list(range(count))
    return sorted(int(i) for i in rng.choice(count, ROWS, replace=False))


@kept(Expected)
def _drawn(
    op: Op, case: Case, perturbations: int, is_one: bool = False
) -> tuple[list[Array], list[int], list[Expected]]:
    """Tangents, the entries of Jv that are compared, and what is expected."""
    seen = Oracle(op, case, perturbations)
    rng = np.random.default_rng(len(case.label))
    tangents = [direction(op.domain(i), case.operands[i].shape, case.dtype, rng) for i in seen.wrt]
    tangents = tangents[:1] * len(tangents) if is_one else tangents
    places = compared_places(seen, rng)
    return tangents, places, _expected(seen, tangents, places)


def _expected(seen: Oracle, tangents: Sequence[Array], places: Sequence[int]) -> list[Expected]:
    """The expected entries of Jv at `places`, and the expected ⟨Jᵀw, v⟩ for the case's cotangent w."""
    pull = reference_vjp(seen.op, seen.case, seen.wrt)
    first = len(seen.case.operands)
    last = first + len(tangents)

    def evaluate(inputs: Sequence[Array]) -> Sequence[Array]:
        operands, tangents, cotangents = inputs[:first], inputs[first:last], inputs[last:]
        return [
            pushed_by_rule(seen, operands, tangents, places),
            inner(pull((*operands, *cotangents)), tangents),
        ]

    size = max(natural_gradient_sizes(seen.op, seen.case)) * max(
        float(np.abs(t).max(initial=0.0)) for t in tangents
    )
    weight = sum(float(np.sum(np.abs(g))) for g in seen.case.cotangents)
    return expect(
        evaluate,
        (*seen.case.operands, *tangents, *seen.case.cotangents),
        seen.case.dtype,
        [size, size * weight],
        scope=PER_ENTRY if allowance_scope(seen.op) == PER_PLACE else PER_ARRAY,  # the product is a sum
        perturbations=seen.perturbations,
    )


def pushed_by_rule(
    seen: Oracle, operands: Sequence[Array], tangents: Sequence[Array], places: Sequence[int]
) -> Array:
    """The entries of Jv at `places`, by the transposed rule."""
    push = _along_slopes if Trait.ELEMENTWISE in seen.op.traits else _by_rows
    return push(seen, operands, tangents, places)


def _along_slopes(
    seen: Oracle, operands: Sequence[Array], tangents: Sequence[Array], places: Sequence[int]
) -> Array:
    """Jv of an elementwise op: its rule for a cotangent of ones, at operands broadcast beforehand."""
    shape = seen.case.cotangents[0].shape
    xs = [np.broadcast_to(x, shape, subok=True) for x in operands]
    z = seen.op.reference(*xs, **seen.case.parameters)
    ones = np.ones(shape, seen.case.cotangents[0].dtype).astype(tangents[0].dtype)
    slopes = [seen.op.rule(i, ones, z, *xs, **seen.case.parameters) for i in seen.wrt]
    terms = [s * np.broadcast_to(t, shape, subok=True) for s, t in zip(slopes, tangents, strict=True)]
    return np.ravel(functools.reduce(np.add, terms))


def _by_rows(
    seen: Oracle, operands: Sequence[Array], tangents: Sequence[Array], places: Sequence[int]
) -> Array:
    """Entry i as ⟨eᵢ, Jv⟩ = ⟨Jᵀeᵢ, v⟩."""
    pull = reference_vjp(seen.op, seen.case, seen.wrt)
    sizes = [g.size for g in seen.case.cotangents]
    entries = []
    for place in places:
        hot = np.eye(1, sum(sizes), place, dtype=tangents[0].dtype)[0]
        parts = np.split(hot, np.cumsum(sizes)[:-1])
        rows = [part.reshape(g.shape) for part, g in zip(parts, seen.case.cotangents, strict=True)]
        entries.append(inner(pull((*operands, *rows)), tangents))
    return np.stack(entries)


def inner(here: Sequence[Array], there: Sequence[Array]) -> Array:
    """The sum of the products of all entries, without a conjugate."""
    terms = [np.sum(x * y) for x, y in zip(here, there, strict=True)]
    return np.asarray(functools.reduce(np.add, terms))


def _hold_adjoint(
    seen: Observation,
    tangents: Sequence[Array],
    pushed: Sequence[Array],
    entries: Expected,
    product: Expected,
) -> None:
    """Claim that the two modes of one engine use the same Jacobian; the oracle gives only the allowed error.

    Either mode may be off by all that it is allowed, in the direction in which the errors add up. Of the entries
    of Jv that are not compared one by one, the error is known only through the product that the oracle evaluated.
    """
    real = np.longdouble
    here = sum(np.sum(g.astype(real) * t) for g, t in zip(seen.case.cotangents, pushed, strict=True))
    pulled = zip(seen.answer.gradients, tangents, seen.expected, strict=True)
    there, pulling = real(0), real(0)
    for gradient, tangent, bound in pulled:
        there += 0 if gradient is None else np.sum(gradient.astype(real) * tangent)
        pulling += np.sum(bound.allowed * np.abs(tangent))
    weights = np.concatenate([np.ravel(np.abs(g)) for g in seen.case.cotangents]).astype(real)
    known = entries.allowed if entries.allowed.size == weights.size else entries.allowed.max()
    pushing = np.sum(np.where(weights == 0, 0, known) * weights)
    allowed = np.asarray(np.maximum(pushing, product.allowed) + pulling)
    hold_close(np.asarray(here), np.asarray(there), allowed, "⟨w, Jv⟩ is not ⟨Jᵀw, v⟩")


# ---- exact Jacobians -------------------------------------------------------------------------------------


def quadratic(engine: Backend, sample: Sample) -> tuple[Callable[..., Any], Array, Array]:
    """x ↦ (x·x) W on a row of three, a point, and its Jacobian there; everything is exact."""
    matmul, multiply = engine.op(MATMUL), engine.op(MULTIPLY)
    x, weight = sample.array((1, 3)), sample.array((3, 2))
    constant = engine.array(np.array(weight))
    jacobian = (2 * x.T * weight).T
    return lambda a: matmul(multiply(a, a), constant), x, jacobian


@contract("E3", "rows")
def jacobian_by_rows(engine: Backend, sample: Sample) -> None:
    """Every row of a Jacobian is the gradient for a one-hot cotangent."""
    function, x, jacobian = quadratic(engine, sample)
    for i, row in enumerate(jacobian):
        got = gradients_of(engine, function, [x], np.eye(2, dtype=x.dtype)[i : i + 1])[0]
        hold_equal(got, row[None], f"row {i} of a Jacobian, by reverse mode")


@contract("E3", "columns", Capability.FORWARD)
def jacobian_by_columns(engine: Backend, sample: Sample) -> None:
    """Every column of a Jacobian is the tangent for a one-hot tangent."""
    function, x, jacobian = quadratic(engine, sample)
    for j, column in enumerate(jacobian.T):
        _, (pushed,) = engine.jvp(function, [np.array(x)], [np.eye(3, dtype=x.dtype)[j : j + 1]])
        hold_equal(plain(engine, pushed), column[None], f"column {j} of a Jacobian, by forward mode")


@contract("E2", "zero-tangents", Capability.FORWARD)
def operand_whose_tangent_is_zero_changes_no_tangent(engine: Backend, sample: Sample) -> None:
    """Where some operands have tangents of zeros, the tangent is that along the others, for ordinary tangents and for large ones."""
    x, w, t, u = (sample.array() for _ in range(4))
    far = 2.0 ** (np.finfo(sample.dtype).maxexp - NEAR_THE_LARGEST)
    large = (far * t).astype(sample.dtype)
    function = engine.op(MULTIPLY)
    for along, expected, what in (
        ((t, 0 * u), t * w, "x"),
        ((0 * t, u), x * u, "w"),
        ((t, u), t * w + x * u, "both"),
        ((large, 0 * u), large * w, "x, for a large tangent"),
    ):
        _, (pushed,) = engine.jvp(function, [np.array(x), np.array(w)], [np.array(v) for v in along])
        hold_equal(plain(engine, pushed), expected, f"the tangent of x w along {what}")
    _, (pushed,) = engine.jvp(function, [np.array(w), np.array(u)], [np.array(t), np.array(x)])
    hold_equal(plain(engine, pushed), t * u + w * x, "the tangent of the same function at other operands")


@contract("E2", "unused-operands", Capability.FORWARD)
def operand_that_is_not_used_has_no_part_in_the_tangent(engine: Backend, sample: Sample) -> None:
    """Whichever of three operands a function uses, the tangent is that along these, and of no other."""
    multiply = engine.op(MULTIPLY)
    for used in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2)):
        xs, along = [[sample.array() for _ in range(3)] for _ in range(2)]
        first, last = used[0], used[-1]

        def product(*operands: Any, first: int = first, last: int = last) -> Any:
            return multiply(operands[first], operands[last])

        _, (pushed,) = engine.jvp(product, [np.array(x) for x in xs], [np.array(t) for t in along])
        expected = along[first] * xs[last] + xs[first] * along[last]
        hold_equal(
            plain(engine, pushed), expected, f"the tangent of a product of {list(used)} of three operands"
        )


@contract("E2", "one-array", Capability.FORWARD)
def array_given_as_two_operands_has_two_tangents(engine: Backend, sample: Sample) -> None:
    """Where one array is two operands, each has its own tangent, which may be one array too; tangents have the operands' dtype."""
    multiply = engine.op(MULTIPLY)
    for dtype in engine.dtypes[: 2 if engine.compiles_signatures else None]:
        x, t, u = (sample.array().astype(dtype) for _ in range(3))
        x = np.sign(x)  # so that products are exact in half precision
        for first, second in ((t, 0 * u), (0 * t, u), (t, t)):
            _, (pushed,) = engine.jvp(lambda a, b: multiply(multiply(a, b), b), [x, x], [first, second])
            got, expected = plain(engine, pushed), first * x * x + 2 * x * x * second
            hold_equal(got, expected, f"the tangent of a b² in {dtype}, one array as a and b")
            if got.dtype != x.dtype:
                raise Violation(f"a tangent of {dtype} operands is of {got.dtype}")


@contract("E2", "constant-outputs", Capability.FORWARD)
def tangent_of_a_constant_output_is_zero_at_its_place(engine: Backend, sample: Sample) -> None:
    """Of a function's outputs each has its own tangent: zeros where it is a constant, an operand's own where that is returned."""
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)
    x, w, t, u, c = (sample.array() for _ in range(5))

    def function(a: Any, b: Any) -> Any:
        first, between = engine.array(np.array(c)), engine.array(np.array(2 * c))
        return first, multiply(a, b), between, negative(a), b

    values, pushed = engine.jvp(function, [np.array(x), np.array(w)], [np.array(t), np.array(u)])
    expected = ((c, 0 * c), (x * w, t * w + x * u), (2 * c, 0 * c), (-x, -t), (w, u))
    for place, (value, tangent, right) in enumerate(zip(values, pushed, expected, strict=True)):
        what = f"output {place} of (c, x w, 2 c, -x, w)"
        hold_equal(plain(engine, value), right[0], f"the value of {what}")
        got = np.zeros_like(c) if tangent is None else plain(engine, tangent)
        hold_equal(got, right[1], f"the tangent of {what}")
