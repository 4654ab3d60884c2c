"""What a vectorized function returns, and what it captures (C10)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.checks.comparison import decides_by_refusal, hold_equal
from conformance.checks.engine_calls import computes, full_sum, gradients_of, is_refused, unless_refused
from conformance.checks.observation import plain
from conformance.checks.registry import FULL, contract
from conformance.checks.sample import Sample
from conformance.checks.wrappers import wrappers_of
from conformance.errors import Violation
from conformance.ops.names import MULTIPLY
from conformance.parameters import of_engine

ROWS = 3


@contract("C10", "mapped-outputs", Capability.VECTORIZING)
def outputs_of_a_vectorized_function_are_built_as_the_functions(engine: Backend, sample: Sample) -> None:
    """A vectorized function has its function's dtype, a tuple of one where that returns one, and repeats what no operand reaches."""
    multiply = engine.op(MULTIPLY)
    for dtype in [dtype for dtype in engine.dtypes if dtype in FULL]:
        x, w = (sample.array(shape).astype(dtype) for shape in ((ROWS, 2), (4,)))
        constant = engine.array(np.array(w))
        mapped = engine.vectorized(lambda a: (multiply(a, a),))
        given = mapped(engine.array(np.array(x)))
        if not isinstance(given, (tuple, list)) or len(given) != 1:
            raise Violation(
                f"a vectorized function that returns a tuple of one returned a {type(given).__name__}"
            )
        pairs = [(given[0], x * x, "(x²,)")]
        beside = engine.vectorized(lambda a, c=constant: (multiply(a, a), c))
        if computes(engine, lambda a, f=beside: f(a)[1], [x]):
            square, repeated = beside(engine.array(np.array(x)))
            pairs += [
                (square, x * x, "(x², c)"),
                (repeated, np.broadcast_to(w, (ROWS, 4)), "(x², c), c of it,"),
            ]
        mapped = engine.vectorized(lambda a, c=constant: c)
        alone = unless_refused(partial(mapped, engine.array(np.array(x))), engine)
        if alone is not None:
            pairs.append((alone, np.broadcast_to(w, (ROWS, 4)), "c"))
        for got, right, what in pairs:
            hold_equal(value := plain(engine, got), right, f"{what} vectorized, in {dtype}")
            if value.dtype != dtype:
                raise Violation(f"{what} of a {dtype}, vectorized, is of {value.dtype}")


