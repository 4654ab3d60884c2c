"""Compiled functions that are called again under other circumstances than at first (C10).

What a compiler keeps of the first call, it may keep of that call alone: which operands were one array, or constants, which
branch was taken, what was captured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, as_tuple
from conformance.case import Array
from conformance.checks.comparison import decides_by_refusal, hold_equal
from conformance.checks.engine_calls import computes, full_sum, gradients_of, unless_refused
from conformance.checks.observation import overwrite, plain
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.checks.wrappers import wrappers_of
from conformance.errors import Unsupported, Violation
from conformance.ops.names import ADD, DIVIDE, MULTIPLY, NEGATIVE, SUBTRACT

COMPILE = Capability.COMPILING


def _hold(
    engine: Backend,
    function: Function,
    operands: Sequence[Array],
    cotangents: Sequence[Array],
    expected: tuple[Sequence[Array], Sequence[Array]],
    what: str,
    wrt: Sequence[int] | None = None,
) -> None:
    """Claim the values and the gradients of one call."""
    given = [np.array(x) for x in operands], [np.array(g) for g in cotangents]
    outputs, gradients = engine.vjp(function, *given, wrt)
    for kind, arrays, right in (("value", outputs, expected[0]), ("gradient", gradients, expected[1])):
        for n, (array, exact) in enumerate(zip(arrays, right, strict=True)):
            got = None if array is None else plain(engine, array)
            hold_equal(got, exact, f"{kind} {n} of {what}")
            if got is not None and got.dtype != exact.dtype:
                raise Violation(f"{kind} {n} of {what} is of {got.dtype}, not of {exact.dtype}")


@contract("C10", "called-again", COMPILE)
def compiled_function_depends_on_no_earlier_call(engine: Backend, sample: Sample) -> None:
    """Called with one array twice and then with two, with constants and then with none, in a scope and then outside, a compiled function is the plain one."""
    multiply = engine.op(MULTIPLY)
    starts = [sample.seed] if engine.compiles_signatures else range(5)  # which call is the first
    for start in starts:
        function = engine.compiled(lambda a, b: multiply(multiply(a, a), b))
        x, w, g = (sample.array() for _ in range(3))
        of_both = [2 * g * x * w, g * x * x]

        def unrecorded(function: Function = function, x: Array = x, w: Array = w) -> None:
            if Capability.NO_GRAD in engine.capabilities:
                with engine.no_grad():
                    (value,) = engine.forward(function, [np.array(x), np.array(w)])
                    hold_equal(
                        plain(engine, value), x * x * w, "x²w by a compiled function in a no_grad scope"
                    )

        def twice(function: Function = function, x: Array = x, g: Array = g) -> None:
            what = "x³, by a compiled x²w of which both operands are one array"
            _hold(engine, lambda a: function(a, a), [x], [g], ([x**3], [3 * g * x * x]), what)

        def apart(
            wrt: Sequence[int],
            function: Function = function,
            x: Array = x,
            w: Array = w,
            g: Array = g,
            of: Any = of_both,
        ) -> None:
            what = f"a compiled x²w called anew, wrt={list(wrt)}"
            _hold(engine, function, [x, w], [g], ([x * x * w], [of[i] for i in wrt]), what, wrt)

        calls: list[Callable[[], None]] = [
            unrecorded,
            twice,
            *(partial(apart, wrt) for wrt in ((1,), (0, 1), (0,))),
        ]
        for n in range(len(calls)):
            calls[(start + n) % len(calls)]()


@contract("C10", "numbers-again", COMPILE)
def compiled_numbers_have_the_dtype_of_each_call(engine: Backend, sample: Sample) -> None:
    """A compiled function with numbers of the language's in it has the dtype of each call, whatever that of the first was."""
    multiply = engine.op(MULTIPLY)
    plainly: Function = lambda a: multiply(multiply(a, a), 0.5)  # noqa: E731
    dtypes = [dtype for dtype in engine.dtypes if dtype in ("float64", "float32")]
    if len(dtypes) < 2 or not computes(engine, plainly, [sample.array()]):
        raise Unsupported("the engine has one precision, or refuses numbers")
    function = engine.compiled(plainly)
    past: list[str] = []
    for n, dtype in enumerate((*dtypes, *dtypes)[sample.seed % 2 :][:3], start=1):
        before = f", after calls in {' and '.join(past)}" if past else ""
        past.append(dtype)
        x, g = (sample.array().astype(dtype) for _ in range(2))
        _hold(
            engine,
            function,
            [x],
            [g],
            ([x * x / 2], [g * x]),
            f"call {n} of one compiled x² times 0.5, in {dtype}{before}",
        )


