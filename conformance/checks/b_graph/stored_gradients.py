"""Stored gradients: their memory (B4, B5), those of arrays that are no leaf (B8), of functional calls (B9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, TapeBackend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum, is_refused, tape_of, unless_refused
from conformance.checks.observation import hold_gradient, overwrite, plain
from conformance.checks.observation import stored as stored_gradient
from conformance.checks.registry import NotThisCase, contract, declared_convention
from conformance.checks.sample import SIZES, Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY


def hold_as_before(tape: TapeBackend, leaf: Any, before: Array | None, what: str) -> None:
    """Claim that the stored gradient of a leaf is what it was, or that there is none as before."""
    after = stored_gradient(tape, leaf)
    if after is None or before is None:
        if after is not before:
            changed = "is gone" if after is None else "was none before"
            raise Violation(f"{what} {changed}", expected=before, got=after)
        return
    hold_equal(after, before, what)


@contract("B4", "earlier-reference")
def reference_to_an_earlier_gradient(engine: Backend, sample: Sample) -> None:
    """A gradient taken before another backward call, a second or a third, keeps its values, or is updated, as declared."""
    for shape in (sample.shape, *SIZES):
        _hold_earlier_reference(tape_of(engine), sample, shape)


def _hold_earlier_reference(tape: TapeBackend, sample: Sample, shape: tuple[int, ...]) -> None:
    convention = declared_convention(tape, "B4")
    x, w = sample.array(shape), sample.array(shape)
    multiply, leaf, weight = tape.op(MULTIPLY), tape.leaf(np.array(x)), tape.array(np.array(w))
    taken: list[tuple[Any, Array]] = []  # what was stored after each call, and its numbers then
    for n in range(1, 4):
        g = sample.array(shape)
        tape.backward(multiply(leaf, weight), tape.array(np.array(g)))
        now = np.array(plain(tape, tape.grad(leaf)))
        if n == 1:
            hold_equal(now, g * w, "the first gradient")
        for earlier, (stored, values) in enumerate(taken, 1):
            what = f"gradient {earlier}, of shape {shape}, taken before backward call {n}, by the convention {convention!r}"
            hold_equal(plain(tape, stored), values if convention == "kept" else now, what)
        taken.append((tape.grad(leaf), now))


@contract("B4", "after-clearing", Capability.CLEARING)
def gradient_taken_before_clearing_is_kept(engine: Backend, sample: Sample) -> None:
    """A gradient taken before it is cleared away keeps its values: the next one is in other memory."""
    tape = tape_of(engine)
    x, w, g, h = (sample.array() for _ in range(4))
    multiply, leaf, weight = tape.op(MULTIPLY), tape.leaf(np.array(x)), tape.array(np.array(w))
    tape.backward(multiply(leaf, weight), tape.array(np.array(g)))
    taken = tape.grad(leaf)
    tape.clear(leaf)
    is_updated = declared_convention(tape, "B4") == "updated"
    if tape.grad(leaf) is not None or (is_updated and not plain(tape, taken).any()):
        raise NotThisCase("clearing sets the stored gradient to zero")
    tape.backward(multiply(leaf, weight), tape.array(np.array(h)))
    hold_equal(plain(tape, taken), g * w, "a gradient taken before clearing, after the next backward call")
    hold_equal(plain(tape, tape.grad(leaf)), h * w, "the gradient after clearing")


@contract("B13", "zeroed", Capability.TAPE, Capability.WRITABLE)
def gradient_set_to_zero_in_place_is_zero(engine: Backend, sample: Sample) -> None:
    """Where a stored gradient is set to zero in place, of an array or of a number, the next backward pass starts from zero."""
    tape = tape_of(engine)
    multiply = tape.op(MULTIPLY)
    for shape in (None, ()):
        x, w, *cotangents = (sample.array(shape) for _ in range(5))
        leaf, weight = tape.leaf(np.array(x)), tape.array(np.array(w))
        for count, g in enumerate(cotangents, 1):
            tape.backward(multiply(leaf, weight), tape.array(np.array(g)))
            stored = tape.grad(leaf)
            hold_equal(
                plain(tape, stored), g * w, f"gradient {count} of an array of shape {x.shape}, from zero"
            )
            if count == 2:  # after a sum of two, which an engine may keep otherwise
                tape.backward(multiply(leaf, weight), tape.array(np.array(g)))
                stored = tape.grad(leaf)
            is_number = isinstance(tape.memory(stored), np.generic)
            if not (is_number and count == 2):
                overwrite(tape, stored, 0, "a stored gradient")
                if not plain(tape, tape.grad(leaf)).any():
                    continue
            if count == 1:
                raise NotThisCase("what grad returns is a copy")
            raise Violation(
                f"a gradient of shape {x.shape} cannot be set to zero in place after {count} passes, and can after one"
            )


@contract("B3", "update-steps", Capability.TAPE, Capability.WRITABLE)
def steps_of_descent_keep_what_is_stored(engine: Backend, sample: Sample) -> None:
    """A leaf whose memory is written between backward passes, as in descent, keeps its gradient and hooks; the next is added, at the new values."""
    tape = tape_of(engine)
    multiply, has_hooks = tape.op(MULTIPLY), Capability.HOOKS in tape.capabilities
    accumulates = declared_convention(tape, "B3") == "accumulates"
    for shape in (None, ()):
        x = sample.array(shape)
        leaf, total = tape.leaf(np.array(x)), np.zeros_like(x)
        seen: list[Array] = []
        if has_hooks:
            tape.hook(leaf, partial(_note, tape, seen))
        for step in range(1, 4):
            g = sample.array(shape)
            tape.backward(multiply(leaf, leaf), tape.array(np.array(g)))
            total = 2 * g * x + (total if accumulates else 0)
            where = f"in step {step} of descent of x * x, x of shape {x.shape}"
            hold_equal(plain(tape, tape.grad(leaf)), total, f"the stored gradient {where}")
            if has_hooks:
                hold_equal(
                    seen.pop() if len(seen) == 1 else None, 2 * g * x, f"what a hook sees once {where}"
                )
                seen.clear()
            x = sample.array(shape)
            if is_refused(lambda leaf=leaf, x=x: tape.memory(leaf).__setitem__(..., x)):
                raise NotThisCase("the engine does not let a leaf be written between backward passes")
            hold_equal(plain(tape, leaf), x, f"the leaf written {where}")
            hold_equal(plain(tape, tape.grad(leaf)), total, f"the stored gradient after the write {where}")


def _note(engine: Backend, seen: list[Array], cotangent: Any) -> None:
    seen.append(plain(engine, cotangent))


@contract("B5", "own-memory", Capability.WRITABLE)
def gradients_of_leaves_are_independent(engine: Backend, sample: Sample) -> None:
    """Writing into one leaf's gradient changes no other gradient, no seed and no value."""
    add = engine.op(ADD)
    for shape in (sample.shape, *SIZES):
        x, w, g = (sample.array(shape) for _ in range(3))
        traced = engine.trace(add, [np.array(x), np.array(w)])
        cotangent = engine.array(np.array(g))
        first, second = traced.pull([cotangent])
        what = f"writing into x's gradient, of shape {shape}, changes"
        overwrite(engine, first, 7.0, "x's gradient")
        hold_equal(plain(engine, second), g, f"{what} w's")
        hold_equal(plain(engine, cotangent), g, f"{what} the seed")
        hold_equal(plain(engine, traced.outputs[0]), x + w, f"{what} the output")
        for array, value, name in zip(traced.arrays, (x, w), "xw", strict=True):
            hold_equal(plain(engine, array), value, f"{what} {name}")


