"""Chapter E: values and gradients of elementwise ops at some hundred numbers, all over the domain.

An engine's function is put together of pieces: a series near zero, a fit beside it, an expansion far out. A piece that is used
beyond where it holds is wrong in a few binades, which a few random numbers miss. What is wrong here is wrong by much
more than rounding explains; by how little a value may differ is held at the cases' own numbers.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, hold_all_within
from conformance.checks.e_values.vjp import expected_values_anywhere
from conformance.checks.engine_calls import require_offered, unless_refused
from conformance.checks.observation import Observation, Oracle, hold_gradients
from conformance.checks.registry import FULL, op_check
from conformance.dtype import HALF
from conformance.errors import Unsupported, Violation
from conformance.layout import LAYOUTS
from conformance.op import Domain, Op, OperandKind, Trait
from conformance.oracle.allowance import Expected
from conformance.values import cotangent
from conformance.values.sweep import COUNT, complex_sweep, sweep

# Times what rounding explains: of so many numbers some lie where a formula that is as good rounds more than the textbook's.
MARGIN = 16.0
IN_HALF = 4.0  # where sixteen times a few units would be a quarter of the value; engines compute in a wider type there
WIDE = frozenset({"complex128"})
Ask = Callable[[Observation], list[Comparison]]
Draw = Callable[[Sequence[Domain], str, np.random.Generator], list[Array]]


def acts_on_real_numbers(op: Op) -> bool:
    """Whether it acts on every element alone, and all its operands are real numbers."""
    is_of_entries = Trait.ELEMENTWISE in op.traits and Trait.VARIADIC not in op.traits
    return is_of_entries and all(domain.kind is OperandKind.REAL for domain in op.domains)


@op_check(
    "E22", "value-swept", applies=acts_on_real_numbers, sparing=True, dtypes=FULL | HALF, is_diagnosed=True
)
def value_is_right_all_over_the_domain(seen: Observation) -> list[Comparison]:
    """At some hundred numbers of all magnitudes, beside every mark of the domain, the value is right but for rounding."""
    if seen.case.dtype in HALF:
        require_offered(seen)
    return _at_each(seen, _hold_values)


@op_check("E14", "swept", applies=acts_on_real_numbers, sparing=True, is_diagnosed=True)
def gradient_is_right_all_over_the_domain(seen: Observation) -> list[Comparison]:
    """At some hundred numbers of all magnitudes, beside every mark of the domain, the gradient is right but for rounding."""
    return _at_each(seen, _hold_gradients)


def _is_complex_function(op: Op) -> bool:
    return (
        {Trait.ELEMENTWISE, Trait.HOLOMORPHIC} <= op.traits
        and len(op.domains) == 1
        and acts_on_real_numbers(op)
    )


@op_check(
    "E22", "complex-value-swept", applies=_is_complex_function, sparing=True, dtypes=WIDE, is_diagnosed=True
)
def value_is_right_all_over_the_plane(seen: Observation) -> list[Comparison]:
    """At some hundred complex numbers of all sizes and directions the value is right but for rounding."""
    if unless_refused(seen.forward, seen.backend) is None:
        raise Unsupported("the engine does not compute it of complex numbers")
    return _at_each(seen, _hold_values, complex_sweep)


def _hold_values(seen: Observation) -> list[Comparison]:
    bounds = expected_values_anywhere(seen.op, seen.case, seen.perturbations)
    margin = _margin(seen.case)
    triples = (
        (got, _wide(bound, margin), "the value") for got, bound in zip(seen.forward(), bounds, strict=True)
    )
    return hold_all_within(triples, claim="differs from the reference value")


def _hold_gradients(seen: Observation) -> list[Comparison]:
    return hold_gradients(seen, [*map(_wide, seen.expected)])


def _margin(case: Case) -> float:
    return IN_HALF if case.dtype in HALF else MARGIN


def _wide(bound: Expected, margin: float = MARGIN) -> Expected:
    return Expected(bound.exact, margin * bound.allowed, bound.ulp)


def _at_each(seen: Observation, ask: Ask, draw: Draw = sweep) -> list[Comparison]:
    """What is asked of all numbers in one call; where an entry is wrong, of this one alone, which makes the shorter script."""
    case = seen.case
    rng = np.random.default_rng(zlib.crc32(b"".join(x.tobytes() for x in case.operands)))
    domains = case.domains or [seen.op.domain(i) for i in range(len(case.operands))]
    swept = draw(domains, case.dtype, rng)
    pushed = cotangent((COUNT,), case.dtype, "signed", rng)
    everywhere = replace(
        case,
        operands=tuple(swept),
        cotangents=(np.where(pushed == 0, np.ones_like(pushed), pushed),),
        layouts=(LAYOUTS[0],) * len(case.layouts),
    )
    try:
        return ask(_observed(seen, everywhere))
    except Violation as failure:
        if not failure.comparisons:
            raise
        (place,) = failure.comparisons[-1].place
        failure.because = _because(everywhere, place)
        alone = _only(everywhere, place)
        try:
            ask(_observed(seen, alone))
        except Violation as shorter:
            shorter.because = _because(alone, 0)
            raise shorter from None
        raise


def _because(case: Case, place: int) -> str:
    """Where the allowance of an entry comes from, and at which operands."""
    at = ", ".join(f"{x[place].item():.6g}" for x in case.operands)
    return f"{_margin(case):g} times what rounding explains, at {at}"


def _observed(seen: Observation, case: Case) -> Observation:
    return Observation(seen.backend, Oracle(seen.op, case, seen.perturbations))


def _only(case: Case, place: int) -> Case:
    """The case with one entry of every array."""
    alone = slice(place, place + 1)
    return replace(
        case,
        operands=tuple(x[alone] for x in case.operands),
        cotangents=tuple(g[alone] for g in case.cotangents),
    )
