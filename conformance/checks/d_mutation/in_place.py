"""Chapter D: writing into what has been recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Trace
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of, is_refused
from conformance.checks.observation import plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.op import Trait
from conformance.ops import find, with_trait
from conformance.ops.names import BROADCAST_TO, GETITEM, MATRIX_TRANSPOSE, MULTIPLY, NEGATIVE, RESHAPE

Slot = Callable[[Trace], Any]

SAVE_OPERANDS, SAVE_OUTPUT = with_trait(Trait.SAVES_OPERANDS), with_trait(Trait.SAVES_OUTPUT)

VIEWS: tuple[tuple[str, dict[str, Any], Callable[[Array], Array]], ...] = (
    (GETITEM, {"index": (slice(1, None),)}, lambda x: x[1:]),
    (GETITEM, {"index": (slice(None), 1)}, lambda x: x[:, 1]),
    (RESHAPE, {"shape": (9,)}, lambda x: x.reshape(9)),
    (RESHAPE, {"shape": (3, 3)}, lambda x: x),  # an op that has nothing to do may return its operand
    (GETITEM, {"index": (Ellipsis,)}, lambda x: x),
    (MATRIX_TRANSPOSE, {}, lambda x: x.T),
    (BROADCAST_TO, {"shape": (2, 3, 3)}, lambda x: np.broadcast_to(x, (2, 3, 3))),
)


@contract("D3", "saved-operand", Capability.RECORDED_WRITES)
def write_into_a_saved_operand_never_alters_the_gradient(engine: Backend, sample: Sample) -> None:
    """A value that an op saved is written in place: refused, or the gradient is of the value as it was."""
    negative = engine.op(NEGATIVE)
    for op in filter(engine.ops.__contains__, SAVE_OPERANDS):
        apply = engine.op(op)

        def function(*operands: Any, write: bool, apply: Any = apply) -> Any:
            made = [negative(a) for a in operands]
            output = apply(*made)
            if write:
                _write_sevens(engine, made[0], sample.dtype)
            return output

        _hold_as_it_was(engine, sample, function, -_operands(sample, op), f"the operand of {op}")


@contract("D3", "saved-output", Capability.RECORDED_WRITES)
def write_into_a_saved_output_never_alters_the_gradient(engine: Backend, sample: Sample) -> None:
    """An output that its op saved is written in place: refused, or the gradient is of the output as it was."""
    negative = engine.op(NEGATIVE)
    for op in filter(engine.ops.__contains__, SAVE_OUTPUT):
        apply = engine.op(op)

        def function(a: Any, *, write: bool, apply: Any = apply) -> Any:
            output = apply(a)
            used = negative(output)
            if write:
                _write_sevens(engine, output, sample.dtype)
            return used

        _hold_as_it_was(engine, sample, function, _operands(sample, op), f"the output of {op}")


def _write_sevens(engine: Backend, array: Any, dtype: str) -> None:
    engine.assign(array, (0,), engine.array(np.full((3,), 7.0, dtype)))


def _hold_as_it_was(engine: Backend, sample: Sample, function: Any, operands: Array, what: str) -> None:
    g = sample.array((3, 3))
    before = gradients_of(engine, partial(function, write=False), list(operands), g)
    after: list[Any] = []
    if not is_refused(
        lambda: after.extend(gradients_of(engine, partial(function, write=True), list(operands), g))
    ):
        for index, gradient in enumerate(before):
            hold_equal(after[index], gradient, f"operand {index}'s gradient after a write into {what}")


def _operands(sample: Sample, op: str) -> Array:
    """As many positive operands as the op takes, one behind the other."""
    return np.abs(sample.array((len(find(op).domains), 3, 3)))


@contract("D4", "raw-writes", Capability.WRITABLE, is_about_outcome=True)
def raw_write_does_what_is_declared(engine: Backend, sample: Sample) -> None:
    """A write into an array's memory between the two passes is refused, harmless, or a hazard, as the adapter declares."""
    convention = declared_convention(engine, "D4")
    outcomes = {what: _after_raw_write(engine, sample, op, slot) for what, op, slot in _raw_writes(engine)}
    changed = [what for what, outcome in outcomes.items() if outcome == "changed"]
    if convention != "hazard" and changed:
        raise Violation(
            f"a write into {', '.join(changed)} changes the gradient; the adapter declares {convention!r}"
        )
    if convention == "hazard" and not changed:
        raise Violation("no write into memory changes a gradient; the adapter declares 'hazard'")
    if ("refused" in outcomes.values()) != (convention == "locks") and convention != "hazard":
        raise Violation(f"writes into memory end as {outcomes}; the adapter declares {convention!r}")


