"""Chapter E: an op followed by its inverse leaves the cotangent as it was.

The row of an op names its inverse. Ops that only rearrange entries give the cotangent back bit for bit; the
others, to the errors that each of the two calls is allowed by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from conformance.backend import Backend, as_tuple
from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, hold_equal, hold_within
from conformance.checks.engine_calls import decline_if_declared, gradients_of
from conformance.checks.observation import Observation, plain
from conformance.checks.registry import NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.kept import kept
from conformance.op import Inverse, Op, Shape
from conformance.ops import find
from conformance.ops.names import ADD, DIVIDE, MULTIPLY, SUBTRACT
from conformance.oracle.allowance import Expected, expected_gradients, expected_values, extended
from conformance.values import cotangent

SIGNS = 6  # random choices of signs of errors, besides all up and all down


@op_check(
    "E7", "inverse", applies=lambda op: op.inverse is not None, once_per_signature=True, calls_anew=True
)
def undone_op_hands_the_cotangent_back(seen: Observation) -> list[Comparison]:
    """An op that is undone at once has the cotangent itself as its gradient."""
    inverse = seen.op.inverse
    assert inverse is not None
    parameters = inverse.parameters([x.shape for x in seen.case.operands], **seen.case.parameters)
    if parameters is None:
        raise NotThisCase("the operands were flattened before they were joined, so their shapes are lost")
    forth = seen.backend.call(seen.op.name, seen.case.parameters)
    back = seen.backend.call(inverse.name, parameters)
    cotangents = _cotangents(seen.case)
    expected = _given_back(seen, inverse, cotangents)
    try:
        _, gradients = seen.backend.vjp(
            lambda *xs: back(*as_tuple(forth(*xs))), [np.array(x) for x in seen.case.operands], cotangents
        )
    except Exception as refusal:
        decline_if_declared(refusal, seen.backend, inverse.name, seen.case.dtype)
        raise
    compared, what = [], f"through {seen.op.name} and {inverse.name}"
    for position, (gradient, bound) in enumerate(zip(gradients, expected, strict=True)):
        got = None if gradient is None else plain(seen.backend, gradient)
        label = f"the gradient of operand {position} {what}"
        compared.append(hold_within(got, bound, label, claim="is not the cotangent"))
    return compared


def _cotangents(case: Case) -> list[Array]:
    """A cotangent for every operand, which comes back."""
    rng = np.random.default_rng(case.operands[0].size)
    return [cotangent(x.shape, case.dtype, "signed", rng) for x in case.operands]


def _given_back(seen: Observation, inverse: Inverse, cotangents: Sequence[Array]) -> list[Expected]:
    """The cotangents, with what the two textbook rules in a row may round them by."""
    if inverse.is_exact:
        none = [np.zeros(g.shape, np.longdouble) for g in cotangents]
        return [Expected(g.astype(np.longdouble), zero, np.abs(np.spacing(g)).astype(np.longdouble))
                for g, zero in zip(cotangents, none, strict=True)]  # fmt: skip

    (g,) = cotangents
    allowed = _allowed_in_turn(seen.op, seen.case, seen.perturbations)
    if not np.isfinite(allowed).any():
        raise NotThisCase("in this precision the op cannot be undone here")
    ulp = np.abs(np.spacing(g)).astype(np.longdouble)
    return [Expected(g.astype(np.longdouble), allowed, ulp)]


@kept()
def _allowed_in_turn(op: Op, case: Case, perturbations: int) -> Array:
    """How far from the cotangent the gradient may be, the two rules being wrong independently of each other.

    Two textbook rules in a row may be wrong by factors that cancel, and an engine with a better rule for one of them
    has nothing to cancel the other's error with. So three errors are bounded one by one: that of the value, through
    the inverse's rule at it; that of the inverse's rule itself; both carried through the op's rule; and that of
    the op's rule. How an error is carried through a rule is found from errors of every sign.
    """
    (g,), back = _cotangents(case), _undoing_case(op, case)
    undoing, rng = find(back.op), np.random.default_rng(0)
    (x,), z = map(extended, case.operands), extended(back.operands[0])
    (of_value,) = expected_values(op, case, perturbations=perturbations)
    (of_back,) = expected_gradients(undoing, back, perturbations=perturbations)
    handed_back = replace(case, cotangents=(of_back.exact.astype(g.dtype),))
    (of_forth,) = expected_gradients(op, handed_back, perturbations=perturbations)

    def pulled(upstream: Array) -> Array:
        return np.asarray(op.rule(0, upstream, z, x, **case.parameters))

    def undone(value: Array) -> Array:
        output = undoing.reference(value, **back.parameters)
        return np.asarray(undoing.rule(0, extended(g), output, value, **back.parameters))

    carried = np.zeros(g.shape, np.longdouble)
    with np.errstate(all="ignore"):
        at_value = undone(z)
        for signs in _signs(g.shape, rng):
            off = undone(z + signs * of_value.allowed)
            error = off - at_value + signs * of_back.allowed
            has_pole = off * at_value < 0  # the engine's value may be the pole itself: atanh at a tanh of 1
            carried = np.maximum(carried, np.where(has_pole, np.inf, np.abs(pulled(error))))
    return np.where(np.isnan(carried), np.inf, carried + of_forth.allowed)


def _undoing_case(op: Op, case: Case) -> Case:
    """The inverse's call, at the op's value rounded to the case's dtype."""
    assert op.inverse is not None
    parameters = op.inverse.parameters([x.shape for x in case.operands], **case.parameters)
    assert parameters is not None
    (g,) = _cotangents(case)
    z = np.asarray(op.reference(*map(extended, case.operands), **case.parameters))
    return replace(
        case, op=op.inverse.name, operands=(z.astype(g.dtype),), parameters=parameters, cotangents=(g,)
    )


def _signs(shape: Shape, rng: np.random.Generator) -> Iterator[Array]:
    """All errors upwards, all downwards, and random ones."""
    yield from (np.ones(shape, np.longdouble), -np.ones(shape, np.longdouble))
    for _ in range(SIGNS):
        yield rng.choice((-1.0, 1.0), shape).astype(np.longdouble)


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
