"""Claims about members that an adapter writes itself, rather than hands on to the engine: scopes, second passes, forms."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, FunctionalBackend, TapeBackend
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import IntentionalError, full_sum
from conformance.checks.observation import plain
from conformance.checks.registry import NotThisCase
from conformance.errors import AdapterError, Unsupported, Violation, hold_no_stop
from conformance.ops.names import MULTIPLY
from conformance.run.claims.capabilities import array_of

Claim = tuple[str, Callable[[Any], None], str]
UNTOLD = (
    'C4 is not declared: of an engine that marks no constants that is "stored"; of another, does array() make what '
    "leaf() makes?"
)


def retained(backend: Backend) -> None:
    """A second backward pass through a graph that is kept has the first one's gradient, added to it or in place of it."""
    multiply, x, g = backend.op(MULTIPLY), array_of(backend, [3, 5]), array_of(backend, [1, -1])
    h, third = array_of(backend, [4, 2]), None
    if isinstance(backend, TapeBackend):
        leaf, cotangent = backend.leaf(np.array(x)), backend.array(np.array(g))
        output = multiply(leaf, leaf)
        passes = []
        for _ in range(2):
            backend.backward(output, cotangent, retain=True)
            passes.append(np.array(plain(backend, backend.grad(leaf))))
        if np.array_equal(passes[1], 2 * passes[0]):
            passes[1] = passes[1] / 2
    elif isinstance(backend, FunctionalBackend):
        _, pull = backend.pullback(lambda a: multiply(a, a), [backend.array(np.array(x))])
        passes = [plain(backend, pull(backend.array(np.array(g)))[0]) for _ in range(2)]
        third = plain(backend, pull(backend.array(np.array(h)))[0])
    else:
        return
    for gradient, time in zip(passes, ("first", "second"), strict=True):
        hold_equal(
            gradient, 2 * g * x, f"the gradient of x * x by the {time} of two passes through its graph"
        )
    if third is not None:
        hold_equal(third, 2 * h * x, "the gradient of x * x by a pass of another cotangent through its graph")


def hessian(backend: Backend) -> None:
    """For kind "hessian" jacobian() returns second derivatives, by each operand alone, where it offers that."""
    multiply, total = backend.op(MULTIPLY), full_sum(backend)
    x, w = array_of(backend, [3, 5]), array_of(backend, [2, 7])
    squared_total = lambda a: multiply(total(a), total(a))  # noqa: E731
    with contextlib.suppress(Unsupported):
        (found,) = backend.jacobian(lambda a: total(multiply(multiply(a, a), a)), [np.array(x)], "hessian")
        hold_equal(plain(backend, found), np.diag(6 * x), "the Hessian of the sum of x * x * x")
    with contextlib.suppress(Unsupported):
        (found,) = backend.jacobian(squared_total, [np.array(x)], "hessian")
        expected = np.full((2, 2), 2, x.dtype)
        hold_equal(plain(backend, found), expected, "the Hessian of the square of the sum of x")
    both = lambda a, b: total(multiply(multiply(a, a), multiply(b, b)))  # noqa: E731
    try:
        found = backend.jacobian(both, [np.array(x), np.array(w)], "hessian")
    except (AdapterError, Violation):
        raise
    except Exception:  # many engines have it of one operand alone, and a run asks no more
        return
    for got, right, name in zip(found, (2 * w * w, 2 * x * x), "xw", strict=False):
        what = f"the Hessian of the sum of x * x * w * w, by {name} alone"
        hold_equal(plain(backend, got), np.diag(right), what)