@contract("C10", "results-kept", COMPILE)
def results_of_a_compiled_function_outlast_its_next_calls(engine: Backend, sample: Sample) -> None:
    """What a compiled function returned, and its gradients, are the same numbers when they are read after it was called again."""
    multiply = engine.op(MULTIPLY)
    function = engine.compiled(lambda a: multiply(a, a))
    calls = [(sample.array(), sample.array()) for _ in range(3)]
    values = [as_tuple(function(engine.array(np.array(x))))[0] for x, _ in calls]
    for n, ((x, _), value) in enumerate(zip(calls, values, strict=True), start=1):
        hold_equal(
            plain(engine, value), x * x, f"the value of x² in call {n} of three, read after all of them"
        )
    answers = [engine.vjp(function, [np.array(x)], [np.array(g)]) for x, g in calls]
    for n, ((x, g), ((value,), (gradient,))) in enumerate(zip(calls, answers, strict=True), start=1):
        said = f"of x² in call {n} of three, differentiated, read after all of them"
        hold_equal(plain(engine, value), x * x, f"the value {said}")
        hold_equal(None if gradient is None else plain(engine, gradient), 2 * g * x, f"the gradient {said}")


@contract("C10", "any-callable")
def whatever_can_be_called_is_transformed(engine: Backend, sample: Sample) -> None:
    """A partial function, a bound method and an object that can be called are compiled, vectorized and checkpointed as functions are."""
    multiply = engine.op(MULTIPLY)
    square = _Square(multiply)
    callables: dict[str, Function] = {
        "a partial function": partial(lambda f, a: f(a, a), multiply),
        "a bound method": square.of,
        "an object": square,
    }
    cases = [(what, name) for what in wrappers_of(engine) for name in callables]
    for (what, make), name in cases[sample.seed % len(cases) :][:1] if engine.compiles_signatures else cases:
        x, g = sample.array((3,)), sample.array((3,))
        (got,) = gradients_of(engine, make(callables[name]), [x], g)
        hold_equal(got, 2 * g * x, f"the gradient of x² by {name}, {what}")


@dataclass(frozen=True)
class _Square:
    """x², by an object."""

    multiply: Function

    def of(self, a: Any) -> Any:
        """x² by its method."""
        return self.multiply(a, a)

    __call__ = of


@contract("C10", "returned-again", COMPILE)
def compiled_function_returns_the_operand_of_its_call(engine: Backend, sample: Sample) -> None:
    """A compiled function that returns its operand, beside what it computes, returns that of each call, of the call's dtype."""
    multiply = engine.op(MULTIPLY)
    function = engine.compiled(lambda a: (a, multiply(a, a)))
    dtypes = [dtype for dtype in engine.dtypes if dtype in ("float64", "float32")]
    for n, dtype in enumerate((dtypes[0], dtypes[0], dtypes[-1], dtypes[0]) if dtypes else (), start=1):
        x, g, h = (sample.array().astype(dtype) for _ in range(3))
        what = f"call {n} of a compiled (x, x²), in {dtype}"
        _hold(engine, function, [x], [g, h], ([x, x * x], [g + 2 * h * x]), what)


