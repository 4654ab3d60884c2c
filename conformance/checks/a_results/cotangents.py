"""Cotangents that the caller gives: of another dtype (A5), scaled (A8), zero (A9), missing (A10), kept (A11)."""

from __future__ import annotations

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array, Case
from conformance.checks.a_results.shapes_and_dtypes import OTHER, hold_dtype
from conformance.checks.comparison import (
    Comparison,
    decides,
    hold_close_within_either,
    hold_equal,
    hold_within,
)
from conformance.checks.e_values.magnitudes import keeps_subnormals
from conformance.checks.engine_calls import is_refusal
from conformance.checks.observation import Observation, hold_gradient, overwrite, plain
from conformance.checks.registry import NotThisCase, declared_convention, op_check
from conformance.errors import Violation
from conformance.kept import kept
from conformance.op import Op
from conformance.oracle.allowance import Expected, expect, of_operands, reference_vjp

UNDERFLOW = 1024  # smallest numbers: the rounding of an underflow, multiplied by operands of this size


@op_check("A5", "cotangent-dtype")
def cotangent_of_another_dtype_is_refused_or_cast(seen: Observation) -> None:
    """A gradient argument of another dtype is refused or cast, as declared; the gradient keeps its dtype."""
    convention = declared_convention(seen.backend, "A5", seen.op.name)
    exact = [g.astype("float32").astype(g.dtype) for g in seen.case.cotangents]
    try:
        answer = seen.vjp(cotangents=[g.astype(OTHER[g.dtype.name]) for g in exact])
    except Exception as error:
        if is_refusal(error) and convention == "refused":
            decides(True)
            return
        raise
    if convention == "refused":
        raise Violation(
            f"a {OTHER[seen.case.dtype]} cotangent of a {seen.case.dtype} output was accepted; "
            f"the adapter declares {convention!r}"
        )
    cast = seen.vjp(cotangents=exact)
    for position, (got, same) in enumerate(zip(answer.gradients, cast.gradients, strict=True)):
        if got is None or same is None:
            continue
        hold_dtype(seen, position, got, seen.case.operands[seen.wrt[position]].dtype)

        def derived(position: int = position) -> Array:
            """What the two calls are allowed, both of the cotangents that were rounded."""
            return 2 * seen.allowed_for(cotangents=exact)[position]

        what = f"{seen.label(position)} changes with a cast cotangent"
        hold_close_within_either(got, same, seen.expected[position].allowed, derived, what)


@op_check("A8", "linear")
def vjp_is_linear_in_the_cotangent(seen: Observation) -> None:
    """The VJP is linear in the cotangent, exactly for -1 and powers of two."""
    cotangents = seen.case.cotangents
    for factor, wrong in (
        (-1, "the negated cotangent does not negate it"),
        (2, "the doubled one does not double it"),
    ):
        scaled = seen.vjp(cotangents=[factor * g for g in cotangents]).gradients
        for position, gradient in enumerate(seen.answer.gradients):
            if gradient is not None:
                what = f"{seen.label(position)}: {wrong}"
                _hold_scaled(seen.backend, scaled[position], factor * gradient, what)
    others = [(np.roll(g.ravel(), 1).reshape(g.shape) * 0.5 - 0.25).astype(g.dtype) for g in cotangents]
    sums = [g + h for g, h in zip(cotangents, others, strict=True)]
    other, summed = (seen.vjp(cotangents=given).gradients for given in (others, sums))
    for position, (first, second) in enumerate(zip(seen.answer.gradients, other, strict=True)):
        if first is None or second is None:
            continue
        what = f"{seen.label(position)} is not additive in the cotangent"
        own = seen.expected[position].allowed

        def derived(own: Array = own, position: int = position) -> Array:
            """What each of the three calls is allowed."""
            return own + sum(seen.allowed_for(cotangents=given)[position] for given in (others, sums))

        hold_close_within_either(summed[position], first + second, own, derived, what)


