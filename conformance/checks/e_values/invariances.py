"""Chapter E: what a function's invariance implies for its gradient.

Three kinds of law. The rows of the catalogue state which ops obey them; one function per kind compares an
engine's gradient with the law, within what the oracle allows the gradient itself. Only the third needs
another gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from conformance.checks.comparison import compare, decides, hold_close, hold_close_within_either, hold_within
from conformance.checks.observation import Observation
from conformance.checks.registry import NotThisCase, op_check
from conformance.errors import Violation
from conformance.op import Op, Shape, Trait
from conformance.ops import family_of
from conformance.ops.reductions import axes_of

REAL = np.longdouble
MATRICES = "linear algebra"  # a family
FAR = 0.55  # of the exponents that a dtype has: the square of so large a number overflows, and of so small a one is lost


# ---- f(tx) = tᵏ f(x), so that ⟨x̄, x⟩ = k ⟨g, f(x)⟩ ------------------------------------------------------


@op_check("E10", "euler", applies=lambda op: bool(op.homogeneities))
def homogeneous_gradient_obeys_euler(seen: Observation) -> None:
    """The gradient of a function homogeneous of degree k obeys Euler's relation, ⟨x̄, x⟩ = k⟨g, f(x)⟩."""
    operands = [x.astype(REAL) if x.dtype.kind == "f" else x for x in seen.case.operands]
    value = seen.op.reference(*operands, **seen.case.parameters)
    outputs = value if seen.op.has_several_outputs else (value,)
    terms: list[Term] = []
    for law in seen.op.homogeneities:
        _require_gradients(seen, law.of)
        own = [(_gradient(seen, i), operands[i]) for i in law.of]
        got = sum(np.sum(gradient * x) for gradient, x in own)
        allowed = sum(np.sum(_weighed(_allowed(seen, i), operands[i])) for i in law.of)
        which = ", ".join(map(str, law.of))
        degrees = law.degrees(len(outputs))
        pairs = zip(degrees, seen.case.cotangents, outputs, strict=True)
        paired = sum(degree * np.sum(g * z) for degree, g, z in pairs)
        named = " and ".join(f"{degree:g}" for degree in dict.fromkeys(degrees))
        claim = f"⟨gradient, operand⟩ over operands {which} is not {named}·⟨cotangent, value⟩"
        size = sum(np.sum(np.abs(g * z)) for g, z in zip(seen.case.cotangents, outputs, strict=True))
        hold_close(np.asarray(got), np.asarray(paired), np.asarray(allowed + _lost(size)), claim)
        terms += [Term(gradient, x, allowed, max(degrees)) for gradient, x in own]
    if Trait.VANISHING not in seen.op.traits and not would_show(terms):
        raise NotThisCase("the sum would hardly be another of other gradients")
    decides(True)


class Term(NamedTuple):
    """A gradient and its operand, whose products are summed; what is allowed of the sum; the degree of its law."""

    gradient: Any
    operand: Any
    allowed: Any
    degree: float


def would_show(terms: Sequence[Term]) -> bool:
    """Whether a sum would be another if its gradient were 0, or that of the entry before: everywhere, or where it is largest.

    Products may cancel by chance, or lie within the allowance of others; of degree 0 they always cancel.
    """
    of_zero = [term for term in terms if term.degree]
    return any(term.gradient.any() for term in terms) and all(
        any(_moved(replaced(term.gradient, wrong), term) > CLEARLY * term.allowed for term in among)
        for wrong, among in ((np.zeros_like, of_zero), (_of_the_entry_before, terms))
        for replaced in (_everywhere, _where_largest)
        if any((replaced(term.gradient, wrong) != term.gradient).any() for term in among)
    )


def _is_scaled_as_a_whole(op: Op) -> bool:
    is_product = not op.traits.isdisjoint({Trait.LINEAR, Trait.QUADRATIC})
    return bool(op.homogeneities) and family_of(op) == MATRICES and not is_product


