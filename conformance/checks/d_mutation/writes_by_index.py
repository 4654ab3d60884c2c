"""Writes by every kind of index, into an array used before and after (D3, D7)."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of, is_refused, unless_refused
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.checks.wrappers import wrappers_of
from conformance.errors import Violation
from conformance.ops.names import ADD, GETITEM, MULTIPLY, NEGATIVE

INDICES: dict[str, Any] = {
    "an integer": (1,),
    "a negative integer": (-1,),
    "two integers": (1, -2),
    "a slice": (slice(1, None),),
    "a slice of every other row": (slice(None, None, 2),),
    "a slice backwards": (slice(None, None, -1),),
    "two slices": (slice(None, 2), slice(1, None)),
    "an ellipsis": (Ellipsis,),
    "an ellipsis and an integer": (Ellipsis, 0),
    "a mask": (np.array([[True, False], [False, True], [True, True]]),),
    "a mask that selects nothing": (np.zeros((3, 2), bool),),
    "a mask of rows": (np.array([False, True, True]),),
    "an integer array": (np.array([2, 0]),),
    "an integer array and a slice": (np.array([2, 0]), slice(1, None)),
    "an integer array and an integer": (np.array([0, 2]), 1),
    "a bare integer": 1,
    "a bare ellipsis": Ellipsis,
    "a bare mask": np.array([[True, False], [False, True], [True, True]]),
    "a list of integers": [2, 0],
    "a list of integers and a slice": ([2, 0], slice(1, None)),
}
SHAPE = (3, 2)
OF_VECTORS: dict[str, Any] = {
    "a slice backwards of every other entry": (slice(None, None, -2),),
    "a slice backwards from the middle": (slice(3, None, -1),),
    "a slice of every third entry": (slice(1, None, 3),),
    "an array of negative integers": (np.array([-1, 1, -5]),),
}
ONE_NUMBER, MORE_AXES = " of one number", " of a row with an axis more than there is"
FORMS = ("", ONE_NUMBER, MORE_AXES)  # of what is written
# Into a row of two: too many entries, none, more rows than one, and the same two entries on another axis.
MISFITS = ((5,), (0,), (3, 2), (2, 1), (1, 3, 2))
CALLS = (
    *((what, index, SHAPE) for what, index in INDICES.items()),
    *((what, index, (5,)) for what, index in OF_VECTORS.items()),
)


@contract("D7", "every-index", Capability.RECORDED_WRITES)
def write_by_any_index_is_recorded(engine: Backend, sample: Sample) -> None:
    """A write by integers, slices, masks or arrays is recorded, of one number or of a row with axes more too, and what was used before is kept."""
    decided = 0
    for number, ((what, index, shape), form) in enumerate(product(CALLS, FORMS), start=sample.seed):
        x, is_used_before = sample.array(shape), number % 4 < 2
        own = x[index].shape
        if not own and form == MORE_AXES:
            continue  # NumPy writes no array with axes in place of one entry
        w = sample.array({ONE_NUMBER: (), MORE_AXES: (1,) * len(own) + own[-1:]}.get(form, own))
        what = f"by {what}{form}"
        what += " into an array that was used before" if is_used_before else ""
        decided += _hold_written(engine, sample, x, w, index, what, is_used_before=is_used_before)
    if not decided:
        raise NotThisCase("the engine refuses every write")


def _hold_written(
    engine: Backend, sample: Sample, x: Array, w: Array, index: Any, what: str, *, is_used_before: bool
) -> bool:
    """Claim value and gradients of -x with w written at the index, plus -3x from before; False where it is refused."""
    add, multiply, negative = (engine.op(name) for name in (ADD, MULTIPLY, NEGATIVE))
    three, g = engine.array(np.array(3, sample.dtype)), sample.array(x.shape)

    def function(a: Any, b: Any) -> Any:
        target = negative(a)
        before = multiply(target, three) if is_used_before else None
        engine.assign(target, index, b)
        return target if before is None else add(target, before)

    answer = unless_refused(lambda: engine.vjp(function, [np.array(x), np.array(w)], [np.array(g)]), engine)
    if answer is None:
        return False
    outputs, got = answer
    value, rest = -x, -g
    own = x[index].shape
    row = w.reshape(w.shape[-1:]) if w.ndim > len(own) else w  # by a mask NumPy itself writes no more axes
    value[index], rest[index] = row, 0
    stretched = tuple(range(len(own) - row.ndim))
    written = np.reshape(np.sum(g[index], axis=stretched), w.shape)
    if is_used_before:
        value, rest = value - 3 * x, rest - 3 * g
    hold_equal(plain(engine, outputs[0]), value, f"the value after a write {what}")
    of_x = None if got[0] is None else plain(engine, got[0])
    hold_equal(of_x, rest, f"the gradient of what was written into {what}")
    hold_equal(plain(engine, got[1]), written, f"the gradient of what was written {what}")
    return True


@contract("D3", "every-index", Capability.RECORDED_WRITES)
def write_by_any_index_leaves_saved_values(engine: Backend, sample: Sample) -> None:
    """A value that an op saved is written by integers, slices, masks or arrays: refused, or the gradient is of the value as it was."""
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)
    for what, index, shape in CALLS:
        x, w, g = (sample.array(shape) for _ in range(3))
        written = sample.array(x[index].shape)

        def function(a: Any, b: Any, index: Any = index, written: Any = written) -> Any:
            target = negative(a)
            product = multiply(target, b)
            engine.assign(target, index, engine.array(np.array(written)))
            return product

        got = unless_refused(partial(gradients_of, engine, function, [x, w], g), engine)
        for gradient, right, name in zip(got or (), (-g * w, -g * x), "xw", strict=bool(got)):
            hold_equal(gradient, right, f"{name}'s gradient of -x w, -x then written by {what}")


@contract("D7", "forward", Capability.RECORDED_WRITES, Capability.FORWARD)
def write_in_forward_mode_carries_its_tangent(engine: Backend, sample: Sample) -> None:
    """In forward mode a written value brings its tangent, and that of what is overwritten ends."""
    negative = engine.op(NEGATIVE)
    for what, index in (("a slice", (slice(1, None),)), ("an integer", (0,)), ("an ellipsis", (Ellipsis,))):
        x, u = sample.array(SHAPE), sample.array(SHAPE)
        w, v = (sample.array(x[index].shape) for _ in range(2))

        def function(a: Any, b: Any, index: Any = index) -> Any:
            target = negative(a)
            engine.assign(target, index, b)
            return target

        _, (got,) = engine.jvp(function, [np.array(x), np.array(w)], [np.array(u), np.array(v)])
        expected = -u
        expected[index] = v
        hold_gradient(engine, got, expected, f"the tangent of -x after a write by {what}")


@contract("D7", "second-order", Capability.RECORDED_WRITES, Capability.HIGHER_ORDER)
def gradient_through_a_write_is_differentiated(engine: Backend, sample: Sample) -> None:
    """The gradient of a function that writes is differentiated: by what was written into, and by what was written; or refused."""
    multiply, negative = engine.op(MULTIPLY), engine.op(NEGATIVE)
    x, g, v = (sample.array(SHAPE) for _ in range(3))
    w, u = sample.array(SHAPE[1:]), sample.array(SHAPE[1:])

    def product_written(a: Any, b: Any) -> Any:
        target = negative(a)
        engine.assign(target, (0,), b)
        return multiply(target, b)

    is_kept = np.arange(SHAPE[0])[:, None] > 0
    derivatives = (
        (v, (0 * x, -(g * v * is_kept).sum(axis=0))),
        (u, (-g * u * is_kept, 2 * g[0] * u)),
    )
    for i, (along, expected) in enumerate(derivatives):

        def first(a: Any, b: Any, i: int = i) -> Any:
            return engine.nested_vjp(product_written, [a, b], [engine.array(np.array(g))])[i]

        got = unless_refused(partial(gradients_of, engine, first, [x, w], along))
        for ours, right, by in zip(got or (), expected, "xw", strict=got is not None):
            hold_equal(
                ours, right, f"the derivative by {by} of {'xw'[i]}'s gradient of -x w, w written into -x"
            )


@contract("D7", "own-part", Capability.RECORDED_WRITES)
def part_of_an_array_is_written_into_itself(engine: Backend, sample: Sample) -> None:
    """A part that overlaps its new place is written as it was before the write, and has its gradient there; or that is refused."""
    negative, getitem = engine.op(NEGATIVE), engine.call(GETITEM, {"index": (slice(None, 3),)})
    x, g = sample.array((4,)), sample.array((4,))

    def function(a: Any) -> Any:
        target = negative(a)
        engine.assign(target, (slice(1, None),), getitem(target))
        return target

    answer = unless_refused(lambda: engine.vjp(function, [np.array(x)], [np.array(g)]), engine)
    if answer is None:
        raise NotThisCase("the engine refuses to write a part of an array into itself")
    hold_equal(
        plain(engine, answer[0][0]), -x[[0, 0, 1, 2]], "an array whose first entries were written one further"
    )
    expected = -np.array([g[0] + g[1], g[2], g[3], 0], x.dtype)
    got = answer[1][0]
    hold_equal(None if got is None else plain(engine, got), expected, "its gradient")


@contract("D7", "added-twice", Capability.RECORDED_WRITES)
def what_is_added_to_a_part_again_and_again_has_its_gradient(engine: Backend, sample: Sample) -> None:
    """Where a part is read, something is added, and it is written back, twice, each of the two is counted, and so is what stood there."""
    add, negative = engine.op(ADD), engine.op(NEGATIVE)
    x, g = sample.array((3, 2)), sample.array((3, 2))
    for what, index in (("a row", (1,)), ("a slice", (slice(1, None),)), ("a list", ([2, 0],))):
        read = engine.call(GETITEM, {"index": index})
        v, w = sample.array(x[index].shape), sample.array(x[index].shape)

        def function(a: Any, b: Any, c: Any, read: Any = read, index: Any = index) -> Any:
            target = negative(a)
            for addend in (b, c):
                engine.assign(target, index, add(read(target), addend))
            return target

        outputs, got = engine.vjp(function, [np.array(x), np.array(v), np.array(w)], [np.array(g)])
        expected = -x
        expected[index] += v + w
        hold_equal(plain(engine, outputs[0]), expected, f"-x, to {what} of which two arrays were added")
        for number, slope in enumerate((-g, g[index], g[index])):
            gradient = None if got[number] is None else plain(engine, got[number])
            hold_equal(gradient, slope, f"operand {number}'s gradient where two arrays were added to {what}")


@contract("D7", "refused", Capability.RECORDED_WRITES)
def write_that_is_refused_changes_nothing(engine: Backend, sample: Sample) -> None:
    """A write of a shape that does not fit is refused, and leaves the array's numbers and its history."""
    negative = engine.op(NEGATIVE)
    x, g = sample.array((3, 2)), sample.array((3, 2))
    for misfit in MISFITS:
        values = sample.array(misfit)

        def function(a: Any, values: Array = values) -> Any:
            target = negative(a)
            if not is_refused(lambda: engine.assign(target, (0,), engine.array(np.array(values)))):
                raise Violation(f"{values.shape} was written into a row of {x.shape}")
            return target

        (value,), (got,) = engine.vjp(function, [np.array(x)], [np.array(g)])
        hold_equal(plain(engine, value), -x, f"an array into which a write of shape {misfit} was refused")
        hold_equal(None if got is None else plain(engine, got), -g, "its gradient")


