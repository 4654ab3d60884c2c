"""Compositions that an engine may rewrite as fewer ops: neighbours that undo each other only for some operands (E6)."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.backend import Backend, Function
from conformance.case import Array
from conformance.checks.c_modes.programs import function_of
from conformance.checks.comparison import Comparison, hold_all_within, hold_close, hold_equal
from conformance.checks.e_values.compositions.programs import every_op_is_right_alone
from conformance.checks.observation import plain
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported
from conformance.ops import find
from conformance.ops.names import (
    ABS,
    ASTYPE,
    BROADCAST_TO,
    CLIP,
    DIVIDE,
    EXP,
    FLIP,
    GETITEM,
    LOG,
    MATRIX_TRANSPOSE,
    MULTIPLY,
    NEGATIVE,
    PERMUTE_DIMS,
    POWER_OF,
    RECIPROCAL,
    RESHAPE,
    ROLL,
    SQRT,
    SQUARE,
    SUBTRACT,
    SUM,
)
from conformance.oracle.reverse_sweep import expected_program_gradients, reference_call
from conformance.program import Program, Step

ROUNDINGS = 64  # of the largest entry of a value, or of one; what is rewritten wrongly differs by far more
Chain = tuple[tuple[str, Mapping[str, Any]], ...]


def _bounds(least: float, most: float) -> Mapping[str, Any]:
    return dict(min=least, max=most)  # noqa: C408 - parameters, not the ops of that name


# By the shape of the operand. No bound of a clip is an operand: at a kink engines may choose.
CHAINS: Mapping[tuple[int, ...], tuple[Chain, ...]] = {
    (3,): (
        ((SQUARE, {}), (SQRT, {})),
        ((POWER_OF, {"exponent": 2}), (POWER_OF, {"exponent": 0.5})),
        ((POWER_OF, {"exponent": 2}), (POWER_OF, {"exponent": 1.5})),
        ((NEGATIVE, {}), (ABS, {})),
        ((ABS, {}), (NEGATIVE, {}), (ABS, {})),
        ((RECIPROCAL, {}), (RECIPROCAL, {})),
        ((EXP, {}), (LOG, {})),
        ((CLIP, _bounds(-1.1, 2.1)), (CLIP, _bounds(-0.3, 3.1))),
        ((BROADCAST_TO, {"shape": (2, 3)}), (SUM, {"axis": 0, "keepdims": False})),
    ),
    (7,): (
        ((GETITEM, {"index": (slice(1, None),)}), (GETITEM, {"index": (slice(None, None, 2),)})),
        ((FLIP, {"axis": 0}), (GETITEM, {"index": (slice(0, 3),)})),
        ((ROLL, {"shift": 2, "axis": 0}), (ROLL, {"shift": -5, "axis": 0})),
    ),
    (2, 3, 4): (
        ((PERMUTE_DIMS, {"axes": (1, 2, 0)}), (PERMUTE_DIMS, {"axes": (0, 2, 1)})),
        ((PERMUTE_DIMS, {"axes": (1, 2, 0)}), (MATRIX_TRANSPOSE, {}), (PERMUTE_DIMS, {"axes": (2, 0, 1)})),
        ((MATRIX_TRANSPOSE, {}), (RESHAPE, {"shape": (3, 8)}), (RESHAPE, {"shape": (6, 4)})),
        ((FLIP, {"axis": 1}), (PERMUTE_DIMS, {"axes": (1, 0, 2)}), (FLIP, {"axis": 1})),
        ((SUM, {"axis": 1, "keepdims": True}), (BROADCAST_TO, {"shape": (2, 3, 4)})),
    ),
}


@contract("E6", "rewritten")
def neighbours_are_composed_as_they_stand(engine: Backend, sample: Sample) -> list[Comparison]:
    """Of √(x²), of two permutations, slices, powers or clips in a row, value and gradient are those of the composition."""
    compared: list[Comparison] = []
    for shape, chains in CHAINS.items():
        for chain in chains:
            if all(name in engine.ops for name, _ in chain):
                compared += _held(engine, _program(chain, sample.array(shape), sample))
    if {"float32", "float64"} <= set(engine.dtypes) and ASTYPE in engine.ops and sample.dtype == "float64":
        casts = tuple((ASTYPE, {"dtype": dtype}) for dtype in ("float32", "float64"))
        compared += _held(engine, _program(casts, sample.array() / 3, sample))
    if not compared:
        raise Unsupported("the engine names no ops that could be neighbours")
    return compared


def _program(chain: Chain, x: Array, sample: Sample) -> Program:
    steps = tuple(Step(name, (number,), parameters) for number, (name, parameters) in enumerate(chain))
    value = Program((x,), steps, x, sample.dtype).run(reference_call(find), (x,))[-1]
    return Program((x,), steps, sample.array(np.shape(value)), sample.dtype)


def _held(engine: Backend, program: Program) -> list[Comparison]:
    """Claim value and gradient of a program; nothing where an op of it is refused, or wrong alone, which E1 reports."""
    with contextlib.suppress(NotThisCase, Unsupported), every_op_is_right_alone(engine, program):
        return _hold(engine, program)
    return []


def _hold(engine: Backend, program: Program) -> list[Comparison]:
    what = " of ".join(step.op for step in reversed(program.steps))
    outputs, gradients = engine.vjp(
        function_of(engine, program), [np.array(x) for x in program.leaves], [np.array(program.cotangent)]
    )
    value = np.asarray(program.run(reference_call(find), program.leaves)[-1])
    unit = np.spacing(np.maximum(np.abs(value).max(), 1)).astype(np.longdouble)
    hold_close(
        plain(engine, outputs[0]), value, np.full(value.shape, ROUNDINGS * unit), f"the value of {what}"
    )
    got = None if gradients[0] is None else plain(engine, gradients[0])
    expected = expected_program_gradients(program, find)[0]
    return hold_all_within([(got, expected, f"the gradient of {what}")], "is not that of the composition")


@contract("E6", "not-cancelled")
def what_is_no_number_does_not_cancel(engine: Backend, sample: Sample) -> None:
    """As IEEE 754 has them, x − x is NaN where x is infinite, x / x where it is 0, and x times 0 where it is infinite."""
    inf, nan, one = np.inf, np.nan, sample.scalar(1.0)
    for name, x, y, expected in (
        (SUBTRACT, [inf, 1.0, -inf], None, [nan, 0.0, nan]),
        (DIVIDE, [0.0, 2.0, inf], None, [nan, 1.0, nan]),
        (MULTIPLY, [inf, 1.0, nan], 0.0, [nan, 0.0, nan]),
    ):
        if name not in engine.ops:
            continue
        function = engine.op(name)

        def called(a: Any, function: Function = function, other: float | None = y) -> Any:
            return function(a, a if other is None else engine.array(np.asarray(one * other)))

        with np.errstate(all="ignore"):
            (output,) = engine.forward(called, [np.asarray(x, one.dtype)])
        hold_equal(
            plain(engine, output),
            np.asarray(expected, one.dtype),
            f"{name} of {x} and {'itself' if y is None else y}",
        )
