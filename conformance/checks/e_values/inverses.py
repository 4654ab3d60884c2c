"""Chapter E: an op followed by its inverse leaves the cotangent as it was.

The row of an op names its inverse. Ops that only rearrange entries give the cotangent back bit for bit; the
others, to the rounding of the two textbook rules in a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, as_tuple
from conformance.case import Array
from conformance.checks.comparison import Comparison, hold_equal, hold_within
from conformance.checks.engine_calls import gradients_of
from conformance.checks.observation import Observation, plain
from conformance.checks.registry import NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.op import Inverse
from conformance.ops import find
from conformance.ops.names import ADD, DIVIDE, MULTIPLY, SUBTRACT
from conformance.oracle.allowance import Expected, expect
from conformance.values import cotangent


@op_check("E7", "inverse", applies=lambda op: op.inverse is not None, once_per_signature=True)
def undone_op_hands_the_cotangent_back(seen: Observation) -> list[Comparison]:
    """An op that is undone at once has the cotangent itself as its gradient."""
    inverse = seen.op.inverse
    assert inverse is not None
    parameters = inverse.parameters([x.shape for x in seen.case.operands], **seen.case.parameters)
    if parameters is None:
        raise NotThisCase("the operands were flattened before they were joined, so their shapes are lost")
    forth = seen.backend.call(seen.op.name, seen.case.parameters)
    back = seen.backend.call(inverse.name, parameters)
    rng = np.random.default_rng(seen.case.operands[0].size)
    cotangents = [cotangent(x.shape, seen.case.dtype, "signed", rng) for x in seen.case.operands]
    expected = _given_back(seen, inverse, parameters, cotangents)
    _, gradients = seen.backend.vjp(
        lambda *xs: back(*as_tuple(forth(*xs))), [np.array(x) for x in seen.case.operands], cotangents
    )
    compared, what = [], f"through {seen.op.name} and {inverse.name}"
    for position, (gradient, bound) in enumerate(zip(gradients, expected, strict=True)):
        got = None if gradient is None else plain(seen.backend, gradient)
        label = f"the gradient of operand {position} {what}"
        compared.append(hold_within(got, bound, label, claim="is not the cotangent"))
    return compared


def _given_back(
    seen: Observation, inverse: Inverse, parameters: Mapping[str, Any], cotangents: Sequence[Array]
) -> list[Expected]:
    """The cotangents, with what the two textbook rules in a row may round them by."""
    if inverse.is_exact:
        none = [np.zeros(g.shape, np.longdouble) for g in cotangents]
        return [Expected(g.astype(np.longdouble), zero, np.abs(np.spacing(g)).astype(np.longdouble))
                for g, zero in zip(cotangents, none, strict=True)]  # fmt: skip

    undoing = find(inverse.name)

    def evaluate(inputs: Sequence[Array]) -> list[Array]:
        x, g = inputs
        z = seen.op.reference(x, **seen.case.parameters)
        pulled = undoing.rule(0, g, undoing.reference(z, **parameters), z, **parameters)
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
    for function, name in (
        (lambda a, b: subtract(add(a, b), b), "x + y - y"),
        (lambda a, b: divide(multiply(a, b), b), "x * y / y"),
    ):
        of_x, of_y = gradients_of(engine, function, [x, y], g)
        if of_x is None:
            raise Violation(f"the gradient of x in {name} was dropped")
        hold_equal(of_x, g, f"the gradient of x in {name}")
        hold_equal(of_y, np.zeros_like(g), f"the gradient of y in {name}")
