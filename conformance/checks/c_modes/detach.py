"""Detached values: their gradients (C2), their storage (C3)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of, unless_refused
from conformance.checks.observation import hold_gradient, overwrite, plain
from conformance.checks.registry import NotThisCase, contract, declared_convention
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, GETITEM, MULTIPLY, NEGATIVE, PERMUTE_DIMS

SHAPES = ((), (1,), (1, 1), (2, 1, 3), (1031,), (2, 3))


@contract("C2", "detach", Capability.DETACH)
def detached_value_is_a_constant(engine: Backend, sample: Sample) -> None:
    """A detached value is the same value, and no gradient flows through it."""
    x, w, g = (sample.array() for _ in range(3))
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)

    def function(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        return add(multiply(engine.detach(product), a), product)

    outputs, gradients = engine.vjp(function, [np.array(x), np.array(w)], [np.array(g)])
    hold_equal(plain(engine, outputs[0]), x * w * x + x * w, "the value with a detached factor")
    hold_gradient(engine, gradients[0], g * x * w + g * w, "x's gradient of detach(x * w) * x + x * w")
    hold_gradient(engine, gradients[1], g * x, "w's gradient of detach(x * w) * x + x * w")


@contract("C2", "detach-leaf", Capability.DETACH)
def leaf_detached_once_or_twice_stays_a_leaf(engine: Backend, sample: Sample) -> None:
    """A leaf detached once or twice is a constant there, and has its gradient where it is used undetached."""
    x, w, g = (sample.array() for _ in range(3))
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)

    def function(a: Any, b: Any) -> Any:
        once, twice = engine.detach(a), engine.detach(engine.detach(b))
        return add(multiply(once, b), multiply(a, twice))

    got = gradients_of(engine, function, [x, w], g)
    hold_equal(got[0], g * w, "x's gradient of detach(x) * w + x * detach(detach(w))")
    hold_equal(got[1], g * x, "w's gradient of detach(x) * w + x * detach(detach(w))")


@contract("C2", "detached-shapes", Capability.DETACH)
def value_of_any_shape_and_dtype_is_detached(engine: Backend, sample: Sample) -> None:
    """A number, an array of one entry, of several axes, and of a thousand entries is a constant once detached, in every dtype."""
    multiply, asked = engine.op(MULTIPLY), 0

    def function(a: Any, b: Any) -> Any:
        return multiply(a, engine.detach(multiply(a, b)))

    def recorded(a: Any, b: Any) -> Any:
        return multiply(a, multiply(a, b))

    for dtype in sorted(engine.dtypes, key=lambda name: name != sample.dtype):
        for shape in SHAPES:
            x, w, g = (sample.array(shape).astype(dtype) for _ in range(3))
            call = partial(gradients_of, engine, function, [x, w], g)
            got = unless_refused(call)
            if got is None:  # an engine may have no arrays of that shape, or no gradients in that dtype
                if unless_refused(partial(gradients_of, engine, recorded, [x, w], g)) is None:
                    continue
                got = call()  # which raises: it is what is detached that is refused
            what = f"gradient of x * detach(x * w), of {dtype} {shape}"
            hold_equal(got[0], g * (x * w), f"x's {what}")
            hold_equal(got[1], np.zeros_like(w), f"w's {what}")
            asked += 1
    if not asked:
        raise NotThisCase("the engine refuses every shape")


@contract("C2", "detached-tangent", Capability.DETACH, Capability.FORWARD)
def detached_value_has_no_tangent(engine: Backend, sample: Sample) -> None:
    """In forward mode a detached value is a constant too: its tangent is zero."""
    (x, w), (t, u) = ([sample.array(), sample.array()] for _ in range(2))
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)

    def function(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        return add(multiply(engine.detach(product), a), multiply(engine.detach(b), product))

    _, tangents = engine.jvp(function, [np.array(x), np.array(w)], [np.array(t), np.array(u)])
    expected = x * w * t + w * (t * w + x * u)
    what = "the tangent of detach(x * w) * x + detach(w) * x * w"
    hold_equal(plain(engine, tangents[0]), expected, what)


@contract("C2", "detached-constant", Capability.DETACH, Capability.RECORDED_WRITES)
def detached_constant_is_another_array(engine: Backend, sample: Sample) -> None:
    """A constant, detached, is another array: what is written into that one is no part of the constant's history."""
    x, c, g = sample.array((2,)), sample.array((3, 2)), sample.array((3, 2))
    add, multiply, negative = engine.op(ADD), engine.op(MULTIPLY), engine.op(NEGATIVE)
    factor = sample.array((3, 2))

    def written(a: Any, *, is_detached: bool) -> Any:
        constant = engine.array(np.array(c))
        target = engine.detach(constant) if is_detached else engine.array(np.array(c))
        engine.assign(target, (0,), a)
        return add(negative(constant), multiply(target, engine.array(np.array(factor))))

    found = [
        unless_refused(partial(gradients_of, engine, partial(written, is_detached=d), [x], g))
        for d in (False, True)
    ]
    if found[0] is None or found[0][0] is None:
        raise NotThisCase("the engine records no writes into constants")
    if found[1] is None:
        raise NotThisCase("the engine refuses to write into a detached value")
    hold_equal(found[1][0], (g * factor)[0], "the gradient of what was written into a detached constant")


