"""What an adapter must get right of what its engine offers beyond gradients, one by one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, TapeBackend
from conformance.checks.comparison import hold_equal
from conformance.checks.observation import plain
from conformance.errors import AdapterError, Unsupported, Violation, hold_no_stop
from conformance.ops.names import ADD, MULTIPLY

WRITABLE = (
    "what is written into numpy(array) of a result changes the array: declare Capability.WRITABLE, with memory(array) "
    "as that memory; else nobody asks whether gradients share memory"
)

REPLACING = (
    'where each backward pass of the engine replaces what is stored, declare that, conventions = {"B3": "replaces"}: '
    "those of several outputs are then added up here"
)


def real_dtype(backend: Backend) -> str:
    """The first dtype of an adapter, in which it is tried."""
    return backend.dtypes[0]


def array_of(backend: Backend, values: Any) -> Any:
    """An array in that dtype."""
    return np.asarray(values, real_dtype(backend))


def captured(backend: Backend) -> None:
    """nested_vjp differentiates by its own variables: what the function captures is a constant, the same array too."""
    multiply, g = backend.op(MULTIPLY), array_of(backend, [1, -1])
    inner = lambda a: backend.nested_vjp(lambda y: multiply(a, y), [a], [backend.array(np.array(g))])[0]  # noqa: E731
    x = array_of(backend, [3, 5])
    outputs, _ = backend.vjp(inner, [np.array(x)], [np.array(g)])
    hold_equal(plain(backend, outputs[0]), g * x, "the gradient of x * y by y, at y = x, where x is captured")


def mapped(backend: Backend) -> None:
    """A mapped function captures a variable of the gradient that is computed, or is refused for it."""
    multiply = backend.op(MULTIPLY)
    x, w, g = (array_of(backend, values) for values in ([[1, 2], [3, 4]], [3, 5], [[1, -1], [2, 1]]))
    rows_times = lambda a, b: backend.vectorized(lambda row: multiply(row, b))(a)  # noqa: E731
    with contextlib.suppress(Unsupported):
        _, gradients = backend.vjp(rows_times, [np.array(x), np.array(w)], [np.array(g)])
        for got, expected, name in zip(gradients, (g * w, (g * x).sum(axis=0)), "xw", strict=True):
            given = None if got is None else plain(backend, got)
            hold_equal(given, expected, f"{name}'s gradient of row * w, mapped over the rows of x")


def differentiated(backend: Backend) -> None:
    """nested_vjp returns recorded arrays, and leaves nothing behind that is added to the gradients of what it was given."""
    multiply, x, g = backend.op(MULTIPLY), array_of(backend, [3, 5]), array_of(backend, [1, -1])
    inner = lambda a: backend.nested_vjp(lambda y: multiply(y, y), [a], [backend.array(np.array(g))])[0]  # noqa: E731
    _, (gradient,) = backend.vjp(inner, [np.array(x)], [np.array(g)])
    hold_equal(plain(backend, gradient), 2 * g * g, "the gradient of x * x, differentiated")


def of_constants(backend: Backend) -> None:
    """nested_vjp differentiates by what needs no gradient itself, through several ops, and its gradients by the cotangent."""
    multiply, x, g = backend.op(MULTIPLY), array_of(backend, [3, 5]), array_of(backend, [1, -1])

    def inner(h: Any) -> Any:
        cube = lambda y: multiply(multiply(y, y), y)  # noqa: E731
        return backend.nested_vjp(cube, [backend.array(np.array(x))], [h])[0]

    pulled = inner(backend.array(np.array(g)))
    if pulled is None:
        raise Violation("the gradient of x * x * x is None where x is a constant")
    hold_equal(plain(backend, pulled), 3 * x * x * g, "the gradient of x * x * x, where x is a constant")
    _, (gradient,) = backend.vjp(inner, [np.array(g)], [np.array(g)])
    hold_equal(
        plain(backend, gradient), 3 * x * x * g, "the gradient of x * x * x, differentiated by its cotangent"
    )


def written(backend: Backend) -> None:
    """A gradient's memory takes new values."""
    x, g = array_of(backend, [3, 5]), array_of(backend, [1, -1])
    _, (gradient,) = backend.vjp(backend.op(MULTIPLY), [np.array(x), np.array(x)], [g], [0])
    backend.memory(gradient)[...] = 7
    hold_equal(plain(backend, gradient), 7 * np.abs(g), "a gradient into whose memory 7 was written")


def cleared(backend: TapeBackend) -> None:
    """A gradient is stored, cleared, and the next one is not added to it."""
    x = array_of(backend, [1, 2])
    leaf, multiply = backend.leaf(np.array(x)), backend.op(MULTIPLY)
    for _ in range(2):
        backend.backward(multiply(leaf, leaf), backend.array(array_of(backend, [1, 1])))
        hold_equal(plain(backend, backend.grad(leaf)), 2 * x, "the gradient of x * x, cleared before")
        backend.clear(leaf)
    left = backend.grad(leaf)
    if left is not None:
        hold_equal(plain(backend, left), 0 * x, "a cleared gradient")


def returned(backend: Backend) -> None:
    """A leaf that is an output, behind another: both cotangents arrive, unless the engine refuses that."""
    multiply, x, g, h = backend.op(MULTIPLY), *(array_of(backend, v) for v in ([3, 5], [1, -1], [2, 4]))
    try:
        _, (gradient,) = backend.vjp(lambda a: (multiply(a, a), a), [np.array(x)], [np.array(g), np.array(h)])
    except (AdapterError, Violation):
        raise
    except BaseException as error:
        hold_no_stop(error)
        return
    hold_equal(plain(backend, gradient), 2 * g * x + h, "the gradient of a function that returns x * x and x")


