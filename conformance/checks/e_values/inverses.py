"""Chapter E: what is done and undone leaves the cotangent as it was.

`UNDONE_BY` names for an op the call that undoes it. Ops that only move entries hand the cotangent back
bit for bit; the others to the rounding of the two textbook rules in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, as_tuple
from conformance.case import Array, Case
from conformance.checks.engine_calls import gradients_of
from conformance.checks.observation import Observation, hold_equal, hold_within, plain
from conformance.checks.registry import NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.op import Op
from conformance.ops import CATALOGUE
from conformance.ops.names import (
    ADD,
    ASINH,
    ATAN,
    COS,
    COSH,
    DEG2RAD,
    DIVIDE,
    EXP,
    EXP2,
    EXPM1,
    INV,
    LOG,
    LOG1P,
    LOG2,
    LOGIT,
    MULTIPLY,
    NEGATIVE,
    POSITIVE,
    RAD2DEG,
    RECIPROCAL,
    SIGMOID,
    SIN,
    SINH,
    SQUARE,
    SUBTRACT,
    TAN,
    TANH,
)
from conformance.oracle.allowance import Expected, expect
from conformance.values import cotangent

Call = tuple[str, Mapping[str, Any]]  # an op and its parameters
Undo = Callable[[Case], Call]


def by(name: str, **parameters: Any) -> Undo:
    """The op called `name`, whatever the case."""
    return lambda case: (name, parameters)


def reshaped(case: Case) -> Call:
    """A reshape to the operand's own shape."""
    return "reshape", {"shape": case.operands[0].shape}


def permuted_back(case: Case) -> Call:
    """The inverse permutation; reversing the axes undoes itself."""
    axes = case.parameters["axes"]
    back = None if axes is None else tuple(int(a) for a in np.argsort([a % len(axes) for a in axes]))
    return "permute_dims", {"axes": back}


def moved_back(case: Case) -> Call:
    """Source and destination exchanged."""
    return "moveaxis", {"source": case.parameters["destination"], "destination": case.parameters["source"]}


def again(case: Case) -> Call:
    """The same call once more."""
    return case.op, case.parameters


def rolled_back(case: Case) -> Call:
    """A roll by as much the other way."""
    shift = case.parameters["shift"]
    back = tuple(-s for s in shift) if isinstance(shift, tuple) else -shift
    return "roll", {"shift": back, "axis": case.parameters["axis"]}


def cut_again(case: Case) -> Call:
    """A split where the operands were joined."""
    axis = case.parameters["axis"]
    if axis is None:
        raise NotThisCase("operands that were flattened are not told apart again")
    ends = np.cumsum([x.shape[axis] for x in case.operands])[:-1]
    return "split", {"indices_or_sections": [int(end) for end in ends], "axis": axis}


def along_the_same(name: str) -> Undo:
    """The op called `name` along the same axis."""
    return lambda case: (name, {"axis": case.parameters["axis"]})


REARRANGED: dict[str, Undo] = {
    "negative": by(NEGATIVE),
    "positive": by(POSITIVE),
    "reshape": reshaped,
    "ravel": reshaped,
    "expand_dims": reshaped,
    "squeeze": reshaped,
    "permute_dims": permuted_back,
    "swapaxes": again,
    "moveaxis": moved_back,
    "flip": again,
    "roll": rolled_back,
    "matrix_transpose": again,
    "concat": cut_again,
    "split": along_the_same("concat"),
    "stack": along_the_same("unstack"),
    "unstack": along_the_same("stack"),
}

SMOOTH: dict[str, Undo] = {
    "exp": by(LOG),
    "log": by(EXP),
    "exp2": by(LOG2),
    "log2": by(EXP2),
    "expm1": by(LOG1P),
    "log1p": by(EXPM1),
    "sqrt": by(SQUARE),
    "reciprocal": by(RECIPROCAL),
    "tan": by(ATAN),
    "asin": by(SIN),
    "acos": by(COS),
    "atan": by(TAN),
    "sinh": by(ASINH),
    "asinh": by(SINH),
    "acosh": by(COSH),
    "atanh": by(TANH),
    "sigmoid": by(LOGIT),
    "logit": by(SIGMOID),
    "deg2rad": by(RAD2DEG),
    "rad2deg": by(DEG2RAD),
    "inv": by(INV),
}

