"""Gradients that are mapped over a stack, whole Jacobians and Hessians (E3, E5), second derivatives of mapped ops (E4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, restricted
from conformance.case import Array, Case
from conformance.checks.c_modes.ops_in_modes import batch_of, stacked
from conformance.checks.comparison import Comparison, compare, decides, hold_all_within, hold_equal
from conformance.checks.e_values.forward_mode import quadratic
from conformance.checks.e_values.second_order import (
    SecondOrderCase,
    expected_along_directions,
    has_curvature,
    reverse_over_reverse,
)
from conformance.checks.engine_calls import full_sum, gradients_of, is_refused, unless_refused
from conformance.checks.observation import Observation, Oracle, plain
from conformance.checks.registry import NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import ADD, GETITEM_INTEGER_ARRAY, MATMUL, MATRIX_TRANSPOSE, MULTIPLY, PERMUTE_DIMS
from conformance.oracle.allowance import Expected

LONGER_THAN_CHUNKS = 67  # entries: engines that compute Jacobians in chunks have a rest there
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
    engine = seen.backend
    return not is_refused(lambda: engine.vjp(mapped, operands, cotangents, seen.wrt), engine)


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


# ---- whole Jacobians ---------------------------------------------------------------------------------


def _jacobians(engine: Backend, sample: Sample) -> Iterator[tuple[str, Function, list[Array], list[Array]]]:
    """Functions in words, their operands, and by each operand the Jacobian, which is exact."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    x, w, s, m, t = (sample.array(shape) for shape in ((2, 3), (3,), (), (3, 4), (2, 1, 2)))
    ones = np.eye(6, dtype=x.dtype).reshape(2, 3, 2, 3)
    by_row = np.eye(3, dtype=x.dtype)[None] * x[:, :, None]
    none = np.zeros((2, 3, 3), x.dtype)
    yield "x²", lambda a: multiply(a, a), [x], [2 * x[:, :, None, None] * ones]
    yield "w s, as many outputs as entries", multiply, [w, s], [s * np.eye(3, dtype=x.dtype), w]
    if GETITEM_INTEGER_ARRAY in engine.ops:
        turned = engine.call(GETITEM_INTEGER_ARRAY, {"index": ([2, 0, 1],)})
        yield "w[[2, 0, 1]], another order of the entries", turned, [w], [np.eye(3, dtype=x.dtype)[[2, 0, 1]]]
    of_t = 2 * t[..., None, None, None] * np.eye(4, dtype=t.dtype).reshape(2, 1, 2, 2, 1, 2)
    yield "t², t of three axes", lambda a: multiply(a, a), [t], [of_t]
    long = sample.array((LONGER_THAN_CHUNKS,))
    yield "y², y a long vector", lambda a: multiply(a, a), [long], [np.diag(2 * long)]
    yield "x w, w stretched", multiply, [x, w], [ones * w[:, None, None], by_row]
    yield "s x, s a number", multiply, [s, x], [x, s * ones]
    yield "the sum of x², a number", lambda a: total(multiply(a, a)), [x], [2 * x]
    yield (
        "x², beside an operand that is not used",
        lambda a, b: multiply(a, a),
        [x, w],
        [2 * x[:, :, None, None] * ones, none],
    )
    yield from _of_one_entry(engine, sample, x, w, s)
    for transpose, parameters in ((MATRIX_TRANSPOSE, {}), (PERMUTE_DIMS, {"axes": (1, 0)})):
        if transpose in engine.ops:
            turned = engine.call(transpose, parameters)
            yield f"x transposed, by {transpose}", turned, [x], [ones.transpose(1, 0, 2, 3)]
    if MATMUL in engine.ops:
        of_x = np.einsum("ik,lj->ijkl", np.eye(2, dtype=x.dtype), m)
        of_m = np.einsum("ik,lj->ijkl", x, np.eye(4, dtype=x.dtype))
        yield "x m, a product of matrices", engine.op(MATMUL), [x, m], [of_x, of_m]


def _of_one_entry(
    engine: Backend, sample: Sample, x: Array, w: Array, s: Array
) -> Iterator[tuple[str, Function, list[Array], list[Array]]]:
    """The same where axes are of length one, of operands, of outputs, of both: they are axes all the same."""
    multiply = engine.op(MULTIPLY)
    v, p = sample.array((1,)), sample.array((1, 1))
    ones = np.eye(6, dtype=x.dtype).reshape(2, 3, 2, 3)
    yield "v², v of one entry", lambda a: multiply(a, a), [v], [2 * v[:, None]]
    yield "v w, v of one entry", multiply, [v, w], [w[:, None], v * np.eye(3, dtype=x.dtype)]
    yield "s v, s a number, v of one entry", multiply, [s, v], [v, s * np.ones((1, 1), x.dtype)]
    yield "p x, p a matrix of one entry", multiply, [p, x], [x[:, :, None, None], p[0, 0] * ones]
    yield "p v, both of one entry", multiply, [p, v], [v[:, None, None, None], p[:, :, None]]


