"""A second backward pass of one graph: not retained (B6), retained (B7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, FunctionalBackend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import is_refused, tape_of
from conformance.checks.members import built_members
from conformance.checks.observation import overwrite, plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import SIZES, Sample
from conformance.errors import Unsupported
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE, SPLIT

SECTIONS = [1, 2]  # where an array is split, into rows


@contract("B6", "walked-twice")
def second_backward_of_one_graph(engine: Backend, sample: Sample) -> None:
    """A second backward through a graph that was not retained is refused or gives the right answer."""
    tape = tape_of(engine)
    accumulates = declared_convention(tape, "B3") == "accumulates"
    add, multiply, negative = (tape.op(name) for name in (ADD, MULTIPLY, NEGATIVE))
    x, w, g, h = (sample.array() for _ in range(4))
    graphs: dict[str, tuple[Callable[[Any, Any], Any], Array]] = {
        "x * w": (multiply, w),
        "x + w": (add, np.ones_like(w)),
        "-x": (lambda a, b: negative(a), -np.ones_like(w)),
        "x * x * w": (lambda a, b: multiply(multiply(a, a), b), 2 * x * w),
        "x * w + x": (lambda a, b: add(multiply(a, b), a), w + 1),
    }
    for name, (function, slope) in graphs.items():
        leaf = tape.leaf(np.array(x))
        output = function(leaf, tape.array(np.array(w)))
        tape.backward(output, tape.array(np.array(g)))
        hold_equal(plain(tape, tape.grad(leaf)), g * slope, f"the gradient of {name}")
        second = tape.array(np.array(h))
        was_refused = is_refused(lambda z=output, second=second: tape.backward(z, second))
        total = g if was_refused else g + h if accumulates else h
        outcome = "refused" if was_refused else "accepted"
        what = f"the gradient of {name} after a second backward pass, {outcome}"
        hold_equal(plain(tape, tape.grad(leaf)), total * slope, what)


@contract("B7", "outputs-in-turn", Capability.RETAINING, Capability.TAPE)
def outputs_of_a_retained_graph_are_differentiated_in_turn(engine: Backend, sample: Sample) -> None:
    """With the graph retained, the outputs of one op, or of one node, are differentiated one after the other, each with its cotangent."""
    tape, parts = tape_of(engine), len(SECTIONS) + 1
    x, g = sample.array((parts, 2)), sample.array((parts, 2))
    leaf = tape.leaf(np.array(x))
    outputs = engine.call(SPLIT, {"indices_or_sections": SECTIONS, "axis": 0})(leaf)
    total = np.zeros_like(x)
    for n in (1, 0, 2):
        tape.backward(outputs[n], tape.array(np.array(g[n : n + 1])), retain=True)
        total = total if declared_convention(tape, "B3") == "accumulates" else np.zeros_like(x)
        total[n] = g[n]
        hold_equal(plain(tape, tape.grad(leaf)), total, f"the gradient after output {n} of a split")
    leaf = tape.leaf(np.array(x))
    shared = tape.op(NEGATIVE)(leaf)
    roots = (tape.op(MULTIPLY)(shared, shared), 2 * x), (tape.op(ADD)(shared, shared), -2 * np.ones_like(x))
    total = np.zeros_like(x)
    for root, slope in roots:
        tape.backward(root, tape.array(np.array(g)), retain=True)
        total = g * slope + (total if declared_convention(tape, "B3") == "accumulates" else 0)
        hold_equal(
            plain(tape, tape.grad(leaf)), total, "the gradient after each of two outputs that share a node"
        )


@contract("B7", "retained", Capability.RETAINING)
def retained_graph_can_be_differentiated_again(engine: Backend, sample: Sample) -> None:
    """With the graph retained, k calls give k times the gradient (a pullback: k times the same)."""
    x, w, g = (sample.array() for _ in range(3))
    multiply, times = engine.op(MULTIPLY), 3
    if isinstance(engine, FunctionalBackend):
        _, pulled = engine.pullback(multiply, [engine.array(np.array(x)), engine.array(np.array(w))])
        for _ in range(times):
            hold_equal(plain(engine, pulled(engine.array(np.array(g)))[0]), g * w, "a pullback called again")
        return
    tape = tape_of(engine)
    leaf = tape.leaf(np.array(x))
    output = multiply(leaf, tape.array(np.array(w)))
    for _ in range(times):
        tape.backward(output, tape.array(np.array(g)), retain=True)
    factor = times if declared_convention(engine, "B3") == "accumulates" else 1
    hold_equal(plain(tape, tape.grad(leaf)), factor * g * w, f"{times} backward calls on a retained graph")


@contract("B7", "other-cotangents", Capability.RETAINING)
def each_pass_over_a_retained_graph_has_its_own_cotangent(engine: Backend, sample: Sample) -> None:
    """With the graph retained, each pass has its own cotangent, also through a product by a custom rule, recomputed or mapped."""
    product, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)
    made = {str(member): member.function(engine) for member in built_members(engine, sample)}
    for name, function in {MULTIPLY: product, **made}.items():
        x, w = sample.array((3,)), sample.array((3,))
        cotangents = [sample.array((3,)) for _ in range(3)]

        def negated(a: Any, b: Any, function: Function = function) -> Any:
            return negative(function(a, b))

        passes = gradients_of_passes(engine, negated, [x, w], cotangents)
        for n, (got, g) in enumerate(zip(passes, cotangents, strict=True), start=1):
            for ours, partner, operand in zip(got, (w, x), "xw", strict=True):
                what = f"{operand}'s gradient of -x w by {name}, in pass {n} of three over one graph"
                hold_equal(ours, -g * partner, what)


def gradients_of_passes(
    engine: Backend,
    function: Function,
    operands: Sequence[Array],
    cotangents: Sequence[Array],
    *,
    in_one: Any = None,
) -> list[list[Array | None]]:
    """The gradients of each pass over one graph, which is retained; all cotangents are written into one array, if one is given."""

    def written(g: Array) -> Any:
        overwrite(engine, in_one, g, "the cotangent")
        return in_one

    seeds = (engine.array(np.array(g)) if in_one is None else written(g) for g in cotangents)
    if isinstance(engine, FunctionalBackend):
        _, pulled = engine.pullback(function, [engine.array(np.array(x)) for x in operands])
        return [[None if g is None else plain(engine, g) for g in pulled(seed)] for seed in seeds]
    tape = tape_of(engine)
    leaves = [tape.leaf(np.array(x)) for x in operands]
    output, passes = function(*leaves), list[list[Array | None]]()
    before = [np.zeros_like(x) for x in operands]
    for seed in seeds:
        tape.backward(output, seed, retain=True)
        stored = [np.array(plain(tape, tape.grad(leaf))) for leaf in leaves]
        passes.append([now - then for now, then in zip(stored, before, strict=True)])
        if declared_convention(tape, "B3") == "accumulates":
            before = stored
    return passes


@contract("B7", "changed-cotangent", Capability.RETAINING, Capability.WRITABLE)
def cotangent_that_was_changed_is_read_again(engine: Backend, sample: Sample) -> None:
    """A pass over a retained graph that gets the same array again, with other numbers in it, has their gradient."""
    multiply = engine.op(MULTIPLY)
    x, *cotangents = (sample.array() for _ in range(4))
    passes = gradients_of_passes(
        engine, lambda a: multiply(a, a), [x], cotangents, in_one=engine.array(np.array(x))
    )
    for n, ((got,), g) in enumerate(zip(passes, cotangents, strict=True), start=1):
        hold_equal(
            got, 2 * g * x, f"the gradient of x * x in pass {n} of three, whose cotangents are one array"
        )


@contract("B7", "earlier-pull", Capability.RETAINING)
def gradients_of_an_earlier_call_of_a_pullback_stay(engine: Backend, sample: Sample) -> None:
    """The gradients that a call of a pullback returned keep their numbers in its later calls."""
    if not isinstance(engine, FunctionalBackend):
        raise Unsupported(f"{engine.engine} ({engine.mode}) has no pullbacks")
    for shape in (sample.shape, *SIZES):
        x, w = sample.array(shape), sample.array(shape)
        arrays = [engine.array(np.array(x)), engine.array(np.array(w))]
        _, pulled = engine.pullback(engine.op(MULTIPLY), arrays)
        cotangents = [sample.array(shape) for _ in range(3)]
        calls = [pulled(engine.array(np.array(g))) for g in cotangents]
        for n, (gradients, g) in enumerate(zip(calls, cotangents, strict=True), 1):
            for got, slope, name in zip(gradients, (w, x), "xw", strict=True):
                what = f"{name}'s gradient of x w, of shape {shape}, by call {n} of a pullback, read after call 3"
                hold_equal(plain(engine, got), g * slope, what)
