"""What error an engine is allowed: about that of the textbook rule in the engine's own precision.

The exact value is the rule evaluated in extended precision. The allowance comes from evaluating the
same rule in the engine's dtype several times, every operand, every cotangent and every result on the
way moved by at most one unit in the last place, and taking the largest distance from the exact value:
what rounding alone does to this case. To it comes the rounding of the result itself, a few units where the rule
calls functions that no standard says how to round. No number is typed in per op, and none grows with the size of an
array.

Where an op acts on every element alone, so does the allowance. An op that mixes its entries mixes their
rounding errors too, in an order that is the engine's to choose: there every entry is allowed the
largest distance found in the array (normwise error, Higham 2002, ch. 3).

Complex numbers are judged by the modulus: a product of two is accurate in it, and not in each of its parts
(Higham 2002, section 3.6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from conformance.case import Case
from conformance.dtype import BFLOAT16, CARRIER, HALF, carried, finfo, is_inexact, is_real
from conformance.op import Op, Trait
from conformance.oracle.rounding import Evaluate, library_calls, rounding_by, rounding_on, trial
from conformance.values import is_complex, operands

Array = np.ndarray[Any, Any]
EXTENDED = np.longdouble

PERTURBATIONS = 4  # evaluations with perturbed operands: enough to pass an engine, see `perturbations`
MANY_PERTURBATIONS = 64  # before an engine is called wrong
SAFETY_FACTOR = 3.0  # distances of the textbook rule: another order of summation is as good as this one
ULPS = 4.0  # units in the last place by which the elementary functions of good libraries differ
ORDINARY = 24  # entries of operands, at least, from which the natural size of a gradient is measured
REMEMBERED = 1024  # cases of which what is expected is kept: more than a group of questions has
ROUNDING = 1.0  # the same where nothing is called but what IEEE 754 says how to round: only the result's own


@dataclass(frozen=True)
class Expected:
    """An exact value and how far from it an engine may be, entry by entry."""

    exact: Array
    allowed: Array
    ulp: Array  # one unit in the last place of each exact entry, in the case's dtype
    spread: Array | None = None  # of what is allowed, that which the rounding of the textbook rule explains
    library: tuple[str, ...] = ()  # what was computed on the way that no standard says how to round

    @property
    def unit(self) -> Array:
        """One unit in the last place at the conditioning of the case, for each entry.

        What moving every operand and every result on the way by one unit makes of it, if that is more than its own.
        """
        return self.ulp if self.spread is None else np.maximum(self.ulp, self.spread / SAFETY_FACTOR)

    @property
    def units(self) -> float:
        """Units in the last place that a result is allowed whatever the rule."""
        return ULPS if self.library else ROUNDING

    def why(self, place: tuple[int, ...]) -> str:
        """Where what is allowed to one entry comes from."""
        if self.spread is None:
            return "from the textbook rule in that precision"
        allowed, spread, ulp = (float(x[place]) for x in (self.allowed, self.spread, self.ulp))
        whose = f"for {', '.join(self.library)}" if self.library else "for its own rounding"
        largest = allowed - spread - self.units * ulp
        return (
            f"{SAFETY_FACTOR:g} times the {spread / SAFETY_FACTOR:.2g} by which rounding changes the textbook rule, "
            f"{self.units:g} ulp of {ulp:.2g} {whose}, and {largest:.2g}, an ulp of what is ordinary there"
        )


MIXED = "mixed"  # an op's entries share their rounding errors
ALONE = "alone"  # every entry has its own


def expect(
    evaluate: Evaluate,
    inputs: Sequence[Array],
    dtype: str,
    sizes: Sequence[float],
    *,
    entries: str = MIXED,
    perturbations: int = PERTURBATIONS,
) -> list[Expected]:
    """What `evaluate(inputs)` must give in `dtype`.

    Args:
        evaluate: works in whatever floating point type it is given.
        inputs: operands and cotangents in `dtype`; integers and truth values stay as they are.
        dtype: the engine's.
        sizes: for each result, the magnitude of which one unit in the last place is always allowed
            (saturated tails round to zero there).
        perturbations: how many evaluations with moved inputs, besides the one at the inputs themselves.
        entries: ALONE where every entry is computed from its own inputs, else MIXED.
    """
    with np.errstate(all="ignore"):
        exact = [np.asarray(x) for x in evaluate([extended(x) for x in inputs])]
        rng = np.random.default_rng(0)
        with library_calls() as called:
            trials = [trial(evaluate, inputs, dtype, by) for by in (None, *[rng] * perturbations)]
        if (
            dtype == BFLOAT16.name
        ):  # a rule's sums are more accurate than an engine's, which may round on the way
            called.append(f"what a rule carries in {CARRIER.name}")
        if np.dtype(dtype).kind == "c":
            called.append("complex arithmetic")
        library = tuple(sorted(set(called)))
        return [
            _allow(value, [results[i] for results in trials], dtype, sizes[i], entries, library)
            for i, value in enumerate(exact)
        ]


def _allow(
    exact: Array,
    trials: Sequence[Array],
    dtype: str,
    size: float,
    entries: str,
    library: tuple[str, ...],
) -> Expected:
    precision = finfo(dtype)
    largest = float(precision.max)
    has_number = np.abs(exact) <= largest
    spread = np.max(
        [_distance(extended(value), exact) for value in trials], axis=0, where=has_number, initial=0
    )
    if entries == MIXED and spread.size:
        spread = np.full(spread.shape, spread.max(), EXTENDED)
    ulp = np.spacing(np.minimum(np.abs(exact), largest).astype(precision.dtype)).astype(EXTENDED)
    explained = SAFETY_FACTOR * spread
    without = Expected(exact, explained, ulp, explained, library)
    allowed = explained + without.units * ulp + float(precision.eps) * size + _underflow(dtype)
    return replace(without, allowed=np.where(np.isnan(exact) | has_number, allowed, np.inf))


def _underflow(dtype: str) -> float:
    """The least normal number of the type in which an engine computes: below it, some round to zero."""
    return float(finfo(CARRIER if dtype in HALF else dtype).tiny)


def _distance(trial: Array, exact: Array) -> Array:
    """How far the rule is from exact; without bound where it overflows on the way to a finite value."""
    return np.where(np.isfinite(exact) & ~np.isfinite(trial), np.inf, np.abs(trial - exact))


def extended(array: Array) -> Array:
    """Real and complex numbers in extended precision; integers and truth values as they are."""
    if array.dtype.kind == "c":
        return array.astype(np.result_type(array, EXTENDED))
    return array.astype(EXTENDED) if is_real(array.dtype) else array


# ---- ops ----------------------------------------------------------------------------------------


def gradients_of(op: Op, case: Case, wrt: Sequence[int]) -> Evaluate:
    """The op's VJP as a function of operands followed by cotangents."""
    count = len(case.operands)

    def evaluate(inputs: Sequence[Array]) -> Sequence[Array]:
        operands, cotangents = inputs[:count], tuple(inputs[count:])
        z = op.reference(*operands, **case.parameters)
        g = cotangents if op.has_several_outputs else cotangents[0]
        return [op.rule(i, g, z, *operands, **case.parameters) for i in wrt]

    return evaluate