@contract("C10", "branch-again", COMPILE)
def compiled_branch_is_refused_or_taken_by_the_value_of_each_call(engine: Backend, sample: Sample) -> None:
    """A compiled function that branches on a value is refused, or takes at each call the branch of that call's value."""
    multiply, negative, total = engine.op(MULTIPLY), engine.op(NEGATIVE), full_sum(engine)

    def branching(a: Any) -> Any:
        return multiply(a, a) if total(a) > 0 else negative(a)

    function, x, g = engine.compiled(branching), np.abs(sample.array()), sample.array()
    if not computes(engine, function, [x]):
        decides_by_refusal()
        return
    for operand in (x, -x, x):
        is_up = operand.sum() > 0
        expected = ([operand**2], [2 * g * operand]) if is_up else ([-operand], [-g])
        answer = unless_refused(partial(engine.vjp, function, [np.array(operand)], [np.array(g)]), engine)
        if answer is not None:
            what = f"a compiled x² if sum(x) > 0 else -x, where sum(x) is {operand.sum()}"
            _hold(engine, function, [operand], [g], expected, what)


@contract("C10", "captured-again", COMPILE, Capability.WRITABLE)
def compiled_function_sees_what_was_written_into_what_it_captures(engine: Backend, sample: Sample) -> None:
    """Where a captured array's memory is written between two calls of a compiled function, the second one has the new numbers."""
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)
    captured = engine.array(sample.array())
    function = engine.compiled(lambda a: add(multiply(a, captured), a))
    for n in range(1, 4):
        x, w, g = (sample.array() for _ in range(3))
        overwrite(engine, captured, w, "an array")
        what = f"call {n} of a compiled x w + x, w captured and written before the call"
        _hold(engine, function, [x], [g], ([x * w + x], [g * w + g]), what)


@contract("C10", "captured-calls")
def each_call_sends_cotangents_to_what_is_captured(engine: Backend, sample: Sample) -> None:
    """What a compiled, vectorized or checkpointed function captures gets the cotangents of each of its calls in a graph."""
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)
    for what, make in wrappers_of(engine):
        x, w, g = sample.array((4, 3)), sample.array((3,)), sample.array((4, 3))

        def function(a: Any, b: Any, make: Any = make) -> Any:
            scaled = make(lambda row: multiply(multiply(row, row), b))
            return add(scaled(a), scaled(add(a, a)))

        got = gradients_of(engine, function, [x, w], g)
        hold_equal(
            got[0], 10 * g * x * w, f"x's gradient of x² w + (2x)² w by two calls of a function, {what}"
        )
        hold_equal(
            got[1],
            (5 * g * x * x).sum(axis=0),
            f"w's gradient of x² w + (2x)² w by two calls of a function that captures w, {what}",
        )


@contract("C10", "not-finite", COMPILE)
def compiled_function_simplifies_nothing_that_is_not_finite(engine: Backend, sample: Sample) -> None:
    """A compiled x - x, x / x or 0 x is at zeros, infinities and NaN what the plain one is: no 0 or 1 in place of NaN."""
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)
    x = np.array([np.inf, -np.inf, np.nan, 0.0, 2.0], sample.dtype)
    zero = engine.array(np.zeros((), sample.dtype))
    functions: dict[str, Function] = {"0 x": lambda a: multiply(a, zero)}
    for name, sign in ((SUBTRACT, "-"), (DIVIDE, "/")):
        if name in engine.ops:
            op = engine.op(name)
            functions[f"x {sign} x"] = lambda a, f=op: f(a, a)
            functions[f"x + x {sign} x"] = lambda a, f=op: add(a, f(a, a))
    with np.errstate(all="ignore"):
        for what, function in functions.items():
            (plainly,) = engine.forward(function, [np.array(x)])
            if not np.isnan(plain(engine, plainly)).any():
                raise NotThisCase("the engine itself is no IEEE 754 there")
            (compiled,) = engine.forward(engine.compiled(function), [np.array(x)])
            hold_equal(plain(engine, compiled), plain(engine, plainly), f"a compiled {what} at {x.tolist()}")
