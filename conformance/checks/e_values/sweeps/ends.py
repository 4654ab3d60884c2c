"""Chapter E: values at the ends of a domain, at kinks, at zeros of either sign and at infinities."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from conformance.case import Array
from conformance.checks.comparison import decides, tolerances
from conformance.checks.e_values.sweeps.numbers import acts_on_real_numbers
from conformance.checks.engine_calls import unless_refused
from conformance.checks.observation import Observation, plain
from conformance.checks.registry import NotThisCase, op_check
from conformance.dtype import carried, finfo
from conformance.errors import Violation
from conformance.op import Domain, Op
from conformance.oracle.allowance import EXTENDED
from conformance.values.sweep import ends

MOST = 4096  # places of one call
SIZES = (1e40, 1e80, 1e160)  # of what stands for an infinite operand, and of one over what stands for a zero
LARGE = 30.0  # below log(1e40): what has no limit is larger
NEAR = 1e-2  # what is so near, relatively to 1 or to the value, goes to it
DIGITS = 0.5  # so much of a dtype's digits is compared: the others are held at ordinary numbers


@op_check("E22", "value-at-ends", applies=acts_on_real_numbers, sparing=True, is_diagnosed=True)
def value_at_the_ends_of_the_domain(seen: Observation) -> None:
    """At ends of the domain, kinks, zeros of either sign and infinities the value is the reference's, infinite of the same sign or a number.

    Where the reference is NaN, or where an infinity is no limit that operands of every size agree on, nothing is claimed.
    """
    domains = seen.case.domains or [seen.op.domain(i) for i in range(len(seen.case.operands))]
    places = _places(domains)
    try:
        _hold_at(seen, places, domains)
    except WrongPlace as failure:
        alone = places[failure.place : failure.place + 1]  # which makes the shorter script
        _hold_at(seen, alone, domains)
        raise


def _places(domains: Sequence[Domain]) -> Array:
    """A row for each choice of ends; of three operands or more at most one is infinite, since what formulas do with several differs."""
    rows = itertools.islice(itertools.product(*map(ends, domains)), MOST)
    most = len(domains) if len(domains) < 3 else 1
    return np.array([row for row in rows if np.isinf(row).sum() <= most])


class WrongPlace(Violation):
    """A value that is not the reference's, and which one it is."""

    place: int = 0


def _hold_at(seen: Observation, places: Array, domains: Sequence[Domain]) -> None:
    """Claim the values at places: a row of operands each."""
    case = seen.case
    operands = [column.astype(case.dtype) for column in places.T]
    value, is_sure = _expected(seen.op, case.parameters, operands, domains)
    function = seen.backend.call(seen.op.name, case.parameters)
    outputs = unless_refused(partial(seen.backend.forward, function, operands), seen.backend)
    if outputs is None:
        raise NotThisCase("the engine refuses infinite operands")
    got, allowed = plain(seen.backend, outputs[0]), finfo(case.dtype).eps ** DIGITS
    if got.shape != value.shape:
        raise Violation(f"the value has shape {got.shape}, expected {value.shape}", got=got)

    def is_fair(altered: Callable[[Array], Array]) -> Array:
        answer = carried(altered(got)).astype(EXTENDED)
        with np.errstate(invalid="ignore"):
            is_near = np.abs(answer - value) <= allowed * np.maximum(1, np.abs(value))
        return np.asarray((answer == value) | (is_near & np.isfinite(value)) | ~is_sure)

    tolerances.put(lambda altered: bool(is_fair(altered).all()))
    decides(is_sure.any())
    is_right = is_fair(np.asarray)
    if not is_right.all():
        place = int(np.argmin(is_right))
        at = ", ".join(f"{x:g}" for x in places[place])
        said = f"the value at {at} is {float(got[place]):.6g}, the reference's {float(value[place]):.6g}"
        failure = WrongPlace(said, expected=value.astype(float), got=got, where=str([place]))
        failure.place = place
        raise failure


def _expected(
    op: Op, parameters: Mapping[str, Any], operands: Sequence[Array], domains: Sequence[Domain]
) -> tuple[Array, Array]:
    """The reference's values, and where they are what they go to as zeros and infinities are approached, each at its own rate."""
    ends_at_zero = [domain.low == 0 or domain.high == 0 for domain in domains]

    def evaluate(given: Sequence[Array]) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(op.reference(*given, **parameters)).astype(EXTENDED)

    value = evaluate([carried(x) for x in operands])
    is_sure = ~np.isnan(value)
    wide = [carried(x).astype(EXTENDED) for x in operands]
    for sizes in itertools.product(SIZES, repeat=len(operands)):
        given = [_approached(x, size) for x, size in zip(wide, sizes, strict=True)]
        near = evaluate(given)
        with np.errstate(invalid="ignore"):
            goes_there = np.isfinite(value) & (np.abs(near - value) <= NEAR * np.maximum(1, np.abs(value)))
            grows = np.isinf(value) & (np.sign(near) == np.sign(value)) & (np.abs(near) > LARGE)
            is_sure &= goes_there | grows
            # Where a function goes on beyond its domain, to the other infinity, its pole has no value.
            sides = [
                np.where((x == 0) & is_end, -x0, x0)
                for x, x0, is_end in zip(wide, given, ends_at_zero, strict=True)
            ]
            is_sure &= np.isfinite(value) | (np.sign(evaluate(sides)) != -np.sign(value))
    return value, is_sure


def _approached(x: Array, size: float) -> Array:
    """The operand, with a number of this size for each infinity, and one over it for each zero, of the same signs."""
    return np.where(np.isinf(x), np.copysign(size, x), np.where(x == 0, np.copysign(1 / size, x), x))