def pushed(backend: Backend) -> None:
    """The tangent of an output that is an operand, beside another output, unless the engine refuses that."""
    multiply, x, t = backend.op(MULTIPLY), array_of(backend, [3, 5]), array_of(backend, [1, -1])
    try:
        _, tangents = backend.jvp(lambda a: (multiply(a, a), a), [np.array(x)], [np.array(t)])
    except (AdapterError, Violation):
        raise
    except BaseException as error:
        hold_no_stop(error)
        return
    for got, expected, of in zip(tangents, (2 * x * t, t), ("x * x", "x"), strict=True):
        hold_equal(
            plain(backend, got), expected, f"the tangent of {of}, of a function that returns x * x and x"
        )


def read_in_scope(backend: TapeBackend) -> None:
    """What is stored is the same inside a no_grad scope."""
    multiply, x = backend.op(MULTIPLY), array_of(backend, [3, 5])
    leaf = backend.leaf(np.array(x))
    backend.backward(multiply(leaf, leaf), backend.array(array_of(backend, [1, 1])))
    with backend.no_grad():
        found = backend.grad(leaf)
        if found is None:
            raise Violation("the gradient of x * x, stored before a no_grad scope, is None in it")
        hold_equal(
            plain(backend, found), 2 * x, "the gradient of x * x, stored before a no_grad scope, in it"
        )


def custom(backend: Backend) -> None:
    """A custom rule of two operands, of both and beside a constant, and one that returns None for the constant."""
    x, w, g = (array_of(backend, values) for values in ([1, 2], [3, 5], [1, -1]))
    for skipped in ((), (0,), (1,)):
        cotangents = lambda g, a, b, skipped=skipped: tuple(  # noqa: E731
            None if i in skipped else g * other for i, other in enumerate((b, a))
        )
        product = backend.custom(lambda a, b: a * b, cotangents)
        wrt = [i for i in range(2) if i not in skipped]
        _, gradients = backend.vjp(product, [np.array(x), np.array(w)], [np.array(g)], wrt)
        of = f", with None for operand {skipped[0]}, a constant" if skipped else ""
        for i, gradient in zip(wrt, gradients, strict=True):
            hold_equal(
                plain(backend, gradient), g * (w, x)[i], f"operand {i}'s gradient by x * w's custom rule{of}"
            )


def undeclared(backend: Backend) -> list[str]:
    """What an engine was seen to offer that its adapter does not declare, and what is not asked therefore."""
    if Capability.WRITABLE in backend.capabilities:
        return []
    try:
        (array,) = backend.forward(backend.op(ADD), [array_of(backend, v) for v in ([1, 2], [2, 3])])
        seen = backend.numpy(array)
        seen[...] = 7
        is_changed = np.array_equal(plain(backend, array), array_of(backend, [7, 7]))
    except BaseException as error:  # it cannot be written, or not be read
        hold_no_stop(error)
        return []
    return [WRITABLE] if is_changed else []


def claims_of(backend: Backend) -> Iterator[tuple[str, Callable[[Any], None], str]]:
    """The claims about what an adapter declares that its engine can do: each, the function that tries it, and a hint."""
    if isinstance(backend, TapeBackend) and Capability.CLEARING in backend.capabilities:
        yield (
            "a cleared gradient is gone",
            lambda _: cleared(backend),
            "clear() resets what grad() reads: None, or zeros",
        )
    yield (
        "an operand that is returned as it is has its gradient",
        returned,
        f"backward() may be given a leaf: the cotangent is added to what is stored there; {REPLACING}",
    )
    if Capability.FORWARD in backend.capabilities:
        yield (
            "an operand that is returned as it is has its tangent",
            pushed,
            "jvp() reads the tangents of the outputs before the engine clears those of the operands",
        )
    if isinstance(backend, TapeBackend) and Capability.NO_GRAD in backend.capabilities:
        yield (
            "a stored gradient is read in a no_grad scope, too",
            read_in_scope,
            "grad() reads what is stored, whether or not the engine records now",
        )
    if Capability.CUSTOM_RULE in backend.capabilities:
        yield (
            "a custom rule works, beside a constant too",
            custom,
            "custom() gets plain functions: operands are the engine's arrays, also where one is a constant; "
            "the rule may return None for that one; backward(g, *operands) gets the operands in order, and returns their "
            "cotangents in that order",
        )
    if Capability.VECTORIZING in backend.capabilities:
        yield (
            "a mapped function may capture a variable",
            mapped,
            "vectorized() hands on what the function captures, as one for all, or raises Unsupported where a gradient flows to that",
        )
    if Capability.HIGHER_ORDER in backend.capabilities:
        yield (
            "an inner gradient takes what it captures as a constant",
            captured,
            "nested_vjp() calls the function with new variables, such as views of `arrays`, and differentiates by those",
        )
        yield (
            "an inner gradient can be differentiated",
            differentiated,
            "nested_vjp() returns gradients with their history; where the engine stores gradients, it clears those "
            "that its own backward pass stored, `arrays` among them, or they are added to the outer ones",
        )
        yield (
            "an inner gradient can be taken at a constant",
            of_constants,
            "nested_vjp() may get constants as `arrays`: its own variables need a gradient, whatever those need; "
            "the `cotangents` keep their history, by which the gradients are differentiated too",
        )