@contract("D7", "in-no-grad", Capability.RECORDED_WRITES, Capability.NO_GRAD)
def write_in_a_no_grad_scope_leaves_the_history(engine: Backend, sample: Sample) -> None:
    """A write in a no_grad scope into a part of a result is refused, or changes the value, and no gradient of the other parts."""
    add, negative = engine.op(ADD), engine.op(NEGATIVE)
    x, w, g = sample.array(SHAPE), sample.array(SHAPE[1:]), sample.array(SHAPE)

    def function(a: Any) -> Any:
        target = negative(a)
        with engine.no_grad():
            engine.assign(target, (0,), engine.array(np.array(w)))
        return add(add(a, a), target)

    answer = unless_refused(lambda: engine.vjp(function, [np.array(x)], [np.array(g)]), engine)
    if answer is None:
        raise NotThisCase("the engine refuses to write into a result in a no_grad scope")
    (value,), (got,) = answer
    right = np.stack([2 * x[0] + w, *x[1:]])
    hold_equal(plain(engine, value), right, "2x + (-x), a row of -x written in a no_grad scope")
    slope = None if got is None else plain(engine, got)[1:]
    hold_equal(slope, g[1:], "the gradient of its other rows")


@contract("D7", "inside-others", Capability.RECORDED_WRITES)
def write_inside_another_function_has_its_gradient(engine: Backend, sample: Sample) -> None:
    """A write in a checkpointed, compiled or vectorized function is refused, or recorded as it is outside."""
    negative = engine.op(NEGATIVE)
    place = (Ellipsis, 0)
    x, g = sample.array((2, 3)), sample.array((2, 3))
    zero, kept = engine.array(np.zeros((), x.dtype)), np.array([0, 1, 1], x.dtype)

    def function(a: Any) -> Any:
        target = negative(a)
        engine.assign(target, place, zero)
        return target

    for what, make in wrappers_of(engine):
        answer = unless_refused(partial(engine.vjp, make(function), [np.array(x)], [np.array(g)]), engine)
        if answer is not None:
            (output,), (got,) = answer
            hold_equal(plain(engine, output), -x * kept, f"-x with a column of zeros written, {what}")
            slope = None if got is None else plain(engine, got)
            hold_equal(slope, -g * kept, f"the gradient of -x with a column of zeros written, {what}")
