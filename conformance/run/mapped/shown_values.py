"""Calls in which a value of a parameter shows: with another value of it the reference's value is another.

The forms of a call have every value, but it may change nothing there: over no axes every norm is that of a number, and
bounds show at no entry where there are none.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from conformance.backend import as_tuple
from conformance.case import Array, Case
from conformance.dtype import carried
from conformance.op import Op, Signature
from conformance.run.explanations import is_near
from conformance.run.forms import AXES, DRAWS, case_of

FURTHER = 3  # calls of an op beside its forms; each may show several values
FURTHER_COMPILED = 2  # of an engine that compiles each of them
LOOKED_AT = 12  # draws of the law whose value is computed to find those calls
VALUES = 12  # values of one parameter that are distinguished
OF_SHAPES = (
    *AXES,
    "axis",
    "axis1",
    "axis2",
)  # which axis it is shows in every call whose shape has another one
APART = 1e-3  # of the largest entry: less may be no difference to the coarse comparison of values
SHOWS = 2.0**-40  # of the largest entry: what the digits beyond single precision must change to show
ALIKE = 2.0**-10  # of that change: up to there a value is that of the rounded parameter
IN_SINGLE = (
    "it is the value for {which}, the numbers of single precision next to {of}: "
    "does the adapter hand them on as float32?"
)
Pair = tuple[str, str, str]


def further_calls(
    op: Op,
    asked: Sequence[Case],
    dtype: str,
    count: int,
    is_shown: Callable[[Case], bool],
    refused: Sequence[Signature] = (),
) -> None:
    """Make up to `count` calls that distinguish values of a parameter that no call of `asked` does.

    `is_shown` makes a call, and says whether its value is right. A value that calls of `refused` alone have is left out.
    """
    if not set(op.law(lambda options: options[0]).parameters) - set(OF_SHAPES):
        return  # none of its parameters has values to be distinguished
    drawn = random.Random(0)
    signatures = list({repr(s): s for s in _drawn(op, drawn)}.values())
    values = _values(signatures)
    pairs_left = {(n, v, w) for n, of_name in values.items() for v in of_name for w in of_name if v != w}
    pairs_left |= {
        (n, v, repr(_single(value)))
        for n, of_name in values.items()
        for v, value in of_name.items()
        if dtype == "float64" and _is_odd(value)
    }
    taken = {setting for case in asked for setting in _settings(case.parameters)}
    never = {setting for s in refused for setting in _settings(s.parameters)} - taken
    pairs_left = {pair for pair in pairs_left if pair[:2] not in never}
    for case in asked:
        pairs_left -= set(_distinguished(op, case, values, pairs_left))
    shown = _shown(op, signatures, dtype, values, pairs_left) if pairs_left else []
    for _ in range(count):
        best = max(shown, key=lambda call: len(call[1] & pairs_left), default=None)
        if best is None or not best[1] & pairs_left:
            return
        shown.remove(best)
        if is_shown(best[0]):
            pairs_left -= best[1]
        else:  # others with these values may be refused as well
            of_these = {pair[:2] for pair in best[1]}
            pairs_left = {pair for pair in pairs_left if pair[:2] not in of_these}


def _shown(
    op: Op,
    signatures: Sequence[Signature],
    dtype: str,
    values: Mapping[str, Mapping[str, Any]],
    pairs_left: set[Pair],
) -> list[tuple[Case, set[Pair]]]:
    """Calls with entries, each with those of the pairs that it distinguishes."""
    wanted = {pair[:2] for pair in pairs_left}
    few = (s for s in signatures if _settings(s.parameters) & wanted and not _is_empty(s))
    cases = [case_of(op, signature, dtype) for signature in islice(few, LOOKED_AT)]
    return [(case, set(_distinguished(op, case, values, pairs_left))) for case in cases]


def in_single_precision(op: Op, case: Case, values: Sequence[Array]) -> str:
    """Which parameter an engine has in single precision alone, of a call of float64 whose value is right but for that."""
    if case.dtype != "float64":
        return ""
    odd = {name: value for name, value in case.parameters.items() if _is_odd(value)}
    expected = value_of(op, case, {}) if odd else ()
    for names in dict.fromkeys([tuple(odd), *((name,) for name in odd)]) if odd else ():
        rounded = {name: _single(odd[name]) for name in names}
        if _is_that_of(values, value_of(op, case, rounded), expected):
            which = ", ".join(f"{name}={value!r}" for name, value in rounded.items())
            return IN_SINGLE.format(which=which, of=" and ".join(repr(odd[name]) for name in names))
    return ""


def _is_that_of(values: Sequence[Array], other: Sequence[Array], expected: Sequence[Array]) -> bool:
    """Whether the values differ from those that are expected as the other ones do, where these do."""
    if not _differ(expected, other, SHOWS):
        return False
    distance = max(_distance(v, z) for v, z in zip(values, other, strict=True))
    return distance <= ALIKE * max(_distance(z, e) for z, e in zip(other, expected, strict=True))


def _drawn(op: Op, drawn: random.Random) -> Iterator[Signature]:
    return (op.law(lambda options: drawn.choice(list(options))) for _ in range(DRAWS))


def _values(signatures: Sequence[Signature]) -> dict[str, dict[str, Any]]:
    """The values of each parameter that are no tuples: of those that are, such as shapes, each call has its own."""
    found: dict[str, dict[str, Any]] = {}
    for signature in signatures:
        for name, value in signature.parameters.items():
            if name not in OF_SHAPES and (value is None or isinstance(value, (bool, int, float, str))):
                of_name = found.setdefault(name, {})
                if len(of_name) < VALUES:
                    of_name.setdefault(repr(value), value)
    return found


def _distinguished(
    op: Op, case: Case, values: Mapping[str, Mapping[str, Any]], pairs_left: set[Pair]
) -> Iterator[Pair]:
    """The pairs of values that the call distinguishes: it has the first, and with the second its value were another."""
    settings = _settings(case.parameters)
    pairs = [pair for pair in pairs_left if pair[:2] in settings]
    if not pairs or any(x.size == 0 for x in case.operands):
        return
    expected = value_of(op, case, {})
    for pair in pairs:
        name, _, other = pair
        value = values[name].get(other, _single(case.parameters[name]))
        try:
            changed = value_of(op, case, {name: value})
        except Exception:  # an adapter that has it for this one raises, or its value shows it
            yield pair
            continue
        if _differ(expected, changed, APART if other in values[name] else SHOWS):
            yield pair


def _settings(parameters: Mapping[str, Any]) -> set[tuple[str, str]]:
    return {(name, repr(value)) for name, value in parameters.items()}


def _is_empty(signature: Signature) -> bool:
    return any(0 in shape for shape in signature.shapes)


def value_of(op: Op, case: Case, changed: Mapping[str, Any]) -> tuple[Array, ...]:
    """The reference's outputs, with some parameters changed."""
    other = replace(case, parameters={**case.parameters, **changed})
    return tuple(map(np.asarray, as_tuple(op.reference(*map(carried, other.operands), **other.parameters))))


def _differ(values: Sequence[Array], others: Sequence[Array], apart: float) -> bool:
    return len(values) != len(others) or not all(
        is_near(other, value, apart) for value, other in zip(values, others, strict=True)
    )


def _distance(a: Array, b: Array) -> float:
    finite = np.isfinite(a) & np.isfinite(b)
    return float(np.max(np.abs(a[finite].astype(float) - b[finite]), initial=0.0))


def _is_odd(value: Any) -> bool:
    """Whether a parameter has digits beyond single precision."""
    return type(value) is float and np.isfinite(value) and _single(value) != value


def _single(value: Any) -> float:
    return float(np.float32(value)) if type(value) is float else float("nan")
