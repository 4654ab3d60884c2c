"""Chapter E: a gradient depends on the call alone, not on earlier calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import (
    IntentionalError,
    computes,
    gradients_of,
    has_no_gradient,
    is_refused,
    unless_refused,
)
from conformance.checks.observation import Observation, hold_gradient, overwrite, plain
from conformance.checks.registry import contract, op_check
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import (
    ADD,
    ASTYPE,
    DIVIDE,
    EXP,
    GETITEM,
    MATMUL,
    MULTIPLY,
    NEGATIVE,
    SUBTRACT,
    SUM,
    TAKE,
    TANH,
)

CALLS = 12
LONG = 1500  # places: more than NumPy writes out in a repr
OTHER = {"float64": "float32", "float32": "float64"}


@op_check("E17", "repeatable")
def same_call_gives_the_same_bits(seen: Observation) -> None:
    """The same call twice gives bit-equal gradients."""
    again = seen.vjp()
    for position, (first, second) in enumerate(zip(seen.answer.gradients, again.gradients, strict=True)):
        if first is not None:
            hold_equal(second, first, f"{seen.label(position)} differs between two equal calls")


def _network(engine: Backend) -> Callable[..., Any]:
    """tanh(x w) · x w + exp(x w): a product, a fan-out and a sum, rounded at every step."""
    curves = _curves(engine)
    matmul, tanh, exp = engine.op(MATMUL), engine.op(curves[0]), engine.op(curves[-1])
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)

    def network(x: Any, w: Any) -> Any:
        y = matmul(x, w)
        return add(multiply(tanh(y), y), exp(y))

    return network


def _curves(engine: Backend) -> list[str]:
    """Which of tanh and exp have a gradient, so that one stands for the other; raises Unsupported where neither has."""
    if found := [o for o in (TANH, EXP) if not any(has_no_gradient(engine, o, d) for d in engine.dtypes)]:
        return found
    raise Unsupported(f"{engine.engine} has no gradient of {TANH}, and none of {EXP}, as declared")


def _gradients(engine: Backend, operands: list[Array], g: Array) -> list[Array | None]:
    return gradients_of(engine, _network(engine), operands, g)


def _hold_unchanged(first: list[Array | None], again: list[Array | None], after: str) -> None:
    for before, later, name in zip(first, again, "xw", strict=True):
        if before is None:
            raise Violation(f"{name} has no gradient")
        hold_equal(later, before, f"{name}'s gradient changes after {after}")


def _unrelated(engine: Backend, sample: Sample) -> None:
    """Gradients of other functions, shapes and precisions; forward passes without a backward pass."""
    for dtype in engine.dtypes:
        for shape in ((5,), (2, 2), ()):
            x = np.full(shape, 0.5, dtype)
            gradients_of(engine, engine.op(_curves(engine)[-1]), [x], np.ones(shape, dtype))
            engine.forward(engine.op(TANH), [x])
    x = sample.array((3, 3))
    gradients_of(engine, _network(engine), [x, x], sample.array((3, 3)))
    if Capability.NO_GRAD in engine.capabilities:
        with engine.no_grad():
            engine.forward(_network(engine), [x, x])


@contract("E18", "unrelated-work")
def unrelated_work_changes_nothing(engine: Backend, sample: Sample) -> None:
    """A gradient computed again after unrelated work has the same bits."""
    operands, g = [sample.array((2, 3)), sample.array((3, 2))], sample.array((2, 2))
    first = _gradients(engine, operands, g)
    _unrelated(engine, sample)
    _hold_unchanged(first, _gradients(engine, operands, g), "unrelated work")


@contract("E18", "work-in-between")
def work_between_forward_and_backward_changes_nothing(engine: Backend, sample: Sample) -> None:
    """Unrelated work between a forward pass and its backward does not change any bit of the gradient."""
    operands, g = [sample.array((2, 3)), sample.array((3, 2))], sample.array((2, 2))

    def interleaved(between: Callable[[], None]) -> list[Array | None]:
        traced = engine.trace(_network(engine), [np.array(x) for x in operands])
        between()
        pulled = traced.pull([engine.array(np.array(g))])
        return [None if x is None else plain(engine, x) for x in pulled]

    first = interleaved(lambda: None)
    _hold_unchanged(
        first, interleaved(lambda: _unrelated(engine, sample)), "work between forward and backward"
    )


@contract("E18", "earlier-failures")
def earlier_failures_change_nothing(engine: Backend, sample: Sample) -> None:
    """A gradient computed again after calls that failed has the same bits."""
    operands, g = [sample.array((2, 3)), sample.array((3, 2))], sample.array((2, 2))
    first = _gradients(engine, operands, g)
    for failing in (_interrupted, _misfitting, _badly_seeded):
        is_refused(lambda failing=failing: failing(engine, operands))  # or accepted: other clauses check that
        _hold_unchanged(first, _gradients(engine, operands, g), f"a call that failed: {failing.__doc__}")


@contract("E18", "operand-written", Capability.WRITABLE)
def what_is_computed_after_a_write_uses_what_was_written(engine: Backend, sample: Sample) -> None:
    """An op of an array whose memory was written since its last use computes anew, also where the earlier result is kept."""
    for name in (NEGATIVE, EXP, TANH, MULTIPLY, MATMUL):
        count = 2 if name in (MULTIPLY, MATMUL) else 1
        values = [sample.array((3, 3)) for _ in range(count)]
        op, arrays = engine.op(name), [engine.array(np.array(x)) for x in values]
        earlier = op(*arrays)
        for written, array in enumerate(arrays):
            new = sample.array((3, 3))
            if not _is_written(engine, array, new):
                raise Unsupported("the engine refuses to write into an array that is in use")
            now, values[written] = op(*arrays), new
            expected = engine.forward(op, [np.array(x) for x in values])[0]
            what = f"the value of {name} after a write into operand {written}"
            hold_equal(plain(engine, now), plain(engine, expected), what)
        del earlier


def _is_written(engine: Backend, array: Any, value: Array) -> bool:
    """Whether a value could be written into an array's memory."""

    def write() -> bool:
        engine.memory(array)[...] = value
        return True

    return bool(unless_refused(write))


