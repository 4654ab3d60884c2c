"""Claims about calls that are made again, with other numbers in the same arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, FunctionalBackend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum
from conformance.checks.observation import plain
from conformance.checks.registry import NotThisCase
from conformance.errors import AdapterError, Violation, hold_no_stop
from conformance.ops.names import MULTIPLY
from conformance.run.claims.capabilities import array_of

Claim = tuple[str, Callable[[Any], None], str]
Answer = tuple[Sequence[Any], Sequence[Array], str]  # what came, what is right, and of what
Ask = Callable[[Array], Answer]

AGAIN = "asked again with other numbers"  # what a failure says that the first call does not have
BY_ID = "nothing is kept by id()"  # what is to be done about such a failure alone
AT_ONCE = (
    "it is so at the first call already, of whatever numbers: docs/adapter.md says what the member returns"
)
SHARED = {
    "hazard": 'the gradient is that of what the caller wrote into an operand after the call, and D4 is declared "hazard"',
    None: "the gradient is that of what the caller wrote into an operand after the call, and D4 is not declared: where the "
    'engine\'s own arrays share that memory, declare "hazard"; where the adapter reads the arrays later, it copies them',
}


def asked_again(backend: Backend) -> None:
    """The gradient of the same function by the same array is that of the numbers that stand in it now."""
    multiply, total, g = backend.op(MULTIPLY), full_sum(backend), array_of(backend, [1, -1])
    square = lambda a: multiply(a, a)  # noqa: E731
    summed = lambda a: total(multiply(a, a))  # noqa: E731
    values = [array_of(backend, v) for v in ([3, 5], [2, 7], [4, 1])]
    given = [np.array(values[0])]
    for time, value in enumerate(values):
        if not given[0].flags.writeable:
            return  # the engine keeps the caller from writing
        given[0][...] = value
        _, (gradient,) = backend.vjp(square, given, [np.array(g)])
        _hold(backend, gradient, 2 * g * value, "vjp()", time)
        _hold(backend, backend.gradient(summed, given)[0], 2 * value, "gradient()", time)
    if isinstance(backend, FunctionalBackend) and Capability.WRITABLE in backend.capabilities:
        _hold_pullbacks(backend, square, values, g)


def _hold_pullbacks(backend: FunctionalBackend, square: Any, values: list[Array], g: Array) -> None:
    """Claim the same of pullback(), whose array is the engine's; of its output too: a kept pullback may read the array anew."""
    arrays = [backend.array(np.array(values[0]))]
    for time, value in enumerate(values):
        backend.memory(arrays[0])[...] = value
        output, pull = backend.pullback(square, arrays)
        _hold(backend, output, value * value, "pullback()", time, "value")
        _hold(backend, pull(backend.array(np.array(g)))[0], 2 * g * value, "pullback()", time)


def _hold(backend: Backend, got: Any, expected: Array, call: str, time: int, what: str = "gradient") -> None:
    found = None if got is None else plain(backend, got)
    again = f", {AGAIN} in the array" if time else ""
    hold_equal(found, expected, f"the {what} of x * x by {call}{again}")


def _square(backend: Backend) -> Function:
    multiply = backend.op(MULTIPLY)
    return lambda a: multiply(a, a)


class _Kept:
    """One of the engine's arrays that gets other numbers: in its memory where that can be written, or in another array."""

    def __init__(self, backend: Backend) -> None:
        self.backend, self.arrays = backend, list[Any]()

    def of(self, value: Array) -> Any:
        """The array, with these numbers."""
        if self.arrays and Capability.WRITABLE in self.backend.capabilities:
            self.backend.memory(self.arrays[0])[...] = value
        else:
            self.arrays[:] = [self.backend.array(np.array(value))]
        return self.arrays[0]


def _tangents(backend: Backend) -> Iterator[tuple[str, Ask]]:
    square, t = _square(backend), array_of(backend, [1, -1])
    given, kept = [np.zeros_like(t)], _Kept(backend)

    def jvp(x: Array) -> Answer:
        given[0][...] = x
        outputs, tangents = backend.jvp(square, given, [np.array(t)])
        return [*outputs, *tangents], [x * x, 2 * x * t], "the value and the tangent of x * x"

    def nested_jvp(x: Array) -> Answer:
        found = backend.nested_jvp(square, [kept.of(x)], [backend.array(np.array(t))])
        return found, [2 * x * t], "the tangent of x * x"

    yield "jvp()", jvp
    if Capability.HIGHER_ORDER in backend.capabilities:
        yield "nested_jvp()", nested_jvp


def _inner(backend: Backend) -> Iterator[tuple[str, Ask]]:
    square, g, kept = _square(backend), array_of(backend, [1, -1]), _Kept(backend)

    def nested_vjp(x: Array) -> Answer:
        found = backend.nested_vjp(square, [kept.of(x)], [backend.array(np.array(g))])
        return found, [2 * x * g], "the gradient of x * x"

    yield "nested_vjp()", nested_vjp


