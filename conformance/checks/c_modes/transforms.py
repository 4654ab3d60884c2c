"""Chapter C: ways to run one function, each of which must give what the plain way gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.observation import hold_close, hold_equal, plain
from conformance.checks.registry import FULL, contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops import find
from conformance.ops.names import ADD, EXP, MATMUL, MULTIPLY, NEGATIVE, SUM, TANH
from conformance.oracle.reverse_sweep import expected_program_gradients
from conformance.program import Program, Step

CURVED = (  # tanh(x w) * exp(x)
    Step(MULTIPLY, (0, 1), {}),
    Step(TANH, (2,), {}),
    Step(EXP, (0,), {}),
    Step(MULTIPLY, (3, 4), {}),
)


# ---- computing anew ------------------------------------------------------------------------------


@contract("C6", "checkpoint", Capability.CHECKPOINTING)
def checkpoint_changes_no_bit(engine: Backend, sample: Sample) -> None:
    """A function that is computed anew on the way back has the same values and gradients, bit for bit."""
    program = _curved(sample)
    function = _running(engine, program)
    forgetful = engine.checkpoint(function)
    for wrt in (None, [0]):
        plain_way = _asked(engine, _between_others(engine, function), program, wrt)
        anew = _asked(engine, _between_others(engine, forgetful), program, wrt)
        hold_equal(anew[0], plain_way[0], "the value of a function that is computed anew")
        for index in range(1, len(anew)):
            what = f"gradient {index - 1} of a function that is computed anew, wrt={wrt}"
            hold_equal(anew[index], plain_way[index], what)


def _between_others(engine: Backend, function: Any) -> Callable[..., Any]:
    """The function between other ops, of which none uses its operands again.

    A value used inside and outside may have its contributions added in another order.
    """
    negative, tanh = engine.op(NEGATIVE), engine.op(TANH)
    return lambda a, b: tanh(negative(function(negative(a), b)))


@contract("C6", "anew", Capability.CHECKPOINTING)
def checkpointed_function_is_computed_anew(engine: Backend, sample: Sample) -> None:
    """A checkpointed function is called once more on the way back, or replayed from a trace, as elected."""
    convention = declared_convention(engine, "C6")
    x, g, calls = sample.array(), sample.array(), []
    multiply = engine.op(MULTIPLY)

    def square(a: Any) -> Any:
        calls.append(a)
        return multiply(a, a)

    traced = engine.trace(engine.checkpoint(square), [np.array(x)])
    before = len(calls)
    (got,) = traced.pull([engine.array(np.array(g))])
    hold_equal(plain(engine, got), 2 * g * x, "the gradient of a checkpointed x * x")
    if len(calls) - before != (convention == "calls"):
        raise Violation(
            f"a checkpointed function was called {len(calls) - before} times on the way back; "
            f"the adapter elects {convention!r}"
        )


# ---- compiling -----------------------------------------------------------------------------------


@contract("C10", "compiled", Capability.COMPILING)
def compiled_function_remembers_no_value(engine: Backend, sample: Sample) -> None:
    """A compiled function gives what the plain one gives, also with other values, shapes and dtypes."""
    function = _sum_of_products(engine)
    compiled = engine.compiled(function)
    exact = [dtype for dtype in engine.dtypes if dtype in FULL]  # in fewer digits the sum below is rounded
    first, last = exact[0], exact[-1]
    calls = ((sample.shape, first), (sample.shape, first), (sample.shape, last), ((2, 2), first))
    for n, (shape, dtype) in enumerate(calls):
        x, w = sample.array(shape).astype(dtype), sample.array(shape).astype(dtype)
        g = sample.array(()).astype(dtype)
        outputs, gradients = engine.vjp(compiled, [np.array(x), np.array(w)], [np.array(g)])
        call = f"call {n} of a compiled sum(x * w + x), of shape {shape}"
        hold_equal(plain(engine, outputs[0]), (x * w + x).sum(), f"the value of {call}")
        hold_equal(plain(engine, gradients[0]), g * (w + 1), f"x's gradient of {call}")
        hold_equal(plain(engine, gradients[1]), g * x, f"w's gradient of {call}")


@contract("C10", "compiled-close", Capability.COMPILING)
def compiled_function_is_as_accurate(engine: Backend, sample: Sample) -> None:
    """A compiled function's gradient is the plain one's within what rounding explains."""
    program = _curved(sample)
    function = _running(engine, program)
    _, *plainly = _asked(engine, function, program)
    _, *compiled = _asked(engine, engine.compiled(function), program)
    for index, expected in enumerate(expected_program_gradients(program, find)):
        what = f"operand {index}'s gradient of tanh(x w) * exp(x) changes by compiling"
        hold_close(compiled[index], plainly[index], 2 * expected.allowed, what)


# ---- mapping -------------------------------------------------------------------------------------


@contract("C10", "vectorized", Capability.VECTORIZING)
def vectorized_function_equals_the_loop(engine: Backend, sample: Sample) -> None:
    """A function mapped over the leading axis gives what a loop gives, values and gradients, row by row."""
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


@contract("C10", "per-example", Capability.VECTORIZING)
def per_example_gradients_are_kept_apart(engine: Backend, sample: Sample) -> None:
    """Of a function mapped over examples and copies of one weight, each copy has its own example's gradient."""
    matmul, total = engine.op(MATMUL), _total(engine)
    count = 3
    x, w, g = sample.array((count, 1, 2)), sample.array((2, 3)), sample.array((count,))
    copies = np.repeat(w[None], count, axis=0)
    mapped = engine.vectorized(lambda a, b: total(matmul(a, b)))
    _, gradients = engine.vjp(mapped, [np.array(x), np.array(copies)], [np.array(g)], [1])
    expected = np.stack([g[n] * np.repeat(x[n].T, 3, axis=1) for n in range(count)])
    hold_equal(plain(engine, gradients[0]), expected, "the gradient of each example's copy of the weight")


# ---- what is run ---------------------------------------------------------------------------------


def _total(engine: Backend) -> Callable[..., Any]:
    return engine.call(SUM, {"axis": None, "keepdims": False})


def _sum_of_products(engine: Backend) -> Callable[..., Any]:
    add, multiply, total = engine.op(ADD), engine.op(MULTIPLY), _total(engine)
    return lambda a, b: total(add(multiply(a, b), a))


def _curved(sample: Sample) -> Program:
    """The program at enough entries, and not a multiple of four, that a change of rounding shows in one."""
    x, w, g = (sample.array((7, 5)) for _ in range(3))
    return Program((x, w), CURVED, g, sample.dtype)


def _running(engine: Backend, program: Program) -> Callable[..., Any]:
    return lambda *leaves: program.run(engine.call, leaves)[-1]


def _asked(engine: Backend, function: Any, program: Program, wrt: list[int] | None = None) -> list[Array]:
    """The value at the program's leaves, then their gradients."""
    leaves, cotangents = [np.array(x) for x in program.leaves], [np.array(program.cotangent)]
    outputs, gradients = engine.vjp(function, leaves, cotangents, wrt)
    return [plain(engine, array) for array in (*outputs, *gradients)]
