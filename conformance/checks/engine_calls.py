"""Engine calls that checks of several chapters share: gradients, refusals, tapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from conformance.backend import Backend, Function, TapeBackend, restricted
from conformance.case import Array
from conformance.checks.comparison import decides, decides_by_refusal, hold_equal
from conformance.checks.observation import Observation, finished, plain
from conformance.checks.registry import NotThisCase, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import AdapterError, Unsupported, Violation, error_text, text_of
from conformance.ops.names import ASTYPE, MULTIPLY, NEGATIVE, SUM
from conformance.trace import aside

T = TypeVar("T")
Gradients = Callable[[], Sequence[Any]]  # a call that returns the engine's gradients
FULL_REDUCTION = {"axis": None, "keepdims": False}  # of all axes, to a 0-d array


def gradients_of(engine: Backend, function: Any, operands: Any, cotangent: Any) -> list[Any]:
    """The gradients of a function of one output, as plain arrays; None stays None."""
    _, gradients = engine.vjp(function, [np.array(x) for x in operands], [np.array(cotangent)])
    return [None if g is None else plain(engine, g) for g in gradients]


def full_sum(engine: Backend) -> Function:
    """The engine's sum over all axes, which makes a 0-d array."""
    return engine.call(SUM, FULL_REDUCTION)


def is_above(engine: Backend, array: Any, bound: float) -> Any:
    """Whether a 0-d array is above a number, as users branch: by `>`; by the value where the engine's arrays have no comparisons.

    What the engine's comparison gives is returned as it is: engines that rewrite a function see it in the branch itself.
    """
    try:
        is_larger = array > bound
    except (TypeError, NotImplementedError):
        return plain(engine, array) > bound
    note = getattr(engine, "compared", None)  # of a backend that writes down what is done
    return is_larger if note is None else note(array, bound, is_larger)


def product_dtype(engine: Backend, first: Array, second: Array) -> np.dtype[Any]:
    """The dtype of a product; NotThisCase where the engine refuses to multiply operands of these dtypes."""
    operands = [np.array(first), np.array(second)]
    outputs = unless_refused(lambda: engine.forward(engine.op(MULTIPLY), operands), engine)
    if outputs is None:
        raise NotThisCase("the engine does not multiply operands of these dtypes")
    dtype: np.dtype[Any] = plain(engine, outputs[0]).dtype
    return dtype


def computes(engine: Backend, function: Function, operands: Sequence[Array]) -> bool:
    """Whether the engine computes a function of operands, rather than refusing it: a question beside the claim."""
    try:
        with aside():
            for output in engine.forward(function, [np.array(x) for x in operands]):
                plain(engine, output)
    except Exception as error:
        if not is_refusal(error):
            raise
        return False
    return True


def cast_to(engine: Backend, dtype: str) -> Function:
    """The engine's own cast; NotThisCase where the adapter names none."""
    if ASTYPE not in engine.ops:
        raise NotThisCase(
            f"the engine does not multiply operands of two dtypes, and the adapter names no {ASTYPE}"
        )
    return engine.call(ASTYPE, {"dtype": dtype})


def as_factor_of(engine: Backend, value: Array, operand: Array) -> Function:
    """What an engine's array must go through before it is multiplied by one of the operand's dtype.

    It is the identity where the engine multiplies the dtype of `value` by that of `operand`. An engine that promotes no
    dtypes refuses that: then it is the engine's own cast.
    """
    pair = [np.ones(1, x.dtype) for x in (value, operand)]
    if value.dtype == operand.dtype or computes(engine, engine.op(MULTIPLY), pair):
        return lambda array: array
    return cast_to(engine, operand.dtype.name)


def tape_of(engine: Backend) -> TapeBackend:
    """The engine as a tape; Unsupported where it keeps no gradients."""
    if not isinstance(engine, TapeBackend):
        mode = f" ({engine.mode})" if engine.mode else ""
        raise Unsupported(f"{engine.engine}{mode} keeps no gradients between calls")
    return engine


