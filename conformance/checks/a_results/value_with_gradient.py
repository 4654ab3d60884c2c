"""The value with the gradients, by one call, and what it hands on beside them (A24)."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, TapeBackend
from conformance.case import Array
from conformance.checks.comparison import decides, decides_by_refusal, hold_equal
from conformance.checks.engine_calls import full_sum, is_refused, unless_refused
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import MULTIPLY, TANH

NEEDED = Capability.VALUE_WITH_GRADIENT
Wrt = int | tuple[int, ...]
POSITIONS: tuple[Wrt, ...] = (0, 2, (0,), (1,), (0, 1, 2), (1, 0), (2, 0), (2, 1, 0), (2, 0, 1))
BESIDE_OTHERS: tuple[Wrt, ...] = ((1, 0), 1, (1,))  # where there are auxiliary results
TWICE_OR_NEGATIVE: tuple[Wrt, ...] = ((0, 0), (1, 0, 1), -1, (-1, 0), (0, -3))
BEYOND: tuple[Wrt, ...] = (3, (0, 3), (-4,))


def _product(engine: Backend) -> Function:
    """The sum of x² w u."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    return lambda x, w, u: total(multiply(multiply(multiply(x, x), w), u))


def _drawn(sample: Sample) -> tuple[list[Array], list[Array]]:
    """Operands of that product, and its gradients."""
    x, w, u = (sample.array() for _ in range(3))
    return [x, w, u], [2 * x * w * u, x * x * u, x * x * w]


def _arrays(engine: Backend, operands: list[Array]) -> list[Any]:
    return [engine.array(np.array(x)) for x in operands]


@contract("A24", "positions", NEEDED)
def value_comes_with_the_gradients_of_the_positions(engine: Backend, sample: Sample) -> None:
    """For one position there is one gradient, for a tuple of positions a tuple of gradients in their order."""
    function = _product(engine)
    for wrt in POSITIONS:
        operands, expected = _drawn(sample)
        value, gradients, _ = engine.value_and_gradient(function, _arrays(engine, operands), wrt)
        x, w, u = operands
        hold_equal(plain(engine, value), (x * x * w * u).sum(), f"the value with the gradients by {wrt}")
        _hold_at(engine, gradients, wrt, expected)


def _hold_at(engine: Backend, gradients: Any, wrt: Wrt, expected: list[Array]) -> None:
    if isinstance(wrt, int):
        hold_gradient(engine, gradients, expected[wrt], f"the gradient by {wrt}, with the value")
        return
    if not isinstance(gradients, (tuple, list)) or len(gradients) != len(wrt):
        raise Violation(f"by the positions {wrt} there is no tuple of {len(wrt)} gradients")
    for place, (gradient, position) in enumerate(zip(gradients, wrt, strict=True)):
        what = f"gradient {place} by the positions {wrt}, with the value"
        hold_gradient(engine, gradient, expected[position], what)


@contract("A24", "odd-positions", NEEDED)
def odd_positions_are_refused_or_right(engine: Backend, sample: Sample) -> None:
    """A position that is named twice has its gradient twice, a negative one counts from the end, or such calls are refused; one beyond the operands is refused."""
    function = _product(engine)
    with_others = lambda x, w, u: (function(x, w, u), w)  # noqa: E731
    for wrt, auxiliary in product(TWICE_OR_NEGATIVE, (False, True)):
        operands, expected = _drawn(sample)
        asked = with_others if auxiliary else function
        call = partial(engine.value_and_gradient, asked, _arrays(engine, operands), wrt, auxiliary=auxiliary)
        answer = unless_refused(call, engine)
        if answer is None:
            decides_by_refusal()
        else:
            _hold_at(engine, answer[1], wrt, expected)
    for wrt in BEYOND:
        operands, _ = _drawn(sample)
        if not is_refused(
            partial(engine.value_and_gradient, function, _arrays(engine, operands), wrt), engine
        ):
            raise Violation(f"the gradient of three operands by {wrt} was not refused")
    operands, expected = _drawn(sample)
    _hold_at(engine, engine.value_and_gradient(function, _arrays(engine, operands), 0)[1], 0, expected)


@contract("A24", "same-as-alone", NEEDED)
def value_and_gradients_are_those_of_the_calls_alone(engine: Backend, sample: Sample) -> None:
    """The value has the bits of the plain call, and the gradients those of the gradient alone."""
    multiply, tanh, total = engine.op(MULTIPLY), engine.op(TANH), full_sum(engine)
    for shape in (sample.shape, ()):
        x, w = sample.array(shape) / 4, sample.array(shape)

        def function(a: Any, b: Any) -> Any:
            return total(tanh(multiply(a, b)))

        given = [np.array(x, sample.dtype), np.array(w)]
        (alone,) = engine.forward(function, given)
        slopes = engine.gradient(function, given)
        value, gradients, _ = engine.value_and_gradient(function, _arrays(engine, given), (0, 1))
        hold_equal(
            plain(engine, value), plain(engine, alone), "the value with the gradients of sum(tanh(x w))"
        )
        for name, got, slope in zip("xw", gradients, slopes, strict=True):
            what = f"{name}'s gradient with the value of sum(tanh(x w))"
            hold_gradient(engine, got, plain(engine, slope), what)


