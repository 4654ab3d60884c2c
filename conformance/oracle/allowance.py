"""What error an engine is allowed: about that of the textbook rule in the engine's own precision.

The exact value is the rule evaluated in extended precision. For the allowance the same rule is evaluated
several times in the engine's dtype, with every operand, cotangent and intermediate result perturbed by at most
one unit in the last place, and sums taken one by one in an order drawn anew. The largest distance from the exact value is the effect of rounding on this case.
Before an engine is called wrong, plain loops are evaluated too: partial sums of equal terms are rounded to one side.
The rounding of the result itself is added: a few units where the rule calls functions whose rounding no standard
fixes. No tolerance is typed in per op, and none grows with the size of an array.

For an elementwise op every entry has an allowance of its own. Any other op combines entries, and so their
rounding errors, in an order that the engine chooses: there every entry is allowed the largest distance
found in the array (normwise error, Higham 2002, ch. 3). Complex errors are measured by the modulus: a complex product is
accurate in it, but not in each part (section 3.6).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from conformance.case import Case
from conformance.dtype import BFLOAT16, CARRIER, HALF, carried, finfo, is_inexact, is_real
from conformance.kept import kept
from conformance.op import Domain, Op, Shape, Trait
from conformance.ops.dispatch import sharing
from conformance.oracle.draws import InPlace
from conformance.oracle.rounding import Evaluate, library_calls, trial, trials
from conformance.oracle.symmetry import is_symmetric
from conformance.values import is_complex, operands

Array = np.ndarray[Any, Any]
EXTENDED = np.longdouble
PERTURBATIONS = 4  # evaluations with perturbed operands: enough to pass an engine
MANY_PERTURBATIONS = 64  # used before an engine is called wrong
SAFETY_FACTOR = 3.0  # times the distance of the textbook rule: another order of summation is as good
ULPS = 4.0  # units in the last place by which the elementary functions of good libraries differ
ORDINARY = 24  # entries of operands, at least, from which the natural size of a gradient is measured
ROUNDING = 1.0  # the same where IEEE 754 rounds every function called: the rounding of the result alone

# What an allowance is measured over.
PER_PLACE, PER_ENTRY, PER_ARRAY = "per place of all arrays", "per entry", "per array"


@dataclass(frozen=True)
class Expected:
    """An exact value and how far from it an engine may be, entry by entry."""

    exact: Array
    allowed: Array
    ulp: Array  # one unit in the last place of each exact entry, in the case's dtype
    spread: Array | None = None  # the part of the allowance that comes from rounding in the textbook rule
    library: tuple[str, ...] = ()  # the functions called on the way whose rounding no standard fixes
    is_symmetric: bool = (
        False  # of a symmetric operand: only the symmetric part is decided by the op's values
    )

    @cached_property
    def unit(self) -> Array:
        """One unit in the last place at the conditioning of the case, for each entry.

        This is the entry's own unit, or the effect of perturbing all operands and results by one, if that is larger.
        """
        return self.ulp if self.spread is None else np.maximum(self.ulp, self.spread / SAFETY_FACTOR)

    @property
    def units(self) -> float:
        """Units in the last place that every result is allowed."""
        return ULPS if self.library else ROUNDING

    def why(self, place: tuple[int, ...]) -> str:
        """The parts of the allowance of one entry, in words."""
        if self.spread is None:
            return "from the textbook rule in that precision"
        allowed, spread, ulp = (float(x[place]) for x in (self.allowed, self.spread, self.ulp))
        source = f"for {', '.join(self.library)}" if self.library else "for its own rounding"
        largest = max(allowed - spread - self.units * ulp, 0.0)  # subnormals are few, and round
        return (
            f"{SAFETY_FACTOR:g} times the {spread / SAFETY_FACTOR:.2g} by which rounding changes the textbook rule, "
            f"{self.units:g} ulp of {ulp:.2g} {source}, and {largest:.2g}, an ulp of the usual gradient size"
        )


def expect(
    evaluate: Evaluate,
    inputs: Sequence[Array],
    dtype: str,
    sizes: Sequence[float | Array],
    *,
    scope: str = PER_ARRAY,
    perturbations: int = PERTURBATIONS,
) -> list[Expected]:
    """The exact results of `evaluate(inputs)`, and the error allowed in `dtype`.

    Args:
        evaluate: computes in the floating point type of its inputs.
        inputs: operands and cotangents in `dtype`; integers and booleans are not changed.
        dtype: the engine's.
        sizes: for each result, a magnitude, or one for each entry; one unit in its last place is always allowed
            (saturated tails round to zero there).
        scope: PER_PLACE where an entry is computed from the inputs at its place, PER_ENTRY where its errors are its own.
        perturbations: how many evaluations with perturbed inputs, besides those at the inputs themselves.
    """
    with np.errstate(all="ignore"):
        exact = [np.asarray(x) for x in evaluate([extended(x) for x in inputs])]
        with library_calls() as called:
            loops = [InPlace()] if perturbations >= MANY_PERTURBATIONS and scope != PER_PLACE else []
            plain = [trial(evaluate, inputs, dtype, draws) for draws in (None, *loops)]
            moved = trials(evaluate, inputs, dtype, perturbations, are_entries_alone=scope == PER_PLACE)
        if dtype == BFLOAT16.name:  # the rule sums in a wider type; an engine may round every partial sum
            called.append(f"sums that the rule computes in {CARRIER.name}")
        if np.dtype(dtype).kind == "c":
            called.append("complex arithmetic")
        library = tuple(sorted(set(called)))
        return [
            _allow(value, np.stack([*(z[i] for z in plain), *moved[i]]), dtype, sizes[i], scope, library)
            for i, value in enumerate(exact)
        ]


def _allow(
    exact: Array,
    evaluations: Array,
    dtype: str,
    size: float | Array,
    scope: str,
    library: tuple[str, ...],
) -> Expected:
    precision = finfo(dtype)
    largest = float(precision.max)
    has_number = np.abs(exact) <= largest
    spread = _distance(extended(evaluations), exact).max(axis=0, where=has_number, initial=0)
    if scope == PER_ARRAY and spread.size:
        spread = np.full(spread.shape, spread.max(), EXTENDED)
    ulp = np.spacing(np.minimum(np.abs(exact), largest).astype(precision.dtype)).astype(EXTENDED)
    explained = SAFETY_FACTOR * spread
    without = Expected(exact, explained, ulp, explained, library)
    allowed = explained + without.units * ulp + float(precision.eps) * size + _underflow(dtype)
    return replace(without, allowed=np.where(np.isnan(exact) | has_number, allowed, np.inf))


def _underflow(dtype: str) -> float:
    """The least normal number of the type in which an engine computes; some engines flush smaller ones to zero."""
    return float(finfo(CARRIER if dtype in HALF else dtype).tiny)


def _distance(evaluations: Array, exact: Array) -> Array:
    """The error of each evaluation; infinite where it overflows on the way to a finite value."""
    return np.where(np.isfinite(exact) & ~np.isfinite(evaluations), np.inf, np.abs(evaluations - exact))


def extended(array: Array) -> Array:
    """Real and complex numbers in extended precision; integers and booleans unchanged."""
    if array.dtype.kind == "c":
        return array.astype(np.result_type(array, EXTENDED))
    return array.astype(EXTENDED) if is_real(array.dtype) else array


# ---- ops ----------------------------------------------------------------------------------------


def reference_vjp(op: Op, case: Case, wrt: Sequence[int]) -> Evaluate:
    """The op's VJP as a function of operands followed by cotangents."""
    count = len(case.operands)

    @sharing()
    def evaluate(inputs: Sequence[Array]) -> Sequence[Array]:
        operands, cotangents = inputs[:count], tuple(inputs[count:])
        z = op.reference(*operands, **case.parameters)
        g = cotangents if op.has_several_outputs else cotangents[0]
        return [op.rule(i, g, z, *operands, **case.parameters) for i in wrt]

    return evaluate