def hold_working(engine: Backend, sample: Sample, when: str) -> None:
    """Claim that the engine still computes a gradient that is known: that of -x."""
    x, g = sample.array(), sample.array()
    (got,) = gradients_of(engine, engine.op(NEGATIVE), [x], g)
    hold_equal(got, -g, f"the gradient of -x {when}")


def one_sample_in_four(sample: Sample) -> None:
    """Keep to one sample in four, for a check that takes seconds and depends little on its numbers."""
    if sample.seed % 4:
        raise NotThisCase("one sample in four is enough")


def beside(op: Function, constant: Any, place: int, x: Any) -> Any:
    """The op of x, the operand of that place, and a constant."""
    return op(constant, x) if place else op(x, constant)


# ---- refusals ---------------------------------------------------------------------------------------


def is_refusal(error: Exception) -> bool:
    """Whether an exception is the engine's refusal, rather than ours or the adapter's."""
    return not isinstance(error, (Unsupported, AdapterError, Violation, NotThisCase))


def unless_refused(call: Callable[[], T], of: Backend | None = None) -> T | None:
    """What a call returns; None where the engine raises an exception of its own, which is an answer too.

    `of` is the engine whose arrays the call returns unread: a lazy one refuses where it computes them.
    """
    return answer_or_refusal(call if of is None else lambda: finished(of, call()))[0]


def answer_or_refusal(call: Callable[[], T]) -> tuple[T | None, str]:
    """The same, and what the engine raises."""
    try:
        return call(), ""
    except Exception as error:
        if not is_refusal(error):
            raise
        decides_by_refusal()
        return None, error_text(error)


def is_refused(call: Any, of: Backend | None = None) -> bool:
    """Whether the engine raises an exception of its own in a call, or where it computes what that returns unread."""
    return unless_refused(lambda: (call(),), of) is None  # in a tuple, since a call may return None


def hold_refusal(convention: str, result: Any, what: str, raised: str = "", *, why: str = "") -> None:
    """Claim that a call was refused, so that its `result` is None, exactly where "refused" is declared, or must be: `why`."""
    decides(True)
    is_as_declared = (result is None) == (convention == "refused")
    if not is_as_declared:
        outcome = "refused" if result is None else "accepted"
        behind = f"\n{raised}" if raised else ""
        raise Violation(f"{what} was {outcome}; {why or f'the adapter declares {convention!r}'}{behind}")


# ---- operands that have no gradient -----------------------------------------------------------------


def hold_no_gradient(
    engine: Backend, convention: str, call: Gradients, operand: Array, position: int, what: str
) -> Sequence[Any] | None:
    """Claim that `operand`, at `position`, has no gradient, by the declared convention.

    Returns all gradients that the call returns; None where the engine refuses it.
    """
    decides(True)
    gradients = unless_refused(call, engine)
    found = "refused"
    if gradients is not None:
        found = form_of_no_gradient(engine, gradients[position], operand, what)
    if found != convention:
        raise Violation(f"the gradient of {what} is {found}; the adapter declares {convention!r}")
    return gradients


