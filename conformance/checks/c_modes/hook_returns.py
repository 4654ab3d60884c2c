"""What a hook may return in place of a cotangent (C9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.b_graph.second_backward import gradients_of_passes
from conformance.checks.c_modes.hooks import doubling
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import (
    IntentionalError,
    gradients_of,
    is_intentional,
    tape_of,
    unless_refused,
)
from conformance.checks.observation import plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE, SPLIT

SHAPES = ((3, 2), ())
PLACES = ("x", "x w", "the output")  # of −x w: where the hook is
PARTS = 3
Returned = tuple[str, Callable[[Any], Any], Callable[[Array], Array]]  # in words; by the hook; what that is


@contract("C9", "returned", Capability.HOOKS)
def hook_may_return_any_cotangent(engine: Backend, sample: Sample) -> None:
    """What a hook returns replaces the cotangent whatever its numbers: zeros, the cotangent itself, others, laid out otherwise."""
    for shape in SHAPES:
        other = sample.array(shape)
        for place in PLACES:
            for what, returned, replaced in _returned(engine, other):
                _hold_replaced(engine, sample, place, shape, what, returned, replaced)


@contract("C9", "returned-dtype", Capability.HOOKS)
def cotangent_of_another_dtype_from_a_hook_is_refused_or_cast(engine: Backend, sample: Sample) -> None:
    """What a hook returns in another dtype is refused, or the gradient has its operand's dtype all the same."""
    dtype = next((dtype for dtype in ("float64", "float32") if dtype != sample.dtype), None)
    if dtype is None or dtype not in engine.dtypes:
        raise Unsupported(f"{engine.engine} has gradients in {sample.dtype} only")
    for shape in SHAPES:
        other = sample.array(shape)
        for place in PLACES:
            call = partial(_hold_replaced, engine, sample, place, shape, f"numbers of {dtype}")
            unless_refused(partial(call, partial(_of_dtype, engine, other, dtype), partial(_always, other)))


@contract("C9", "functional", Capability.HOOKS, Capability.HIGHER_ORDER)
def hook_on_a_variable_of_a_functional_gradient_replaces_it(engine: Backend, sample: Sample) -> None:
    """In a gradient as a function's value, a hook on the variable itself is called once, and what it returns is the gradient."""
    x, g, calls = sample.array(), sample.array(), []
    multiply, double = engine.op(MULTIPLY), doubling(engine)

    def doubled(cotangent: Any) -> Any:
        calls.append(1)
        return double(cotangent)

    def square(a: Any) -> Any:
        engine.hook(a, doubled)
        return multiply(a, a)

    pulled = engine.nested_vjp(square, [engine.array(np.array(x))], [engine.array(np.array(g))])
    got = None if pulled[0] is None else plain(engine, pulled[0])
    hold_equal(got, 4 * g * x, "the gradient of x * x as a function's value, a hook on x doubling it")
    if len(calls) != 1:
        raise Violation(f"a hook on the variable of a gradient was called {len(calls)} times, expected once")


@contract("C9", "behind", Capability.HOOKS, Capability.HIGHER_ORDER, is_about_outcome=True)
def hook_behind_the_variables_of_a_gradient_is_not_called(engine: Backend, sample: Sample) -> None:
    """A gradient as a function's value, by a result, stops there: hooks of what the result is computed from are not called for it."""
    x, g = sample.array(), sample.array()
    calls: list[Any] = []
    inside: list[int] = []
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)

    def function(a: Any) -> Any:
        engine.hook(a, calls.append)
        result = negative(a)
        (slope,) = engine.nested_vjp(lambda b: multiply(b, b), [result], [engine.array(np.array(g))])
        inside.append(len(calls))
        return slope

    u = sample.array()
    (got,) = gradients_of(engine, function, [x], u)
    if any(inside):
        raise Violation("a gradient by a result called the hook of an operand behind it")
    hold_equal(got, -2 * g * u, "the derivative of the gradient of b², b being -x")


