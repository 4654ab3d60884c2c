"""Functions that draw random numbers of the engine's own, such as dropout (C12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, FunctionalBackend, TapeBackend
from conformance.case import Array
from conformance.checks.comparison import hold_close, hold_equal
from conformance.checks.engine_calls import full_sum, gradients_of
from conformance.checks.observation import plain
from conformance.checks.registry import check, contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import EXP, MATMUL, MULTIPLY

RANDOM, DROPOUT = Capability.RANDOM_NUMBERS, Capability.DROPOUT
# Of so many zeros and ones no two draws are the same, and a share that is off by an eighth is nine standard deviations off.
SHAPE = (32, 32)
ROUNDINGS = 64  # by which two gradients of a layer may differ; those of another mask differ by all


@check("capability", "capability random_numbers", "random-numbers", is_about_outcome=True)
def zeros_and_ones_are_drawn(engine: Backend, sample: Sample) -> None:
    """Zeros and ones are drawn, in the shape and dtype of an array."""
    x = sample.array(SHAPE)
    drawn = plain(engine, engine.forward(engine.noise, [np.array(x)])[0])
    if drawn.shape != x.shape or drawn.dtype != x.dtype or set(np.unique(drawn)) != {0, 1}:
        raise Violation(
            f"noise() gave {drawn.dtype} of shape {drawn.shape}, where zeros and ones of {x.dtype} {x.shape} are expected"
        )


def dropped(engine: Backend, sample: Sample) -> Iterator[Function]:
    """x n w, where n is zeros and ones, drawn at each call: by the engine's numbers, and by its dropout."""
    multiply, half = engine.op(MULTIPLY), np.full(SHAPE, 0.5, sample.dtype)
    capabilities = engine.capabilities
    if not capabilities & {RANDOM, DROPOUT}:
        raise Unsupported(f"{engine.engine} draws no random numbers without a key")
    if RANDOM in capabilities:
        yield lambda a, b: multiply(multiply(a, engine.noise(a)), b)
    if DROPOUT in capabilities:  # of the half of x: what is kept is doubled
        yield lambda a, b: multiply(engine.dropout(multiply(a, engine.array(half.copy())), 0.5), b)


def three_drawn(sample: Sample) -> tuple[Array, Array, Array]:
    """Two operands and a cotangent."""
    x, w, g = (sample.array(SHAPE) for _ in range(3))
    return x, w, g


def together(
    engine: Backend, function: Function, operands: list[Array], g: Array
) -> tuple[Array, list[Array | None]]:
    """The value of a function and its gradients, out of one call of the engine."""
    if isinstance(engine, TapeBackend) or not _calls_again(engine, operands[0]):
        outputs, gradients = engine.vjp(function, [np.array(x) for x in operands], [np.array(g)])
        return plain(engine, outputs[0]), [_read(engine, gradient) for gradient in gradients]
    if Capability.VALUE_WITH_GRADIENT not in engine.capabilities:
        raise Unsupported("the engine calls a function once for its value, and again for its gradient")
    multiply, total = engine.op(MULTIPLY), full_sum(engine)

    def loss(*arrays: Any) -> tuple[Any, Any]:
        z = function(*arrays)
        return total(multiply(z, engine.array(np.array(g)))), z

    arrays = [engine.array(np.array(x)) for x in operands]
    _, gradients, z = engine.value_and_gradient(loss, arrays, tuple(range(len(arrays))), auxiliary=True)
    return plain(engine, z), [_read(engine, gradient) for gradient in gradients]


def _read(engine: Backend, gradient: Any) -> Array | None:
    """The numbers of a gradient; None, which stands for zeros, stays."""
    return None if gradient is None else plain(engine, gradient)


def _calls_again(engine: Backend, x: Array) -> bool:
    """Whether a pullback of this adapter calls the function once more, so that it draws once more."""
    calls, multiply = [], engine.op(MULTIPLY)

    def noting(a: Any) -> Any:
        calls.append(a)
        return multiply(a, a)

    engine.vjp(noting, [np.array(x)], [np.array(x)])
    return len(calls) > 1


def hold_that_of_its_value(
    engine: Backend, function: Function, operands: tuple[Array, Array, Array], what: str
) -> Array:
    """Claim that the gradients of x n w are w n g and x n g, with the n of the value; returns that n."""
    x, w, g = operands
    value, gradients = together(engine, function, [x, w], g)
    mask = _mask(value, x * w, what)
    for got, slope, name in zip(gradients, (w, x), "xw", strict=True):
        hold_equal(got, g * slope * mask, f"{name}'s gradient of {what}, by the numbers drawn for its value")
    return mask


def _mask(value: Array, product: Array, what: str) -> Array:
    """The zeros and ones that a value of x n w was made with."""
    mask: Array = (value != 0).astype(product.dtype)
    hold_equal(value, product * mask, f"the value of {what}")
    if mask.all() or not mask.any():
        raise Violation(f"of {mask.size} numbers that were drawn for {what} all are {int(mask.all())}")
    return mask


