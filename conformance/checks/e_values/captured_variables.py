"""Derivatives in functions that are differentiated themselves: by what is captured, by other operands, at simple numbers (E4)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.c_modes.special_numbers import NUMBERS, hold_number, positive
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported
from conformance.ops.names import ADD, DIVIDE, MULTIPLY, POW


@contract("E4", "captured", Capability.HIGHER_ORDER)
def inner_derivative_takes_what_it_captures_as_a_constant(engine: Backend, sample: Sample) -> None:
    """The derivative of x y² by y, taken at y = x, is 2 x², and that of this by x is 4 x: the two variables stay apart.

    An engine that knows variables by their arrays, or by one mark for all levels, adds the derivative by the captured x.
    """
    x, u, g = (sample.array() for _ in range(3))
    for what, inner in _inner_derivatives(engine, u):
        # Where an engine does not offer these modes in each other, that is no claim of this check.
        with contextlib.suppress(Unsupported):
            outputs, (gradient,) = engine.vjp(inner, [np.array(x)], [np.array(g)])
            hold_equal(plain(engine, outputs[0]), 2 * u * x * x, f"{what} of x y² at y = x")
            hold_gradient(engine, gradient, 4 * g * u * x, f"the gradient of {what} of x y² at y = x")
        if Capability.FORWARD in engine.capabilities:
            with contextlib.suppress(Unsupported):
                _, (tangent,) = engine.jvp(inner, [np.array(x)], [np.array(g)])
                hold_equal(plain(engine, tangent), 4 * g * u * x, f"the tangent of {what} of x y² at y = x")


def _inner_derivatives(engine: Backend, u: Any) -> Iterator[tuple[str, Function]]:
    """Functions a ↦ the derivative of a y² by y at y = a along u: its name, and the function."""
    multiply = engine.op(MULTIPLY)

    def of_y(a: Any) -> Function:
        return lambda y: multiply(a, multiply(y, y))

    yield "the gradient", lambda a: engine.nested_vjp(of_y(a), [a], [engine.array(np.array(u))])[0]
    if Capability.FORWARD in engine.capabilities:
        yield "the tangent", lambda a: engine.nested_jvp(of_y(a), [a], [engine.array(np.array(u))])[0]


@contract("E4", "captured-alone", Capability.HIGHER_ORDER)
def inner_derivative_of_what_is_only_captured_is_zero(engine: Backend, sample: Sample) -> None:
    """The derivative by y of x², x captured, is zero wherever y is taken, and the value of x², handed out, keeps its slope.

    An engine that knows its variables by a mark alone takes the outer variable, which is all that comes out, for its own.
    """
    x, w, u, g = (sample.array() for _ in range(4))
    slope = 2 * g * x
    for what, inner, is_summed in _of_what_is_captured(engine, w, u):
        with contextlib.suppress(Unsupported):
            _, (gradient,) = engine.vjp(inner, [np.array(x)], [np.array(g)])
            expected = slope + is_summed * 2 * x * g.sum()
            hold_gradient(engine, gradient, expected, f"the gradient of x² plus {what}")
        if Capability.FORWARD in engine.capabilities:
            with contextlib.suppress(Unsupported):
                _, (tangent,) = engine.jvp(inner, [np.array(x)], [np.array(g)])
                expected = slope + is_summed * slope.sum()
                hold_equal(plain(engine, tangent), expected, f"the tangent of x² plus {what}")


def _of_what_is_captured(engine: Backend, w: Array, u: Array) -> Iterator[tuple[str, Function, bool]]:
    """Functions a ↦ a² + the derivative of a² by y, or, as the last entry says, + the value of Σ a² beside that derivative."""
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)

    def beside(derivative: Callable[[Function, Any], Any], place: Callable[[Any], Any]) -> Function:
        def outer(a: Any) -> Any:
            square = multiply(a, a)
            found = derivative(lambda y: multiply(a, a), place(a))
            return square if found is None else add(square, found)

        return outer

    pulled: Callable[[Function, Any], Any] = lambda f, y: engine.nested_vjp(f, [y], [engine.array(u)])[0]  # noqa: E731
    pushed: Callable[[Function, Any], Any] = lambda f, y: engine.nested_jvp(f, [y], [engine.array(u)])[0]  # noqa: E731
    modes = {"gradient": pulled, **({"tangent": pushed} if Capability.FORWARD in engine.capabilities else {})}
    places: dict[str, Callable[[Any], Any]] = {"y": lambda a: engine.array(w), "y = x": lambda a: a}
    if engine.conventions.get("A13") != "refused":
        for mode, derivative in modes.items():
            for where, place in places.items():
                yield f"the {mode} of x² by {where}", beside(derivative, place), False
    if Capability.VALUE_WITH_GRADIENT in engine.capabilities:
        total = full_sum(engine)

        def value(f: Function, y: Any) -> Any:
            return engine.value_and_gradient(lambda b: total(f(b)), [y], 0)[0]

        for where, place in places.items():
            yield f"the value of Σ x² with its gradient by {where}", beside(value, place), True


@contract("E4", "same-array", Capability.HIGHER_ORDER)
def gradients_by_one_array_named_twice_are_differentiated(engine: Backend, sample: Sample) -> None:
    """Where both operands of a gradient are one array, the gradient by each is differentiated: they are two variables, then one."""
    multiply = engine.op(MULTIPLY)
    x, g, v = (sample.array() for _ in range(3))

    def square_times(a: Any, b: Any) -> Any:
        return multiply(multiply(a, a), b)

    for i, (value, slope) in enumerate(((2 * g * x * x, 4 * g * x * v), (g * x * x, 2 * g * x * v))):

        def gradient(a: Any, i: int = i) -> Any:
            return engine.nested_vjp(square_times, [a, a], [engine.array(np.array(g))])[i]

        outputs, (got,) = engine.vjp(gradient, [np.array(x)], [np.array(v)])
        what = f"of x²y by its operand {i}, both the same array"
        hold_equal(plain(engine, outputs[0]), value, f"the gradient {what}")
        hold_gradient(engine, got, slope, f"the derivative of the gradient {what}")


@contract("E4", "by-one-argument", Capability.HIGHER_ORDER)
def derivative_by_the_cotangent_alone_or_by_what_is_operand_and_cotangent(
    engine: Backend, sample: Sample
) -> None:
    """A gradient at a constant is differentiated by its cotangent, and where one array is operand and cotangent by both places; a tangent likewise."""
    multiply = engine.op(MULTIPLY)
    x, t, g = (sample.array() for _ in range(3))

    def square(a: Any) -> Any:
        return multiply(a, a)

    derivatives: dict[str, Callable[[Any, Any], Any]] = {
        "gradient": lambda a, along: engine.nested_vjp(square, [a], [along])[0]
    }
    if Capability.FORWARD in engine.capabilities:
        derivatives["tangent"] = lambda a, along: engine.nested_jvp(square, [a], [along])[0]
    for what, derivative in derivatives.items():
        constant = engine.array(np.array(x))
        calls: tuple[tuple[Function, Array, Array, Array, str], ...] = (
            (lambda b, d=derivative, c=constant: d(c, b), t, 2 * x * t, 2 * x * g, "at a constant"),
            (lambda b, d=derivative: d(b, b), x, 2 * x * x, 4 * x * g, "along the operand itself"),
        )
        for function, given, value, slope, where in calls:
            # Where an engine does not offer this mode in the other, that is no claim of this check.
            with contextlib.suppress(Unsupported):
                outputs, (got,) = engine.vjp(function, [np.array(given)], [np.array(g)])
                hold_equal(plain(engine, outputs[0]), value, f"the {what} of x² {where}")
                hold_gradient(engine, got, slope, f"the derivative of the {what} of x² {where}")


@contract("E4", "detached", Capability.HIGHER_ORDER, Capability.DETACH)
def detached_value_is_a_constant_at_every_level(engine: Backend, sample: Sample) -> None:
    """What an inner derivative detaches is a constant for the outer one too: the inner variable, and what is captured."""
    multiply = engine.op(MULTIPLY)
    x, u, g = (sample.array() for _ in range(3))
    functions: dict[str, Callable[[Any], Function]] = {
        "detach(y)": lambda a: lambda y: multiply(engine.detach(y), multiply(y, y)),
        "detach(x)": lambda a: lambda y: multiply(engine.detach(a), multiply(y, y)),
    }
    for what, of_y in functions.items():

        def gradient(a: Any, of_y: Any = of_y) -> Any:
            return engine.nested_vjp(of_y(a), [a], [engine.array(np.array(u))])[0]

        outputs, (got,) = engine.vjp(gradient, [np.array(x)], [np.array(g)])
        hold_equal(plain(engine, outputs[0]), 2 * u * x * x, f"the gradient of {what} y² at y = x")
        hold_gradient(
            engine, got, 2 * g * u * x, f"the derivative by x of the gradient of {what} y² at y = x"
        )


# ---- operands that are simple numbers ----------------------------------------------------------------

# The slope by x, the first operand, differentiated by n, the second: its terms, which may cancel.
MIXED: Mapping[str, Callable[[Array, Any], Sequence[Array]]] = {
    MULTIPLY: lambda x, n: [0 * x + 1],
    DIVIDE: lambda x, n: [] if n == 0 else [0 * x - 1 / n**2],
    POW: lambda x, n: [x ** (n - 1), n * x ** (n - 1) * np.log(x)],
}


@contract("E4", "special-numbers", Capability.HIGHER_ORDER)
def simple_operands_change_no_mixed_derivative(engine: Backend, sample: Sample) -> None:
    """Where an operand that has a gradient too is one of these numbers, each gradient is differentiated by the other operand."""
    x, v = positive(sample), sample.array((3,))
    one, total = np.ones((), x.dtype), full_sum(engine)
    pairs = [(name, number) for name in MIXED if name in engine.ops for number in NUMBERS]
    for name, number in pairs[sample.seed % 8 :: 8] if engine.compiles_signatures else pairs:
        terms = MIXED[name](x.astype(np.longdouble), np.longdouble(number))
        if not terms:
            continue
        function, n = partial(_summed, total, engine.op(name)), np.asarray(number, x.dtype)
        mixed, size = sum(terms), sum(map(np.abs, terms))
        for i, by, weight, expected, sizes in (
            (0, "n", v, (v * mixed).sum(), (np.abs(v) * size).sum()),
            (1, "x", one, mixed, size),
        ):

            def gradient(a: Any, b: Any, i: int = i, function: Function = function) -> Any:
                return engine.nested_vjp(function, [a, b], [engine.array(np.array(one))])[i]

            _, pulled = engine.vjp(gradient, [np.array(x), np.array(n)], [np.array(weight)])
            got = None if pulled[1 - i] is None else plain(engine, pulled[1 - i])
            what = f"the derivative by {by} of the other operand's gradient of {name} of x and n = {number}"
            hold_number(got, np.asarray(expected), x, what, sizes)


def _summed(total: Function, op: Function, a: Any, b: Any) -> Any:
    return total(op(a, b))