def _with_value(backend: Backend) -> Iterator[tuple[str, Ask]]:
    square, total, kept = _square(backend), full_sum(backend), _Kept(backend)
    summed = lambda a: total(square(a))  # noqa: E731

    def value_and_gradient(x: Array) -> Answer:
        value, gradient, _ = backend.value_and_gradient(summed, [kept.of(x)], 0)
        return [value, gradient], [(x * x).sum(), 2 * x], "the value and the gradient of the sum of x * x"

    yield "value_and_gradient()", value_and_gradient


def _jacobians(backend: Backend) -> Iterator[tuple[str, Ask]]:
    multiply, square, total = backend.op(MULTIPLY), _square(backend), full_sum(backend)
    cubes = lambda a: total(multiply(square(a), a))  # noqa: E731
    given = [array_of(backend, [0, 0])]

    def of_kind(kind: str) -> Ask:
        def jacobian(x: Array) -> Answer:
            given[0][...] = x
            if kind == "hessian":
                return (
                    backend.jacobian(cubes, given, kind),
                    [np.diag(6 * x)],
                    "the Hessian of the sum of x * x * x",
                )
            return backend.jacobian(square, given, kind), [np.diag(2 * x)], f"the Jacobian of x * x by {kind}"

        return jacobian

    for kind in ("rows", "columns", "hessian"):
        yield "jacobian()", of_kind(kind)


def _mapped(backend: Backend) -> Iterator[tuple[str, Ask]]:
    square, kept = _square(backend), _Kept(backend)

    def vectorized(x: Array) -> Answer:
        rows = np.stack([x, x + 1])
        return [backend.vectorized(square)(kept.of(rows))], [rows * rows], "x * x, mapped over rows"

    yield "vectorized()", vectorized


MEMBERS: Mapping[Capability, Callable[[Backend], Iterator[tuple[str, Ask]]]] = {
    Capability.FORWARD: _tangents,
    Capability.HIGHER_ORDER: _inner,
    Capability.VALUE_WITH_GRADIENT: _with_value,
    Capability.JACOBIANS: _jacobians,
    Capability.VECTORIZING: _mapped,
}


def members_again(backend: Backend) -> None:
    """What a member returns of the same function is that of the numbers that it is given now."""
    for calls in (make(backend) for need, make in MEMBERS.items() if need in backend.capabilities):
        for call, ask in calls:
            _hold_again(backend, call, ask)


def _hold_again(backend: Backend, call: str, ask: Ask) -> None:
    """Claim three answers of one call, unless it is refused at once."""
    for time, values in enumerate(([3, 5], [2, 7], [4, 1])):
        try:
            found, expected, what = ask(array_of(backend, values))
        except (AdapterError, Violation):
            raise
        except BaseException as error:
            # Not offered, or, of an array that is locked, not again; another claim is about the first.
            hold_no_stop(error)
            return
        for got, right in zip(found, expected, strict=False):
            again = f", {AGAIN}" if time else ""
            hold_equal(None if got is None else plain(backend, got), right, f"{what} by {call}{again}")


def pulled_later(backend: Backend) -> None:
    """A gradient is that of the numbers that were handed over, unless the engine keeps no copy, as it may by D4."""
    x, w, g = (array_of(backend, v) for v in ([3, 5], [2, 7], [1, -1]))
    given = [np.array(x), np.array(w)]
    traced = backend.trace(backend.op(MULTIPLY), given)
    for output in traced.outputs:
        plain(backend, output)  # a lazy engine reads its operands now: another claim is about that
    if not all(array.flags.writeable for array in given):
        return  # the engine keeps the caller from writing
    for array in given:
        array[...] = 7
    found = [
        None if got is None else plain(backend, got) for got in traced.pull([backend.array(np.array(g))])
    ]
    declared = backend.conventions.get("D4")
    if declared in (None, "hazard") and any(got is not None and np.array_equal(got, 7 * g) for got in found):
        raise NotThisCase(SHARED[declared])
    for got, right, name in zip(found, (g * w, g * x), "xw", strict=True):
        hold_equal(
            got,
            right,
            f"the gradient of x * w by {name}, after 7 was written into the arrays that were handed over",
        )


def claims_of(backend: Backend) -> Iterator[Claim]:
    """The claims: each, the function that tries it, and a hint."""
    yield (
        "the same call with other numbers has another gradient",
        asked_again,
        f"{BY_ID}: neither a pullback nor a result, since an array can be written, and an id be given again",
    )
    if set(MEMBERS) & backend.capabilities:
        yield (
            "the same call of a further method with other numbers has another answer",
            members_again,
            f"{BY_ID}, of a function neither: what is kept of one is kept with the numbers that it was called with",
        )
    yield (
        "what the caller writes into an array after a call changes no gradient of that call",
        pulled_later,
        "array() and leaf() copy where a backward pass reads the operands: np.array(value) does; where the engine itself reads "
        'the caller\'s memory then, declare that, conventions = {"D4": "hazard"}',
    )
