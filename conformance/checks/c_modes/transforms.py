"""Transforms of functions: compiling, vectorizing (C10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.checks.c_modes.programs import function_of, non_linear_program, results_of
from conformance.checks.comparison import decides_by_refusal, hold_close, hold_equal
from conformance.checks.engine_calls import computes, full_sum, gradients_of
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.registry import FULL, contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops import find
from conformance.ops.names import ADD, MATMUL, MULTIPLY
from conformance.oracle.reverse_sweep import expected_program_gradients

FINE = 30  # digits, more than single precision has

# ---- compiling -----------------------------------------------------------------------------------


@contract("C10", "compiled", Capability.COMPILING)
def compiled_function_remembers_no_value(engine: Backend, sample: Sample) -> None:
    """A compiled function has the results of the plain one, also with other values, shapes and dtypes."""
    function = _sum_of_products(engine)
    compiled = engine.compiled(function)
    exact = [dtype for dtype in engine.dtypes if dtype in FULL]  # in lower precision the sum below is rounded
    first, last = (exact[0], exact[-1])[:: -1 if sample.seed % 2 else 1]
    calls = ((sample.shape, first), (sample.shape, first), (sample.shape, last), ((2, 2), first))
    for n, (shape, dtype) in enumerate(calls, start=1):
        x, w = sample.array(shape).astype(dtype), sample.array(shape).astype(dtype)
        g = sample.array(()).astype(dtype)
        if (
            np.finfo(dtype).nmant > FINE
        ):  # numbers that the other dtype does not hold, whose products are exact
            x = x * (1 + 2.0**-FINE)
        outputs, gradients = engine.vjp(compiled, [np.array(x), np.array(w)], [np.array(g)])
        call = f"call {n} of a compiled sum(x * w + x), of shape {shape}"
        value = plain(engine, outputs[0])
        hold_equal(value, (x * w + x).sum(), f"the value of {call}")
        if value.dtype != dtype:
            raise Violation(f"the value of {call} in {dtype}, is of {value.dtype}")
        hold_gradient(engine, gradients[0], g * (w + 1), f"x's gradient of {call}")
        hold_gradient(engine, gradients[1], g * x, f"w's gradient of {call}")


@contract("C10", "compiled-close", Capability.COMPILING)
def compiled_function_is_as_accurate(engine: Backend, sample: Sample) -> None:
    """A compiled function's gradient equals the plain one's within the allowance for rounding."""
    program = non_linear_program(sample)
    function = function_of(engine, program)
    _, *plainly = results_of(engine, function, program)
    _, *compiled = results_of(engine, engine.compiled(function), program)
    for index, expected in enumerate(expected_program_gradients(program, find)):
        what = f"operand {index}'s gradient of tanh(x w) * exp(x) changes when it is compiled"
        hold_close(compiled[index], plainly[index], 2 * expected.allowed, what)


# ---- vectorizing ------------------------------------------------------------------------------


@contract("C10", "vectorized", Capability.VECTORIZING)
def vectorized_function_equals_the_loop(engine: Backend, sample: Sample) -> None:
    """A function mapped over the leading axis has the values and gradients of a loop, row by row."""
    mapped = engine.vectorized(_sum_of_products(engine))
    for count, shape in ((3, sample.shape), (1, sample.shape), (2, (1,))):
        x, w, g = sample.array((count, *shape)), sample.array((count, *shape)), sample.array((count,))
        outputs, gradients = engine.vjp(mapped, [np.array(x), np.array(w)], [np.array(g)])
        what = f"of sum(x * w + x) mapped over {count} rows of shape {shape}"
        loop = [((x[n] * w[n] + x[n]).sum(), g[n] * (w[n] + 1), g[n] * x[n]) for n in range(count)]
        values, *looped = (np.stack(rows) for rows in zip(*loop, strict=True))
        hold_equal(plain(engine, outputs[0]), values, f"the values {what}")
        for index in range(2):
            hold_equal(plain(engine, gradients[index]), looped[index], f"operand {index}'s gradient {what}")
    once = engine.vectorized(engine.op(MULTIPLY))
    twice = engine.vectorized(engine.vectorized(engine.op(MULTIPLY)))
    # Of two axes of one length the numbers alone say which is which.
    shapes = ((3, 2), (3, 3, 2), (2, 2))
    mapped_twice = [("twice", twice, shape) for shape in shapes]
    for what, function, shape in (*mapped_twice, ("over a batch of one", once, (1, 1, 2))):
        x, w, g = (sample.array(shape) for _ in range(3))
        outputs, gradients = engine.vjp(function, [np.array(x), np.array(w)], [np.array(g)])
        hold_equal(plain(engine, outputs[0]), x * w, f"a product of shape {shape} mapped {what}")
        for got, right, name in zip(gradients, (g * w, g * x), "xw", strict=True):
            hold_gradient(
                engine, got, right, f"{name}'s gradient of a product of shape {shape} mapped {what}"
            )


@contract("C10", "per-example", Capability.VECTORIZING)
def per_example_gradients_are_separate(engine: Backend, sample: Sample) -> None:
    """In a function mapped over examples and copies of one weight, each copy has its own example's gradient."""
    matmul, total = engine.op(MATMUL), full_sum(engine)
    count = 3
    x, w, g = sample.array((count, 1, 2)), sample.array((2, 3)), sample.array((count,))
    copies = np.repeat(w[None], count, axis=0)
    mapped = engine.vectorized(lambda a, b: total(matmul(a, b)))
    _, gradients = engine.vjp(mapped, [np.array(x), np.array(copies)], [np.array(g)], [1])
    expected = np.stack([g[n] * np.repeat(x[n].T, 3, axis=1) for n in range(count)])
    hold_gradient(engine, gradients[0], expected, "the gradient of each example's copy of the weight")


