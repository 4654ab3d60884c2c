"""What checks of several chapters ask of an engine: gradients, refusals, a tape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, TapeBackend, restricted
from conformance.case import Array
from conformance.checks.observation import Observation, hold_equal, plain
from conformance.checks.registry import NotThisCase
from conformance.checks.sample import Sample
from conformance.errors import AdapterError, Unsupported, Violation

Ask = Callable[[], Sequence[Any]]  # asks the engine for gradients


def is_refusal(error: Exception) -> bool:
    """Whether an exception is the engine's refusal, rather than ours or the adapter's."""
    return not isinstance(error, (Unsupported, AdapterError, Violation, NotThisCase))


def is_refused(ask: Any) -> bool:
    """Whether the engine answers a call with an exception of its own."""
    try:
        ask()
    except Exception as error:
        if not is_refusal(error):
            raise
        return True
    return False


def gradients_of(engine: Backend, function: Any, operands: Any, cotangent: Any) -> list[Any]:
    """The gradients of a function of one output, as plain arrays; None stays None."""
    _, gradients = engine.vjp(function, [np.array(x) for x in operands], [np.array(cotangent)])
    return [None if g is None else plain(engine, g) for g in gradients]


def tape_of(engine: Backend) -> TapeBackend:
    """The engine as a tape; Unsupported where it keeps no gradients."""
    if not isinstance(engine, TapeBackend):
        mode = f" ({engine.mode})" if engine.mode else ""
        raise Unsupported(f"{engine.engine}{mode} keeps no gradients between calls")
    return engine


def one_sample_in_four(sample: Sample) -> None:
    """Keep to one sample in four, where asking takes seconds and the numbers matter little."""
    if sample.seed % 4:
        raise NotThisCase("one sample in four is enough")


def hold_no_gradient(
    engine: Backend, convention: str, ask: Ask, operand: Array, position: int, what: str
) -> Sequence[Any] | None:
    """Ask for gradients, of which that of `operand`, at `position`, must be none as elected.

    Returns them; None where the engine refuses.
    """
    gradients: Sequence[Any] | None = None
    found = "refused"
    try:
        gradients = ask()
    except Exception as error:
        if not is_refusal(error):
            raise
    else:
        found = kind_of_nothing(engine, gradients[position], operand, what)
    if found != convention:
        raise Violation(f"the gradient of {what} is {found}; the adapter elects {convention!r}")
    return gradients


def kind_of_nothing(engine: Backend, gradient: Any, operand: Array, what: str) -> str:
    """Which kind of nothing a gradient is, "none" or "zeros"; a Violation where it is something.

    An array whose type has no room for a number is None by another name.
    """
    if gradient is None:
        return "none"
    got = plain(engine, gradient)
    if not got.dtype.itemsize:
        return "none"
    if got.dtype.kind not in "fc":
        raise Violation(f"the gradient of {what} is of the type {got.dtype}, which has no gradients", got=got)
    hold_equal(got, np.zeros(operand.shape), f"the gradient of {what} is neither zeros nor None")
    return "zeros"


def require_offered(seen: Observation) -> None:
    """Raise NotThisCase where the engine does not compute the op in this dtype, or does not offer its gradient.

    A gradient is not offered where the engine raises NotImplementedError, or raises and the adapter declares the op
    in `no_gradient`. A gradient that is computed is always checked.
    """
    try:
        seen.forward()
    except Exception as error:
        if is_refusal(error):
            raise NotThisCase(f"the engine has no {seen.op.name} in {seen.case.dtype}") from None
        raise
    try:
        _ = seen.answer
    except Exception as error:
        is_declared = seen.op.name in seen.backend.no_gradient.get(seen.case.dtype, frozenset())
        if not (is_refusal(error) and (isinstance(error, NotImplementedError) or is_declared)):
            raise
        raise NotThisCase(
            f"the engine has no gradient of {seen.op.name} in {seen.case.dtype}: {error}"
        ) from None


def tangents_of(seen: Observation, tangents: Sequence[Array]) -> list[Array]:
    """The engine's tangents, one per output; None stands for zeros.

    Raises Violation where one has not its output's shape, and what the engine raises.
    """
    arrays = [seen.backend.array(np.array(x)) for x in seen.case.operands]
    function = restricted(seen.backend.call(seen.op.name, seen.case.parameters), arrays, seen.wrt)
    operands = [np.array(seen.case.operands[i]) for i in seen.wrt]
    _, moved = seen.backend.jvp(function, operands, [np.array(t) for t in tangents])
    values = []
    for g, tangent in zip(seen.case.cotangents, moved, strict=True):
        value = np.zeros(g.shape, g.dtype) if tangent is None else plain(seen.backend, tangent)
        if value.shape != g.shape:
            raise Violation(f"a tangent has shape {value.shape}, its output {g.shape}")
        values.append(value)
    return values


class IntentionalError(Exception):
    """Raised on purpose."""
