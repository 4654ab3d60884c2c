"""Seeds: the default (A1-A3), their shape (A4), those of outputs that are leaves (A15, A11)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, TapeBackend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum, gradients_of, hold_refusal, is_refused, unless_refused
from conformance.checks.observation import hold_gradient, overwrite, plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import GETITEM, MULTIPLY, NEGATIVE, PERMUTE_DIMS, RESHAPE

Shapes = tuple[tuple[int, ...], ...]

# For the shape of an output, those of gradient arguments: some do not fit, some would broadcast to it.
MISFITTING: dict[tuple[int, ...], Shapes] = {
    (2, 3): ((3, 2), (6,), (2, 2), (2, 3, 2), (1, 2, 3), (0,)),
    (): ((1,), (1, 1), (2,), (0,)),
    (0,): ((0, 2), (1, 0), (2,)),
    (0, 2): ((0,), (0, 3), (2, 0)),
}
BROADCASTING: dict[tuple[int, ...], Shapes] = {
    (2, 3): ((3,), (1, 3), (2, 1), ()),
    (0,): ((1,), ()),
    (0, 2): ((2,), (0, 1), ()),
}
# Views of a (2, 3) leaf, and the VJP of each.
VIEWS: tuple[tuple[str, dict[str, Any], Callable[[Array], Array]], ...] = (
    (RESHAPE, {"shape": (3, 2)}, lambda g: g.reshape(2, 3)),
    (PERMUTE_DIMS, {"axes": (1, 0)}, lambda g: g.T),
    (GETITEM, {"index": (...,)}, lambda g: g),
    (GETITEM, {"index": (slice(None),)}, lambda g: g),
)


@contract("A1", "scalar-seed")
def scalar_output_is_seeded_with_one(engine: Backend, sample: Sample) -> None:
    """A scalar output needs no gradient argument: its seed is 1."""
    x, w = sample.array(), sample.array()
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    implicit = engine.gradient(lambda a, b: total(multiply(a, b)), [x, w])
    for got, expected in zip(implicit, (w, x), strict=True):
        hold_gradient(engine, got, expected, "the gradient of sum(x * w) without a gradient argument")


@contract("A1", "seed-dtype", Capability.HOOKS)
def default_seed_has_the_dtype_of_the_output(engine: Backend, sample: Sample) -> None:
    """The seed of a call without a gradient argument has the output's dtype, and so has what comes of it: hooks see both."""
    x = sample.array()
    negative, total = engine.op(NEGATIVE), full_sum(engine)
    seen: dict[str, Array] = {}

    def noting(name: str) -> Callable[[Any], None]:
        return lambda c: seen.update({name: plain(engine, c)})

    def function(a: Any) -> Any:
        below = negative(a)
        output = total(below)
        for name, array in (("the output", output), ("what it is the sum of", below)):
            engine.hook(array, noting(name))
        return output

    engine.gradient(function, [np.array(x)])
    for name, shape in (("the output", ()), ("what it is the sum of", x.shape)):
        what = f"the cotangent of {name} in a call without a gradient argument"
        if name not in seen:
            raise Violation(f"{what} is not seen by a hook")
        hold_equal(seen[name], np.ones(shape, x.dtype), what)
        if seen[name].dtype != x.dtype:
            raise Violation(f"{what} is of {seen[name].dtype}, the output of {x.dtype}")


@contract("A2", "non-scalar")
def non_scalar_output_without_gradient(engine: Backend, sample: Sample) -> None:
    """A non-scalar output without a gradient argument is refused, or summed where the adapter declares it."""
    x, w = sample.array(), sample.array()
    _hold_unseeded(engine, "A2", x, w)


@contract("A3", "size-one")
def size_one_output_without_gradient(engine: Backend, sample: Sample) -> None:
    """An output of one entry that is not 0-d is refused, or seeded with 1 where the adapter declares it."""
    shape = ((1,), (1, 1))[sample.seed % 2]
    _hold_unseeded(engine, "A3", sample.array(shape), sample.array(shape))


def _hold_unseeded(engine: Backend, clause: str, x: Array, w: Array) -> None:
    """Claim that without a gradient argument x * w is refused, or has w and x as gradients, as declared."""
    convention = declared_convention(engine, clause)
    multiply = engine.op(MULTIPLY)
    gradients = unless_refused(lambda: engine.gradient(lambda a, b: multiply(a, b), [x, w]), engine)
    hold_refusal(convention, gradients, f"an output of shape {x.shape} without a gradient argument")
    if gradients is not None:
        for got, expected in zip(gradients, (w, x), strict=True):
            hold_gradient(
                engine, got, expected, f"the gradient of a product, by the convention {convention!r}"
            )


def _two_ops(sample: Sample, shape: tuple[int, ...]) -> tuple[tuple[str, Any, Any], ...]:
    """An op whose rule multiplies the cotangent, and one whose rule accepts any shape; operands and partials."""
    x, w = sample.array(shape), sample.array(shape)
    return (MULTIPLY, (x, w), (w, x)), (NEGATIVE, (x,), (-np.ones_like(x),))


@contract("A4", "wrong-shape")
def gradient_argument_of_wrong_shape_is_refused(engine: Backend, sample: Sample) -> None:
    """A gradient argument whose shape does not fit the output is refused, also for 0-d and empty outputs."""
    for output, shapes in MISFITTING.items():
        for name, operands, _ in _two_ops(sample, output):
            for shape in shapes:
                g = sample.array(shape)
                if not is_refused(partial(gradients_of, engine, engine.op(name), operands, g)):
                    raise Violation(
                        f"a gradient argument of shape {shape} was accepted for the {output} output of {name}"
                    )


