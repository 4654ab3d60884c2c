"""Chapter E: what a function's invariance says of its gradient.

Three kinds of law, each a table of the ops that obey it and one function that holds an engine's
gradient to it, within what the oracle allows the gradient itself. Only the third asks for another one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.checks.observation import Observation, hold_close
from conformance.checks.registry import NotThisCase, op_check
from conformance.errors import Violation
from conformance.op import Op, Shape, Trait
from conformance.ops.reductions import axes_of

REAL = np.longdouble


# ---- f(tx) = tᵏ f(x), so that ⟨x̄, x⟩ = k ⟨g, f(x)⟩ ------------------------------------------------------


@dataclass(frozen=True)
class Homogeneous:
    """Of this degree in the operands that are scaled together, the others being kept."""

    operands: tuple[int, ...]
    degree: float


def each(*degrees: float) -> tuple[Homogeneous, ...]:
    """Homogeneous in every operand alone, of these degrees."""
    return tuple(Homogeneous((i,), degree) for i, degree in enumerate(degrees))


def together(degree: float, *groups: tuple[int, ...]) -> tuple[Homogeneous, ...]:
    """Homogeneous in each of these groups."""
    return tuple(Homogeneous(group, degree) for group in groups)


HOMOGENEOUS: dict[str, tuple[Homogeneous, ...]] = {
    "abs": each(1),
    "square": each(2),
    "sqrt": each(0.5),
    "cbrt": each(1 / 3),
    "rsqrt": each(-0.5),
    "reciprocal": each(-1),
    "add": together(1, (0, 1)),
    "subtract": together(1, (0, 1)),
    "multiply": each(1, 1),
    "divide": each(1, -1),
    "hypot": together(1, (0, 1)),
    "atan2": together(0, (0, 1)),
    "maximum": together(1, (0, 1)),
    "minimum": together(1, (0, 1)),
    "where": together(1, (1, 2)),
    "lerp": together(1, (0, 1)),
    "fma": together(1, (0, 2), (1, 2)),
    "addcmul": together(1, (0, 1), (0, 2)),
    "var": each(2),
    "std": each(1),
    "vector_norm": each(1),
    "max": each(1),
    "min": each(1),
    "ptp": each(1),
    "median": each(1),
    "sort": each(1),
    "matmul": each(1, 1),
    "dot": each(1, 1),
    "vecdot": each(1, 1),
    "inner": each(1, 1),
    "outer": each(1, 1),
    "tensordot": each(1, 1),
    "kron": each(1, 1),
    "cross": each(1, 1),
    "solve": each(-1, 1),
    "inv": each(-1),
    "cholesky": each(0.5),
    "relu": each(1),
    "leaky_relu": each(1),
    "prelu": each(1),
    "linear": together(1, (0, 2), (1, 2)),
    "layer_norm": together(1, (1, 2)),
    "batch_norm": together(1, (1, 2)),
    "conv1d": together(1, (0, 2), (1, 2)),
    "conv2d": together(1, (0, 2), (1, 2)),
    "max_pool2d": each(1),
    "mse": together(2, (0, 1)),
    "l1": together(1, (0, 1)),
}


def degrees_of(op: Op) -> tuple[Homogeneous, ...]:
    """In what an op is homogeneous; one that is linear in its operand, in that."""
    return HOMOGENEOUS.get(op.name) or (each(1) if Trait.LINEAR in op.traits else ())


@op_check("E10", "euler", applies=lambda op: bool(degrees_of(op)))
def homogeneous_gradient_obeys_euler(seen: Observation) -> None:
    """The gradient of a function homogeneous of degree k obeys Euler's relation, ⟨x̄, x⟩ = k⟨g, f(x)⟩."""
    operands = [x.astype(REAL) if x.dtype.kind == "f" else x for x in seen.case.operands]
    value = seen.op.reference(*operands, **seen.case.parameters)
    outputs = value if seen.op.has_several_outputs else (value,)
    moved = sum(np.sum(g * z) for g, z in zip(seen.case.cotangents, outputs, strict=True))
    for law in degrees_of(seen.op):
        got = sum(np.sum(_gradient(seen, i) * operands[i]) for i in law.operands)
        allowed = sum(np.sum(_allowed(seen, i) * np.abs(operands[i])) for i in law.operands)
        which = ", ".join(map(str, law.operands))
        told = f"⟨gradient, operand⟩ over operands {which} is not {law.degree:g}·⟨cotangent, value⟩"
        size = sum(np.sum(np.abs(g * z)) for g, z in zip(seen.case.cotangents, outputs, strict=True))
        hold_close(np.asarray(got), np.asarray(law.degree * moved), np.asarray(allowed + _lost(size)), told)


# ---- f(x + c) = f(x) + γc, so that Σx̄ = γ Σg -------------------------------------------------------------


@dataclass(frozen=True)
class Shifted:
    """Moves by `gain` times what these operands are moved by together."""

    gain: float
    operands: tuple[int, ...] = (0,)