def form_of_no_gradient(engine: Backend, gradient: Any, operand: Array, what: str) -> str:
    """How an engine says that there is no gradient: "none" or "zeros"; a Violation where it gives numbers.

    An array whose dtype has no bytes counts as None.
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


def hold_no_stored_gradient(engine: Backend, array: Any, what: str, *, has_one: bool = True) -> None:
    """Claim that an array that needs no gradient stores none, where the engine stores gradients and marks such arrays.

    An engine that marks none declares that it stores the gradients of all; of all that have one: indices and masks, which
    do not, are A16's.
    """
    if not isinstance(engine, TapeBackend):
        if engine.conventions.get("C4") == "stored":
            raise Violation(f"{engine.engine} stores no gradients; the adapter declares 'stored'")
        return
    convention = declared_convention(engine, "C4")
    may_refuse = engine.conventions.get("B8") == "refused"  # to be asked for the gradient of what is no leaf
    is_stored = (unless_refused(lambda: engine.grad(array)) if may_refuse else engine.grad(array)) is not None
    if is_stored and convention == "none":
        raise Violation(f"{what} needs no gradient but got one")
    if convention == "stored" and has_one and not is_stored:
        raise Violation(f"{what} got no gradient; the adapter declares {convention!r}")


# ---- op checks --------------------------------------------------------------------------------------


def require_offered(seen: Observation) -> None:
    """Raise Unsupported where the engine does not compute the op in this dtype, or does not offer its gradient.

    A gradient is not offered where the engine raises NotImplementedError, or raises and the adapter declares the op
    in `no_gradient`. A gradient that is computed is always checked.
    """
    try:
        seen.forward()
    except Exception as error:
        if is_refusal(error):
            raise Unsupported(f"the engine has no {seen.op.name} in {seen.case.dtype}") from None
        raise
    try:
        _ = seen.answer
    except Exception as error:
        is_declared = has_no_gradient(seen.backend, seen.op.name, seen.case.dtype)
        if not (is_refusal(error) and (isinstance(error, NotImplementedError) or is_declared)):
            raise
        raise Unsupported(
            f"the engine has no gradient of {seen.op.name} in {seen.case.dtype}: {text_of(error)}"
        ) from None


def has_no_gradient(backend: Backend, op: str, dtype: str) -> bool:
    """Whether the adapter declares that the engine has no gradient of an op in a dtype."""
    return any(op in backend.no_gradient.get(key, ()) for key in (dtype, "*"))


def decline_if_declared(refusal: Exception, backend: Backend, op: str, dtype: str) -> None:
    """Raise Unsupported for what an engine raised where the adapter declares that the op has no gradient."""
    if is_refusal(refusal) and has_no_gradient(backend, op, dtype):
        raise Unsupported(f"{backend.engine} has no gradient of {op}, as declared") from None


def tangents_of(seen: Observation, tangents: Sequence[Array]) -> list[Array]:
    """The engine's tangents, one per output; None stands for zeros.

    Raises Violation where one has not its output's shape, and what the engine raises.
    """
    arrays = [seen.backend.array(np.array(x)) for x in seen.case.operands]
    function = restricted(seen.backend.call(seen.op.name, seen.case.parameters), arrays, seen.wrt)
    operands = [np.array(seen.case.operands[i]) for i in seen.wrt]
    _, pushed = seen.backend.jvp(function, operands, [np.array(t) for t in tangents])
    values = []
    for g, tangent in zip(seen.case.cotangents, pushed, strict=True):
        value = np.zeros(g.shape, g.dtype) if tangent is None else plain(seen.backend, tangent)
        if value.shape != g.shape:
            raise Violation(f"a tangent has shape {value.shape}, its output {g.shape}")
        values.append(value)
    return values


# ---- exceptions that a check raises itself ----------------------------------------------------------

MARKER = "raised on purpose by a conformance check"


class IntentionalError(Exception):
    """Raised by a rule or function of a check, which the engine must hand on to the caller."""

    def __init__(self, place: str = "") -> None:
        super().__init__(f"{MARKER}{place and ' inside '}{place}")


def is_intentional(error: BaseException | None) -> bool:
    """Whether an exception is the IntentionalError of a check, or was raised because of it."""
    while error is not None:
        # An engine that compiles, or that calls rules from another language, loses the object and quotes its text.
        if isinstance(error, IntentionalError) or MARKER in text_of(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def raising_op(engine: Backend) -> Function:
    """The op x + x, whose rule raises IntentionalError."""

    def backward(g: Any, a: Any) -> Any:
        raise IntentionalError("a rule")

    return engine.custom(lambda a: a + a, backward)
