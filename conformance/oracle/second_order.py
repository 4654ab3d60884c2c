"""Second derivatives of an op, and third ones: its rule, differentiated along a direction without a rule of its own.

The rule of an analytic op takes complex operands, and a complex step through it is the forward mode of
the textbook rule in whatever precision it is given. So the allowance of a second derivative comes about
as that of a first one does: the same evaluation with every intermediate result perturbed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.case import Array, Case
from conformance.op import Op, Trait
from conformance.ops.dispatch import sharing
from conformance.oracle.allowance import (
    PER_PLACE,
    PERTURBATIONS,
    ULPS,
    Expected,
    allowance_scope,
    expect,
    natural_gradient_sizes,
    of_operands,
)
from conformance.oracle.derivative import REAL, is_analytic
from conformance.oracle.rounding import Evaluate

# Powers of two, whose squares vanish beside 1 in their precision and whose products stay normal.
STEP = {"float32": 2.0**-40, "float64": 2.0**-100, np.dtype(REAL).name: 2.0**-100}

# Of operands, which lie on a grid of eighths: their fourth powers are as far below 1 as double precision needs.
DIFFERENCES = (2.0**-11, 2.0**-13)


def hessian_vector_product(op: Op, case: Case, wrt: Sequence[int]) -> Evaluate:
    """The Hessian-vector products of `wrt`, as a function of operands, cotangents and one direction each."""
    operands, cotangents = len(case.operands), len(case.cotangents)

    @sharing()
    def evaluate(inputs: Sequence[Array]) -> Sequence[Array]:
        step = inputs[-1].dtype.type(STEP[inputs[-1].dtype.name])
        xs = list(inputs[:operands])
        for index, direction in zip(wrt, inputs[operands + cotangents :], strict=True):
            xs[index] = xs[index] + 1j * (step * direction)
        given = tuple(inputs[operands : operands + cotangents])
        z = value_along(op, xs, case.parameters)
        g = given if op.has_several_outputs else given[0]
        pulled = [np.asarray(op.rule(i, g, z, *xs, **case.parameters)) for i in wrt]
        return [p.imag / step for p in pulled]

    return evaluate


def value_along(op: Op, xs: Sequence[Array], parameters: Mapping[str, Any]) -> Any:
    """The value at operands with tangents as their imaginary parts.

    Where the reference takes real operands only, the value's tangent is the rule's slope along theirs, entry by entry.
    """
    if Trait.REAL_REFERENCE not in op.traits or not any(map(np.iscomplexobj, xs)):
        return op.reference(*xs, **parameters)
    numbers, tangents = [np.real(x) for x in xs], [np.imag(x) for x in xs]
    z = np.asanyarray(op.reference(*numbers, **parameters))
    if Trait.ELEMENTWISE in op.traits:
        numbers = [np.broadcast_to(x, z.shape) for x in numbers]
        ones = np.ones_like(z)
        along: Any = sum(op.rule(i, ones, z, *numbers, **parameters) * t for i, t in enumerate(tangents))
        return z + 1j * along
    along = np.zeros_like(z)
    for place in np.ndindex(z.shape):
        g = np.zeros_like(z)
        g[place] = 1
        along[place] = sum(
            np.sum(op.rule(i, g, z, *numbers, **parameters) * t) for i, t in enumerate(tangents)
        )
    return z + 1j * along


def is_smooth(op: Op, case: Case, wrt: Sequence[int], directions: Sequence[Array]) -> bool:
    """Whether the rule takes complex operands, and is analytic along the directions."""
    operands = [x.astype(REAL) if x.dtype.kind == "f" else x for x in case.operands]
    given = tuple(g.astype(REAL) for g in case.cotangents)

    @sharing()
    def gradients(t: Array) -> Array:
        xs = list(operands)
        for index, direction in zip(wrt, directions, strict=True):
            xs[index] = xs[index] + t * direction.astype(REAL)
        z = value_along(op, xs, case.parameters)
        g = given if op.has_several_outputs else given[0]
        return np.concatenate([np.ravel(op.rule(i, g, z, *xs, **case.parameters)) for i in wrt])

    with np.errstate(all="ignore"):
        return is_analytic(gradients, np.asarray(0.0, REAL), np.asarray(1.0, REAL))


def expected_hessian_vector_products(
    op: Op, case: Case, wrt: Sequence[int], directions: Sequence[Array], perturbations: int = PERTURBATIONS
) -> list[Expected]:
    """What the Hessian-vector products of a case must be, along a direction for each operand in `wrt`."""
    inputs = (*case.operands, *case.cotangents, *directions)
    evaluate = hessian_vector_product(op, case, wrt)
    # An engine differentiates its rule, and does not step: where 1 - z² cancels, it rounds once more than this.
    rounding = ULPS * max(natural_gradient_sizes(op, case)) * _moved(op, case, directions)
    found = expect(
        evaluate,
        inputs,
        case.dtype,
        [rounding] * len(wrt),
        scope=allowance_scope(op),
        perturbations=perturbations,
    )
    return of_operands(op, wrt, found)


def third_derivatives(
    op: Op, case: Case, wrt: Sequence[int], directions: Sequence[Array]
) -> tuple[list[Array], list[Array]]:
    """The derivatives of the Hessian-vector products along the same directions, and estimates of their errors.

    They are differences in extended precision, of two lengths: how far these are apart is the estimate.
    """
    product = hessian_vector_product(op, case, wrt)
    rest = [x.astype(REAL) for x in (*case.cotangents, *directions)]

    def at(t: float) -> Sequence[Array]:
        xs = [x.astype(REAL) if x.dtype.kind == "f" else x for x in case.operands]
        for index, along in zip(wrt, directions, strict=True):
            xs[index] = xs[index] + REAL(t) * along
        return product((*xs, *rest))

    def quotients(step: float) -> list[Array]:
        near, far = (zip(at(t), at(-t), strict=True) for t in (step, 2 * step))
        return [(8 * (b - a) - (d - c)) / (12 * REAL(step)) for (b, a), (d, c) in zip(near, far, strict=True)]

    with np.errstate(all="ignore"):
        long, short = (quotients(step) for step in DIFFERENCES)
        return short, [np.abs(b - a) for a, b in zip(long, short, strict=True)]


def _moved(op: Op, case: Case, directions: Sequence[Array]) -> Array | float:
    """By how much a cotangent and a direction multiply what is between them: entry by entry where entries have errors of their own."""
    shapes = {x.shape for x in (*case.operands, *case.cotangents, *directions)}
    if allowance_scope(op) == PER_PLACE and len(shapes) == 1:
        (g,) = case.cotangents
        return np.asarray(np.abs(g) * np.max(np.abs(directions), axis=0), REAL)
    return _largest(case.cotangents) * _largest(directions)


def _largest(arrays: Sequence[Array]) -> float:
    return max((float(np.abs(x).max(initial=0.0)) for x in arrays), default=0.0)
