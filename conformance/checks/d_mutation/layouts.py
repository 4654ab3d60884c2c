"""Chapter D: memory layouts do not matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from conformance.backend import Backend, Function
from conformance.case import Array
from conformance.checks.c_modes.built_functions import LAYERS, SEVERAL, WORDS, built
from conformance.checks.comparison import hold_close, hold_equal
from conformance.checks.engine_calls import gradients_of
from conformance.checks.observation import Observation, plain
from conformance.checks.registry import contract, flat_check, op_check
from conformance.checks.sample import Sample
from conformance.errors import Unsupported
from conformance.layout import CHANNELS_LAST
from conformance.ops.names import GETITEM, PERMUTE_DIMS, SUM
from conformance.oracle.allowance import expected_values

# Layouts that all arrays of a case have together, besides those that they have one by one.
FOR_ALL = ("strided", "reversed", "F", CHANNELS_LAST)


@op_check("D10", "layout")
def layout_does_not_matter(seen: Observation) -> None:
    """The memory layout of operands and cotangents does not change the gradient, nor that of operands the value."""
    count = len(seen.case.layouts)
    allowed = expected_values(seen.op, seen.case, perturbations=seen.perturbations)
    # One by one, and all in the same way: an operand that an engine reads wrongly matters to some gradients alone.
    for layouts in dict.fromkeys((seen.case.layouts, *((layout,) * count for layout in FOR_ALL))):
        if set(layouts) == {"C"}:
            continue
        if CHANNELS_LAST in layouts and all(x.ndim < 3 for x in seen.case.operands):
            continue
        case = replace(seen.case, layouts=layouts)
        laid_out = seen.vjp(operands=case.laid_out_operands(), cotangents=case.laid_out_cotangents())
        where = f"changes with layouts {', '.join(layouts)}"
        for position, expected in enumerate(seen.expected):
            first = seen.answer.gradients[position]
            if first is not None:
                what = f"{seen.label(position)} {where}"
                hold_close(laid_out.gradients[position], first, 2 * expected.allowed, what)
        for got, first, expected in zip(laid_out.outputs, seen.answer.outputs, allowed, strict=True):
            hold_close(got, first, 2 * expected.allowed, f"the value {where}")


@flat_check("D10", "flat-layout")
def layout_does_not_matter_to_a_flat_op(seen: Observation) -> None:
    """The memory layout of operands does not change the value of a flat op."""
    (first,), count = seen.forward(), len(seen.case.layouts)
    function = seen.backend.call(seen.op.name, seen.case.parameters)
    for layouts in dict.fromkeys((seen.case.layouts, *((layout,) * count for layout in FOR_ALL))):
        operands = replace(seen.case, layouts=layouts).laid_out_operands()
        (output,) = seen.backend.forward(function, operands)
        what = f"the value changes with layouts {', '.join(layouts)}"
        hold_equal(plain(seen.backend, output), first, what)


@contract("D10", "built-functions")
def layout_does_not_matter_to_functions_that_are_built(engine: Backend, sample: Sample) -> None:
    """A custom rule, a checkpoint or a transform gets right what lies otherwise in memory: operands, and its cotangent.

    They are results of ops, and the cotangent comes back through one: transposed, of every other row, or of a sum.
    """
    layers = [layer for layer in (*LAYERS, SEVERAL) if layer in engine.capabilities]
    if not layers:
        raise Unsupported("the engine has neither custom rules, checkpoints nor transforms")
    chosen = layers[sample.seed % len(layers) :][:1] if engine.compiles_signatures else layers
    for layer in chosen:
        function = built(engine, (layer,))
        for what, view, back in _views(engine):
            x, w = sample.array((4, 3)), sample.array((4, 3))
            (seen,) = engine.forward(view, [np.array(x)])
            g = sample.array(plain(engine, seen).shape)
            before = f"x²w by {WORDS[layer]}, {what}"
            after = gradients_of(engine, lambda a, b, f=function, v=view: v(f(a, b)), [x, w], g)
            for got, slope, name in zip(after, (2 * x * w, x * x), "xw", strict=True):
                hold_equal(got, back(g, x) * slope, f"{name}'s gradient of {before} afterwards")
            y, v, h = (plain(engine, engine.forward(view, [np.array(z)])[0]) for z in (x, w, x - w))
            of_views = gradients_of(
                engine, lambda a, b, f=function, see=view: f(see(a), see(b)), [x, w], np.array(h)
            )
            for got, slope, name in zip(of_views, (2 * y * v, y * y), "xw", strict=True):
                hold_equal(got, back(h * slope, x), f"{name}'s gradient of {before} beforehand")


def _views(engine: Backend) -> Iterator[tuple[str, Function, Callable[[Array, Array], Array]]]:
    """Ops whose values, or cotangents, lie otherwise in memory: in words; the op; its VJP at a cotangent and an operand."""

    def scattered(g: Array, x: Array) -> Array:
        whole = np.zeros_like(x)
        whole[::-2] = g
        return whole

    yield "transposed", engine.call(PERMUTE_DIMS, {"axes": (1, 0)}), lambda g, x: g.T
    rows = engine.call(GETITEM, {"index": (slice(None, None, -2),)})
    yield "of every other row backwards", rows, scattered
    total = engine.call(SUM, {"axis": 0, "keepdims": False})
    yield "summed over rows", total, lambda g, x: np.broadcast_to(g, x.shape)
