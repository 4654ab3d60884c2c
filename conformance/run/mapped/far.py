"""The value of an op at operands of other magnitudes than 1, where a formula that an adapter wrote loses what a function keeps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np

from conformance.backend import Backend, as_tuple
from conformance.case import Array, Case
from conformance.checks.e_values.vjp import value_equals_reference_at_every_magnitude
from conformance.checks.observation import Observation, Oracle
from conformance.checks.registry import CHECKS, NotThisCase
from conformance.dtype import carried
from conformance.errors import Violation, hold_no_stop, text_of
from conformance.op import Op, Trait
from conformance.run.forms import case_of, signature_of
from conformance.run.mapped.findings import Finding
from conformance.values import FAR, MAGNITUDES, STEEP

CHECK = "op/value-magnitudes"  # the check of a run that makes the same claim of many more calls
FAR_FROM_1 = ", far from 1"  # what the name of a call has after it where its operands are of other magnitudes
SEEDS = {FAR[0]: 2}  # of the texture that has most to find; of others one
ENTRIES = 512  # of a call; more would cost more than they show
COARSE = 1e-4  # of each entry: what is nearer is right, and costs no allowance
TEXTURES = tuple(dict.fromkeys(name for name in MAGNITUDES if name != STEEP))  # that one is of cotangents


def wrong_far_from_1(
    backend: Backend, op: Op, right: Sequence[Case], note: Callable[[str], None], deadly: Collection[str]
) -> tuple[Finding, ...]:
    """The first value that the check of every magnitude would call wrong, of a call that is right at ordinary operands."""
    case, check = _of_many_entries(right), CHECKS[CHECK]
    if case is None or not check.asks_about(op) or case.label + FAR_FROM_1 in deadly:
        return ()
    note(case.label + FAR_FROM_1)
    for far in _at_other_magnitudes(op, case):
        if check.is_meant_for(far) and (said := _wrong(backend, op, far)):
            return (said,)
    return ()


def _of_many_entries(right: Sequence[Case]) -> Case | None:
    """A call of many numbers, since few of them are as large, or as small, as shows anything."""
    sizes = {number: sum(x.size for x in case.operands) for number, case in enumerate(right) if case.operands}
    few = [number for number, size in sizes.items() if 1 < size <= ENTRIES]
    return right[max(few, key=lambda number: sizes[number])] if few else None


def _at_other_magnitudes(op: Op, case: Case) -> Iterator[Case]:
    for texture in TEXTURES:
        for seed in range(SEEDS.get(texture, 1)):
            yield case_of(op, signature_of(case), case.dtype, texture=texture, seed=seed)


def _wrong(backend: Backend, op: Op, case: Case) -> Finding | None:
    """What is wrong with the value; None where it is right, where the case cannot decide it, or where it is refused."""
    seen = Observation(backend, Oracle(op, case))
    try:
        values = seen.forward()
        expected = as_tuple(op.reference(*map(carried, case.operands), **case.parameters))
        if all(_is_near(got, np.asarray(z)) for got, z in zip(values, expected, strict=True)):
            return None
        value_equals_reference_at_every_magnitude(seen)
    except NotThisCase:
        return None
    except Violation as violation:
        said = _worst(op, case, violation)
        return Finding(case.label, text_of(violation), "", said, signature_of(case), is_value=True)
    except BaseException as error:  # what is refused at such operands is no wrong value
        hold_no_stop(error)
        return None
    return None


def _is_near(got: Array, expected: Array) -> bool:
    return got.shape == expected.shape and np.allclose(
        carried(got), expected, rtol=COARSE, atol=0, equal_nan=True
    )


def _worst(op: Op, case: Case, violation: Violation) -> str:
    """The entry that is furthest from what is expected, with the operands that it is computed from, where these are numbers at its place."""
    if violation.got is None or violation.expected is None:
        return ""
    got, expected = np.asarray(violation.got, float), np.asarray(violation.expected, float)
    distance = np.abs(got - expected) / np.maximum(np.abs(expected), np.finfo(float).tiny)
    place = np.unravel_index(int(np.argmax(np.where(np.isfinite(distance), distance, np.inf))), got.shape)
    said = f"the value is {got[place]:.6g}, expected {expected[place]:.6g}"
    if Trait.ELEMENTWISE in op.traits:
        given = np.broadcast_arrays(*map(carried, case.operands))
        return f"of {' and '.join(f'{float(x[place]):.6g}' for x in given)} {said}"
    return f"{said}, at {[int(i) for i in place]}" if place else said
