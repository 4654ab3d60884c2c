"""Chapter A on engines: what starts a gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, TapeBackend
from conformance.case import Array
from conformance.checks.engine_calls import gradients_of, is_refused
from conformance.checks.observation import hold_equal, plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import GETITEM, MULTIPLY, NEGATIVE, PERMUTE_DIMS, RESHAPE, SUM

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
# Views of a (2, 3) leaf, and how their cotangents go back to it.
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
    multiply, total = engine.op(MULTIPLY), engine.call(SUM, {"axis": None, "keepdims": False})
    implicit = engine.gradient(lambda a, b: total(multiply(a, b)), [x, w])
    for got, expected in zip(implicit, (w, x), strict=True):
        hold_equal(plain(engine, got), expected, "the gradient of sum(x * w) without a gradient argument")


def _product(engine: Backend) -> Any:
    multiply = engine.op(MULTIPLY)
    return lambda a, b: multiply(a, b)


@contract("A2", "non-scalar")
def non_scalar_output_without_gradient(engine: Backend, sample: Sample) -> None:
    """A non-scalar output without a gradient argument is is_refusal, or summed where that is elected."""
    x, w = sample.array(), sample.array()
    _hold_elected(engine, "A2", "summed", _product(engine), (x, w))


@contract("A3", "size-one")
def size_one_output_without_gradient(engine: Backend, sample: Sample) -> None:
    """An output of one entry that is not 0-d is is_refusal, or seeded with 1 where that is elected."""
    shape = ((1,), (1, 1))[sample.seed % 2]
    _hold_elected(engine, "A3", "seeded", _product(engine), (sample.array(shape), sample.array(shape)))


def _hold_elected(engine: Backend, clause: str, answered: str, function: Any, operands: Any) -> None:
    """Without a gradient argument a product is refused or has its partners as gradients, as elected."""
    convention = declared_convention(engine, clause)
    given: list[Any] = []
    was_refused = is_refused(lambda: given.extend(engine.gradient(function, list(operands))))
    if was_refused != (convention == "refused"):
        raise Violation(
            f"an output of shape {operands[0].shape} without a gradient argument was "
            f"{'refused' if was_refused else 'answered'}; the adapter elects {convention!r}"
        )
    if not was_refused:
        for got, expected in zip(given, reversed(operands), strict=True):
            hold_equal(plain(engine, got), expected, f"the gradient of a product, elected as {convention!r}")


def _unless_refused(engine: Backend, name: str, operands: Any, g: Any) -> list[Any] | None:
    """The gradients of an op for a gradient argument; None where the engine refuses it."""
    given: list[Any] = []
    was_refused = is_refused(lambda: given.extend(gradients_of(engine, engine.op(name), operands, g)))
    return None if was_refused else given


def _two_ops(sample: Sample, shape: tuple[int, ...]) -> tuple[tuple[str, Any, Any], ...]:
    """An op whose rule multiplies, and one whose rule would hand any shape on; operands and partials."""
    x, w = sample.array(shape), sample.array(shape)
    return (MULTIPLY, (x, w), (w, x)), (NEGATIVE, (x,), (-np.ones_like(x),))


@contract("A4", "wrong-shape")
def gradient_argument_of_wrong_shape_is_refused(engine: Backend, sample: Sample) -> None:
    """A gradient argument whose shape does not fit the output's is is_refusal, where that has no axes or no entries too."""
    for output, shapes in MISFITTING.items():
        for name, operands, _ in _two_ops(sample, output):
            for shape in shapes:
                if _unless_refused(engine, name, operands, sample.array(shape)) is not None:
                    raise Violation(
                        f"a gradient argument of shape {shape} was taken for the {output} output of {name}"
                    )


@contract("A4", "broadcastable-shape")
def gradient_argument_that_would_broadcast(engine: Backend, sample: Sample) -> None:
    """A gradient argument that would broadcast to the output is is_refusal, or broadcast where elected."""
    convention = declared_convention(engine, "A4")
    for output, shapes in BROADCASTING.items():
        for name, operands, partials in _two_ops(sample, output):
            for shape in shapes:
                g = sample.array(shape)
                given = _unless_refused(engine, name, operands, g)
                if (given is None) != (convention == "refused"):
                    raise Violation(
                        f"a gradient argument of shape {shape} for the {output} output of {name} was "
                        f"{'refused' if given is None else 'taken'}; the adapter elects {convention!r}"
                    )
                for got, partial in zip(given or (), partials, strict=False):
                    hold_equal(got, g * partial, f"the gradient of {name} for a broadcast {shape}")


@contract("A15", "leaf-is-output")
def output_that_is_the_leaf(engine: Backend, sample: Sample) -> None:
    """Where the output is the leaf itself, the gradient is the seed."""
    x, g = sample.array(), sample.array()
    (got,) = gradients_of(engine, lambda a: a, [x], g)
    if got is None:
        raise Violation("a leaf that is its own output gets no gradient", expected=g)
    hold_equal(got, g, "the gradient of a leaf that is its own output")
    if isinstance(engine, TapeBackend):
        leaf = engine.leaf(sample.scalar(2.0))
        engine.backward(leaf)
        hold_equal(plain(engine, engine.grad(leaf)), sample.scalar(1.0), "backward() on a 0-d leaf")


def _views(engine: Backend) -> Iterator[tuple[str, Any, Callable[[Array], Array]]]:
    """The views the engine has of a (2, 3) leaf, and how their cotangents go back to it."""
    for name, parameters, back in VIEWS:
        if name in engine.ops:
            yield f"{name} of it", engine.call(name, parameters), back


@contract("A15", "view-is-output")
def output_that_is_a_view_of_the_leaf(engine: Backend, sample: Sample) -> None:
    """Where the output is the leaf seen in another order or shape, the gradient is the seed put back."""
    for what, view, back in _views(engine):
        x = sample.array((2, 3))
        outputs = engine.forward(view, [np.array(x)])
        g = sample.array(np.shape(plain(engine, outputs[0])))
        (got,) = gradients_of(engine, view, [x], g)
        hold_equal(got, back(g), f"the gradient of a leaf whose output is {what}")


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
        engine.memory(seed)[...] = 7.0
        hold_equal(
            plain(engine, gradient), before, f"the gradient where the output is {what}, the seed written to"
        )
