"""Constants for which engines have a shorter way: 0, 1, -1, 2, a half (C4).

A product by one, a sum with zero, a square or a square root written as a power: what is simplified must have the same
value and derivatives. Everywhere else numbers are drawn, and a constant is hardly ever one of these.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.comparison import decides_by_refusal, hold_within
from conformance.checks.engine_calls import beside, computes, full_sum, is_refusal
from conformance.checks.observation import plain
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported
from conformance.ops.names import ADD, DIVIDE, MULTIPLY, POW, SUBTRACT
from conformance.oracle.allowance import Expected

NUMBERS = (1, -1, 2, 3, 0.5, -0.5, -2, 0)  # 0 last, where engines go wrong that are right at the others
ROUNDINGS = 8  # of a power, which an engine may compute by logarithm and exponential of a few units

Derivatives = tuple[Array, Array, Array]  # value, slope and curvature
# By x, the first operand, the second being a number n; and by x where it is the second.
FIRST: Mapping[str, Callable[[Array, Any], Derivatives | None]] = {
    MULTIPLY: lambda x, n: (x * n, 0 * x + n, 0 * x),
    ADD: lambda x, n: (x + n, 0 * x + 1, 0 * x),
    SUBTRACT: lambda x, n: (x - n, 0 * x + 1, 0 * x),
    DIVIDE: lambda x, n: None if n == 0 else (x / n, 0 * x + 1 / n, 0 * x),
    POW: lambda x, n: (x**n, n * x ** (n - 1), n * (n - 1) * x ** (n - 2)),
}
SECOND: Mapping[str, Callable[[Array, Any], Derivatives | None]] = {
    MULTIPLY: FIRST[MULTIPLY],
    ADD: FIRST[ADD],
    SUBTRACT: lambda x, n: (n - x, 0 * x - 1, 0 * x),
    DIVIDE: lambda x, n: (n / x, -n / x**2, 2 * n / x**3),
    POW: lambda x, n: _of_exponent(x, n),
}


def _of_exponent(x: Array, n: Any) -> Derivatives | None:
    """nˣ at positive x."""
    if n <= 0:
        return None if n else (0 * x, 0 * x, 0 * x)
    return n**x, n**x * np.log(n), n**x * np.log(n) ** 2


def _calls(engine: Backend, dtype: str) -> Iterator[tuple[str, Function, Callable[[Array], Derivatives]]]:
    """Each call in words, as a function of x, and what is known of it."""
    for table, place in ((FIRST, 0), (SECOND, 1)):
        for name in filter(engine.ops.__contains__, table):
            for number in NUMBERS:
                n = np.longdouble(number)
                if table[name](np.ones(1, np.longdouble), n) is None:
                    continue
                for form, given in _forms(engine, number, dtype).items():
                    words = f"{name}({f'{number}, x' if place else f'x, {number}'}), with {number} as {form},"
                    op = engine.op(name)
                    yield words, partial(beside, op, given, place), partial(_known, table[name], n)


def _known(derivatives: Callable[[Array, Any], Derivatives | None], n: Any, x: Array) -> Derivatives:
    known = derivatives(x, n)
    assert known is not None  # or the call is not asked
    return known


def _forms(engine: Backend, number: float, dtype: str) -> dict[str, Any]:
    """The number as what a user may write."""
    forms = {
        "a float": float(number),
        "an array of no axes": engine.array(np.asarray(number, dtype)),
        "an array of one entry": engine.array(np.full((1,), number, dtype)),
    }
    return forms if isinstance(number, float) else {"an integer": number, **forms}


@contract("C4", "special-numbers")
def simple_constants_change_no_derivative(engine: Backend, sample: Sample) -> None:
    """Beside the constants 0, 1, -1, 2, 3 and ±0.5, written in any way, sums, products, quotients and powers have their value and gradient."""
    x = positive(sample)
    for words, function, known in _asked(engine, sample):
        if not _takes(engine, function, x):
            continue
        value, slope, _ = known(x.astype(np.longdouble))
        (output,) = engine.forward(function, [np.array(x)])
        g = sample.array(x.shape).astype(plain(engine, output).dtype)
        (output,), (gradient,) = engine.vjp(function, [np.array(x)], [np.array(g)])
        hold_number(plain(engine, output), value, x, f"the value of {words}")
        hold_number(
            None if gradient is None else plain(engine, gradient), g * slope, x, f"x's gradient of {words}"
        )


@contract("C4", "special-numbers-second", Capability.HIGHER_ORDER)
def simple_constants_change_no_second_derivative(engine: Backend, sample: Sample) -> None:
    """Beside such constants the gradient of a power, a root or a reciprocal is differentiated as everywhere."""
    x, total, asked = positive(sample), full_sum(engine), 0
    for words, function, known in _asked(engine, sample):
        curvature = known(x.astype(np.longdouble))[2]
        if not (curvature.any() and _takes(engine, function, x)):
            continue
        asked += 1

        def gradient(a: Any, function: Function = function) -> Any:
            return engine.nested_vjp(lambda t: total(function(t)), [a], [engine.array(np.ones((), x.dtype))])[
                0
            ]

        v = sample.array(x.shape)
        _, (got,) = engine.vjp(gradient, [np.array(x)], [np.array(v)])
        hold_number(
            None if got is None else plain(engine, got), v * curvature, x, f"the second derivative of {words}"
        )
    if not asked:
        raise NotThisCase("the engine names no op, or takes no constant, that has a second derivative")


@contract("C4", "equal-to-the-variable")
def constant_that_equals_the_variable_is_another_array(engine: Backend, sample: Sample) -> None:
    """A constant with the shape, the dtype and the numbers of the variable beside it is a constant: no derivative is doubled, none is lost."""
    asked, shapes = 0, ((), (2,))
    for table, place in ((FIRST, 0), (SECOND, 1)):
        names = [name for name in table if name in engine.ops]
        for name in names[sample.seed % 5 :: 5] if engine.compiles_signatures else names:
            for number, shape in itertools.product((2, 0.5), shapes):
                x = np.full(shape, number, sample.dtype)
                function = partial(beside, engine.op(name), engine.array(np.array(x)), place)
                if not _takes(engine, function, x):
                    continue
                asked += 1
                value, slope, _ = _known(table[name], np.longdouble(number), x.astype(np.longdouble))
                words = (
                    f"{name} of x = {number} and a constant {number}{', which comes first' if place else ''}"
                )
                g = sample.array(shape)
                (output,), (gradient,) = engine.vjp(function, [np.array(x)], [np.array(g)])
                hold_number(plain(engine, output), value, x, f"the value of {words}")
                got = None if gradient is None else plain(engine, gradient)
                hold_number(got, g * slope, x, f"x's gradient of {words}")
    if not asked:
        raise NotThisCase("the engine names no op of this sample that takes a constant")


def positive(sample: Sample) -> Array:
    """Numbers from 1 to 3, at which no power is near an end of the dtype's range."""
    return np.asarray(1 + np.abs(sample.array((3,))) % 2, sample.dtype)