def structured(backend: Backend) -> None:
    """The gradient of a structure has its form, part by part."""
    multiply, total = backend.op(MULTIPLY), full_sum(backend)
    x, w = array_of(backend, [3, 5]), array_of(backend, [2, 7])
    given = {"x": np.array(x), "others": [np.array(w)]}
    found = backend.structured_gradient(lambda s: total(multiply(s["x"], s["others"][0])), given)
    if not isinstance(found, dict) or set(found) != set(given) or not isinstance(found["others"], list):
        form = type(found).__name__
        raise Violation(
            f"the gradient of {{'x': …, 'others': […]}} is {form}, where the same form is expected"
        )
    hold_equal(plain(backend, found["x"]), w, "the gradient at 'x' of the sum of x * w")
    hold_equal(plain(backend, found["others"][0]), x, "the gradient at 'others' of the sum of x * w")


def detached(backend: Backend) -> None:
    """What is detached is a constant, with the values of what it was."""
    multiply, x, g = backend.op(MULTIPLY), array_of(backend, [3, 5]), array_of(backend, [1, -1])
    _hold_constant(
        backend, lambda a: multiply(backend.detach(multiply(a, a)), a), x, g, "x * x is detached in x * x * x"
    )


def frozen(backend: TapeBackend) -> None:
    """From needs_gradient(leaf, False) on a leaf gets no gradient, and the other does; from needs_gradient(leaf, True) on it gets one."""
    multiply, x, w = backend.op(MULTIPLY), array_of(backend, [3, 5]), array_of(backend, [2, 7])
    leaf, other, ones = backend.leaf(np.array(x)), backend.leaf(np.array(w)), array_of(backend, [1, 1])
    backend.needs_gradient(leaf, False)
    backend.backward(multiply(leaf, other), backend.array(ones))
    if _stored(backend, leaf).any():
        raise Violation("after needs_gradient(x, False) x got a gradient of x * w")
    hold_equal(_stored(backend, other), x, "after needs_gradient(x, False) the gradient of x * w by w")
    backend.needs_gradient(leaf, True)
    backend.backward(multiply(leaf, leaf), backend.array(ones))
    hold_equal(_stored(backend, leaf), 2 * x, "after needs_gradient(x, True) the gradient of x * x")


def constant(backend: TapeBackend) -> None:
    """What array() makes gets no gradient, unless the engine marks no constants."""
    multiply, x, w = backend.op(MULTIPLY), array_of(backend, [3, 5]), array_of(backend, [2, 7])
    leaf, beside = backend.leaf(np.array(x)), backend.array(np.array(w))
    backend.backward(multiply(leaf, beside), backend.array(array_of(backend, [1, 1])))
    try:
        found = _stored(backend, beside)
    except BaseException as error:  # an engine may refuse to be asked
        hold_no_stop(error)
        return
    if not found.any():
        return
    declared, got = backend.conventions.get("C4"), "the array w that array() made got a gradient of x * w"
    if declared == "none":
        raise Violation(f'{got}, and C4 is declared "none"')
    if declared is None and (marked := _marked(backend)):
        raise Violation(f"{got}, and {marked} gets none: the engine marks constants, and w is none")
    why = 'C4 is declared "stored"' if declared else UNTOLD
    raise NotThisCase(f"{got}; {why}")


def _marked(backend: TapeBackend) -> str:
    """What gets no gradient of x * w in place of w, so that the engine is seen to mark constants; empty where nothing is."""
    multiply, values = backend.op(MULTIPLY), array_of(backend, [2, 7])

    def of_frozen() -> Any:
        leaf = backend.leaf(np.array(values))
        backend.needs_gradient(leaf, False)
        return leaf

    ways: tuple[tuple[Capability, str, Callable[[], Any]], ...] = (
        (Capability.DETACH, "what detach() returns", lambda: backend.detach(backend.leaf(np.array(values)))),
        (Capability.FREEZING, "a leaf after needs_gradient(leaf, False)", of_frozen),
    )
    for need, what, make in ways:
        if need not in backend.capabilities:
            continue
        try:
            leaf, beside = backend.leaf(array_of(backend, [3, 5])), make()
            backend.backward(multiply(leaf, beside), backend.array(array_of(backend, [1, 1])))
            if np.array_equal(_stored(backend, leaf), values) and not _stored(backend, beside).any():
                return what
        except Exception:  # another claim is about that
            continue
    return ""