UNDONE_BY: dict[str, Undo] = REARRANGED | SMOOTH


@op_check("E7", "inverse", applies=lambda op: op.name in UNDONE_BY, once_per_signature=True)
def undone_op_hands_the_cotangent_back(seen: Observation) -> None:
    """An op that is undone at once has the cotangent itself as its gradient."""
    name, parameters = UNDONE_BY[seen.op.name](seen.case)
    there = seen.backend.call(seen.op.name, seen.case.parameters)
    back = seen.backend.call(name, parameters)
    rng = np.random.default_rng(seen.case.operands[0].size)
    cotangents = [cotangent(x.shape, seen.case.dtype, "signed", rng) for x in seen.case.operands]
    expected = _handed_back(seen, CATALOGUE[name], parameters, cotangents)
    _, gradients = seen.backend.vjp(
        lambda *xs: back(*as_tuple(there(*xs))), [np.array(x) for x in seen.case.operands], cotangents
    )
    for position, (gradient, bound) in enumerate(zip(gradients, expected, strict=True)):
        got = None if gradient is None else plain(seen.backend, gradient)
        hold_within(got, bound, f"the gradient of operand {position} through {seen.op.name} and {name}",
                    claim="is not the cotangent")  # fmt: skip


def _handed_back(
    seen: Observation, inverse: Op, parameters: Mapping[str, Any], cotangents: Sequence[Array]
) -> list[Expected]:
    """The cotangents, with what the two textbook rules in a row may round them by."""
    if seen.op.name in REARRANGED:
        none = [np.zeros(g.shape, np.longdouble) for g in cotangents]
        return [Expected(g.astype(np.longdouble), zero, np.abs(np.spacing(g)).astype(np.longdouble))
                for g, zero in zip(cotangents, none, strict=True)]  # fmt: skip

    def evaluate(inputs: Sequence[Array]) -> list[Array]:
        x, g = inputs
        z = seen.op.reference(x, **seen.case.parameters)
        pulled = inverse.rule(0, g, inverse.reference(z, **parameters), z, **parameters)
        return [seen.op.rule(0, pulled, z, x, **seen.case.parameters)]

    (g,) = cotangents
    (bound,) = expect(
        evaluate,
        (seen.case.operands[0], g),
        seen.case.dtype,
        [float(np.abs(g).max(initial=0.0))],
        perturbations=seen.perturbations,
    )
    if not np.isfinite(bound.allowed).all():
        raise NotThisCase("in this precision the op cannot be undone here")
    return [Expected(g.astype(np.longdouble), bound.allowed, bound.ulp)]


@contract("E7", "cancelling")
def what_cancels_receives_nothing(engine: Backend, sample: Sample) -> None:
    """In x + y − y and x · y / y the gradient of x is the cotangent, and that of y is zero."""
    x, g = sample.array(), sample.array()
    y = np.where(sample.array() > 0, 2.0, -0.5).astype(x.dtype)  # a power of two: nothing is rounded
    add, subtract = engine.op(ADD), engine.op(SUBTRACT)
    multiply, divide = engine.op(MULTIPLY), engine.op(DIVIDE)
    for function, told in (
        (lambda a, b: subtract(add(a, b), b), "x + y - y"),
        (lambda a, b: divide(multiply(a, b), b), "x * y / y"),
    ):
        of_x, of_y = gradients_of(engine, function, [x, y], g)
        if of_x is None:
            raise Violation(f"the gradient of x in {told} was dropped")
        hold_equal(of_x, g, f"the gradient of x in {told}")
        hold_equal(of_y, np.zeros_like(g), f"the gradient of y in {told}")