@contract("C10", "mapped-lengths", Capability.VECTORIZING)
def operands_of_other_lengths_are_not_mapped_together(engine: Backend, sample: Sample) -> None:
    """Operands with different numbers of rows are refused by a vectorized function; one row may go with each of several."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    mapped = engine.vectorized(lambda a, b: multiply(total(a), total(b)))
    for lengths in ((ROWS, 2 * ROWS), (2 * ROWS, ROWS)):
        x, w = (sample.array((n, 2)) for n in lengths)
        if not is_refused(partial(engine.forward, mapped, [x, w]), engine):
            raise Violation(f"operands of {lengths[0]} and of {lengths[1]} rows were mapped together")
    if not is_refused(partial(engine.forward, mapped, [sample.array(()), sample.array(())]), engine):
        raise Violation("operands without axes were mapped over an axis")
    for lengths in ((ROWS, 1), (1, ROWS), (ROWS, ROWS)):
        x, w = (sample.array((n, 2)) for n in lengths)
        outputs = (
            unless_refused(partial(engine.forward, mapped, [x, w]), engine)
            if 1 in lengths
            else engine.forward(mapped, [x, w])
        )
        if outputs is not None:
            what = f"the products of sums of rows, of {lengths[0]} and of {lengths[1]}, after the refusals"
            hold_equal(plain(engine, outputs[0]), x.sum(1) * w.sum(1), what)


@contract("C10", "mapped-captured", Capability.VECTORIZING, Capability.HIGHER_ORDER)
def what_a_gradient_inside_a_map_captures_has_its_gradient(engine: Backend, sample: Sample) -> None:
    """Where a gradient inside a vectorized function, if it is not refused, captures an array, its derivative by that array is the sum over rows."""
    multiply = engine.op(MULTIPLY)
    x, w, g = sample.array((ROWS, 2)), sample.array((2,)), sample.array((ROWS, 2))

    def function(a: Any, b: Any) -> Any:
        """2 a b, row by row."""
        ones = engine.array(np.ones(2, sample.dtype))
        slope = lambda row: engine.nested_vjp(lambda t: multiply(multiply(t, t), b), [row], [ones])[0]  # noqa: E731
        return of_engine(engine.vectorized(slope))(a)

    if not computes(engine, function, [x, w]):
        decides_by_refusal()
        return
    of_x, of_w = gradients_of(engine, function, [x, w], g)
    hold_equal(of_x, 2 * g * w, "the derivative by x of x² w's gradient by x, inside a map that captures w")
    hold_equal(
        of_w,
        (2 * g * x).sum(axis=0),
        "the derivative by w of x² w's gradient by x, inside a map that captures w",
    )


@contract("C10", "custom-captured", Capability.VECTORIZING, Capability.CUSTOM_RULE)
def what_a_custom_rule_inside_a_map_is_not_mapped_over_has_its_gradient(
    engine: Backend, sample: Sample
) -> None:
    """An operand of a custom rule that a vectorized function captures has the sum of its gradients over rows, at either place."""
    rules = {
        "a custom rule": engine.custom(
            lambda a, b: a * b * b, lambda g, a, b: (g * b * b, g * a * b + g * a * b)
        )
    }
    if Capability.SEVERAL_OUTPUTS in engine.capabilities:
        both = engine.custom_by_operand(
            lambda a, b: (a * b * b, a * b),
            lambda i, gs, xs, zs: (
                gs[0] * xs[1] * xs[1] + gs[1] * xs[1]
                if i == 0
                else gs[0] * xs[0] * xs[1] + gs[0] * xs[0] * xs[1] + gs[1] * xs[0]
            ),
        )
        rules["a rule with two outputs"] = lambda a, b: both(a, b)[0]
    _hold_captured_operands(engine, sample, rules)


@contract("C10", "built-captured", Capability.VECTORIZING)
def what_a_built_function_inside_a_map_is_not_mapped_over_has_its_gradient(
    engine: Backend, sample: Sample
) -> None:
    """The same of an operand of a checkpoint, of a compiled function, and of another map."""
    multiply = engine.op(MULTIPLY)
    twice = lambda a, b: multiply(multiply(a, b), b)  # noqa: E731
    for how, wrap in wrappers_of(engine):
        is_checkpoint = wrap == engine.checkpoint  # which an engine need not pull back outside of the map
        _hold_captured_operands(engine, sample, {f"the product {how}": wrap(twice)}, may_refuse=is_checkpoint)


def _hold_captured_operands(
    engine: Backend, sample: Sample, functions: Mapping[str, Function], *, may_refuse: bool = False
) -> None:
    """Claim the gradients of functions a b² inside a map that captures one of their operands.

    Unless the call is refused or, where an engine `may_refuse` that as well, the gradient.
    """
    x, w, g = sample.array((ROWS, 2)), sample.array((2,)), sample.array((ROWS, 2))
    slopes = (
        (0, (2 * g * x * w, (g * x * x).sum(axis=0))),
        (1, (g * w * w, (2 * g * x * w).sum(axis=0))),
    )
    for (what, inner), (place, expected) in product(functions.items(), slopes):

        def function(a: Any, b: Any, inner: Function = inner, place: int = place) -> Any:
            """w x², or x w², row by row, where w is captured."""
            row = lambda r: inner(r, b) if place else inner(b, r)  # noqa: E731
            return of_engine(engine.vectorized(row))(a)

        if not computes(engine, function, [x, w]):
            decides_by_refusal()
            continue
        if may_refuse and is_refused(partial(gradients_of, engine, function, [x, w], g)):
            continue
        got = gradients_of(engine, function, [x, w], g)
        for ours, right, name in zip(got, expected, "xw", strict=True):
            hold_equal(
                ours, right, f"{name}'s gradient by {what} inside a map, operand {place} of which is captured"
            )