def _hold_apart(engine: Backend, gradients: Sequence[Any], expected: Sequence[Array], call: str) -> None:
    """Claim gradients, and that a write into one of them changes no other."""
    for got, right, name in zip(gradients, expected, "xw", strict=True):
        hold_gradient(engine, got, right, f"{name}'s gradient by {call}")
    overwrite(engine, gradients[0], 7.0, f"x's gradient by {call}")
    what = f"w's gradient by {call}, after a write into x's, of shape {expected[0].shape},"
    hold_equal(plain(engine, gradients[1]), expected[1], what)


@contract("B5", "within", Capability.INTERMEDIATES, Capability.WRITABLE)
def gradients_by_arrays_of_a_graph_are_independent(engine: Backend, sample: Sample) -> None:
    """Of the gradients of a sum by its terms, by arrays of the graph, writing into one changes no other."""
    add = engine.op(ADD)
    for shape in (sample.shape, *SIZES):
        x, w, g = (sample.array(shape) for _ in range(3))
        got = engine.gradients_within(
            lambda a, b: ((add(a, b),), (a, b)), [np.array(x), np.array(w)], [np.array(g)]
        )
        _hold_apart(engine, got, [g, g], "gradients_within()")


@contract("B5", "with-value", Capability.VALUE_WITH_GRADIENT, Capability.WRITABLE)
def gradients_with_the_value_are_independent(engine: Backend, sample: Sample) -> None:
    """Of the gradients of (x + w)·g that come with its value, writing into one changes no other."""
    for x, w, g, loss in _losses(engine, sample):
        operands = [engine.array(np.array(x)), engine.array(np.array(w))]
        _, got, _ = engine.value_and_gradient(loss, operands, (0, 1))
        _hold_apart(engine, got, [g, g], "value_and_gradient()")


