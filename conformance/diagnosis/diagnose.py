"""Diagnosis: why a gradient differs from the reference VJP.

Before an engine is called wrong, five diagnostics look at the worst entry without using the rule's value there: how
far the rule's answer changes when its operands do, the slope of the reference, the engine's value, the slope of what the
engine computes, and its forward mode. Where none of them decides, beside a kink for instance, the proof of the row stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from conformance.backend import Capability
from conformance.case import Array
from conformance.checks.comparison import hold_within
from conformance.checks.engine_calls import tangents_of
from conformance.checks.observation import Observation, Oracle, plain
from conformance.checks.registry import NotThisCase
from conformance.design.rows import rows_of
from conformance.diagnosis.worst_entry import DIGITS, Real, WorstEntry, worst_entry_in
from conformance.dtype import finfo
from conformance.errors import ConformanceError, Violation
from conformance.op import Shape
from conformance.oracle.allowance import Expected, expected_gradients, expected_values
from conformance.oracle.proof import EXTENDED, slope_of
from conformance.oracle.uncertainty import oracle_uncertainty
from conformance.runfile.diagnostics import Agreement, DiagnosedViolation, Diagnostic, Fault, NotEngineFault
from conformance.strategies.cases import build
from conformance.values import operands

GROSS = 2.0**-7  # of the largest value: two functions differ by more, two ways to compute one by less
NOT_ENGINE_FAULTS = {
    Fault.ADAPTER: "it is the slope of what the engine computes, and that is not {op}: "
    "the adapter calls another function, or passes its parameters wrongly; where it does neither, "
    "the engine's value is wrong (op/{op}/value), and its gradient follows that",
    Fault.RULE: "it is the slope of the reference: the rule of {op} is wrong here, not the engine; "
    "please report this case to this project",
}
SHORT = 8  # entries of an axis that no block ends within
STEPS = (1.0, 0.5)  # of the engine's own slope, in powers of the precision's cube root


def diagnose(seen: Observation, failure: Violation, perturbations: int) -> ConformanceError:
    """What a failed comparison with the rule becomes once it is diagnosed.

    The failure with its diagnostics, where the engine is wrong or no diagnostic decides; `NotEngineFault` where the rule or the adapter
    is; `NotThisCase` where the case decides nothing. `perturbations` is how many trials of rounding are enough.
    """
    worst = worst_entry_in(seen)
    if worst is None:
        return failure
    diagnostics = (_conditioning(worst, perturbations), _reference(worst), _value(worst), _own_slope(worst))
    fault = _fault(*(diagnostic.agrees_with for diagnostic in diagnostics))
    diagnosed = DiagnosedViolation(failure, fault, (*diagnostics, *_adjoint(worst)), worst.operand)
    if diagnosed.fault is Fault.CONDITIONING:
        return NotThisCase(f"ill-conditioned: {diagnostics[0].says}")
    if diagnosed.fault in NOT_ENGINE_FAULTS:
        return NotEngineFault(
            f"{failure}, but {NOT_ENGINE_FAULTS[diagnosed.fault].format(op=seen.op.name)}", diagnosed
        )
    return diagnosed


def _fault(conditioning: Agreement, reference: Agreement, value: Agreement, own: Agreement) -> Fault:
    if conditioning is Agreement.ENGINE:
        return Fault.CONDITIONING
    if value is Agreement.NEITHER and own is Agreement.ENGINE:
        return Fault.ADAPTER
    if reference is Agreement.ENGINE and own is not Agreement.RULE:
        return Fault.RULE
    return Fault.ENGINE


# ---- the rule itself -----------------------------------------------------------------------------------


def _conditioning(worst: WorstEntry, perturbations: int) -> Diagnostic:
    """How far the rule's answer changes with its operands, and how well the oracle knows it."""
    seen = worst.seen
    allowed = worst.allowed
    if seen.perturbations < perturbations:
        allowed = expected_gradients(seen.op, seen.case, perturbations=perturbations)[worst.position].allowed[
            worst.place
        ]
    unsure = oracle_uncertainty(seen.op, seen.case)[worst.position][worst.place]
    bound = max(allowed, unsure)
    says = f"rounding explains up to {bound:.2g}, they differ by {worst.difference:.2g}"
    is_explained = bool(worst.difference <= bound)
    return Diagnostic("conditioning", says, Agreement.ENGINE if is_explained else Agreement.RULE)