def differentiable(op: Op, case: Case) -> tuple[int, ...]:
    """Which operands of a case have a gradient."""
    return case.wrt or tuple(i for i in range(len(case.operands)) if op.is_differentiable(i))


@kept(Expected)
def expected_gradients(op: Op, case: Case, *, perturbations: int = PERTURBATIONS) -> list[Expected]:
    """The expected gradients of a case, for its differentiable operands in order; kept for all modes of an engine."""
    wrt = differentiable(op, case)
    inputs = (*case.operands, *case.cotangents)
    largest = max((float(np.abs(g).max()) for g in case.cotangents if g.size), default=0.0)
    sizes = [largest * size for size in natural_gradient_sizes(op, case)]
    found = expect(
        reference_vjp(op, case, wrt),
        inputs,
        case.dtype,
        sizes,
        scope=allowance_scope(op),
        perturbations=perturbations,
    )
    return of_operands(op, wrt, found)


def of_operands(op: Op, wrt: Sequence[int], expected: Sequence[Expected]) -> list[Expected]:
    """What is expected of the gradients of some operands, marked where an operand is symmetric."""
    return [replace(e, is_symmetric=is_symmetric(op, i)) for i, e in zip(wrt, expected, strict=True)]


@kept(Expected)
def expected_values(op: Op, case: Case, *, perturbations: int = PERTURBATIONS) -> list[Expected]:
    """The expected outputs of a case."""

    def evaluate(operands: Sequence[Array]) -> Sequence[Array]:
        output = op.reference(*operands, **case.parameters)
        return output if isinstance(output, tuple) else (output,)

    plain = [np.asarray(z) for z in evaluate([carried(x) for x in case.operands])]
    sizes = [float(np.abs(z[np.isfinite(z)]).max(initial=0.0)) for z in plain]
    return expect(
        evaluate, case.operands, case.dtype, sizes, scope=allowance_scope(op), perturbations=perturbations
    )