def differentiable(op: Op, case: Case) -> tuple[int, ...]:
    """Which operands of a case have a gradient."""
    return tuple(i for i in range(len(case.operands)) if op.is_differentiable(i))


@lru_cache(maxsize=REMEMBERED)
def expected_gradients(op: Op, case: Case, *, perturbations: int = PERTURBATIONS) -> list[Expected]:
    """What the gradients of a case must be, for its differentiable operands in order.

    It is the same for all modes of an engine, and dearer to find than to ask them.
    """
    wrt = differentiable(op, case)
    inputs = (*case.operands, *case.cotangents)
    largest = max((float(np.abs(g).max()) for g in case.cotangents if g.size), default=0.0)
    sizes = [largest * size for size in scales(op, case)]
    return expect(
        gradients_of(op, case, wrt),
        inputs,
        case.dtype,
        sizes,
        entries=entries_of(op),
        perturbations=perturbations,
    )


@lru_cache(maxsize=REMEMBERED)
def expected_values(op: Op, case: Case, *, perturbations: int = PERTURBATIONS) -> list[Expected]:
    """What the outputs of a case must be."""

    def evaluate(operands: Sequence[Array]) -> Sequence[Array]:
        output = op.reference(*operands, **case.parameters)
        return output if isinstance(output, tuple) else (output,)

    plainly = [np.asarray(z) for z in evaluate([carried(x) for x in case.operands])]
    sizes = [float(np.abs(z[np.isfinite(z)]).max(initial=0.0)) for z in plainly]
    return expect(
        evaluate, case.operands, case.dtype, sizes, entries=entries_of(op), perturbations=perturbations
    )