@contract("C10", "several-outputs")
def outputs_of_a_transform_each_have_their_gradient(engine: Backend, sample: Sample) -> None:
    """A compiled or vectorized function of two outputs has the gradients of both together, and of each alone."""
    offered = _transforms(engine)
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)
    for what, build in offered.items():
        x, w, g, h = (sample.array((5,)) for _ in range(4))
        function = build(lambda a, b: (multiply(multiply(a, a), b), add(a, b)))
        _, gradients = engine.vjp(function, [np.array(x), np.array(w)], [np.array(g), np.array(h)])
        for got, expected, name in zip(gradients, (2 * g * x * w + h, g * x * x + h), "xw", strict=True):
            hold_gradient(engine, got, expected, f"{name}'s gradient of (x²w, x + w), {what}")
        for n, of_each in enumerate(((2 * g * x * w, g * x * x), (g, g))):
            alone = gradients_of(engine, lambda a, b, n=n, f=function: f(a, b)[n], [x, w], g)
            for ours, right, name in zip(alone, of_each, "xw", strict=True):
                hold_equal(ours, right, f"{name}'s gradient of output {n} of (x²w, x + w), {what}")


def _transforms(engine: Backend) -> Mapping[str, Callable[[Function], Function]]:
    """What the engine has of both; Unsupported where it has neither."""
    makers = {
        Capability.COMPILING: ("compiled", engine.compiled),
        Capability.VECTORIZING: ("vectorized", engine.vectorized),
    }
    offered = dict(maker for need, maker in makers.items() if need in engine.capabilities)
    if not offered:
        raise Unsupported("the engine neither compiles nor vectorizes")
    return offered


@contract("C10", "mapped-gradient", Capability.VECTORIZING, Capability.HIGHER_ORDER)
def gradient_inside_a_map_is_differentiated(engine: Backend, sample: Sample) -> None:
    """A gradient that is computed inside a vectorized function, where it is not refused, is differentiated again by each operand."""
    multiply = engine.op(MULTIPLY)
    x, w, v = (sample.array((3, 2)) for _ in range(3))
    derivatives = ((2 * w * v, 2 * x * v), (2 * x * v, np.zeros_like(x)))

    def square_times(a: Any, b: Any) -> Any:
        return multiply(multiply(a, a), b)

    for i, expected in enumerate(derivatives):

        def first(a: Any, b: Any, i: int = i) -> Any:
            return engine.nested_vjp(square_times, [a, b], [engine.array(np.ones(2, sample.dtype))])[i]

        mapped = engine.vectorized(first)
        if not computes(engine, mapped, [x, w]):
            decides_by_refusal()
            continue
        for ours, right, by in zip(gradients_of(engine, mapped, [x, w], v), expected, "xw", strict=True):
            hold_equal(ours, right, f"the derivative by {by} of {'xw'[i]}'s gradient of x²w, inside a map")


def _sum_of_products(engine: Backend) -> Function:
    add, multiply, total = engine.op(ADD), engine.op(MULTIPLY), full_sum(engine)
    return lambda a, b: total(add(multiply(a, b), a))