@contract("B5", "structured", Capability.STRUCTURES, Capability.WRITABLE)
def gradients_in_a_structure_are_independent(engine: Backend, sample: Sample) -> None:
    """Of the gradients of (x + w)·g in a structure, writing into one changes no other."""
    for x, w, g, loss in _losses(engine, sample):
        got = engine.structured_gradient(
            lambda s, loss=loss: loss(s["x"], s["w"]), {"x": np.array(x), "w": np.array(w)}
        )
        _hold_apart(engine, [got["x"], got["w"]], [g, g], "structured_gradient()")


def _losses(engine: Backend, sample: Sample) -> Iterator[tuple[Array, Array, Array, Function]]:
    """Operands x and w of each shape, g, and the number (x + w)·g as a function of both."""
    add, multiply, total = engine.op(ADD), engine.op(MULTIPLY), full_sum(engine)
    for shape in (sample.shape, *SIZES):
        x, w, g = (sample.array(shape) for _ in range(3))
        weight = engine.array(np.array(g))
        yield x, w, g, lambda a, b, weight=weight: total(multiply(add(a, b), weight))


@contract("B8", "non-leaf")
def gradient_of_an_array_that_is_no_leaf(engine: Backend, sample: Sample) -> None:
    """An array that is no leaf holds no gradient, or its own, or refuses, as declared."""
    tape = tape_of(engine)
    convention = declared_convention(tape, "B8")
    x, w, g = (sample.array() for _ in range(3))
    multiply, leaf = tape.op(MULTIPLY), tape.leaf(np.array(x))
    between = multiply(leaf, tape.array(np.array(w)))
    tape.backward(multiply(between, between), tape.array(np.array(g)))
    result = unless_refused(lambda: (tape.grad(between),))
    found = "refused" if result is None else "none" if result[0] is None else "kept"
    if found != convention:
        raise Violation(
            f"the gradient of an array that is no leaf is {found}; the adapter declares {convention!r}"
        )
    if result is not None and result[0] is not None:
        hold_equal(plain(tape, result[0]), 2 * g * x * w, "the gradient kept by an array that is no leaf")
    hold_equal(plain(tape, tape.grad(leaf)), 2 * g * x * w * w, "the gradient of the leaf below it")


@contract("B9", "functional-call", Capability.HIGHER_ORDER)
def functional_gradients_leave_stored_ones_alone(engine: Backend, sample: Sample) -> None:
    """A gradient computed as a function's value leaves every stored gradient unchanged."""
    tape = tape_of(engine)
    x, w, g, h = (sample.array() for _ in range(4))
    multiply = tape.op(MULTIPLY)
    stored, empty = tape.leaf(np.array(x)), tape.leaf(np.array(w))
    tape.backward(multiply(stored, tape.array(np.array(w))), tape.array(np.array(g)))
    before = stored_gradient(tape, empty)  # zeros from the start, in some engines
    for _ in range(2):
        gradients = tape.nested_vjp(multiply, [stored, empty], [tape.array(np.array(h))])
        for got, expected, name in zip(gradients, (h * w, h * x), "xw", strict=True):
            hold_gradient(tape, got, expected, f"the gradient of {name} as a function's value")
    hold_equal(plain(tape, tape.grad(stored)), g * w, "a stored gradient after a functional call")
    hold_as_before(tape, empty, before, "the stored gradient of a leaf after a functional call")