INVARIANT, EQUIVARIANT = Shifted(0), Shifted(1)

SHIFTED: dict[str, Shifted] = {
    "softmax": INVARIANT,
    "log_softmax": INVARIANT,
    "layer_norm": INVARIANT,
    "var": INVARIANT,
    "std": INVARIANT,
    "ptp": INVARIANT,
    "mean": EQUIVARIANT,
    "max": EQUIVARIANT,
    "min": EQUIVARIANT,
    "median": EQUIVARIANT,
    "logsumexp": EQUIVARIANT,
    "logcumsumexp": EQUIVARIANT,
    "sort": EQUIVARIANT,
    "subtract": Shifted(0, (0, 1)),
    "maximum": Shifted(1, (0, 1)),
    "minimum": Shifted(1, (0, 1)),
    "logaddexp": Shifted(1, (0, 1)),
    "logaddexp2": Shifted(1, (0, 1)),
    "lerp": Shifted(1, (0, 1)),
    "where": Shifted(1, (1, 2)),
    "mse": Shifted(0, (0, 1)),
    "l1": Shifted(0, (0, 1)),
    "huber": Shifted(0, (0, 1)),
    "smooth_l1": Shifted(0, (0, 1)),
    "log_cosh": Shifted(0, (0, 1)),
}


@op_check("E10", "shift", applies=lambda op: op.name in SHIFTED)
def shifted_gradient_sums_to_what_is_moved(seen: Observation) -> None:
    """Where a common shift shifts the value by γ times itself, the gradients sum to γ times the cotangent."""
    law = SHIFTED[seen.op.name]
    cotangent = seen.case.cotangents[0].astype(REAL)
    if len(law.operands) > 1:
        axes, arrived = None, np.sum(cotangent)
    else:
        axes = axes_along(seen)
        arrived = _arriving(cotangent, seen.case.operands[0].shape, axes)
    got = sum(np.sum(_gradient(seen, i), axis=axes) for i in law.operands)
    allowed = sum(np.sum(_allowed(seen, i), axis=axes) for i in law.operands)
    lost = _lost(np.sum(np.abs(cotangent)))
    told = f"the gradients do not sum to {law.gain:g} times the cotangent, as the function's shifts demand"
    hold_close(np.asarray(got), np.asarray(law.gain * arrived), np.asarray(allowed + lost), told)


def _arriving(cotangent: Any, shape: Shape, axes: tuple[int, ...]) -> Any:
    """The cotangents of what the entries along the axes become, summed: of a reduction it is one."""
    free = tuple(n for a, n in enumerate(shape) if a not in axes)
    if cotangent.size == math.prod(free):
        return cotangent.reshape(free)
    return np.sum(cotangent.reshape(shape), axis=axes)


# ---- f(Px) = f(x) or P f(x), so that the gradient goes with its entries -----------------------------------

ORDERLESS = frozenset(
    {
        "sum", "mean", "prod", "logsumexp", "var", "std", "vector_norm", "max", "min", "ptp", "median",
        "softmax", "log_softmax",
    }
)  # fmt: skip


@op_check("E10", "order", applies=lambda op: op.name in ORDERLESS, once_per_signature=True)
def gradient_goes_with_its_entries(seen: Observation) -> None:
    """Where the order along an axis does not matter, reversing the operand reverses its gradient."""
    axes = axes_along(seen)
    x, g = seen.case.operands[0], seen.case.cotangents[0]
    is_kept = seen.op.name in ("softmax", "log_softmax")  # the value is reversed with the operand
    again = seen.ask(
        operands=[np.array(np.flip(x, axes))], cotangents=[np.array(np.flip(g, axes) if is_kept else g)]
    )
    first, turned = seen.answer.gradients[0], again.gradients[0]
    if first is None or turned is None:
        raise Violation(f"{seen.label(0)} was dropped")
    allowed = 2 * np.flip(seen.expected[0].allowed, axes)
    hold_close(turned, np.flip(first, axes), allowed, f"{seen.label(0)} does not go with its entries")


# ---- what the laws are told in -----------------------------------------------------------------------------


def axes_along(seen: Observation) -> tuple[int, ...]:
    """The axes that a law speaks of: those the parameters name; the last one where they name none."""
    x = seen.case.operands[0]
    axes: tuple[int, ...] = axes_of(x.shape, seen.case.parameters.get("axis", -1))
    if not axes or not x.size:
        raise NotThisCase("no axis is reduced, or nothing is there")
    return axes


def _gradient(seen: Observation, index: int) -> Any:
    """The gradient of an operand in extended precision; None stands for zeros."""
    gradient = seen.answer.gradients[seen.wrt.index(index)]
    return np.zeros(seen.case.operands[index].shape, REAL) if gradient is None else gradient.astype(REAL)


def _allowed(seen: Observation, index: int) -> Any:
    return seen.expected[seen.wrt.index(index)].allowed


def _lost(size: Any) -> Any:
    """What the extended precision of this side may lose of terms of that size."""
    return 1024 * np.finfo(REAL).eps * size