def allowance_scope(op: Op) -> str:
    """PER_PLACE where the entries of an op's results have rounding errors of their own, else PER_ARRAY."""
    return PER_PLACE if Trait.ELEMENTWISE in op.traits else PER_ARRAY


def natural_gradient_sizes(op: Op, case: Case) -> list[float]:
    """For each differentiable operand the usual largest entry of its gradient, for a cotangent of signed ones.

    It is measured at ordinary operands of the same shapes, so that a saturated entry is compared with
    unsaturated ones. Where entries share their rounding errors, the case's own operands count as well.
    """
    natural, own = _ordinary_sizes(_Call.of(op, case)), _gradient_sizes(op, case, case.operands)
    # Slopes such as that of 1/x have no bound: steep ordinary operands must not widen the allowance at flat ones.
    most = max(1.0, *own)
    if allowance_scope(op) == PER_PLACE:
        return [min(size, most) for size in natural]
    return [min(max(sizes), most) for sizes in zip(natural, own, strict=True)]


@dataclass(frozen=True)
class _Call:
    """The static part of a case: the same for all value draws of one signature."""

    op: Op
    key: str
    case: Case = field(compare=False)

    @staticmethod
    def of(op: Op, case: Case) -> _Call:
        fixed = [x.tolist() for i, x in enumerate(case.operands) if not op.is_differentiable(i)]
        shapes = [x.shape for x in case.operands]
        static = f"{shapes} {sorted(case.parameters.items())} {case.wrt} {fixed} {is_complex(case.dtype)}"
        return _Call(op, static, case)


@lru_cache(maxsize=4096)
def _ordinary_sizes(call: _Call) -> tuple[float, ...]:
    """The largest entries of the gradients over ordinary operands of the domain."""
    op, case = call.op, call.case
    domains = tuple(op.domain(i) for i in range(len(case.operands)))
    shapes = tuple(x.shape for x in case.operands)
    found = [
        _gradient_sizes(
            op, case, [d if op.is_differentiable(i) else case.operands[i] for i, d in enumerate(drawn)]
        )
        for drawn in _ordinary_operands(domains, shapes, _double(case.dtype))
    ]
    return tuple(map(max, zip(*found, strict=True)))


@lru_cache(maxsize=512)
def _ordinary_operands(
    domains: tuple[Domain, ...], shapes: tuple[Shape, ...], dtype: str
) -> list[tuple[Array, ...]]:
    """Enough draws of operands to have ORDINARY entries; ops with the same domains share them."""
    rng = np.random.default_rng(0)
    count = 1 + ORDINARY // max(1, *map(math.prod, shapes))
    return [operands(domains, shapes, dtype, "round", rng) for _ in range(count)]


def _gradient_sizes(op: Op, case: Case, operands: Sequence[Array]) -> list[float]:
    """The largest finite entry of each gradient at some operands, in double precision."""
    signs = _signs(tuple(g.shape for g in case.cotangents))
    inputs = [x.astype(_double(x.dtype)) if is_inexact(x.dtype) else x for x in (*operands, *signs)]
    with np.errstate(all="ignore"):
        values = reference_vjp(op, case, differentiable(op, case))(inputs)
    return [float(np.abs(v[np.isfinite(v)]).max(initial=0.0)) for v in map(np.asarray, values)]


@lru_cache(maxsize=512)
def _signs(shapes: tuple[Shape, ...]) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.choice((-1.0, 1.0), shape) for shape in shapes]


def _double(dtype: Any) -> str:
    return "complex128" if is_complex(dtype) else "float64"