def _of_dtype(engine: Backend, value: Array, dtype: str, cotangent: Any) -> Any:
    """A hook's return in place of a cotangent: the engine's array of a value in a dtype."""
    return engine.array(value.astype(dtype))


def _always(value: Array, cotangent: Array) -> Array:
    """A value, whatever the cotangent is."""
    return value


def _returned(engine: Backend, other: Array) -> Iterator[Returned]:
    """What a hook returns."""
    add, negative = engine.op(ADD), engine.op(NEGATIVE)
    yield "zeros", lambda c: add(c, negative(c)), lambda c: 0 * c
    yield "the cotangent itself", lambda c: c, lambda c: c
    yield "other numbers", lambda c: engine.array(np.array(other)), lambda c: other
    if other.ndim:
        laid_out = np.asfortranarray(other)
        yield "numbers laid out by columns", lambda c: engine.array(laid_out), lambda c: other


def _hold_replaced(
    engine: Backend,
    sample: Sample,
    place: str,
    shape: tuple[int, ...],
    what: str,
    returned: Callable[[Any], Any],
    replaced: Callable[[Array], Array],
) -> None:
    """Claim the gradients of −x w with a hook that returns something at a place."""
    x, w, g = (sample.array(shape) for _ in range(3))
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)

    def function(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        output = negative(product)
        engine.hook({"x": a, "x w": product, "the output": output}[place], returned)
        return output

    arrives = {"x": -g * w, "x w": -g, "the output": g}[place]
    replacement = replaced(arrives)
    slope = {"x": None, "x w": replacement, "the output": -replacement}[place]
    right = (replacement, -g * x) if slope is None else (slope * w, slope * x)
    for got, expected, name in zip(gradients_of(engine, function, [x, w], g), right, "xw", strict=True):
        said = f"{name}'s gradient of -x w of shape {shape}, a hook on {place} returning {what}"
        hold_equal(got, expected, said)
        if got is not None and got.dtype != x.dtype:
            raise Violation(f"{said}, is of {got.dtype}, the operand of {x.dtype}")


@contract("C9", "each-pass", Capability.HOOKS, Capability.RETAINING)
def hook_of_a_result_is_called_in_each_pass(engine: Backend, sample: Sample) -> None:
    """A hook of a result replaces the cotangent in every backward pass of its graph, not in the first alone."""
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)
    x, *cotangents = (sample.array() for _ in range(4))

    def function(a: Any) -> Any:
        square = multiply(a, a)
        engine.hook(square, doubling(engine))
        return negative(square)

    passes = gradients_of_passes(engine, function, [x], cotangents)
    for n, ((got,), g) in enumerate(zip(passes, cotangents, strict=True), start=1):
        hold_equal(got, -4 * g * x, f"the gradient of -x², doubled by a hook, in pass {n} of three")


@contract("C9", "late-hook", Capability.HOOKS, Capability.TAPE, Capability.RETAINING)
def hook_that_comes_between_two_passes_is_called(engine: Backend, sample: Sample) -> None:
    """A hook that a result gets after a backward pass of its retained graph replaces the cotangent in those that follow, until it is removed."""
    tape, multiply, negative = tape_of(engine), engine.op(MULTIPLY), engine.op(NEGATIVE)
    x, *cotangents = (sample.array() for _ in range(4))
    leaf, total = tape.leaf(np.array(x)), np.zeros_like(x)
    square = multiply(leaf, leaf)
    output = negative(square)
    accumulates = declared_convention(tape, "B3") == "accumulates"
    words = ("before a hook", "after a hook", "after its removal")
    for when, factor, g in zip(words, (1, 2, 1), cotangents, strict=True):
        if when == "after a hook":
            remove = tape.hook(square, doubling(engine))
        elif when == "after its removal":
            remove()
        tape.backward(output, tape.array(np.array(g)), retain=True)
        total = -2 * factor * g * x + (total if accumulates else 0)
        hold_equal(
            plain(tape, tape.grad(leaf)), total, f"the gradient of -x² in a pass {when}, which doubles, on x²"
        )


