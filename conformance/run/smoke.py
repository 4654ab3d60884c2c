"""The smoke test: what an adapter must get right before its engine can be judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum
from conformance.checks.observation import plain
from conformance.errors import Violation, error_text, is_ctrl_c
from conformance.ops.names import ADD, MULTIPLY


@dataclass(frozen=True)
class SmokeQuestion:
    """A claim about an adapter, how it is tried, and where to look if it does not hold."""

    claim: str
    try_it: Callable[[Backend], Any]
    hint: str


def _round_trip(value: Any) -> Callable[[Backend], None]:
    def try_it(backend: Backend) -> None:
        given = np.asarray(value)
        back = plain(backend, backend.array(np.array(given)))
        if back.dtype != given.dtype:
            raise Violation(f"{given.dtype} came back as {back.dtype}")
        hold_equal(back, given, "the array came back changed")

    return try_it


def _sum(backend: Backend) -> None:
    (output,) = backend.forward(backend.op(ADD), [np.array([1.0, 2.0]), np.array([10.0, 20.0])])
    hold_equal(plain(backend, output), np.array([11.0, 22.0]), "[1, 2] + [10, 20]")


def _product(backend: Backend) -> None:
    x, w, g = np.array([1.0, 2.0]), np.array([3.0, 5.0]), np.array([1.0, -1.0])
    _, gradients = backend.vjp(backend.op(MULTIPLY), [x, w], [g])
    if len(gradients) != 2:
        raise Violation(f"two operands, but {len(gradients)} gradients")
    hold_equal(plain(backend, gradients[0]), g * w, "x's gradient of x * w with cotangent [1, -1]")
    hold_equal(plain(backend, gradients[1]), g * x, "w's gradient of x * w with cotangent [1, -1]")


def _scalar(backend: Backend) -> None:
    total = full_sum(backend)
    (gradient,) = backend.gradient(lambda x: total(x), [np.array([1.0, 2.0])])
    hold_equal(plain(backend, gradient), np.ones(2), "the gradient of a sum")


def _named(backend: Backend) -> None:
    if not backend.engine or not str(backend.version()):
        raise Violation(f"engine {backend.engine!r}, version {backend.version()!r}")


def _zero_dimensional(backend: Backend) -> None:
    x, w = np.array(3.0), np.array(5.0)
    _, (gradient, _) = backend.vjp(backend.op(MULTIPLY), [x, w], [np.array(2.0)])
    hold_equal(plain(backend, gradient), np.array(10.0), "the gradient of 0-d operands")


QUESTIONS = (
    SmokeQuestion("the engine has a name and a version", _named, "set `engine`, and let version() return the engine's"),
    SmokeQuestion("float64 goes in and comes out", _round_trip([[1.5, -2.0]]), "array() and numpy() keep values, shape and dtype"),
    SmokeQuestion("float32 goes in and comes out", _round_trip(np.array([0.1, 3.0], np.float32)), "array() must not promote; some engines need a dtype argument or a switch for 64 bits"),
    SmokeQuestion("a 0-d array stays 0-d", _round_trip(2.5), "numpy() must not add an axis: np.asarray(value) keeps 0-d"),
    SmokeQuestion("an empty array stays empty", _round_trip(np.zeros((2, 0))), "array() must keep shape (2, 0)"),
    SmokeQuestion("integers stay integers", _round_trip(np.array([0, 2])), "index operands must not become floating point"),
    SmokeQuestion("add is found and adds", _sum, "name the engine's function in `ops` under the catalogue's name"),
    SmokeQuestion("the gradients of a product are right", _product, "operands in order; one gradient per operand; the cotangent is passed on"),
    SmokeQuestion("0-d operands have 0-d gradients", _zero_dimensional, "neither leaf() nor grad() may add an axis"),
    SmokeQuestion("a scalar needs no cotangent", _scalar, "gradient() must work for a scalar output; `sum` takes axis and keepdims by keyword"),
)  # fmt: skip


def try_question(question: SmokeQuestion, backend: Backend) -> str:
    """What is wrong; empty where the claim holds."""
    try:
        question.try_it(backend)
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        return error_text(error)
    return ""