def _hold_scaled(engine: Backend, got: Array | None, expected: Array, what: str) -> None:
    """Claim that two gradients are equal: scaling by two is exact unless an intermediate result underflows.

    It does so already below the smallest normal number where the engine takes subnormal ones for zeros.
    """
    info = np.finfo(expected.dtype)
    try:
        hold_equal(got, expected, what, slack=UNDERFLOW * float(info.smallest_subnormal))
    except Violation:
        if keeps_subnormals(engine, expected.dtype.name):
            raise
        hold_equal(got, expected, what, slack=UNDERFLOW * float(info.smallest_normal))


@op_check("A9", "zero-cotangent")
def zero_cotangent_gives_zero(seen: Observation) -> None:
    """A zero cotangent gives a zero gradient, and not none where another cotangent gives one."""
    pulled = seen.vjp(cotangents=[np.zeros_like(g) for g in seen.case.cotangents]).gradients
    for position, (got, ordinary) in enumerate(zip(pulled, seen.answer.gradients, strict=True)):
        decides(ordinary is not None and ordinary.any())
        if got is not None:
            # Where the slope overflows, as that of erfcx does on the left, its product with 0 is NaN.
            held = got if ordinary is None else np.where(np.isfinite(ordinary), got, np.zeros_like(got))
            hold_equal(held, np.zeros_like(got), f"{seen.label(position)} is not zero for a zero cotangent")
        elif ordinary is not None and ordinary.any():
            raise Violation(f"{seen.label(position)} is None for a zero cotangent, expected zeros")


def _has_several_outputs(op: Op) -> bool:
    return op.has_several_outputs


@op_check("A10", "missing-cotangent", applies=_has_several_outputs, once_per_signature=True, calls_anew=True)
def missing_cotangent_means_zeros(seen: Observation) -> list[Comparison]:
    """An output that is not used counts as one with a zero cotangent."""
    if len(seen.case.cotangents) < 2:
        raise NotThisCase("only one output")
    function = seen.backend.call(seen.op.name, seen.case.parameters)
    compared = []
    for output, cotangent in enumerate(seen.case.cotangents):
        _, gradients = seen.backend.vjp(
            lambda *xs, output=output: function(*xs)[output],
            [np.array(x) for x in seen.case.operands],
            [np.array(cotangent)],
            seen.wrt,
        )
        bounds = _expected_alone(seen.op, seen.case, output, tuple(seen.wrt))
        for position, (gradient, expected) in enumerate(zip(gradients, bounds, strict=True)):
            got = None if gradient is None else plain(seen.backend, gradient)
            compared.append(hold_within(got, expected, f"{seen.label(position)} with output {output} alone"))
    return compared


@kept(Expected)
def _expected_alone(op: Op, case: Case, output: int, wrt: tuple[int, ...]) -> list[Expected]:
    """The gradients where one output alone has a cotangent, that of the case."""
    alone = [g if i == output else np.zeros_like(g) for i, g in enumerate(case.cotangents)]
    largest = float(np.abs(case.cotangents[output]).max(initial=1.0))
    found = expect(reference_vjp(op, case, wrt), (*case.operands, *alone), case.dtype, [largest] * len(wrt))
    return of_operands(op, wrt, found)


@op_check("A11", "cotangent-untouched", Capability.WRITABLE)
def cotangent_is_neither_changed_nor_kept(seen: Observation) -> None:
    """The gradient argument is not mutated, and no gradient shares its memory."""
    backend = seen.backend
    traced = seen.trace()
    cotangents = [backend.array(np.array(g)) for g in seen.case.cotangents]
    gradients = traced.pull(cotangents)
    for array, g in zip(cotangents, seen.case.cotangents, strict=True):
        hold_equal(plain(backend, array), g, "the cotangent was changed by the backward pass")
    before = [None if g is None else plain(backend, g) for g in gradients]
    for array in cotangents:
        overwrite(backend, array, 7.0, "the cotangent")
    for position, (gradient, value) in enumerate(zip(gradients, before, strict=True)):
        if gradient is not None and value is not None:
            what = (
                f"{seen.label(position)} shares memory with the cotangent: a write into one changes the other"
            )
            hold_gradient(backend, gradient, value, what)
