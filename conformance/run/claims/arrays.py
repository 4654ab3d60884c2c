"""Claims about an adapter's arrays: what goes in comes out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend, TapeBackend
from conformance.checks.comparison import hold_equal
from conformance.checks.observation import plain
from conformance.errors import Unsupported, Violation, hold_no_stop
from conformance.layout import LAYOUTS, laid_out
from conformance.ops.names import MULTIPLY
from conformance.run.claims.capabilities import array_of, real_dtype

FLAT_KINDS = ("int64", "bool")
SHAPES = ((2, 3), (3,), (1,), (2, 1, 3), (), (2, 0), (2, 1, 2, 1, 2, 1))


def round_trip(dtype: str) -> Callable[[Backend], None]:
    """Whether arrays of a dtype come back as they were, as constants and as leaves."""

    def try_it(backend: Backend) -> None:
        makers = _makers(backend) if dtype in backend.dtypes else [backend.array]
        for shape in _taken(backend):
            given = np.asarray(np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape) % 7, dtype)
            for make in makers:
                _hold_same(backend, make(np.array(given)), given, f"{make.__name__}() of shape {shape}")

    return try_it


def _makers(backend: Backend) -> list[Callable[[Any], Any]]:
    """What makes arrays: of constants, and of variables where the engine has leaves."""
    return [backend.array, *([backend.leaf] if isinstance(backend, TapeBackend) else [])]


def products(dtype: str) -> Callable[[Backend], None]:
    """Whether a product and its gradients have the shape and the dtype of the operands, and their digits."""

    def try_it(backend: Backend) -> None:
        multiply = backend.op(MULTIPLY)
        for shape in [shape for shape in _taken(backend) if 1 <= len(shape) <= 3 and 0 not in shape]:
            number = np.arange(np.prod(shape)).reshape(shape)
            x, w = np.asarray((number + 1) / 3, dtype), np.asarray((number - 7) / 7, dtype)
            g = np.asarray(np.where(number % 2, 0.5, -2.0), dtype)  # products with a power of two are exact
            with contextlib.suppress(Unsupported):
                outputs, gradients = backend.vjp(multiply, [np.array(x), np.array(w)], [np.array(g)])
                pairs = zip((*outputs, *gradients), (x * w, g * w, g * x), strict=True)
                for what, (got, expected) in zip(
                    ("the value", "x's gradient", "w's gradient"), pairs, strict=True
                ):
                    _hold_same(backend, got, expected, f"{what} of x * w of shape {shape} in {dtype}")

    return try_it


def not_taken(backend: Backend) -> dict[tuple[int, ...], str]:
    """The shapes of which the engine has no arrays, by what array() says of them: their questions are unsupported."""
    refused: dict[tuple[int, ...], str] = {}
    for shape in SHAPES:
        try:
            backend.array(np.zeros(shape, real_dtype(backend)))
        except Unsupported as reason:
            refused[shape] = str(reason)
        except BaseException as error:  # which a claim reports
            hold_no_stop(error)
            continue
    return refused


def kinds_not_taken(backend: Backend) -> dict[str, str]:
    """The dtypes of indices and truth values of which the engine has no arrays, by what array() says of them."""
    refused: dict[str, str] = {}
    for dtype in FLAT_KINDS:
        try:
            backend.array(np.zeros(_taken(backend)[0], dtype))
        except Unsupported as reason:
            refused[dtype] = str(reason)
        except BaseException as error:  # which a claim reports
            hold_no_stop(error)
            continue
    return refused


def flat_kinds(backend: Backend) -> None:
    """Integers and truth values come back as they were, those of which the engine has arrays."""
    for dtype in FLAT_KINDS:
        if dtype not in kinds_not_taken(backend):
            round_trip(dtype)(backend)


def _taken(backend: Backend) -> list[tuple[int, ...]]:
    refused = not_taken(backend)
    if len(refused) == len(SHAPES):
        raise Violation(f"array() refuses arrays of every shape: {refused[SHAPES[0]]}")
    return [shape for shape in SHAPES if shape not in refused]


def _hold_same(backend: Backend, array: Any, given: Any, what: str) -> None:
    back = plain(backend, array)
    if back.dtype != given.dtype:
        raise Violation(f"{what}: {given.dtype} came back as {back.dtype}")
    hold_equal(back, given, f"{what} came back changed")


def complex_numbers(backend: Backend) -> None:
    """Complex numbers come back as they were, or are refused: a lost imaginary part would be counted against the engine."""
    given = np.asarray([1 + 2j, -3j], np.result_type(real_dtype(backend), np.complex64))
    for make in _makers(backend):
        try:
            array = make(np.array(given))
        except BaseException as error:
            hold_no_stop(error)
            continue
        _hold_same(backend, array, given, f"{make.__name__}() of complex numbers")


def layouts(backend: Backend) -> None:
    """Every memory layout in which operands and cotangents are given, of arrays with one entry too; leaf() gets them as well."""
    refused = not_taken(backend)
    for layout in LAYOUTS:
        for shape in ((2, 3), (3,), (1,), (1, 1), (2, 1, 3)):
            if shape in refused:
                continue
            given = np.asarray(np.arange(1, 1 + np.prod(shape)).reshape(shape), real_dtype(backend))
            given = np.broadcast_to(given[:1], shape) if layout == "expanded" else given
            for make in _makers(backend):
                made = make(laid_out(given, layout))
                _hold_same(backend, made, given, f"{make.__name__}() of shape {shape}, layout {layout},")


def read_between(backend: Backend) -> None:
    """numpy() of a value between forward and backward leaves the history as it is."""
    multiply, x, g = backend.op(MULTIPLY), array_of(backend, [1, 2]), array_of(backend, [1, -1])
    traced = backend.trace(lambda a: multiply(a, a), [x])
    plain(backend, traced.outputs[0])
    (gradient,) = traced.pull([backend.array(g)])
    hold_equal(plain(backend, gradient), 2 * g * x, "the gradient of x * x whose value was read first")


def written_later(backend: Backend) -> None:
    """A value is that of the numbers that were handed over, also where a lazy engine computes it only when it is read."""
    x, w = array_of(backend, [1, 2]), array_of(backend, [3, 5])
    given = np.array(x)
    (output,) = backend.forward(backend.op(MULTIPLY), [given, np.array(w)])
    if not given.flags.writeable:
        return  # the engine keeps the caller from writing
    given[...] = 7
    hold_equal(
        plain(backend, output), x * w, "[1, 2] * [3, 5], read after 7 was written into the first array"
    )