@op_check("E10", "far-scaled", applies=_is_scaled_as_a_whole, once_per_signature=True)
def matrices_far_up_and_far_down_have_scaled_gradients(seen: Observation) -> None:
    """Of matrices scaled by a power of two so that their squares overflow, or are lost, the gradients are those of the matrices, scaled.

    f(tx) = tᵏ f(x), so the gradient at tx for the cotangent t¹⁻ᵏ g is that at x for g. No digit changes.
    """
    law = seen.op.homogeneities[0]
    _require_gradients(seen, law.of)
    pairs = zip(seen.answer.gradients, seen.expected, strict=True)
    if any(compare(got, expected, "").error > 1 for got, expected in pairs):
        raise NotThisCase(
            "the gradients of the matrices themselves are wrong, which is for other checks to say"
        )
    degrees = law.degrees(len(seen.case.cotangents))
    reach = max(1.0, *(abs(number) for k in degrees for number in (k, 1 - k)))
    most = int(FAR * np.finfo(seen.case.dtype).maxexp / reach) // 2 * 2  # even: there are roots of matrices
    for exponent in (most, -most):
        operands = [np.ldexp(x, exponent) if i in law.of else x for i, x in enumerate(seen.case.operands)]
        cotangents = [
            np.ldexp(g, int(exponent * (1 - k))) for k, g in zip(degrees, seen.case.cotangents, strict=True)
        ]
        answer = seen.vjp(operands=operands, cotangents=cotangents)
        for position, expected in enumerate(seen.expected):
            got, is_scaled = answer.gradients[position], seen.wrt[position] in law.of
            back = got if got is None or is_scaled else np.ldexp(got, -exponent)
            hold_within(
                back,
                expected,
                seen.label(position),
                f"is another where matrices are 2^{exponent} times as large",
            )


CLEARLY = 4.0  # times the allowance: an error of a quarter shows as well


def _of_the_entry_before(gradient: Any) -> Any:
    return np.roll(gradient.ravel(), 1).reshape(gradient.shape)


def _everywhere(gradient: Any, wrong: Callable[[Any], Any]) -> Any:
    return wrong(gradient)


def _where_largest(gradient: Any, wrong: Callable[[Any], Any]) -> Any:
    other, replaced = wrong(gradient), gradient.copy()
    place = np.argsort(np.where(other != gradient, np.abs(gradient), -1.0), axis=None, kind="stable")[-1:]
    replaced.flat[place] = other.flat[place]
    return replaced


def _moved(replaced: Any, term: Term) -> Any:
    return np.abs(np.sum((replaced - term.gradient) * term.operand))


# ---- f(x + c) = f(x) + γc, so that Σx̄ = γ Σg -------------------------------------------------------------


MULTIPLES = ("zero", "negated", "doubled", "slightly scaled")
SUMS = (
    ("of another entry, at all entries", "a sum does not depend on the order of its terms"),
    *(
        (f"{name}, at all entries", "where the gain is 0, so are the sums of all multiples")
        for name in MULTIPLES
    ),
)


@op_check("E10", "shift", applies=lambda op: op.shift is not None, satisfied_by=SUMS)
def shifted_gradient_sums_to_the_gain(seen: Observation) -> None:
    """Where a common shift shifts the value by γ times itself, the gradients sum to γ times the cotangent."""
    law = seen.op.shift
    assert law is not None
    _require_gradients(seen, law.of)
    cotangent = seen.case.cotangents[0].astype(REAL)
    axes = None if len(law.of) > 1 else axes_along(seen, law.axis)
    terms = [_gradient(seen, i) for i in law.of]
    got = np.asarray(sum(np.sum(term, axis=axes) for term in terms))
    allowed = sum(np.sum(_allowed(seen, i), axis=axes) for i in law.of)
    decides(
        any((np.abs(term) > np.max(allowed, initial=0.0)).any() for term in terms)
    )  # of gain 0 they cancel
    expected = np.zeros_like(got)
    if law.gain:
        expected += law.gain * _arriving(cotangent, seen.case.operands[law.of[0]].shape, axes)
    claim = f"the gradients do not sum to {law.gain:g} times the cotangent, as the function's shifts demand"
    hold_close(got, expected, np.asarray(allowed + _lost(np.sum(np.abs(cotangent)))), claim)