@contract("A24", "auxiliary", NEEDED)
def auxiliary_results_are_handed_on(engine: Backend, sample: Sample) -> None:
    """Auxiliary results come in their structure, with their values and dtypes, an operand, a constant and integers among them, and change no gradient nor its place."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    x, w, c = (sample.array() for _ in range(3))
    whole = np.arange(3, dtype=np.int32)
    constant, integers = engine.array(np.array(c)), engine.array(np.array(whole))

    def function(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        return total(multiply(product, a)), {
            "computed": [multiply(product, b), (product,)],
            "given": (a, constant, integers),
        }

    value, gradients, others = engine.value_and_gradient(
        function, _arrays(engine, [x, w]), (0, 1), auxiliary=True
    )
    hold_equal(plain(engine, value), (x * x * w).sum(), "the value beside auxiliary results")
    _hold_at(engine, gradients, (0, 1), [2 * x * w, x * x])
    for wrt in BESIDE_OTHERS:
        _, gradients, _ = engine.value_and_gradient(function, _arrays(engine, [x, w]), wrt, auxiliary=True)
        _hold_at(engine, gradients, wrt, [2 * x * w, x * x])
    hold_same_form(others, {"computed": [0, (0,)], "given": (0, 0, 0)})
    pairs = (
        (others["computed"][0], x * w * w, "x w²"),
        (others["computed"][1][0], x * w, "x w"),
        (others["given"][0], x, "the operand"),
        (others["given"][1], c, "a constant"),
        (others["given"][2], whole, "integers"),
    )
    for got, right, name in pairs:
        hold_equal(found := plain(engine, got), right, f"{name} handed on beside the value")
        if found.dtype != right.dtype:
            raise Violation(f"{name} of {right.dtype}, handed on beside the value, is of {found.dtype}")


def hold_same_form(got: Any, form: Any, place: str = "what is handed on") -> None:
    """Claim that a structure has the lists, tuples and dicts of another."""
    if not isinstance(form, (list, tuple, dict)):
        return
    if type(got) is not type(form) or len(got) != len(form):
        raise Violation(f"{place} is of {type(got).__name__}, not a {type(form).__name__} of {len(form)}")
    for key in form if isinstance(form, dict) else range(len(form)):
        if isinstance(got, dict) and key not in got:
            raise Violation(f"{place} has no {key!r}")
        hold_same_form(got[key], form[key], f"{place}[{key!r}]")


@contract("A24", "auxiliary-constant", NEEDED)
def auxiliary_result_has_no_history(engine: Backend, sample: Sample) -> None:
    """An auxiliary result of constants is a constant: used in another function, it contributes no gradient, and on a tape it cannot be differentiated."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    x, v, g = (sample.array() for _ in range(3))

    def function(a: Any) -> Any:
        return total(multiply(a, a)), multiply(a, a)

    _, _, square = engine.value_and_gradient(function, _arrays(engine, [x]), 0, auxiliary=True)
    _, (got,) = engine.vjp(lambda b: multiply(b, square), [np.array(v)], [np.array(g)])
    hold_gradient(engine, got, g * x * x, "the gradient of v x², x² handed on beside a value")
    if isinstance(engine, TapeBackend):
        decides(True)
        if (
            not is_refused(partial(engine.backward, total(square)))
            and engine.conventions.get("A14") == "refused"
        ):
            raise Violation("what is handed on beside a value of constants can be differentiated")


@contract("A24", "value-second", NEEDED, Capability.HIGHER_ORDER)
def value_with_gradient_is_differentiated(engine: Backend, sample: Sample) -> None:
    """Inside another function the value and each gradient have their own derivatives, by what is captured, too."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    x, w, v = (sample.array() for _ in range(3))

    def inside(a: Any, b: Any) -> tuple[Any, Any]:
        loss = lambda t: total(multiply(multiply(t, t), b))  # noqa: E731
        value, gradient, _ = engine.value_and_gradient(loss, [a], 0)
        return value, gradient

    s = sample.array(())
    for given, expected, what in (
        ([s, 0 * v], (s * 2 * x * w, s * x * x), "the value"),
        ([0 * s, v], (2 * w * v, 2 * x * v), "the gradient"),
        ([s, v], (2 * w * (s * x + v), x * (s * x + 2 * v)), "the value and the gradient"),
    ):
        _, pulled = engine.vjp(inside, [np.array(x), np.array(w)], [np.array(g) for g in given])
        for got, right, name in zip(pulled, expected, "xw", strict=True):
            hold_gradient(engine, got, right, f"the derivative by {name} of {what} of sum(x² w)")


@contract("A24", "auxiliary-second", NEEDED, Capability.HIGHER_ORDER)
def auxiliary_result_is_differentiated_from_outside(engine: Backend, sample: Sample) -> None:
    """Inside another function an auxiliary result has the derivative of what it is, by the operand and by what is captured."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    x, w, v = (sample.array() for _ in range(3))

    def inside(a: Any, b: Any) -> Any:
        loss = lambda t: (total(multiply(t, t)), multiply(multiply(t, b), t))  # noqa: E731
        return engine.value_and_gradient(loss, [a], 0, auxiliary=True)[2]

    outputs, pulled = engine.vjp(inside, [np.array(x), np.array(w)], [np.array(v)])
    hold_equal(plain(engine, outputs[0]), x * x * w, "x² w, handed on beside a value")
    for got, right, name in zip(pulled, (2 * x * w * v, x * x * v), "xw", strict=True):
        hold_gradient(engine, got, right, f"the derivative by {name} of x² w, handed on beside a value")