@contract("C12", "drawn-once")
def gradient_is_of_the_numbers_drawn_for_the_value(engine: Backend, sample: Sample) -> None:
    """The gradient of a function with random zeros and ones is zero where they were zero in its value."""
    for function in dropped(engine, sample):
        hold_that_of_its_value(engine, function, three_drawn(sample), "x n w")


@contract("C12", "drawn-anew")
def numbers_are_drawn_at_each_call(engine: Backend, sample: Sample) -> None:
    """Two calls of one function draw different numbers, and so do two draws within a call; each gradient is of its own."""
    for function in dropped(engine, sample):
        _hold_that_calls_differ(engine, function, three_drawn(sample))


def _hold_that_calls_differ(
    engine: Backend, function: Function, operands: tuple[Array, Array, Array]
) -> None:
    x, w, g = operands
    first, second = (hold_that_of_its_value(engine, function, (x, w, g), f"x n w, call {n}") for n in (1, 2))
    if np.array_equal(first, second):
        raise Violation(f"two calls of a function drew the same {first.size} numbers")
    twice: Function = lambda a, b: function(function(a, b), b)  # noqa: E731
    value, (got, _) = together(engine, twice, [x, w], g)
    both = _mask(value, x * w * w, "x n w m w")
    hold_equal(got, g * w * w * both, "x's gradient of x n w m w, by the numbers drawn for its value")
    if both.mean() > 3 / 8:  # a quarter is expected, and a half where both draws are one
        raise Violation(
            f"two draws of {both.size} numbers leave {both.mean():.0%}, where a quarter is expected"
        )


@contract("C12", "pulled-again", Capability.RETAINING)
def second_backward_pass_keeps_the_numbers(engine: Backend, sample: Sample) -> None:
    """A second backward pass through a graph, after other numbers were drawn, gives the same gradient."""
    for function in dropped(engine, sample):
        x, w, g = three_drawn(sample)
        value, pull = _pulling(engine, function, x, w, g)
        mask = _mask(value, x * w, "x n w")
        for time in ("first", "second"):
            hold_equal(pull(), g * w * mask, f"x's gradient of x n w, pulled the {time} time")
            engine.forward(function, [np.array(x), np.array(w)])


def _pulling(
    engine: Backend, function: Function, x: Array, w: Array, g: Array
) -> tuple[Array, Callable[[], Array]]:
    """The value of a function, and a call that gives its gradient by x, any number of times."""
    cotangent = engine.array(np.array(g))
    if isinstance(engine, TapeBackend) and Capability.CLEARING in engine.capabilities:
        leaves = engine.leaf(np.array(x)), engine.leaf(np.array(w))
        output = function(*leaves)

        def cleared() -> Array:
            engine.backward(output, cotangent, retain=True)
            gradient = np.array(plain(engine, engine.grad(leaves[0])))
            for leaf in leaves:
                engine.clear(leaf)
            return gradient

        return plain(engine, output), cleared
    if not isinstance(engine, FunctionalBackend) or _calls_again(engine, x):
        raise Unsupported("a second backward pass calls the function again, or adds to the first")
    output, pull = engine.pullback(function, [engine.array(np.array(x)), engine.array(np.array(w))])
    return plain(engine, output), lambda: plain(engine, pull(cotangent)[0])


@contract("C12", "recomputed", Capability.CHECKPOINTING)
def checkpoint_draws_the_same_numbers_again(engine: Backend, sample: Sample) -> None:
    """What a checkpoint computes again it computes with the numbers of the first time, also between other draws, and inside another checkpoint."""
    for function in dropped(engine, sample):
        _hold_in_checkpoints(engine, function, three_drawn(sample))


def _hold_in_checkpoints(engine: Backend, function: Function, operands: tuple[Array, Array, Array]) -> None:
    checkpointed = engine.checkpoint(function)
    hold_that_of_its_value(engine, checkpointed, operands, "x n w in a checkpoint")
    x, w, g = operands
    nested = engine.checkpoint(lambda a, b: function(checkpointed(a, b), b))
    value, (got, _) = together(engine, nested, [x, w], g)
    mask = _mask(value, x * w**2, "x n w m w, n drawn in an inner checkpoint")
    hold_equal(got, g * w**2 * mask, "x's gradient of x n w m w, n drawn in an inner checkpoint")
    chained: Function = lambda a, b: checkpointed(function(checkpointed(a, b), b), b)  # noqa: E731
    value, (got, _) = together(engine, chained, [x, w], g)
    mask = _mask(value, x * w**3, "x n w m w l w")
    hold_equal(got, g * w**3 * mask, "x's gradient of x n w m w l w, n and l drawn in checkpoints")


