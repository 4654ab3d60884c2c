"""Whether what an adapter hands on or returns for several operands is in the order of the operands.

Most is asked of x * x * w, whose derivatives by x and by w differ.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import computes, full_sum
from conformance.checks.observation import plain
from conformance.errors import Unsupported, Violation
from conformance.ops.names import MATMUL, MULTIPLY
from conformance.run.claims.capabilities import REPLACING, array_of

OF_EACH_ENTRY = "x * x * w"


def _operands(backend: Backend) -> tuple[Array, Array]:
    return array_of(backend, [3, 5]), array_of(backend, [2, 7])


def _square_times(backend: Backend) -> Function:
    multiply = backend.op(MULTIPLY)
    return lambda a, b: multiply(multiply(a, a), b)


def _total(backend: Backend) -> Function:
    total, function = full_sum(backend), _square_times(backend)
    return lambda a, b: total(function(a, b))


def _hold(backend: Backend, found: Sequence[Any], expected: Sequence[Array], what: str) -> None:
    """Claim one array for each operand, in order."""
    if len(found) != len(expected):
        raise Violation(f"two operands, but {len(found)} of {what}")
    for got, right, name in zip(found, expected, "xw", strict=True):
        hold_equal(None if got is None else plain(backend, got), right, f"{what}, by {name}")


def summed(backend: Backend) -> None:
    """gradient() returns the gradients of a scalar in the order of its operands."""
    x, w = _operands(backend)
    found = backend.gradient(_total(backend), [np.array(x), np.array(w)])
    _hold(backend, found, (2 * x * w, x * x), "the gradient of the sum of x * x * w")


def of_several(backend: Backend) -> None:
    """Each output of a function of several has its own cotangent."""
    (x, w), multiply = _operands(backend), backend.op(MULTIPLY)
    g, h = array_of(backend, [1, -1]), array_of(backend, [4, 2])
    with contextlib.suppress(Unsupported):
        _, found = backend.vjp(
            lambda a, b: (multiply(a, b), multiply(a, a)), [np.array(x), np.array(w)], [g, h]
        )
        what = "the gradient of the outputs x * w and x * x"
        _hold(backend, found, (g * w + 2 * h * x, g * x), what)


def pushed(backend: Backend) -> None:
    """jvp() pushes each tangent along its own operand."""
    (x, w), (s, t) = _operands(backend), (array_of(backend, [1, -1]), array_of(backend, [4, 2]))
    _, (tangent,) = backend.jvp(_square_times(backend), [x, w], [s, t])
    hold_equal(plain(backend, tangent), 2 * x * w * s + x * x * t, "the tangent of x * x * w")


def inner(backend: Backend) -> None:
    """nested_vjp() returns the gradients in the order of the arrays."""
    x, w = _operands(backend)
    g = array_of(backend, [1, -1])
    arrays = [backend.array(np.array(value)) for value in (x, w)]
    found = backend.nested_vjp(_square_times(backend), arrays, [backend.array(np.array(g))])
    _hold(backend, found, (2 * x * w * g, x * x * g), "the inner gradient of x * x * w")


def with_value(backend: Backend) -> None:
    """value_and_gradient() returns the gradients in the order of the positions, whichever that is; that of a number alone."""
    x, w = _operands(backend)
    gradients = (2 * x * w, x * x)
    wrt: int | tuple[int, ...]
    for wrt in ((0, 1), (1, 0), (1,), 1):
        arrays = [backend.array(np.array(value)) for value in (x, w)]
        with contextlib.suppress(Unsupported):
            _, found, _ = backend.value_and_gradient(_total(backend), arrays, wrt)
            if isinstance(wrt, tuple) and not (isinstance(found, (tuple, list)) and len(found) == len(wrt)):
                few = (
                    ("one position", "one gradient")
                    if len(wrt) == 1
                    else (f"{len(wrt)} positions", f"{len(wrt)} gradients")
                )
                raise Violation(
                    f"wrt={wrt}: a tuple of {few[0]} gives a tuple of {few[1]}, and {_form(found)} came"
                )
            pairs = [(found, wrt)] if isinstance(wrt, int) else list(zip(found, wrt, strict=True))
            for got, position in pairs:
                what = f"the gradient at position {position} of {wrt}, with the value, of x * x * w"
                hold_equal(plain(backend, got), gradients[position], what)


def _form(found: Any) -> str:
    return f"one of {len(found)}" if isinstance(found, (tuple, list)) else type(found).__name__


def whole(backend: Backend) -> None:
    """jacobian() returns the Jacobians in the order of the operands, the output's axes before the operand's."""
    for function, operands, expected, what in _with_jacobians(backend):
        if what != OF_EACH_ENTRY and not computes(backend, function, operands):
            continue
        for kind in ("rows", "columns"):
            with contextlib.suppress(Unsupported):
                found = backend.jacobian(function, [np.array(value) for value in operands], kind)
                _hold(backend, found, expected, f"the Jacobian of {what} by {kind}")


def _with_jacobians(
    backend: Backend,
) -> Iterator[tuple[Function, tuple[Array, Array], tuple[Array, Array], str]]:
    """Functions of two operands, with their Jacobians: one that is computed by every engine, and those that are not symmetric."""
    (x, w), multiply, total = _operands(backend), backend.op(MULTIPLY), full_sum(backend)
    two, s = np.eye(2, dtype=x.dtype), (x * w).sum()
    yield _square_times(backend), (x, w), (np.diag(2 * x * w), np.diag(x * x)), OF_EACH_ENTRY
    mixed: Function = lambda a, b: multiply(total(multiply(a, b)), a)  # noqa: E731
    yield mixed, (x, w), (np.outer(x, w) + s * two, np.outer(x, x)), "(x · w) x"
    column = array_of(backend, [[2], [7], [4]])  # the output has another shape than either operand
    by_row, by_column = (
        np.einsum("ic,jk->ijk", column, two),
        np.einsum("ik,j->ijk", np.eye(3, dtype=x.dtype), x),
    )
    yield multiply, (x, column), (by_row, by_column[..., None]), "x * w, a row and a column"
    if MATMUL in backend.ops:  # of an engine that does not broadcast
        a, b = (array_of(backend, rows) for rows in ([[3, 5], [1, 4]], [[2, 7], [6, 9]]))
        by_left, by_right = np.einsum("ik,lj->ijkl", two, b), np.einsum("ik,jl->ijkl", a, two)
        yield backend.op(MATMUL), (a, b), (by_left, by_right), "x @ w"


def on_the_way(backend: Backend) -> None:
    """gradients_within() returns the gradients in the order of the arrays that the function names."""
    (x, w), multiply = _operands(backend), backend.op(MULTIPLY)
    cotangents = [array_of(backend, g) for g in ([1, -1], [2, 4])]
    for count in (1, 2):
        g, h = cotangents[0], (count - 1) * cotangents[1]

        def graph(a: Any, b: Any, count: int = count) -> Any:
            square = multiply(a, a)
            return (multiply(square, b), square)[:count], (b, square, a)

        with contextlib.suppress(*[Unsupported] * (count - 1)):  # an engine may have them of one output alone
            found = backend.gradients_within(
                graph, [np.array(x), np.array(w)], [np.array(y) for y in cotangents[:count]]
            )
            expected = {"w": x * x * g, "x * x": w * g + h, "x": 2 * x * (w * g + h)}
            if len(found) != len(expected):
                raise Violation(f"three arrays are named, but there are {len(found)} gradients")
            of = ("x * x * w", "(x * x * w, x * x)")[count - 1]
            for got, (name, right) in zip(found, expected.items(), strict=True):
                what = f"the gradient by {name}, of {of}, asked by w, x * x and x"
                hold_equal(None if got is None else plain(backend, got), right, what)


# The capability that a claim needs, the claim, what tries it, and where to look.
CLAIMS: tuple[tuple[Capability, str, Callable[[Any], None], str], ...] = (
    (
        Capability.FORWARD,
        "each tangent goes with its own operand",
        pushed,
        "jvp() gets the tangents in the order of the operands",
    ),
    (
        Capability.HIGHER_ORDER,
        "inner gradients are in the order of the arrays",
        inner,
        "nested_vjp() returns one gradient per array, in order, and the cotangents are passed on",
    ),
    (
        Capability.VALUE_WITH_GRADIENT,
        "gradients beside a value are in the order of the positions",
        with_value,
        "value_and_gradient() returns the gradients in the order of `wrt`, which need not ascend: one gradient for a number, a "
        "tuple of them for a tuple",
    ),
    (
        Capability.INTERMEDIATES,
        "gradients by results on the way are in the order of the arrays named",
        on_the_way,
        "gradients_within() calls the function with leaves, and returns one gradient per array that it names, in order",
    ),
    (
        Capability.JACOBIANS,
        "Jacobians are in the order of the operands",
        whole,
        "jacobian() returns one Jacobian per operand, in order",
    ),
)


def claims_of(backend: Backend) -> Iterator[tuple[str, Callable[[Any], None], str]]:
    """The claims about the order of what an adapter declares: each, the function that tries it, and a hint."""
    yield (
        "the gradients of a scalar are in the order of its operands",
        summed,
        "gradient() returns one gradient per operand, in order",
    )
    yield (
        "each output of several has its own cotangent",
        of_several,
        f"of a function that returns a tuple, a pullback takes a tuple; backward() is called once for each output; {REPLACING}",
    )
    for need, claim, try_it, hint in CLAIMS:
        if need in backend.capabilities:
            yield claim, try_it, hint