def _arriving(cotangent: Any, shape: Shape, axes: tuple[int, ...] | None) -> Any:
    """The cotangents of what the entries along the axes become, summed: of a reduction it is one."""
    if axes is None:
        return np.sum(cotangent)
    free = tuple(n for a, n in enumerate(shape) if a not in axes)
    if cotangent.size == math.prod(free):
        return cotangent.reshape(free)
    return np.sum(cotangent.reshape(shape), axis=axes)


# ---- f(Px) = f(x) or P f(x), so that the gradient is permuted with the entries ----------------------------


def _ignores_order(op: Op) -> bool:
    return not op.traits.isdisjoint((Trait.ORDER_INVARIANT, Trait.ORDER_EQUIVARIANT))


@op_check("E10", "order", applies=_ignores_order, once_per_signature=True, calls_anew=True)
def gradient_goes_with_its_entries(seen: Observation) -> None:
    """Where the order along an axis does not matter, reversing the operand reverses its gradient."""
    _require_gradients(seen, (0,))
    axes = axes_along(seen)
    x, g = seen.case.operands[0], seen.case.cotangents[0]
    value_is_reversed = Trait.ORDER_EQUIVARIANT in seen.op.traits
    reverse: dict[str, Any] = {
        "operands": [np.array(np.flip(x, axes))],
        "cotangents": [np.array(np.flip(g, axes) if value_is_reversed else g)],
    }
    again = seen.vjp(**reverse)
    first, of_reversed = seen.answer.gradients[0], again.gradients[0]
    if first is None or of_reversed is None:
        raise Violation(f"{seen.label(0)} was dropped")
    own = np.flip(seen.expected[0].allowed, axes)
    hold_close_within_either(
        of_reversed,
        np.flip(first, axes),
        2 * own,
        lambda: own + seen.allowed_for(**reverse)[0],
        f"{seen.label(0)} does not go with its entries",
    )


# ---- what the laws are written in --------------------------------------------------------------------------


def axes_along(seen: Observation, otherwise: int = -1) -> tuple[int, ...]:
    """The axes of a law: those that the parameter `axis` names; one axis where there is no such parameter."""
    x = seen.case.operands[0]
    axes: tuple[int, ...] = axes_of(x.shape, seen.case.parameters.get("axis", otherwise))
    if not axes or not x.size:
        raise NotThisCase("no axis is reduced, or the operand has no entries")
    return axes


def _require_gradients(seen: Observation, operands: Sequence[int]) -> None:
    if not set(operands) <= set(seen.wrt):
        raise NotThisCase("an operand of the law needs no gradient here")


def _gradient(seen: Observation, index: int) -> Any:
    """The gradient of an operand in extended precision; None stands for zeros."""
    gradient = seen.answer.gradients[seen.wrt.index(index)]
    return np.zeros(seen.case.operands[index].shape, REAL) if gradient is None else gradient.astype(REAL)


def _allowed(seen: Observation, index: int) -> Any:
    return seen.expected[seen.wrt.index(index)].allowed


def _weighed(allowed: Any, operand: Any) -> Any:
    """The allowance times the operand's size; where that is 0 a gradient counts for nothing, however uncertain."""
    return np.where(operand == 0, 0, allowed) * np.abs(operand)


def _lost(size: Any) -> Any:
    """What the extended precision of the law itself may lose of terms of that size."""
    return 1024 * np.finfo(REAL).eps * size
