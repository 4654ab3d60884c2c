"""Claims about what is made or drawn anew: compiled functions, random numbers, gradients through what is captured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.checks.comparison import hold_equal
from conformance.checks.observation import plain
from conformance.errors import AdapterError, Violation, hold_no_stop
from conformance.ops.names import ADD, MULTIPLY
from conformance.run.claims.capabilities import array_of

Claim = tuple[str, Callable[[Any], None], str]
ENTRIES = 64  # so many numbers that two drawings are never alike by chance


def compiled_apart(backend: Backend) -> None:
    """Two functions of one name are compiled as two."""
    x = array_of(backend, [3, 5])
    for op, expected in ((ADD, x + x), (MULTIPLY, x * x)):
        (output,) = backend.forward(backend.compiled(_twice(backend.op(op))), [np.array(x)])
        hold_equal(
            plain(backend, output),
            expected,
            f"the compiled {op} of x and x, after another function of this name",
        )


def _twice(op: Function) -> Function:
    def function(a: Any) -> Any:
        return op(a, a)

    return function


def drawn_anew(backend: Backend) -> None:
    """noise() draws others at each call."""
    drawn = [
        plain(backend, backend.forward(backend.noise, [array_of(backend, [1] * ENTRIES)])[0])
        for _ in range(3)
    ]
    if np.array_equal(drawn[0], drawn[1]) and np.array_equal(drawn[1], drawn[2]):
        raise Violation(f"noise() drew the same {ENTRIES} zeros and ones in three calls")


def captured_recorded(backend: Backend) -> None:
    """A gradient is differentiated by what its function captures, unless the engine refuses that."""
    multiply, x, h = backend.op(MULTIPLY), array_of(backend, [3, 5]), array_of(backend, [1, -1])
    w, g = array_of(backend, [2, 7]), array_of(backend, [4, 2])

    def inner(a: Any) -> Any:
        captures = lambda y: multiply(multiply(y, y), a)  # noqa: E731
        given = [backend.array(np.array(w))], [backend.array(np.array(g))]
        return multiply(a, backend.nested_vjp(captures, *given)[0])

    try:
        (output,), (gradient,) = backend.vjp(inner, [np.array(x)], [np.array(h)])
        if not np.array_equal(plain(backend, output), 2 * w * x * g * x):
            return  # another claim is about that
        found = None if gradient is None else plain(backend, gradient)
    except (AdapterError, Violation):
        raise
    except BaseException as error:
        hold_no_stop(error)
        return
    hold_equal(found, 4 * w * x * g * h, "the derivative, by a, of a times the gradient of y * y * a by y")


CLAIMS: tuple[tuple[Capability, str, Callable[[Any], None], str], ...] = (
    (
        Capability.COMPILING,
        "two functions of one name are compiled as two",
        compiled_apart,
        "compiled() keeps nothing by a function's name: keep it by the function itself, or compile at each call",
    ),
    (
        Capability.RANDOM_NUMBERS,
        "random numbers are others at each call",
        drawn_anew,
        "noise() draws from a generator that goes on, and seeds none itself",
    ),
    (
        Capability.HIGHER_ORDER,
        "an inner gradient is differentiated by what its function captures",
        captured_recorded,
        "nested_vjp() makes variables of `arrays` alone: what the function captures is the outer function's, with its history, not "
        "a constant of its value",
    ),
)


def claims_of(backend: Backend) -> Iterator[Claim]:
    """The claims about what an adapter declares: each, the function that tries it, and a hint."""
    for need, claim, try_it, hint in CLAIMS:
        if need in backend.capabilities:
            yield claim, try_it, hint