@contract("C9", "unused", Capability.HOOKS, is_about_outcome=True)
def hook_of_what_is_not_used_sees_nothing(engine: Backend, sample: Sample) -> None:
    """A hook on an output that nothing uses, alone or beside one that is used, is not called, or sees zeros; the gradients are right."""
    x, w, g = sample.array((4, 3)), sample.array((4, 3)), sample.array((2, 3))
    seen: list[tuple[str, Any]] = []

    def see(name: str, cotangent: Any) -> None:
        seen.append((name, cotangent))

    def function(a: Any, b: Any) -> Any:
        multiply = engine.op(MULTIPLY)
        used, beside = engine.call(SPLIT, {"indices_or_sections": [2], "axis": 0})(multiply(a, b))
        aside = multiply(b, b)
        for name, output in (("the half that nothing uses", beside), ("a product that nothing uses", aside)):
            engine.hook(output, partial(see, name))
        return multiply(used, used)

    got = gradients_of(engine, function, [x, w], g)
    for name, cotangent in seen:
        if cotangent is None or plain(engine, cotangent).any():
            shown = "None" if cotangent is None else "a cotangent that is not zero"
            raise Violation(f"a hook on {name} was called with {shown}")
    arrived = np.concatenate([2 * g * (x * w)[:2], np.zeros((2, 3), g.dtype)])
    hold_equal(got[0], arrived * w, "x's gradient of the square of one half of x w")
    hold_equal(got[1], arrived * x, "w's gradient of the square of one half of x w")


@contract("C9", "beside-unused", Capability.HOOKS)
def hook_beside_those_of_unused_outputs_is_called(engine: Backend, sample: Sample) -> None:
    """Where all outputs of an op have hooks and some are used, the hooks of these are called, and replace their cotangents."""
    negative, multiply = engine.op(NEGATIVE), engine.op(MULTIPLY)
    split = engine.call(SPLIT, {"indices_or_sections": PARTS, "axis": 0})
    for used in ((0,), (1,), (2,), (0, 2), (1, 2)):
        x, g = sample.array((2 * PARTS, 3)), sample.array((2, 3))

        def function(a: Any, used: Any = used) -> Any:
            parts = split(negative(a))
            for part in parts:
                engine.hook(part, doubling(engine))
            first, *others = (parts[i] for i in used)
            return multiply(first, others[0]) if others else negative(first)

        (got,) = gradients_of(engine, function, [x], g)
        rows = [-x[2 * i : 2 * i + 2] for i in range(PARTS)]
        slopes = {used[0]: -g} if len(used) == 1 else {used[0]: g * rows[used[1]], used[1]: g * rows[used[0]]}
        arrived = [-2 * slopes.get(i, np.zeros_like(g)) for i in range(PARTS)]
        which = " and ".join(map(str, used))
        hold_equal(
            got, np.concatenate(arrived), f"x's gradient by part {which} of -x, each part doubled by a hook"
        )


@contract("C9", "raising", Capability.HOOKS, is_about_outcome=True)
def error_of_a_hook_reaches_the_caller(engine: Backend, sample: Sample) -> None:
    """What a hook raises, on a result or on an operand, reaches the caller of the backward pass."""
    negative = engine.op(NEGATIVE)
    x, g = sample.array(), sample.array()

    def raising(c: Any) -> Any:
        raise IntentionalError("a hook")

    for place in ("an operand", "a result"):

        def function(a: Any, place: str = place) -> Any:
            result = negative(a)
            engine.hook(a if place == "an operand" else result, raising)
            return negative(result)

        try:
            gradients_of(engine, function, [x], g)
        except Exception as error:
            if not is_intentional(error):
                raise
        else:
            raise Violation(f"what a hook of {place} raised did not reach the caller")
