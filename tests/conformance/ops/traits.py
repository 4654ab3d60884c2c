"""Whether a trait holds for a row, decided numerically from its reference and its rule alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.case import Case
from conformance.op import Op, Trait
from conformance.ops import find
from conformance.ops.reductions import axes_of
from conformance.oracle.proof import prove
from conformance.oracle.second_order import is_smooth
from conformance.selfcheck.proofs import COMPLEX_DTYPE, COMPLEX_EFFORT, DTYPE, EFFORT
from conformance.strategies import draw_cases
from conformance.values import direction

from .calls import DOES_NOT_FIT, Arrays, are_close, calls, changed, differentiable, gradients, outputs

SEEDS = (0, 1, 2, 3)  # a few draws may all be of reductions that pick
SMALL_STEP = 2.0**-12  # crosses no kink: operands stay further away
BEND = 1e-11  # the square of a small step is far above it


def is_elementwise(op: Op) -> bool:
    """Whether each entry of the output is the op of the corresponding entries of the broadcast operands."""
    if op.has_several_outputs:
        return False
    for arrays, parameters in calls(op):
        try:
            flat = [x.ravel() for x in np.broadcast_arrays(*arrays)]
            (z,) = outputs(op, arrays, parameters)
            each = [outputs(op, [x[i] for x in flat], parameters)[0] for i in range(flat[0].size)]
        except DOES_NOT_FIT:
            return False
        if (
            z.size != len(each)
            or not all(e.shape == () for e in each)
            or not are_close([z.ravel()], [np.array(each)])
        ):
            return False
    return True


def is_linear(op: Op) -> bool:
    """Whether it is linear in its only differentiable operand."""
    if {len(differentiable(op, len(arrays))) for arrays, _ in calls(op)} != {1}:
        return False
    (index,) = differentiable(op, len(op.domains))
    for arrays, parameters in calls(op):
        other = np.flip(arrays[index] * 3 - 0.5)
        other = other.reshape(arrays[index].shape)
        combined = changed(arrays, [index], lambda x, y=other: 2 * x - 0.5 * y)
        one, two = (
            outputs(op, a, parameters) for a in (arrays, changed(arrays, [index], lambda _, y=other: y))
        )
        if not are_close(
            outputs(op, combined, parameters), [2 * a - 0.5 * b for a, b in zip(one, two, strict=True)]
        ):
            return False
    return True


def is_piecewise_linear(op: Op) -> bool:
    """Whether a small step of all differentiable operands leaves every gradient as it is."""
    rng = np.random.default_rng(0)

    def stepped(x: Any) -> Any:
        return x + SMALL_STEP * rng.uniform(-1, 1, x.shape)

    return all(
        are_close(
            gradients(op, changed(arrays, differentiable(op, len(arrays)), stepped), parameters),
            gradients(op, arrays, parameters),
        )
        for arrays, parameters in calls(op)
    )


def is_quadratic(op: Op) -> bool:
    """Whether a small step of all differentiable operands changes the gradients as the same step before did, and changes them."""

    def stepped(steps: int) -> Callable[[Any], Any]:
        rng = np.random.default_rng(0)
        return lambda x: x + steps * SMALL_STEP * rng.uniform(-1, 1, x.shape)

    def at(steps: int, arrays: Arrays, parameters: Any) -> Arrays:
        return gradients(op, changed(arrays, differentiable(op, len(arrays)), stepped(steps)), parameters)

    def is_even(arrays: Arrays, parameters: Any) -> bool:
        first, between, last = (at(steps, arrays, parameters) for steps in (-1, 0, 1))
        size = max((np.abs(g).max(initial=0) for g in between), default=0)
        bends = (a - 2 * b + c for a, b, c in zip(first, between, last, strict=True))
        return all(np.abs(bend).max(initial=0) <= BEND * max(size, 1) for bend in bends)

    return not is_piecewise_linear(op) and all(is_even(*call) for call in calls(op))


def has_real_reference(op: Op) -> bool:
    """Whether no case has a rule that a complex step through the reference can differentiate, though the gradients change."""
    op = replace(op, traits=op.traits - {Trait.REAL_REFERENCE})
    draws = (case for seed in SEEDS for case in draw_cases(find(op.name), DTYPE, seed, EFFORT))
    return not is_piecewise_linear(op) and not any(map(_is_smooth(op), draws))


def _is_smooth(op: Op) -> Callable[[Case], bool]:
    def smooth(case: Case) -> bool:
        rng = np.random.default_rng(1)
        wrt = differentiable(op, len(case.operands))
        along = [direction(op.domain(i), case.operands[i].shape, case.dtype, rng) for i in wrt]
        has_a_derivative = case.operands[wrt[0]].size and any(np.size(g) for g in case.cotangents)
        return bool(has_a_derivative) and is_smooth(op, case, wrt, along) and _gradients_change(op, case)

    return smooth


def _gradients_change(op: Op, case: Case) -> bool:
    """Whether the gradients of a case are not those of a case beside it, so that there is a second derivative."""
    arrays = [x.astype(np.longdouble) if x.dtype.kind == "f" else x for x in case.operands]
    beside = changed(arrays, differentiable(op, len(arrays)), lambda x: x * (1 + SMALL_STEP))
    return not are_close(gradients(op, beside, case.parameters), gradients(op, arrays, case.parameters))


def is_holomorphic(op: Op) -> bool:
    """Whether its rule is proven at complex operands."""
    try:
        return prove(op, draw_cases(find(op.name), COMPLEX_DTYPE, 0, COMPLEX_EFFORT)).holds
    except DOES_NOT_FIT:
        return False


def is_antilinear(op: Op) -> bool:
    """Whether a complex factor of its operand is, conjugated, one of its value, and one of a cotangent one of its gradient."""
    try:
        return all(_takes_conjugated(op, arrays, parameters) for arrays, parameters in calls(op))
    except DOES_NOT_FIT:
        return False


def _takes_conjugated(op: Op, arrays: Any, parameters: Any) -> bool:
    (x,) = arrays
    z, g = x + 2j, x - 1j
    value = op.reference(z, **parameters)
    turned = op.reference(1j * z, **parameters), op.rule(0, 1j * g, value, z, **parameters)
    expected = -1j * value, -1j * op.rule(0, g, value, z, **parameters)
    return all(np.any(b) and np.allclose(a, b) for a, b in zip(turned, expected, strict=True))


def is_commutative(op: Op) -> bool:
    """Whether its two operands can be exchanged in every call, bit for bit."""
    if {len(differentiable(op, len(arrays))) for arrays, _ in calls(op)} != {2} or len(op.domains) != 2:
        return False
    try:
        return all(
            np.array_equal(*(outputs(op, a, parameters)[0] for a in (arrays, arrays[::-1])))
            for arrays, parameters in calls(op)
        )
    except DOES_NOT_FIT:
        return False


def of_reversed(op: Op) -> set[str]:
    """What reversing the operand along its axes does to the values of all calls: "kept", "reversed" or "changed"."""
    found = set()
    for arrays, parameters in calls(op):
        if len(arrays) != 1 or op.has_several_outputs or "axis" not in parameters:
            return {"changed"}
        try:
            axes = axes_of(arrays[0].shape, parameters["axis"])
            if not axes:
                continue
            (z,), (other,) = (outputs(op, [x], parameters) for x in (arrays[0], np.flip(arrays[0], axes)))
            found.add(
                "kept"
                if are_close([other], [z])
                else "reversed"
                if z.shape == arrays[0].shape and are_close([other], [np.flip(z, axes)])
                else "changed"
            )
        except DOES_NOT_FIT:
            return {"changed"}
    return found


def has_infinite_slope_at_0(op: Op) -> bool:
    """Whether the rule of an elementwise op of one operand gives an infinite slope at 0."""
    if len(op.domains) > 1 or Trait.ELEMENTWISE not in op.traits:
        return False
    zero, one = np.zeros((), np.longdouble), np.ones((), np.longdouble)
    _, parameters = calls(op)[0]
    try:
        (z,) = outputs(op, [zero], parameters)
    except DOES_NOT_FIT:  # an op of axes, of which a test says that it is elementwise
        return False
    with np.errstate(all="ignore"):
        return bool(np.isinf(op.rule(0, one, z, zero, **parameters)).all())


def reads(op: Op, what: str) -> bool:
    """Whether hiding the operands, or the output, from the rule changes a gradient of some call."""

    def hidden(arrays: Arrays) -> list[Any]:
        return [np.full_like(x, np.nan) if x.dtype.kind == "f" else x for x in arrays]

    return any(
        not all(
            map(
                np.array_equal,
                gradients(op, arrays, parameters),
                gradients(op, arrays, parameters, **{what: hidden(source)}),
            )
        )
        for arrays, parameters in calls(op)
        for source in ([arrays] if what == "operands" else [outputs(op, arrays, parameters)])
    )


def vanishes(op: Op) -> bool:
    """Whether every value of it is zero, in every drawn call."""
    return not any(np.any(z) for arrays, parameters in calls(op) for z in outputs(op, arrays, parameters))


HOLDS: dict[Trait, Callable[[Op], bool]] = {
    Trait.ELEMENTWISE: is_elementwise,
    Trait.LINEAR: is_linear,
    Trait.REDUCTION: lambda op: all({"axis", "keepdims"} <= set(p) for _, p in calls(op)),
    Trait.LOSS: lambda op: all("reduction" in p for _, p in calls(op)),
    Trait.SEVERAL_OUTPUTS: lambda op: isinstance(op.reference(*calls(op)[0][0], **calls(op)[0][1]), tuple),
    Trait.VARIADIC: lambda op: len({len(arrays) for arrays, _ in calls(op)}) > 1,
    Trait.HOLOMORPHIC: is_holomorphic,
    Trait.ANTILINEAR: is_antilinear,
    Trait.PIECEWISE_LINEAR: is_piecewise_linear,
    Trait.QUADRATIC: is_quadratic,
    Trait.REAL_REFERENCE: has_real_reference,
    Trait.COMMUTATIVE: is_commutative,
    Trait.ORDER_INVARIANT: lambda op: of_reversed(op) == {"kept"},
    Trait.ORDER_EQUIVARIANT: lambda op: "reversed" in of_reversed(op) <= {"kept", "reversed"},
    Trait.VANISHING: vanishes,
    Trait.SAVES_OPERANDS: lambda op: reads(op, "operands"),
    Trait.SAVES_OUTPUT: lambda op: reads(op, "output"),
    Trait.INFINITE_SLOPE_AT_0: has_infinite_slope_at_0,
}
EXAMPLES = (Trait.SAVES_OPERANDS, Trait.SAVES_OUTPUT)  # stated by a few of the rows for which they hold