@contract("C12", "recomputed-again", Capability.CHECKPOINTING, Capability.RETAINING)
def checkpoint_draws_the_same_numbers_every_time(engine: Backend, sample: Sample) -> None:
    """Each backward pass through one checkpoint is of the numbers of its value, after other numbers were drawn, too."""
    for function in dropped(engine, sample):
        x, w, g = three_drawn(sample)
        value, pull = _pulling(engine, engine.checkpoint(function), x, w, g)
        mask = _mask(value, x * w, "x n w in a checkpoint")
        for time in ("first", "second", "third"):
            hold_equal(pull(), g * w * mask, f"x's gradient of x n w in a checkpoint, pulled the {time} time")
            engine.forward(function, [np.array(x), np.array(w)])


@contract("C12", "layer", RANDOM)
def layer_with_dropout_is_the_layer_with_its_mask(engine: Backend, sample: Sample) -> None:
    """The gradients of exp(x w) with dropout are those of exp(x w) times the numbers drawn, in a checkpoint, too."""
    matmul, exp, multiply = engine.op(MATMUL), engine.op(EXP), engine.op(MULTIPLY)
    x, w, g = (sample.array(SHAPE) for _ in range(3))
    x, w = x / 16, w / 16  # so that no entry is far from 1, and none is 0

    def layer(a: Any, b: Any) -> Any:
        z = exp(matmul(a, b))
        return multiply(z, engine.noise(z))

    functions = {"": layer}
    if Capability.CHECKPOINTING in engine.capabilities:
        functions[" in a checkpoint"] = engine.checkpoint(layer)
    for place, function in functions.items():
        value, gradients = together(engine, function, [x, w], g)
        mask = (value != 0).astype(x.dtype)

        def masked(a: Any, b: Any, mask: Array = mask) -> Any:
            return multiply(exp(matmul(a, b)), engine.array(np.array(mask)))

        right = gradients_of(engine, masked, [x, w], g)
        for got, fixed, name in zip(gradients, right, "xw", strict=True):
            exact = np.asarray(fixed)
            bound = np.full(exact.shape, ROUNDINGS * np.spacing(np.abs(exact).max()).astype(np.longdouble))
            hold_close(got, exact, bound, f"{name}'s gradient of exp(x w) with dropout{place}")


@contract("C12", "not-rewound", Capability.CHECKPOINTING)
def backward_pass_through_a_checkpoint_does_not_repeat_numbers(engine: Backend, sample: Sample) -> None:
    """Numbers drawn after a backward pass through a checkpoint are none that were drawn before it."""
    for function in dropped(engine, sample):
        x, w, g = three_drawn(sample)
        draw = partial(hold_that_of_its_value, engine, function, (x, w, g), "x n w")
        traced = engine.trace(engine.checkpoint(function), [np.array(x), np.array(w)])
        before = [draw() for _ in range(2)]
        traced.pull([engine.array(np.array(g))])
        after = [draw() for _ in range(2)]
        if any(np.array_equal(a, b) for a in after for b in before):
            raise Violation(
                "after a backward pass through a checkpoint the numbers drawn before it come again"
            )


@contract("C12", "compiled", Capability.COMPILING)
def compiled_function_keeps_its_numbers(engine: Backend, sample: Sample) -> None:
    """The gradient of a compiled function with random numbers is of those drawn for its value, also at a second call."""
    for function in dropped(engine, sample):
        compiled = engine.compiled(function)
        for call in (1, 2):
            hold_that_of_its_value(engine, compiled, three_drawn(sample), f"x n w, compiled, call {call}")


@contract("C12", "pushed", Capability.FORWARD)
def tangent_is_of_the_numbers_drawn_for_the_value(engine: Backend, sample: Sample) -> None:
    """In forward mode the tangent of a function with random numbers is of those drawn for its value."""
    what = "the tangent of x n w, by the numbers drawn for its value"
    for function in dropped(engine, sample):
        x, w, t = three_drawn(sample)
        outputs, pushed = engine.jvp(function, [np.array(x), np.array(w)], [np.array(t), np.zeros_like(w)])
        mask = _mask(plain(engine, outputs[0]), x * w, "x n w")
        hold_equal(plain(engine, pushed[0]), t * w * mask, what)


@contract("C12", "second", Capability.HIGHER_ORDER)
def second_derivative_is_of_the_numbers_drawn_for_the_gradient(engine: Backend, sample: Sample) -> None:
    """The gradient of a gradient is of the numbers drawn for that gradient."""
    for function in dropped(engine, sample):
        _hold_second(engine, function, three_drawn(sample))


def _hold_second(engine: Backend, function: Function, operands: tuple[Array, Array, Array]) -> None:
    (x, w, g), multiply, one = operands, engine.op(MULTIPLY), np.ones_like(operands[0])

    def first(a: Any, b: Any) -> Any:
        (slope,) = engine.nested_vjp(lambda c: function(multiply(c, c), b), (a,), (engine.array(one),))
        return slope

    value, (by_x, by_w) = together(engine, first, [x, w], g)
    mask = _mask(value, 2 * x * w, "the gradient of x² n w")
    for got, slope, name in ((by_x, 2 * w, "x"), (by_w, 2 * x, "w")):
        hold_equal(got, g * slope * mask, f"{name}'s gradient of the gradient of x² n w, by its numbers")
