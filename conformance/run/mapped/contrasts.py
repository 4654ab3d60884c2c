"""What distinguishes calls that are refused from those that are answered: values of a parameter, or only how the call is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.case import Case
from conformance.op import Op, Signature, Trait
from conformance.run.explanations import is_near
from conformance.run.forms import kind_of_value
from conformance.run.mapped.findings import Finding
from conformance.run.mapped.shown_values import OF_SHAPES, value_of

ASKED = 40  # calls that are not offered, of an op, whose equal calls are made
SHOWN = 4  # values of a parameter that a line names
NEAR = 1e-6  # equal calls have equal values, but for another order of sums
NOT_HANDED_ON = (
    "refused are all calls with {name} = {refused}, answered those with {name} = {answered}: "
    "does the adapter hand `{name}` on, as it is given?"
)


def refused_values(refused: Sequence[Signature], right: Sequence[Signature]) -> str:
    """The parameter whose values decide which calls are refused, in words; empty where none does.

    A value of a single call shows nothing: that may be refused for the sake of anything in it.
    """
    if not refused or not right:
        return ""
    found = []
    for name in refused[0].parameters:
        of_refused = _kinds(name, refused)
        of_right = _kinds(name, right)
        if len(of_refused) < len(refused) and not set(of_refused) & set(of_right):
            found.append((len(of_refused), name, of_refused, of_right))
    if not found:
        return ""
    _, name, of_refused, of_right = min(found)
    return NOT_HANDED_ON.format(name=name, refused=_listed(of_refused), answered=_listed(of_right))


def _kinds(name: str, signatures: Sequence[Signature]) -> list[str]:
    return sorted({kind_of_value(s.parameters.get(name)) for s in signatures})


def _listed(kinds: Sequence[str]) -> str:
    shown = [f"a {kind}" if kind in ("tuple", "list") else kind for kind in kinds[:SHOWN]]
    return ", ".join(shown) + (", …" if len(kinds) > SHOWN else "")


def with_equal_calls(
    op: Op,
    not_offered: Sequence[tuple[Finding, Case]],
    is_answered: Callable[[Case], bool],
) -> list[Finding]:
    """The calls that are not offered, one for each reason with the equal call that is answered, where there is one."""
    settled: set[str] = set()
    findings: list[Finding] = []
    for number, (finding, case) in enumerate(not_offered):
        words = ""
        # Without entries all calls are equal that have the shape of the result.
        if number < ASKED and finding.message not in settled and all(x.size for x in case.operands):
            equal = ((w, other) for w, other in _equal_calls(op, case) if _is_equal(op, case, other))
            words = next((w for w, other in equal if is_answered(other)), "")
        if words:
            settled.add(finding.message)
        findings.append(
            replace(finding, explanation=f"the same call with {words} is answered" if words else "")
        )
    return findings


def _equal_calls(op: Op, case: Case) -> Iterator[tuple[str, Case]]:
    """Calls that are written otherwise: axes counted from the other end, and one axis more, of one entry."""
    rank = case.operands[0].ndim if case.operands else 0
    for name, value in case.parameters.items():
        for new in _from_the_other_end(value, rank) if name in OF_SHAPES else ():
            yield (
                f"{name}={new!r} for {name}={value!r}",
                replace(case, parameters={**case.parameters, name: new}),
            )
    if Trait.ELEMENTWISE in op.traits and any(x.ndim for x in case.operands):
        most = max(x.ndim for x in case.operands)
        operands = tuple(x[None] if x.ndim == most else x for x in case.operands)
        shapes = " ".join(str(x.shape).replace(" ", "") for x in operands)
        yield f"an axis more, {shapes},", replace(case, operands=operands)


def _from_the_other_end(value: Any, rank: int) -> list[Any]:
    """The axes as they are counted from the start, and from the end, of which one may be how they are given."""
    axes = value if isinstance(value, tuple) else (value,)
    if not axes or not all(type(axis) is int and -rank <= axis < rank for axis in axes):
        return []
    both = [tuple(axis % rank for axis in axes), tuple(axis % rank - rank for axis in axes)]
    return [new if isinstance(value, tuple) else new[0] for new in both if new != axes]


def _is_equal(op: Op, case: Case, other: Case) -> bool:
    """Whether the reference computes the same numbers: some ops count axes of their result."""
    try:
        pairs = list(zip(value_of(op, case, {}), value_of(op, other, {}), strict=True))
    except Exception:
        return False
    return all(z.size == w.size and is_near(np.ravel(w), np.ravel(z), NEAR) for z, w in pairs)