@contract("E18", "freed-arrays")
def arrays_in_the_place_of_freed_ones_are_new(engine: Backend, sample: Sample) -> None:
    """Of calls whose arrays are freed, so that the next ones lie where they lay, each has the gradients of its own numbers.

    The cotangents too, of the output's dtype, and of another where the adapter declares that they are cast.
    """
    multiply, other = engine.op(MULTIPLY), OTHER[sample.dtype]
    is_cast = other in engine.dtypes and engine.conventions.get("A5", "refused") != "refused"
    for dtype in (sample.dtype, other) if is_cast else (sample.dtype,):
        for call in range(1, 2 if engine.compiles_signatures else CALLS + 1):
            x, w, g = (sample.array((3,)) for _ in range(3))
            got = gradients_of(engine, multiply, [x, w], g.astype(dtype))
            for ours, expected, name in zip(got, (g * w, g * x), "xw", strict=True):
                what = f"{name}'s gradient of x * w in call {call}, with a cotangent of {dtype}"
                hold_equal(ours, expected, what)


@contract("E18", "equal-numbers")
def arrays_of_equal_numbers_keep_their_dtypes_and_shapes(engine: Backend, sample: Sample) -> None:
    """Arrays of one number have each its own dtype and shape, in whatever order they are made, and one that is written leaves the others."""
    dtypes = [dtype for dtype in (sample.dtype, OTHER[sample.dtype]) if dtype in engine.dtypes]
    values = [np.full(shape, 2, dtype) for shape in ((), (1,), (1, 1)) for dtype in (*dtypes, dtypes[0])]
    made = [engine.array(np.array(value)) for value in values]
    if Capability.WRITABLE in engine.capabilities:
        overwrite(engine, made[-1], 3, "an array")
        values[-1][...] = 3
    for number, (array, value) in enumerate(zip(made, values, strict=True)):
        what = f"array {number + 1} of those made of the number 2"
        got = plain(engine, array)
        hold_equal(got, value, what)
        if got.dtype != value.dtype:
            raise Violation(f"{what} is of {got.dtype}, it was made of {value.dtype}")


@contract("E18", "alike")
def numbers_that_are_equal_but_not_the_same_stay_apart(engine: Backend, sample: Sample) -> None:
    """Of calls beside 0.0 and -0.0, and of those by the indices 1 and True, unless they are refused, each has its own value."""
    divide, x = engine.op(DIVIDE), np.array([1, 2, 4], sample.dtype)
    inf = np.array(np.inf, sample.dtype)
    for number in (0.0, -0.0, 0.0):

        def by_number(a: Any, number: float = number) -> Any:
            return divide(a, number)

        if computes(engine, by_number, [x]):
            (got,) = engine.forward(by_number, [np.array(x)])
            hold_gradient(engine, got, np.copysign(inf, number) * x, f"x / {number}")
    for index in (1, True, 1):
        part = engine.call(GETITEM, {"index": (index,)})
        if computes(engine, part, [x]):
            hold_equal(plain(engine, engine.forward(part, [np.array(x)])[0]), x[index], f"x[{index}]")


