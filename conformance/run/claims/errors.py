"""Claims about errors that end a backward pass, which come last: some engines compute no gradient after one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, TapeBackend
from conformance.checks.engine_calls import IntentionalError
from conformance.checks.observation import plain
from conformance.errors import Violation, hold_no_stop
from conformance.ops.names import MULTIPLY, SQRT
from conformance.run.claims.capabilities import array_of

Claim = tuple[str, Callable[[Any], None], str]


def named(backend: Backend) -> None:
    """In an anomaly scope a NaN of the backward pass raises: one that a custom rule makes, or one of a square root."""
    multiply, zeros = backend.op(MULTIPLY), array_of(backend, [0, 0])
    ways: dict[str, tuple[Callable[[Any], Any], Any]] = {}
    if Capability.CUSTOM_RULE in backend.capabilities:
        rule = backend.custom(lambda a: a + a, lambda g, a: (g * float("nan"),))
        ways["a custom rule"] = rule, array_of(backend, [1, 4])
    if SQRT in backend.ops:
        root = backend.op(SQRT)
        by_zero = lambda a: multiply(root(multiply(a, a)), backend.array(np.array(zeros)))  # noqa: E731
        ways["the square root of x * x, at 0, multiplied by 0,"] = by_zero, array_of(backend, [1, 0])
    made = []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an engine may remark where the op was called
        for what, (function, x) in ways.items():
            try:
                if not np.isnan(_gradient(backend, function, x)).any():
                    continue
                made.append(what)
                with backend.anomaly():
                    _gradient(backend, function, x)
            except BaseException as error:  # one of them is an error
                hold_no_stop(error)
                return
    if made:
        raise Violation(f"{' and '.join(made)} made a NaN in the anomaly scope, and no error was raised")


def handed_on(backend: Backend) -> None:
    """An exception that a rule raises reaches the caller."""
    multiply, x = backend.op(MULTIPLY), array_of(backend, [3, 5])
    if not _gradient(backend, lambda a: multiply(a, a), x).any():
        return  # nothing is recorded any more, which another claim says
    calls = [0]

    def backward(g: Any, a: Any) -> Any:
        calls[0] += 1
        raise IntentionalError("a rule")

    rule = backend.custom(lambda a: a + a, backward)
    try:
        _gradient(backend, lambda a: multiply(rule(a), a), x)
    except BaseException as error:
        hold_no_stop(error)
        return
    if calls[0]:
        call = "backward()" if isinstance(backend, TapeBackend) else "the pullback"
        raise Violation(f"{call} returned though the rule raised: does it catch exceptions?")


def _gradient(backend: Backend, function: Callable[[Any], Any], x: Any) -> Any:
    """The gradient of a function at the cotangent of ones; zero where there is none."""
    _, (gradient,) = backend.vjp(function, [np.array(x)], [np.ones_like(x)])
    return np.zeros(()) if gradient is None else plain(backend, gradient)


CLAIMS: tuple[tuple[Capability, str, Callable[[Any], None], str], ...] = (
    (
        Capability.ANOMALY,
        "a NaN in an anomaly scope raises",
        named,
        "anomaly() returns the engine's own scope, which `with` enters and leaves; drop ANOMALY if the engine has none",
    ),
    (
        Capability.CUSTOM_RULE,
        "an error in a backward pass reaches the caller",
        handed_on,
        "neither backward(), pullback() nor the function that custom() makes catches what the engine or a rule raises",
    ),
)


def claims_of(backend: Backend) -> Iterator[Claim]:
    """The claims about what an adapter declares: each, the function that tries it, and a hint."""
    for need, claim, try_it, hint in CLAIMS:
        if need in backend.capabilities:
            yield claim, try_it, hint