def _asked(engine: Backend, sample: Sample) -> list[tuple[str, Function, Callable[[Array], Derivatives]]]:
    calls = list(_calls(engine, sample.dtype))
    if not calls:
        raise Unsupported(f"the adapter of {engine.engine} names none of {', '.join(FIRST)}")
    return calls[sample.seed % 16 :: 16] if engine.compiles_signatures else calls


def _takes(engine: Backend, function: Function, x: Array) -> bool:
    """Whether the engine takes such a constant, and keeps the dtype; not to take it decides something too."""
    try:
        if computes(engine, function, [x]):
            (output,) = engine.forward(function, [np.array(x)])
            return bool(plain(engine, output).dtype.kind == "f")
    except Exception as error:
        if not is_refusal(error):
            raise
    decides_by_refusal()
    return False


def hold_number(got: Array | None, exact: Array, x: Array, what: str, size: Any = 0) -> None:
    """Claim a number to a few roundings of itself, or of the size of what it is a sum of."""
    info = np.finfo(x.dtype)
    allowed = ROUNDINGS * info.eps * np.maximum(np.maximum(np.abs(exact), size), info.tiny)
    expected = Expected(np.asarray(exact, np.longdouble), allowed, allowed / ROUNDINGS)
    hold_within(got, expected, what, claim="is wrong")