def _raw_writes(engine: Backend) -> Iterator[tuple[str, str, Slot]]:
    """What is written to, in which op, and how to find it in a trace."""
    for op in filter(engine.ops.__contains__, (op for op in SAVE_OPERANDS if len(find(op).domains) == 2)):
        yield f"the first operand of {op}", op, lambda traced: traced.arrays[0]
        yield f"the second operand of {op}", op, lambda traced: traced.arrays[1]
    for op in filter(engine.ops.__contains__, SAVE_OUTPUT):
        yield f"the output of {op}", op, lambda traced: traced.outputs[0]


def _after_raw_write(engine: Backend, sample: Sample, op: str, slot: Slot) -> str:
    """Whether a write between the passes is refused, leaves every gradient as it was, or changes one."""
    operands, g = _operands(sample, op), sample.array((3, 3))
    before = _pulled(engine, engine.trace(engine.op(op), [np.array(x) for x in operands]), g)
    traced = engine.trace(engine.op(op), [np.array(x) for x in operands])
    after: list[Array] = []

    def write_and_pull() -> None:
        engine.memory(slot(traced))[...] = 7.0
        after.extend(_pulled(engine, traced, g))

    if is_refused(write_and_pull):
        return "refused"
    return "kept" if all(map(np.array_equal, before, after)) else "changed"


def _pulled(engine: Backend, traced: Trace, g: Array) -> Sequence[Array]:
    """The gradients; one that never arrives is another clause's concern."""
    pulled = traced.pull([engine.array(np.array(g))])
    return [np.empty(0) if x is None else plain(engine, x) for x in pulled]


@contract("D5", "leaf", Capability.RECORDED_WRITES)
def write_into_a_leaf_does_what_is_declared(engine: Backend, sample: Sample) -> None:
    """A write into a leaf that needs a gradient is refused, recorded, or makes a new leaf of it, as the adapter declares."""
    convention = declared_convention(engine, "D5")
    x, g, sevens = sample.array((3, 2)), sample.array((3, 2)), np.full((2,), 7.0, sample.dtype)
    multiply = engine.op(MULTIPLY)

    def function(a: Any) -> Any:
        engine.assign(a, (0,), engine.array(np.array(sevens)))
        return multiply(a, a)

    given: list[Any] = []
    was_refused = is_refused(lambda: given.extend(gradients_of(engine, function, [x], g)))
    if was_refused != (convention == "refused"):
        raise Violation(
            f"a write into a leaf was {'refused' if was_refused else 'taken'}; the adapter declares {convention!r}"
        )
    if not was_refused:
        expected = 2 * g * x
        expected[0] = 2 * g[0] * sevens if convention == "renewed" else 0
        hold_equal(
            given[0],
            expected,
            f"the gradient of x * x after a write into x: the adapter declares {convention!r}",
        )


@contract("D11", "constant", Capability.RECORDED_WRITES)
def write_into_a_constant_does_what_is_declared(engine: Backend, sample: Sample) -> None:
    """A constant written with a recorded value depends on it, stays a constant, or refuses, as the adapter declares."""
    convention = declared_convention(engine, "D11")
    c, x, w, g = (sample.array(shape) for shape in ((3, 2), (2,), (3, 2), (3, 2)))
    negative, multiply = engine.op(NEGATIVE), engine.op(MULTIPLY)

    def function(a: Any, b: Any) -> Any:
        buffer = engine.array(np.array(c))
        engine.assign(buffer, (0,), negative(a))
        return multiply(buffer, b)

    given: list[Any] = []
    was_refused = is_refused(lambda: given.extend(gradients_of(engine, function, [x, w], g)))
    if was_refused != (convention == "refused"):
        raise Violation(
            f"a write into a constant was {'refused' if was_refused else 'taken'}; the adapter declares {convention!r}"
        )
    if not was_refused:
        written = np.concatenate([-x[None], c[1:]])
        hold_equal(given[1], g * written, "the other factor's gradient after a write into a constant")
        arrives = -g[0] * w[0] if convention == "recorded" else np.zeros_like(x)
        got = np.zeros_like(x) if given[0] is None else given[0]
        hold_equal(
            got,
            arrives,
            f"the gradient of what was written into a constant: the adapter declares {convention!r}",
        )


@contract("D6", "views", Capability.RECORDED_WRITES)
def write_through_a_view_or_its_base_is_the_programs_of_copies(engine: Backend, sample: Sample) -> None:
    """A write through a view changes its base and the reverse, or neither, as the adapter declares; gradients follow."""
    convention = declared_convention(engine, "D6")
    for name, parameters, seen in VIEWS:
        if name in engine.ops:
            view = engine.call(name, parameters)
            ways = (False,) if name == BROADCAST_TO else (False, True)  # into copies of one entry none writes
            for way in ways:
                _hold_written(engine, sample, view, seen, is_shared=convention == "views", through_view=way)