@contract("E18", "graphs-alike")
def graphs_that_are_alike_stay_apart(engine: Backend, sample: Sample) -> None:
    """Of functions whose graphs differ in which operand stands where, or in an axis counted from the end, each has its own value and gradients."""
    multiply, shape = engine.op(MULTIPLY), (3, 3)
    for _ in range(2):
        x, w, g = (sample.array(shape) for _ in range(3))
        for words, function, operands, expected in (
            ("x * x", lambda a: multiply(a, a), [x], (x * x, 2 * g * x)),
            ("x * w", multiply, [x, w], (x * w, g * w, g * x)),
        ):
            (output,), gradients = engine.vjp(function, [np.array(a) for a in operands], [np.array(g)])
            found = [None if z is None else plain(engine, z) for z in (output, *gradients)]
            for got, right, what in zip(
                found, expected, ("value", "gradient by x", "gradient by w"), strict=False
            ):
                hold_equal(got, right, f"the {what} of {words}, after functions of another graph")
    for axis in (-2, -1, -2) if SUM in engine.ops else ():  # the hash of -1 is that of -2 in Python
        total = engine.call(SUM, {"axis": axis, "keepdims": False})
        x, g = sample.array(shape), sample.array((3,))
        (output,), (gradient,) = engine.vjp(total, [np.array(x)], [np.array(g)])
        what = f"of the sum over axis {axis}, after that over another"
        hold_equal(plain(engine, output), x.sum(axis=axis), f"the value {what}")
        hold_gradient(engine, gradient, np.expand_dims(g, axis) + 0 * x, f"the gradient {what}")


@contract("E18", "alike-in-one-graph")
def calls_that_differ_in_one_place_stay_apart(engine: Backend, sample: Sample) -> None:
    """In one graph, two long lists of indices that differ in the middle pick different entries, and casts to two dtypes are two arrays."""
    has_taken = TAKE in engine.ops
    if has_taken:
        x, g = (sample.array((2 * LONG,)) for _ in range(2))
        first = list(range(LONG))
        second = [*first[: LONG // 2], LONG, *first[LONG // 2 + 1 :]]
        one, other = (engine.call(TAKE, {"indices": places, "axis": 0}) for places in (first, second))
        multiply, subtract = engine.op(MULTIPLY), engine.op(SUBTRACT)

        def difference(a: Any, b: Any) -> Any:
            return multiply(subtract(one(a), other(a)), b)

        w, g = np.ones(LONG, x.dtype), g[:LONG]
        outputs, gradients = engine.vjp(difference, [np.array(x), w], [np.array(g)])
        expected = np.zeros_like(x)
        expected[[LONG // 2, LONG]] = g[LONG // 2], -g[LONG // 2]
        what = f"the difference of x at {LONG} places and at the same but one"
        hold_equal(plain(engine, outputs[0]), x[first] - x[second], what)
        hold_gradient(engine, gradients[0], expected, f"the gradient of {what}")
    if ASTYPE in engine.ops and set(OTHER) <= set(engine.dtypes):
        short, double = (engine.call(ASTYPE, {"dtype": dtype}) for dtype in ("float32", "float64"))
        third = (sample.array() / 3).astype(sample.dtype)
        for casts, dtypes in (
            ((short, double), ("float32", "float64")),
            ((double, short), ("float64", "float32")),
        ):
            made = engine.forward(lambda a, casts=casts: tuple(cast(a) for cast in casts), [np.array(third)])
            for output, dtype in zip(made, dtypes, strict=True):
                got = plain(engine, output)
                if got.dtype != dtype:
                    raise Violation(
                        f"of two casts of one array, to {' and '.join(dtypes)}, that to {dtype} is {got.dtype}"
                    )
                hold_equal(got, third.astype(dtype), f"one array cast to {' and '.join(dtypes)}, the {dtype}")
    elif not has_taken:
        raise Unsupported("the engine names neither take nor astype")


def _interrupted(engine: Backend, operands: list[Array]) -> None:
    """an exception in the middle of the forward pass"""
    network = _network(engine)

    def broken(x: Any, w: Any) -> Any:
        network(x, w)
        raise IntentionalError("a forward pass")

    gradients_of(engine, broken, operands, operands[0])


def _misfitting(engine: Backend, operands: list[Array]) -> None:
    """operands whose shapes do not fit"""
    gradients_of(engine, engine.op(MATMUL), [operands[0], operands[0]], operands[0])


def _badly_seeded(engine: Backend, operands: list[Array]) -> None:
    """a gradient argument of a shape that does not fit"""
    gradients_of(engine, _network(engine), operands, np.ones((7, 5), operands[0].dtype))