def _reference(worst: WorstEntry) -> Diagnostic:
    """The slope of the reference, found without the rule."""
    seen = worst.seen
    direction, length = worst.direction()
    try:
        name, slope, doubt = slope_of(seen.op, seen.case, worst.operand, direction)
    except Exception as error:  # nearby points may be invalid: a matrix may be singular there
        return Diagnostic(EXTENDED, f"the reference raised {type(error).__name__} beside the case")
    slope, doubt = slope / length, doubt / length
    if worst.is_blurred or not np.isfinite(doubt):
        return Diagnostic(name, "the reference has no slope here that differences can find")
    return Diagnostic(
        name, f"the reference's slope is {slope:.6g} ± {doubt:.1g}", worst.agreement_of(slope, doubt)
    )


# ---- the engine ------------------------------------------------------------------------------------------


def _value(worst: WorstEntry) -> Diagnostic:
    """The engine's value, beside the reference's."""
    seen = worst.seen
    expected = expected_values(seen.op, seen.case, perturbations=seen.perturbations)
    outputs = list(zip(seen.answer.outputs, expected, strict=True))
    if any(_is_another(got, bound) for got, bound in outputs):
        if _is_right_for_fewer(seen):
            says = "the engine's value is that of another function here, and the reference's where the axes are short"
            return Diagnostic("value", says)
        if _is_another_of_ordinary_numbers(seen, where_refused=True):
            return Diagnostic("value", "the engine's value is that of another function", Agreement.NEITHER)
        return Diagnostic(
            "value", "the engine's value is far from the reference's here, not for ordinary numbers"
        )
    try:
        for got, bound in outputs:
            hold_within(got, bound, "the value")
    except Violation:
        return Diagnostic(
            "value", "the engine's value is near the reference's, but further off than is allowed"
        )
    if _has_equal_entries(seen) and _is_another_of_ordinary_numbers(seen, where_refused=False):
        says = "the engine's value is the reference's where entries are equal, and that of another function elsewhere"
        return Diagnostic("value", says, Agreement.NEITHER)
    return Diagnostic("value", "the engine's value is the reference's", Agreement.RULE)


def _has_equal_entries(seen: Observation) -> bool:
    """Whether entries of an operand are equal: then another order of them has the same value."""
    return any(np.unique(seen.case.operands[i]).size < seen.case.operands[i].size for i in seen.wrt)


def _is_another_of_ordinary_numbers(seen: Observation, *, where_refused: bool) -> bool:
    """Whether the engine's value is another function's for ordinary operands of the case's shapes, too.

    `where_refused` is the answer where the engine or the row takes none.
    """
    given, rng = seen.case.operands, np.random.default_rng(0)
    real = [i for i in range(len(given)) if seen.op.is_differentiable(i)]
    drawn = iter(
        operands(
            [seen.op.domain(i) for i in real], [given[i].shape for i in real], seen.case.dtype, "full", rng
        )
    )
    case = replace(seen.case, operands=tuple(next(drawn) if i in real else x for i, x in enumerate(given)))
    try:
        function = seen.backend.call(seen.op.name, case.parameters)
        values = [plain(seen.backend, z) for z in seen.backend.forward(function, list(case.operands))]
        bounds = expected_values(seen.op, case, perturbations=seen.perturbations)
    except Exception:  # neither the engine nor the row need take them: the case alone tells
        return where_refused
    return any(_is_another(got, bound) for got, bound in zip(values, bounds, strict=True))


def _is_right_for_fewer(seen: Observation) -> bool:
    """Whether the value is the reference's for the same parameters and ranks, where no axis is long.

    An adapter that calls another function, or mistakes an axis or a parameter, does so however long the axes are.
    """
    shapes = [x.shape for x in seen.case.operands]
    if max((n for shape in shapes for n in shape), default=0) <= SHORT:
        return False
    for row in rows_of(seen.op):
        signature = row.signature
        if not (
            _is_shorter(signature.shapes, shapes) and str(signature.parameters) == str(seen.case.parameters)
        ):
            continue
        dtype = seen.case.dtype
        try:
            case = build(seen.op, row, dtype, texture="full", upstream="signed", layouts=("C",), seed=0)
            few = Observation(seen.backend, Oracle(seen.op, case, seen.perturbations))
            bounds = expected_values(seen.op, case, perturbations=seen.perturbations)
            return not any(_is_another(got, bound) for got, bound in zip(few.forward(), bounds, strict=True))
        except Exception:  # what the engine refuses tells nothing
            return False
    return False


def _is_shorter(shapes: Sequence[Shape], than: Sequence[Shape]) -> bool:
    """Whether operands have as many axes, of one entry where these have one, and else of two to a few."""
    return len(shapes) == len(than) and all(
        len(few) == len(many) and all(n == m == 1 or 1 < n <= SHORT for n, m in zip(few, many, strict=True))
        for few, many in zip(shapes, than, strict=True)
    )