@contract("C3", "detached-storage", Capability.DETACH, Capability.WRITABLE)
def detached_value_shares_storage_as_declared(engine: Backend, sample: Sample) -> None:
    """A write into a detached value changes the original value, or does not, as declared."""
    x = sample.array()
    made = engine.trace(engine.op(NEGATIVE), [np.array(x)])
    _hold_storage(engine, made.arrays[0], x, "an operand")
    _hold_storage(engine, made.outputs[0], -x, "an op's output")


@contract("C3", "detached-views", Capability.DETACH, Capability.WRITABLE)
def detached_view_shares_storage_as_declared(engine: Backend, sample: Sample) -> None:
    """The same of values that may be views: a transpose, every other column, a row, one entry."""
    views: dict[str, tuple[str, dict[str, Any], Callable[[Array], Array]]] = {
        "a transpose": (PERMUTE_DIMS, {"axes": (1, 0)}, lambda z: z.T),
        "every other column": (GETITEM, {"index": (slice(None), slice(None, None, 2))}, lambda z: z[:, ::2]),
        "a row": (GETITEM, {"index": (1,)}, lambda z: z[1]),
        "a column": (GETITEM, {"index": (slice(None), 0)}, lambda z: z[:, 0]),
        "one entry": (GETITEM, {"index": (slice(1, 2), slice(2, 3))}, lambda z: z[1:2, 2:3]),
    }
    negative = engine.op(NEGATIVE)
    for what, (name, parameters, view) in views.items():
        taken = engine.call(name, parameters)
        x = sample.array((2, 3))
        made = engine.trace(taken, [np.array(x)])
        _hold_storage(engine, made.outputs[0], view(x), f"{what} of an operand")
        made = engine.trace(lambda a, taken=taken: taken(negative(a)), [np.array(x)])
        _hold_storage(engine, made.outputs[0], view(-x), f"{what} of an op's output")


def _hold_storage(engine: Backend, original: Any, value: Array, what: str) -> None:
    """Claim that a write into a value, detached, reaches the value as the adapter declares."""
    convention = declared_convention(engine, "C3")
    detached = engine.detach(original)
    hold_equal(plain(engine, detached), value, f"{what} detached")
    overwrite(engine, detached, 7.0, f"{what} detached")
    hold_equal(plain(engine, detached), np.full_like(value, 7.0), f"{what} detached, after a write into it")
    expected = np.full_like(value, 7.0) if convention == "shares" else value
    when = f"{what} after a write into its detached value, by the convention {convention!r}"
    hold_equal(plain(engine, original), expected, when)