def _stored(backend: TapeBackend, leaf: Any) -> Any:
    """The stored gradient; zero where there is none."""
    found = backend.grad(leaf)
    return np.zeros(()) if found is None else np.array(plain(backend, found))


def unrecorded(backend: Backend) -> None:
    """What is computed in a no_grad scope is a constant, and what follows the scope is recorded."""
    multiply, x, g = backend.op(MULTIPLY), array_of(backend, [3, 5]), array_of(backend, [1, -1])

    def function(a: Any) -> Any:
        with backend.no_grad():
            square = multiply(a, a)
        return multiply(square, a)

    _hold_constant(backend, function, x, g, "x * x is computed in a no_grad scope, in x * x * x")


def _hold_constant(backend: Backend, function: Callable[[Any], Any], x: Any, g: Any, where: str) -> None:
    """Claim the gradient of x * x * x whose first two factors are a constant."""
    _, (gradient,) = backend.vjp(function, [np.array(x)], [np.array(g)])
    found = None if gradient is None else plain(backend, gradient)
    hold_equal(found, g * x * x, f"the gradient where {where}")


def scope_left(backend: Backend) -> None:
    """After an exception has left a no_grad scope the engine records again."""
    multiply, x, g = backend.op(MULTIPLY), array_of(backend, [3, 5]), array_of(backend, [1, -1])
    with contextlib.suppress(IntentionalError), backend.no_grad():
        raise IntentionalError
    _, (gradient,) = backend.vjp(lambda a: multiply(a, a), [np.array(x)], [np.array(g)])
    found = None if gradient is None else plain(backend, gradient)
    hold_equal(found, 2 * g * x, "the gradient of x * x, after an exception has left a no_grad scope")


CLAIMS: tuple[tuple[Capability, str, Callable[[Any], None], str], ...] = (
    (
        Capability.RETAINING,
        "a second pass through a graph has the first one's gradient",
        retained,
        "backward() hands `retain` on to the engine, and a pullback can be called again; or the output still holds the "
        "cotangent of the first pass: clear it",
    ),
    (
        Capability.JACOBIANS,
        "a Hessian is of second derivatives",
        hessian,
        'jacobian() gets kind "hessian", too, and returns the second derivatives by each operand alone: raise Unsupported where the '
        "engine has no function for that",
    ),
    (
        Capability.STRUCTURES,
        "the gradient of a structure has its form",
        structured,
        "structured_gradient() returns lists, tuples and dictionaries such as it was given, with gradients in place of arrays",
    ),
    (
        Capability.DETACH,
        "what is detached is a constant",
        detached,
        "detach() returns the engine's detached array, not its operand, and changes neither shape nor history of that",
    ),
    (
        Capability.FREEZING,
        "a frozen leaf gets no gradient",
        frozen,
        "needs_gradient(leaf, flag) sets the engine's own flag to `flag`",
    ),
    (
        Capability.TAPE,
        "what array() makes gets no gradient",
        constant,
        'array() makes an array that needs no gradient, leaf() one that does; of an engine that marks none C4 is "stored"',
    ),
    (
        Capability.NO_GRAD,
        "a no_grad scope records nothing",
        unrecorded,
        "no_grad() returns the engine's own scope, which `with` enters and leaves",
    ),
    # The last but those that raise: where it does not hold, nothing is recorded in this process from here on.
    (
        Capability.NO_GRAD,
        "an exception ends a no_grad scope",
        scope_left,
        "no_grad() is the engine's own scope, or restores in `finally` what it has switched off",
    ),
)


# Whose claims are about stored gradients.
OF_TAPES = {Capability.FREEZING, Capability.TAPE}


def claims_of(backend: Backend) -> Iterator[Claim]:
    """The claims about what an adapter declares: each, the function that tries it, and a hint."""
    for need, claim, try_it, hint in CLAIMS:
        if need in backend.capabilities and (need not in OF_TAPES or isinstance(backend, TapeBackend)):
            yield claim, try_it, hint