def _is_another(got: Array, expected: Expected) -> bool:
    """Whether a value is so far from the reference's that no way to compute it explains that."""
    if got.shape != expected.exact.shape:
        return True
    is_finite = np.isfinite(expected.exact) & np.isfinite(got) & np.isfinite(expected.allowed)
    exact = expected.exact[is_finite]
    far = np.maximum(GROSS * np.abs(exact).max(initial=0), expected.allowed[is_finite])
    return bool((np.abs(got[is_finite] - exact) > far).any())


def _own_slope(worst: WorstEntry) -> Diagnostic:
    """The slope of what the engine computes, from differences of its own values."""
    name = "engine's differences"
    try:
        slope, doubt = _differences(worst)
    except Exception as error:  # it may refuse nearby points
        return Diagnostic(name, f"the engine raised {type(error).__name__} beside the case")
    if worst.is_blurred or not np.isfinite(doubt):
        return Diagnostic(name, "the engine's values have no slope here that differences can find")
    says = f"the slope of what the engine computes is {slope:.6g} ± {doubt:.1g}"
    return Diagnostic(name, says, worst.agreement_of(slope, doubt))


def _adjoint(worst: WorstEntry) -> Iterator[Diagnostic]:
    """What the engine's forward mode, if it has one, makes of the entry: ⟨g, Jv⟩ along its axis v is ⟨Jᵀg, v⟩."""
    seen, name = worst.seen, "forward mode"
    if Capability.FORWARD not in seen.backend.capabilities:
        return
    direction, length = worst.direction()
    still = [np.zeros_like(seen.case.operands[i]) for i in seen.wrt]
    still[worst.position] += direction.astype(still[worst.position].dtype)
    try:
        tangents = tangents_of(seen, still)
    except Exception as error:
        yield Diagnostic(name, f"the engine raised {type(error).__name__} where it pushes a tangent")
        return
    terms = [np.ravel(g.astype(Real) * t) for g, t in zip(seen.case.cotangents, tangents, strict=True)]
    slope, size = (
        Real(np.sum(part)) / length for part in (np.concatenate(terms), np.abs(np.concatenate(terms)))
    )
    doubt = DIGITS * Real(finfo(seen.case.dtype).eps) * size
    yield Diagnostic(name, f"pushed forward, the entry is {slope:.10g}", worst.agreement_of(slope, doubt))


def _differences(worst: WorstEntry) -> tuple[Real, Real]:
    """Central differences of two steps, extrapolated, and how far off that may be.

    The doubt is what they disagree by, what the slopes on the two sides do, where that does not shrink with the step, and
    the rounding of the values.
    """
    seen, eps = worst.seen, Real(finfo(worst.seen.case.dtype).eps)
    here = _weighed(worst, seen.case.operands[worst.operand])
    _, length = worst.direction()
    step = np.cbrt(eps) * length
    (wide, far), (fine, near) = (_sides(worst, here, step * part) for part in STEPS)
    rounding = 8 * eps * np.sum(np.abs(here)) / step
    return (4 * fine - wide) / 3, abs(fine - wide) + abs(2 * near - far) + rounding


def _sides(worst: WorstEntry, here: Array, step: Real) -> tuple[Real, Real]:
    """The slope between the points a step to either side, and by how much the slopes towards them differ."""
    x, axis = worst.seen.case.operands[worst.operand], worst.axis
    above, below = (_stepped(x, sign * step * axis) for sign in (1, -1))
    at, there, back = (array[axis != 0].astype(Real) for array in (x, above, below))
    up, down = np.sum(there - at), np.sum(at - back)
    rise, fall = _weighed(worst, above) - here, here - _weighed(worst, below)
    return np.sum(rise + fall) / (up + down), np.sum(rise) / up - np.sum(fall) / down


def _stepped(x: Array, step: Array) -> Array:
    # Where it stands still it keeps its bits: an infinity, the sign of a zero.
    return np.where(step == 0, x, x + step.astype(x.dtype)).astype(x.dtype)


def _weighed(worst: WorstEntry, operand: Array) -> Array:
    """The engine's outputs for another operand, each entry times its cotangent."""
    seen = worst.seen
    operands = [operand if i == worst.operand else np.array(x) for i, x in enumerate(seen.case.operands)]
    outputs = seen.backend.forward(seen.backend.call(seen.op.name, seen.case.parameters), operands)
    values = [plain(seen.backend, z).astype(Real) for z in outputs]
    return np.concatenate([np.ravel(z * g) for z, g in zip(values, seen.case.cotangents, strict=True)])