def _hold_whole(engine: Backend, call: tuple[str, Function, list[Array], list[Array]], kind: str) -> None:
    what, function, operands, expected = call
    found = engine.jacobian(function, [np.array(x) for x in operands], kind)
    name = "Hessian" if kind == "hessian" else f"Jacobian, by {kind},"
    if len(found) != len(expected):
        raise Violation(f"the {name} of {what} has {len(found)} parts for {len(expected)} operands")
    for i, (array, right) in enumerate(zip(found, expected, strict=True)):
        got = np.zeros_like(right) if array is None else plain(engine, array)
        hold_equal(got, right, f"the {name} of {what} by operand {i}")
        if got.dtype != right.dtype:
            raise Violation(
                f"the {name} of {what} by operand {i} is of {got.dtype}, the operand of {right.dtype}"
            )


@contract("E3", "whole-jacobian", Capability.JACOBIANS)
def whole_jacobian_has_the_shape_of_the_output_then_the_operands(engine: Backend, sample: Sample) -> None:
    """The engine's own Jacobian, by rows and, where it offers that, by columns, has the axes of the output, then the operand's."""
    calls = list(_jacobians(engine, sample))
    for dtype in sorted({*engine.dtypes} & {"float32", "float64"} - {sample.dtype}):
        what, *given = next(_jacobians(engine, replace(sample, dtype=dtype)))
        calls.append((f"{what} in {dtype}", *given))  # type: ignore[arg-type]
    for kind in ("rows", "columns"):
        for call in calls[sample.seed % 3 :: 3] if engine.compiles_signatures else calls:
            try:
                _hold_whole(engine, call, kind)
            except Unsupported:
                if kind == "rows":
                    raise
                break


@contract("E3", "empty-jacobian", Capability.JACOBIANS)
def jacobian_of_nothing_has_its_axes_all_the_same(engine: Backend, sample: Sample) -> None:
    """The engine's own Jacobian of an empty output or by an empty operand has the axes of both, unless it is refused.

    One of two entries is asked first: nothing has no numbers that could be wrong.
    """
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    functions = {"x²": lambda a: multiply(a, a), "the sum of x²": lambda a: total(multiply(a, a))}
    decided = 0
    for kind, shape, what in product(("rows", "columns"), ((2,), (0,), (2, 0)), functions):
        x = sample.array(shape)
        try:
            found = unless_refused(partial(engine.jacobian, functions[what], [np.array(x)], kind), engine)
        except Unsupported:
            if kind == "rows":
                raise
            break
        if found is None:
            continue
        decided += not x.size
        entries = np.diag(2 * x.ravel()).reshape(shape * 2) if what == "x²" else 2 * x
        got = np.zeros_like(entries) if found[0] is None else plain(engine, found[0])
        hold_equal(got, entries, f"the Jacobian, by {kind}, of {what}, x of shape {shape}")
        decides(1)  # that of nothing has its shape alone
    if not decided:
        raise NotThisCase("the engine refuses the Jacobian of nothing")


@contract("E5", "whole-hessian", Capability.JACOBIANS)
def whole_hessian_has_every_second_derivative(engine: Backend, sample: Sample) -> None:
    """The engine's own Hessian of a scalar has each second derivative in its place; that of a linear function is zero."""
    multiply, add, total = engine.op(MULTIPLY), engine.op(ADD), full_sum(engine)
    x, w, s = sample.array((2, 3)), sample.array((2, 3)), sample.array(())
    ones = np.eye(6, dtype=x.dtype).reshape(2, 3, 2, 3)
    weight = engine.array(np.array(w))

    def cubes(a: Any) -> Any:
        return total(multiply(multiply(a, a), a))

    def weighed(a: Any, weight: Any = weight) -> Any:
        return multiply(total(multiply(a, weight)), total(a))

    pairs = w[:, :, None, None] + w[None, None]
    v, t, one, p = (sample.array(shape) for shape in ((3,), (2, 1, 3), (1,), (1, 1)))
    calls: list[tuple[str, Function, list[Array], list[Array]]] = [
        ("the sum of x³", cubes, [x], [6 * x[:, :, None, None] * ones]),
        ("the sum of x w times that of x", weighed, [x], [pairs]),
        ("the sum of x w, which is linear", lambda a: total(multiply(a, weight)), [x], [0 * ones]),
        (
            "the sum of v c times that of v, v a vector",
            partial(weighed, weight=engine.array(np.array(v))),
            [v],
            [v[:, None] + v],
        ),
        (
            "the sum of t c times that of t, t of three axes",
            partial(weighed, weight=engine.array(np.array(t))),
            [t],
            [t[..., None, None, None] + t],
        ),
        ("the sum of x³, x of one entry", cubes, [one], [6 * one[:, None]]),
        ("the sum of x³, x a matrix of one entry", cubes, [p], [6 * p[:, :, None, None]]),
        ("s³, s a number", lambda a: multiply(multiply(a, a), a), [s], [6 * s]),
        (
            "the sum of both",
            lambda a: add(cubes(a), weighed(a)),
            [x],
            [6 * x[:, :, None, None] * ones + pairs],
        ),
    ]
    for call in calls[sample.seed % 2 :: 2] if engine.compiles_signatures else calls:
        _hold_whole(engine, call, "hessian")