def _hold_written(
    engine: Backend, sample: Sample, view: Any, seen: Any, *, is_shared: bool, through_view: bool
) -> None:
    """Write the second operand into a view of the first's negative, or into its base; read the other."""
    x = sample.array((3, 3))
    w = sample.array(seen(x)[0].shape if through_view else x[0].shape)
    negative = engine.op(NEGATIVE)

    def function(a: Any, b: Any) -> Any:
        base = negative(a)
        part = view(base)
        engine.assign(part if through_view else base, (0,), b)
        return negative(base if through_view else part)

    base, places = -x, np.arange(9).reshape(3, 3)
    written = seen(places)[0] if through_view else places[0]  # where in the base the write lands
    if is_shared:
        base.flat[written.ravel()] = w.ravel()
    value = -(base if through_view else seen(base))
    g = sample.array(value.shape)
    back = np.zeros(9, g.dtype)  # the cotangent of the base as it is read
    np.add.at(back, (places if through_view else seen(places)).ravel(), -g.ravel())
    gradients = [-back, np.zeros_like(w)]
    if is_shared:
        gradients = [
            np.where(np.isin(places, written).ravel(), 0, -back),
            back[written.ravel()],
        ]
    outputs, got = engine.vjp(function, [np.array(x), np.array(w)], [np.array(g)])
    what = "a write through a view" if through_view else "a write into a view's base"
    hold_equal(plain(engine, outputs[0]), value, f"what {what} leaves for the other to read")
    for index, (gradient, operand) in enumerate(zip(gradients, (x, w), strict=True)):
        given = None if got[index] is None else plain(engine, got[index])
        hold_equal(given, gradient.reshape(operand.shape), f"operand {index}'s gradient after {what}")


@contract("D7", "overwritten", Capability.RECORDED_WRITES)
def overwritten_region_receives_zero(engine: Backend, sample: Sample) -> None:
    """What is overwritten receives zero, and what is written its slice, summed where it was spread."""
    x, g = sample.array((3, 2)), sample.array((3, 2))
    for index, shape in (
        ((0,), (2,)),
        ((slice(1, None),), (2, 2)),
        ((Ellipsis, 1), (3,)),
        ((Ellipsis,), (2,)),
    ):
        w = sample.array(shape)
        value, rest, slice_ = -x, -np.array(g), g[index]
        value[index], rest[index] = w, 0
        extra = tuple(range(slice_.ndim - w.ndim))
        outputs, got = engine.vjp(_overwriting(engine, index), [np.array(x), np.array(w)], [np.array(g)])
        hold_equal(plain(engine, outputs[0]), value, f"-x with [{index}] overwritten")
        hold_equal(_zero_if_none(engine, got[0]), rest, f"the gradient of what was overwritten at {index}")
        hold_equal(
            plain(engine, got[1]), slice_.sum(axis=extra), f"the gradient of what was written at {index}"
        )


def _overwriting(engine: Backend, index: Any) -> Any:
    negative = engine.op(NEGATIVE)

    def function(a: Any, b: Any) -> Any:
        target = negative(a)
        engine.assign(target, index, b)
        return target

    return function


@contract("D7", "overwritten-again", Capability.RECORDED_WRITES)
def last_write_counts(engine: Backend, sample: Sample) -> None:
    """Of two writes to one region the last counts; a row written from another row sends its cotangent there."""
    x, v, w, g = sample.array((3, 2)), sample.array((2,)), sample.array((2,)), sample.array((3, 2))
    negative, row = engine.op(NEGATIVE), engine.call(GETITEM, {"index": (2,)})

    def function(a: Any, b: Any, c: Any) -> Any:
        target = negative(a)
        engine.assign(target, (0,), b)
        engine.assign(target, (0,), c)
        engine.assign(target, (1,), row(target))
        return target

    outputs, got = engine.vjp(function, [np.array(x), np.array(v), np.array(w)], [np.array(g)])
    hold_equal(plain(engine, outputs[0]), np.stack([w, -x[2], -x[2]]), "a matrix with two rows overwritten")
    rest = np.stack([np.zeros_like(v), np.zeros_like(v), -g[1] - g[2]])
    for index, expected in enumerate((rest, np.zeros_like(v), g[0])):
        hold_equal(
            _zero_if_none(engine, got[index]), expected, f"operand {index}'s gradient after three writes"
        )


def _zero_if_none(engine: Backend, gradient: Any) -> Array | None:
    return None if gradient is None else plain(engine, gradient)
