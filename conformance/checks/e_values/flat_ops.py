"""Chapter E: ops whose derivative is zero send no gradient back."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Function
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import as_factor_of, form_of_no_gradient, is_refusal
from conformance.checks.observation import Observation, plain
from conformance.checks.registry import OtherConvention, declared_convention, flat_check
from conformance.errors import Violation
from conformance.op import OperandKind, Shape
from conformance.ops.names import MULTIPLY, RESHAPE
from conformance.ops.rows import unbroadcast
from conformance.values import cotangent

SPECIAL = (np.nan, np.inf, -np.inf)
AND = " and "
BARRED = "barred"  # the op is not even computed of what needs a gradient


@flat_check("E19", "flat")
def flat_op_sends_nothing_back(seen: Observation) -> None:
    """A flat op equals its reference, sends no gradient back, in the declared way, and is exact as a mask.

    Integer and boolean values have no gradient of their own. Their product with a constant is checked instead,
    by the convention that the adapter declares for constants (A14). An engine that does not multiply operands of two
    dtypes casts them first.
    """
    _hold_value_on_jumps(seen)
    value = _hold_value(seen)
    is_real = value.dtype.kind == "f"
    clause = "E19" if is_real else "A14"
    convention = declared_convention(seen.backend, clause, seen.op.name)
    _hold_masks(seen, value, clause, convention)
    found = _gradient_kind(seen) if is_real else _gradient_kind_times_constant(seen, value)
    # Operands of an op with a convention of its own may differ: one is compared, another is selected.
    fair = found.split(AND) if f"{clause}/{seen.op.name}" in seen.backend.conventions else (found,)
    if convention not in fair:  # last, since a refusal ends a script
        claim = f"the gradient through {seen.op.name} is {found}; the adapter declares {convention!r}"
        raise OtherConvention(claim, clause, seen.op.name, found)


def _hold_value_on_jumps(seen: Observation) -> None:
    """Claim that the value equals the reference where the op jumps: at halves, whole numbers, equal operands, NaN and infinities."""
    if [domain.kind for domain in seen.op.domains] == [OperandKind.DISTINCT]:
        return  # the order of equal entries of one array is not specified
    operands = [on_jumps(x) for x in seen.case.operands]
    is_pair = len(operands) == 2 and all(x.size and x.dtype.kind == "f" for x in operands)
    if is_pair and seen.op.domain(1).low <= operands[0].flat[0] <= seen.op.domain(1).high:
        operands[1].flat[0] = operands[0].flat[0]  # broadcast or not, the first entry meets the first
    expected = np.asarray(seen.op.reference(*operands, **seen.case.parameters))
    if operands[0].dtype.kind == "f" and expected.dtype.kind in ("b" if is_pair else "bi"):
        first = int(is_pair)  # what most predicates are about, after the equal entries
        count = max(0, min(operands[0].size - first, len(SPECIAL)))
        operands[0].flat[first : first + count] = SPECIAL[:count]
        expected = np.asarray(seen.op.reference(*operands, **seen.case.parameters))
    (got,) = seen.backend.forward(seen.backend.call(seen.op.name, seen.case.parameters), operands)
    hold_equal(
        plain(seen.backend, got), expected, "the value where the op jumps differs from the reference value"
    )


def is_kind_of(dtype: np.dtype[Any], expected: np.dtype[Any]) -> bool:
    """Whether a dtype is that of the reference; the width of integers, and whether they have a sign, is not specified."""
    if expected.kind == "i":
        return dtype.kind in "iu"
    return dtype.kind == "b" if expected.kind == "b" else dtype == expected


def on_jumps(x: Array) -> Array:
    """The operand rounded to halves, without the sign of zero."""
    return np.array(np.rint(2 * x) / 2 + 0, x.dtype) if x.dtype.kind == "f" else np.array(x)


def _hold_value(seen: Observation) -> Array:
    """Claim that the value equals the reference value bit for bit, in the same dtype; returns the reference value."""
    expected = np.asarray(seen.op.reference(*seen.case.operands, **seen.case.parameters))
    (got,) = seen.forward()
    if not is_kind_of(got.dtype, expected.dtype):
        raise Violation(f"the value has dtype {got.dtype}, the reference value {expected.dtype}", got=got)
    hold_equal(got, expected, "the value differs from the reference value")
    return expected


# ---- as a mask ------------------------------------------------------------------------------------------


def _hold_masks(seen: Observation, value: Array, clause: str, convention: str) -> None:
    """Claim each mask; where the op is not even computed of operands that need a gradient, that is another convention."""
    op = seen.backend.call(seen.op.name, seen.case.parameters)
    try:
        for position, index in enumerate(seen.wrt):
            _hold_mask(seen, value, position, index, is_barred=convention == BARRED)
    except Exception as error:
        may_be_barred = value.dtype.kind == "f" and convention != BARRED and is_refusal(error)
        if not may_be_barred or _is_computed(seen, op):
            raise
        claim = f"{seen.op.name} is {BARRED}: it refuses operands that need a gradient; the adapter declares {convention!r}"
        raise OtherConvention(claim, clause, seen.op.name, BARRED) from error


def _hold_mask(seen: Observation, value: Array, position: int, index: int, *, is_barred: bool) -> None:
    """Claim that the gradient of the op's value times an operand is the cotangent times the value.

    A value that does not broadcast against the operand is a column, and the operand a row: axes of their own would be
    more than some engines have. An engine that refuses operands which need a gradient is given constants of the same values.
    """
    engine, x = seen.backend, seen.case.operands[index]
    shape, other = (value.shape, x.shape) if _fits(value.shape, x.shape) else ((value.size, 1), (1, x.size))
    op, multiply = engine.call(seen.op.name, seen.case.parameters), engine.op(MULTIPLY)
    factor = as_factor_of(engine, value.reshape(shape), x)

    def put(z: Any, before: Shape, after: Shape) -> Any:
        return z if before == after else engine.call(RESHAPE, {"shape": after})(z)

    def masked(*operands: Any) -> Any:
        z = factor(op(*map(engine.array, seen.case.operands)) if is_barred else op(*operands))
        return multiply(put(z, value.shape, shape), put(operands[index], x.shape, other))

    g = _cotangent(seen, np.broadcast_shapes(shape, other))
    gradients = engine.vjp(masked, [np.array(o) for o in seen.case.operands], [np.array(g)], seen.wrt)[1]
    expected = unbroadcast(g * value.reshape(shape), other).reshape(x.shape)
    what = f"the gradient of {seen.op.name} times its operand {index}"
    hold_equal(plain(engine, gradients[position]), expected, what)
    for among, gradient in zip(seen.wrt, gradients, strict=True):
        if among != index:
            form_of_no_gradient(engine, gradient, seen.case.operands[among], f"operand {among} in {what}")


def _fits(shape: Shape, other: Shape) -> bool:
    try:
        np.broadcast_shapes(shape, other)
    except ValueError:
        return False
    return True


def _cotangent(seen: Observation, shape: Shape) -> Array:
    """Signed quarters, so that products with whole numbers, and their sums, are exact."""
    return cotangent(shape, seen.case.dtype, "signed", np.random.default_rng(0))


# ---- on its own-------------------------------------------------------------------------------------------


def _gradient_kind(seen: Observation, function: Function | None = None) -> str:
    """Which kind of no gradient the op, or a function, gives to all operands; a Violation where one is not zero."""
    engine, operands = seen.backend, [np.array(x) for x in seen.case.operands]
    function = function or engine.call(seen.op.name, seen.case.parameters)
    try:
        gradients = engine.vjp(function, operands, [np.array(seen.case.cotangents[0])], seen.wrt)[1]
    except Exception as error:
        if not is_refusal(error):
            raise
        return "refused" if _is_computed(seen, function) else BARRED
    kinds = {
        form_of_no_gradient(engine, gradient, seen.case.operands[index], f"operand {index} of {seen.op.name}")
        for index, gradient in zip(seen.wrt, gradients, strict=True)
    }
    return AND.join(sorted(kinds))


def _gradient_kind_times_constant(seen: Observation, value: Array) -> str:
    """The same for the op's value times a constant; here a refusal in the forward pass counts as "refused"."""
    engine, op = seen.backend, seen.backend.call(seen.op.name, seen.case.parameters)
    g = _cotangent(seen, value.shape)
    multiply, constant, factor = engine.op(MULTIPLY), engine.array(g), as_factor_of(engine, value, g)
    found = _gradient_kind(seen, lambda *xs: multiply(factor(op(*xs)), constant))
    return "refused" if found == BARRED else found


def _is_computed(seen: Observation, function: Function) -> bool:
    """Whether the engine computes the function of operands that need gradients."""
    try:
        seen.backend.trace(function, [np.array(x) for x in seen.case.operands], seen.wrt)
    except Exception as error:
        if not is_refusal(error):
            raise
        return False
    return True
