"""What a gradient call returns: its shape (A6), its dtype (A7), the value beside it (A12), and that value's dtype (A23)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from conformance.case import Array
from conformance.checks.comparison import Comparison, decides, hold_all_within, hold_equal
from conformance.checks.engine_calls import require_offered, unless_refused
from conformance.checks.observation import Observation, plain
from conformance.checks.registry import NotThisCase, op_check
from conformance.dtype import HALF, finfo, is_inexact
from conformance.errors import Violation
from conformance.op import Op
from conformance.ops import family_of

SPECTRA = "spectra"
OTHER = {"float64": "float32", "float32": "float64", "float16": "float32"}


@op_check("A6", "shape", is_about_form=True)
def gradient_has_operand_shape(seen: Observation) -> None:
    """A gradient has its operand's shape."""
    for got in seen.answer.gradients:  # an observation refuses a gradient of another shape
        decides(got is not None and got.size)


@op_check("A7", "dtype", is_about_form=True)
def gradient_has_operand_dtype(seen: Observation) -> None:
    """A gradient has its operand's dtype."""
    for position, got in enumerate(seen.answer.gradients):
        if got is not None:
            hold_dtype(seen, position, got, seen.case.operands[seen.wrt[position]].dtype)


def hold_dtype(seen: Observation, position: int, got: Array, dtype: np.dtype[Any], where: str = "") -> None:
    """Claim that the gradient at `position` has this dtype."""
    decides(got.size)
    if got.dtype != dtype:
        raise Violation(f"{seen.label(position)} has dtype {got.dtype}, its operand {dtype}{where}")


def _has_several_differentiable_operands(op: Op) -> bool:
    return sum(domain.is_differentiable for domain in op.domains) > 1


@op_check(
    "A7", "mixed-dtype", applies=_has_several_differentiable_operands, compiles=True, is_about_form=True
)
def gradient_has_operand_dtype_in_mixed_calls(seen: Observation) -> None:
    """In a call that mixes precisions each gradient has its own operand's dtype."""
    operands = [np.array(x) for x in seen.case.operands]
    first = seen.wrt[0]
    operands[first] = operands[first].astype(OTHER[seen.case.dtype])
    function = seen.backend.call(seen.op.name, seen.case.parameters)
    outputs = unless_refused(lambda: seen.backend.forward(function, operands))
    if outputs is None:
        raise NotThisCase("the engine refuses operands of different precision")
    dtypes = [plain(seen.backend, z).dtype for z in outputs]
    answer = seen.vjp(
        operands=operands, cotangents=[g.astype(d) for g, d in zip(seen.case.cotangents, dtypes, strict=True)]
    )
    for position, got in enumerate(answer.gradients):
        if got is not None:
            hold_dtype(seen, position, got, operands[seen.wrt[position]].dtype, ", in a mixed call")


@op_check(
    *("A7", "mixed-value"),
    applies=_has_several_differentiable_operands,
    once_per_signature=True,
    compiles=True,
    dtypes=frozenset({"float32"}),
)
def gradient_is_right_in_mixed_calls(seen: Observation) -> list[Comparison]:
    """In a call that mixes precisions each gradient is as accurate as in the coarser one, whichever operand has it."""
    function = seen.backend.call(seen.op.name, seen.case.parameters)
    compared: list[Comparison] = []
    for finer in seen.wrt:
        operands = [np.array(x) for x in seen.case.operands]
        operands[finer] = operands[finer].astype(OTHER[seen.case.dtype])
        outputs = unless_refused(partial(seen.backend.forward, function, operands))
        if outputs is None:
            raise NotThisCase("the engine refuses operands of different precision")
        dtypes = [plain(seen.backend, z).dtype for z in outputs]
        cotangents = [g.astype(d) for g, d in zip(seen.case.cotangents, dtypes, strict=True)]
        answer = seen.vjp(operands=operands, cotangents=cotangents)
        compared += hold_all_within(
            (got, expected, f"{seen.label(k)}, where operand {finer} is {OTHER[seen.case.dtype]},")
            for k, (got, expected) in enumerate(zip(answer.gradients, seen.expected, strict=True))
        )
    return compared


@op_check("A12", "value-along")
def value_along_equals_plain_value(seen: Observation) -> None:
    """The value computed along with a gradient equals the plain forward value bit for bit."""
    for along, alone in zip(seen.answer.outputs, seen.forward(), strict=True):
        hold_equal(along, alone, "the value along with a gradient differs from the plain value")


# In double precision a narrower value is a wrong one (`op/value`), and engines have no wider one.
@op_check("A23", "value-dtype", dtypes=HALF | {"float32"}, sparing_in=HALF, is_about_form=True)
def value_has_the_precision_of_its_operands(seen: Observation) -> None:
    """Where all operands are of one precision, so is the value, unless a parameter names its dtype."""
    if "dtype" in seen.case.parameters:
        raise NotThisCase("a parameter names the dtype of the value")
    (precision,) = {finfo(x.dtype).dtype for x in seen.case.operands if is_inexact(x.dtype)}
    if precision.name in HALF and family_of(seen.op) == SPECTRA:
        raise NotThisCase("there are no complex numbers in half precision")
    require_offered(seen)
    for value in seen.answer.outputs:
        if is_inexact(value.dtype):
            decides(value.size)
            if finfo(value.dtype).dtype != precision:
                raise Violation(f"a value of {value.dtype}, of operands of {precision}")
