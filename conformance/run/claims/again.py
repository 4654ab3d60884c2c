"""Claims about calls that are made again, with other numbers in the same arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, FunctionalBackend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum
from conformance.checks.observation import plain
from conformance.ops.names import MULTIPLY
from conformance.run.claims.capabilities import array_of

Claim = tuple[str, Callable[[Any], None], str]


def asked_again(backend: Backend) -> None:
    """The gradient of the same function by the same array is that of the numbers that stand in it now."""
    multiply, total, g = backend.op(MULTIPLY), full_sum(backend), array_of(backend, [1, -1])
    square = lambda a: multiply(a, a)  # noqa: E731
    summed = lambda a: total(multiply(a, a))  # noqa: E731
    values = [array_of(backend, v) for v in ([3, 5], [2, 7], [4, 1])]
    given = [np.array(values[0])]
    for value in values:
        if not given[0].flags.writeable:
            return  # the engine keeps the caller from writing
        given[0][...] = value
        _, (gradient,) = backend.vjp(square, given, [np.array(g)])
        _hold(backend, gradient, 2 * g * value, "vjp()")
        _hold(backend, backend.gradient(summed, given)[0], 2 * value, "gradient()")
    if isinstance(backend, FunctionalBackend) and Capability.WRITABLE in backend.capabilities:
        _hold_pullbacks(backend, square, values, g)


def _hold_pullbacks(backend: FunctionalBackend, square: Any, values: list[Array], g: Array) -> None:
    """Claim the same of pullback(), whose array is the engine's; of its output too: a kept pullback may read the array anew."""
    arrays = [backend.array(np.array(values[0]))]
    for value in values:
        backend.memory(arrays[0])[...] = value
        output, pull = backend.pullback(square, arrays)
        _hold(backend, output, value * value, "pullback()", "value")
        _hold(backend, pull(backend.array(np.array(g)))[0], 2 * g * value, "pullback()")


def _hold(backend: Backend, got: Any, expected: Array, call: str, what: str = "gradient") -> None:
    found = None if got is None else plain(backend, got)
    hold_equal(found, expected, f"the {what} of x * x by {call}, asked again with other numbers in the array")


def claims_of(backend: Backend) -> Iterator[Claim]:
    """The claims: each, the function that tries it, and a hint."""
    yield (
        "the same call with other numbers has another gradient",
        asked_again,
        "nothing is kept by id(): neither a pullback nor a result, since an array can be written, and an id be given again",
    )