def own_doubts(op: Op, case: Case) -> list[Array]:
    """How far the exact gradients themselves may be off: what the rule's own steps lose in extended precision.

    Operands and cotangents are not moved, since in extended precision they are exact.
    """
    wrt = differentiable(op, case)
    evaluate = gradients_of(op, case, wrt)
    inputs = [extended(x) for x in (*case.operands, *case.cotangents)]
    with np.errstate(all="ignore"), rounding_by(np.random.default_rng(0), "longdouble"):
        exact = [np.asarray(x) for x in evaluate(inputs)]
        trials = [evaluate([rounding_on(x) for x in inputs]) for _ in range(PERTURBATIONS)]
        largest = float(finfo(case.dtype).max)
        return [
            _doubt(value, [np.asarray(t[i]) for t in trials], op, largest) for i, value in enumerate(exact)
        ]


def _doubt(exact: Array, trials: Sequence[Array], op: Op, largest: float) -> Array:
    distances = np.abs([trial - exact for trial in trials])
    # A zero that rounding makes the smallest number there is may be divided by: that tells nothing of the oracle.
    # Nor does an entry beyond the type's largest of those that an engine has a number for.
    is_told = np.isfinite(distances) & (np.abs(exact) <= largest)
    spread = np.where(is_told, distances, 0).max(axis=0)
    if entries_of(op) == MIXED and spread.size:
        spread = np.full(spread.shape, spread.max(), EXTENDED)
    return np.asarray(SAFETY_FACTOR * spread)


def entries_of(op: Op) -> str:
    """Whether the entries of an op's results have rounding errors of their own."""
    return ALONE if Trait.ELEMENTWISE in op.traits else MIXED


def scales(op: Op, case: Case) -> list[float]:
    """For each differentiable operand the natural size of its gradient for a cotangent of signed ones.

    That is the largest at ordinary operands of the same shapes, so that a saturated entry is judged against
    what is not saturated. Where entries share their rounding errors, those of the case are neighbours too.
    """
    natural, own = _natural_sizes(_Call.of(op, case)), _sizes(op, case, case.operands)
    # Where slopes have no bound, as 1/x has none, steep ordinary operands excuse nothing at flat ones.
    most = max(1.0, *own)
    if entries_of(op) == ALONE:
        return [min(size, most) for size in natural]
    return [min(max(sizes), most) for sizes in zip(natural, own, strict=True)]


@dataclass(frozen=True)
class _Call:
    """What is static about a case, and its operands without a gradient: the same for all its value draws."""

    op: Op
    key: str
    case: Case = field(compare=False)

    @staticmethod
    def of(op: Op, case: Case) -> _Call:
        fixed = [x.tolist() for i, x in enumerate(case.operands) if not op.is_differentiable(i)]
        shapes = [x.shape for x in case.operands]
        return _Call(op, f"{shapes} {sorted(case.parameters.items())} {fixed} {is_complex(case.dtype)}", case)


@lru_cache(maxsize=256)
def _natural_sizes(call: _Call) -> tuple[float, ...]:
    """The largest entries of the gradients over ordinary operands of the domain."""
    op, case, rng = call.op, call.case, np.random.default_rng(0)
    domains = [op.domain(i) for i in range(len(case.operands))]
    shapes = [x.shape for x in case.operands]
    found = []
    for _ in range(1 + ORDINARY // max(1, *(x.size for x in case.operands))):
        drawn = operands(domains, shapes, _double(case.dtype), "round", rng)
        ordinary = [x if op.is_differentiable(i) else case.operands[i] for i, x in enumerate(drawn)]
        found.append(_sizes(op, case, ordinary))
    return tuple(map(max, zip(*found, strict=True)))


def _sizes(op: Op, case: Case, operands: Sequence[Array]) -> list[float]:
    """The largest finite entry of each gradient at some operands, in double precision."""
    rng = np.random.default_rng(0)
    signs = [rng.choice((-1.0, 1.0), g.shape) for g in case.cotangents]
    inputs = [x.astype(_double(x.dtype)) if is_inexact(x.dtype) else x for x in (*operands, *signs)]
    with np.errstate(all="ignore"):
        values = gradients_of(op, case, differentiable(op, case))(inputs)
    return [float(np.abs(v[np.isfinite(v)]).max(initial=0.0)) for v in map(np.asarray, values)]


def _double(dtype: Any) -> str:
    return "complex128" if is_complex(dtype) else "float64"