@contract("A4", "broadcastable-shape")
def gradient_argument_that_would_broadcast(engine: Backend, sample: Sample) -> None:
    """A gradient argument that would broadcast to the output is refused, or broadcast where declared."""
    convention = declared_convention(engine, "A4")
    for output, shapes in BROADCASTING.items():
        for name, operands, partials in _two_ops(sample, output):
            for shape in shapes:
                g = sample.array(shape)
                gradients = unless_refused(partial(gradients_of, engine, engine.op(name), operands, g))
                what = f"a gradient argument of shape {shape} for the {output} output of {name}"
                hold_refusal(convention, gradients, what)
                if gradients is not None:
                    for got, slope in zip(gradients, partials, strict=True):
                        hold_equal(got, g * slope, f"the gradient of {name} for a broadcast {shape}")


@contract("A4", "as-a-value", Capability.HIGHER_ORDER)
def gradient_argument_of_a_gradient_as_a_value_fits(engine: Backend, sample: Sample) -> None:
    """Of a gradient as a function's value too, a gradient argument of the output's shape is multiplied; another is refused, or broadcast where declared and it would."""
    convention = declared_convention(engine, "A4")
    for output, shapes in (*MISFITTING.items(), *BROADCASTING.items()):
        for name, operands, partials in _two_ops(sample, output):
            for shape in shapes:
                g = sample.array(shape)
                gradients = unless_refused(partial(_as_values, engine, name, operands, g))
                what = f"a gradient argument of shape {shape} for the {output} output of {name}, in a gradient as a value,"
                would = shape in BROADCASTING.get(output, ())
                # A refusal is as good: an engine that broadcasts in a backward pass need not do so here, too.
                if would and gradients is not None:
                    hold_refusal(convention, gradients, what)
                elif not would:
                    hold_refusal("refused", gradients, what, why="it does not broadcast to the output")
                for got, slope in zip(gradients or (), partials, strict=False):
                    hold_equal(got, g * slope, f"the gradient of {name} for a broadcast {shape}")
            g = sample.array(output)
            for got, slope in zip(_as_values(engine, name, operands, g), partials, strict=True):
                hold_equal(got, g * slope, f"the gradient of {name} of shape {output} as a value")


def _as_values(engine: Backend, name: str, operands: Sequence[Array], g: Array) -> list[Array | None]:
    """The gradients of an op, computed as a function's values."""
    arrays = [engine.array(np.array(x)) for x in operands]
    found = engine.nested_vjp(engine.op(name), arrays, [engine.array(np.array(g))])
    return [None if got is None else plain(engine, got) for got in found]


@contract("A15", "leaf-is-output")
def output_that_is_the_leaf(engine: Backend, sample: Sample) -> None:
    """Where the output is the leaf itself, the gradient is the seed."""
    x, g = sample.array(), sample.array()
    (got,) = gradients_of(engine, lambda a: a, [x], g)
    if got is None:
        raise Violation("a leaf that is its own output gets no gradient", expected=g)
    hold_equal(got, g, "the gradient of a leaf that is its own output")
    for dtype in {"float32", "float64"} & set(engine.dtypes) - {sample.dtype}:
        gradients = unless_refused(partial(gradients_of, engine, lambda a: a, [x], g.astype(dtype)))
        if gradients is not None and gradients[0] is not None and gradients[0].dtype != x.dtype:
            raise Violation(
                f"a leaf of {x.dtype} that is its own output has a gradient of {gradients[0].dtype}, as its seed"
            )
    if isinstance(engine, TapeBackend):
        leaf = engine.leaf(sample.scalar(2.0))
        engine.backward(leaf)
        hold_equal(plain(engine, engine.grad(leaf)), sample.scalar(1.0), "backward() on a 0-d leaf")


def _views(engine: Backend) -> Iterator[tuple[str, Function, Callable[[Array], Array]]]:
    """The views of a (2, 3) leaf that the engine offers, and the VJP of each."""
    for name, parameters, vjp in VIEWS:
        if name in engine.ops:
            yield f"{name} of the leaf", engine.call(name, parameters), vjp


@contract("A15", "view-is-output")
def output_that_is_a_view_of_the_leaf(engine: Backend, sample: Sample) -> None:
    """Where the output is a view of the leaf, the gradient is the seed in the leaf's shape and order."""
    for what, view, vjp in _views(engine):
        x = sample.array((2, 3))
        outputs = engine.forward(view, [np.array(x)])
        g = sample.array(np.shape(plain(engine, outputs[0])))
        (got,) = gradients_of(engine, view, [x], g)
        hold_equal(got, vjp(g), f"the gradient of a leaf whose output is {what}")


@contract("A11", "leaf-is-output", Capability.WRITABLE)
def leaf_does_not_keep_the_seed(engine: Backend, sample: Sample) -> None:
    """The gradient of a leaf that is the output, itself or as a view, shares no memory with the seed."""
    for what, view, _ in (("the leaf itself", lambda a: a, None), *_views(engine)):
        traced = engine.trace(view, [sample.array((2, 3))])
        seed = engine.array(sample.array(np.shape(plain(engine, traced.outputs[0]))))
        (gradient,) = traced.pull([seed])
        if gradient is None:
            raise Violation(f"a leaf gets no gradient where the output is {what}")
        before = plain(engine, gradient)
        overwrite(engine, seed, 7.0, "the cotangent")
        hold_gradient(
            engine,
            gradient,
            before,
            f"the gradient where the output is {what}, after a write to the seed",
        )
