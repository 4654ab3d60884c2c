"""Chapter E: ops whose derivative is zero send no gradient back, and have the reference's values in every dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Function
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import as_factor_of, form_of_no_gradient, is_refusal
from conformance.checks.observation import Observation, plain
from conformance.checks.registry import OtherConvention, declared_convention, flat_check
from conformance.dtype import BFLOAT16, HALF, carried, finfo
from conformance.errors import Violation
from conformance.op import OperandKind, Shape
from conformance.ops.names import MULTIPLY, RESHAPE
from conformance.ops.rows import unbroadcast
from conformance.values import cotangent

SPECIAL = (np.nan, np.inf, -np.inf)
BEYOND_INTEGERS = (-(2.0**100), 1.5 * 2.0**63, 2.0**64)
# Of the largest number: in double precision far beyond single; what rounds to decimals overflows later.
BELOW_LARGEST = 2.0**-10
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


@flat_check("E22", "flat-narrow", compiles=True, dtypes=HALF | {"float32"})
def flat_op_has_the_value_of_the_reference_below_float64(seen: Observation) -> None:
    """Below float64 the value of a flat op is the reference's, where it jumps, at NaN and at infinities too."""
    if _is_about_order(seen):
        expected = _reference(seen, seen.case.operands)
        (got,) = seen.forward()
        hold_equal(got, expected, "the value differs from the reference value")
    else:
        _hold_value_on_jumps(seen)


def _is_about_order(seen: Observation) -> bool:
    """Whether it is about the order of the entries of one array, which is not specified where some are equal."""
    return [domain.kind for domain in seen.op.domains] == [OperandKind.DISTINCT]


def _reference(seen: Observation, operands: Sequence[Array]) -> Array:
    """The value of the reference, which half precision is carried to; in the dtype of the case where it has one."""
    value = np.asarray(seen.op.reference(*map(carried, operands), **seen.case.parameters))
    return value.astype(seen.case.dtype) if value.dtype.kind == "f" else value


def _hold_value_on_jumps(seen: Observation) -> None:
    """Claim that the value equals the reference where the op jumps: at halves, whole numbers, equal operands, NaN and infinities."""
    if _is_about_order(seen):
        return
    operands = [on_jumps(x) for x in seen.case.operands]
    is_pair = len(operands) == 2 and all(x.size and _is_real(x) for x in operands)
    if is_pair and seen.op.domain(1).low <= operands[0].flat[0] <= seen.op.domain(1).high:
        operands[1].flat[0] = operands[0].flat[0]  # broadcast or not, the first entry meets the first
    expected = _reference(seen, operands)
    # A rounded quotient of infinities, and a step at one, are nobody's question.
    if _is_real(operands[0]) and (expected.dtype.kind == "b" or not is_pair):
        _hold_far(seen, operands)
        first = int(is_pair)  # what most predicates are about, after the equal entries
        of_nan, of_other = (_with(operands, first, special) for special in (SPECIAL, (-np.nan, *SPECIAL[1:])))
        value, other = (carried(_reference(seen, given)) for given in (of_nan, of_other))
        # The sign of NaN is not specified: what depends on it is not asked.
        is_sure = np.array_equal(value, other, equal_nan=True)
        operands = of_nan if is_sure else _with(operands, first, SPECIAL[1:])
        expected = _reference(seen, operands)
    (output,) = seen.backend.forward(seen.backend.call(seen.op.name, seen.case.parameters), operands)
    got, is_number = plain(seen.backend, output), expected == expected
    if got.shape == expected.shape:  # numbers first: what is wrong at NaN alone is a fault of its own
        beside = np.where(is_number, got, expected)
        hold_equal(beside, expected, "the value where the op jumps differs from the reference value")
    hold_equal(got, expected, "the value at NaN differs from the reference value")


def _hold_far(seen: Observation, operands: Sequence[Array]) -> None:
    """Claim that the value is the reference's at numbers that no narrower dtype holds, and no integer of 64 bits, or near the largest of a narrow one."""
    largest = float(finfo(seen.case.dtype).max)
    beyond = [np.clip(x, -largest, largest) for x in BEYOND_INTEGERS]
    far = _with(operands, 0, [*beyond, largest * BELOW_LARGEST])
    (output,) = seen.backend.forward(seen.backend.call(seen.op.name, seen.case.parameters), far)
    what = "the value at large numbers differs from the reference value"
    hold_equal(plain(seen.backend, output), _reference(seen, far), what)


def _with(operands: Sequence[Array], first: int, special: Sequence[float]) -> list[Array]:
    """The operands, with these numbers in the first one from an entry on."""
    changed = np.array(operands[0])
    changed.flat[first : first + len(special)] = special[: max(0, changed.size - first)]
    return [changed, *operands[1:]]


def _is_real(x: Array) -> bool:
    return bool(x.dtype.kind == "f" or x.dtype == BFLOAT16)


def is_kind_of(dtype: np.dtype[Any], expected: np.dtype[Any]) -> bool:
    """Whether a dtype is that of the reference; the width of integers, and whether they have a sign, is not specified."""
    if expected.kind == "i":
        return dtype.kind in "iu"
    return dtype.kind == "b" if expected.kind == "b" else dtype == expected


def on_jumps(x: Array) -> Array:
    """The operand rounded to halves, without the sign of zero."""
    return np.array(np.rint(2 * carried(x)) / 2 + 0, x.dtype) if _is_real(x) else np.array(x)


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
