"""An axis that there is not, which a call of an op must refuse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conformance.case import Array, Case
from conformance.checks.a_results.invalid_calls import AXES, BEYOND, Invalid, invalid_calls
from conformance.checks.observation import Observation, Oracle
from conformance.errors import is_ctrl_c
from conformance.run.explanations import is_near
from conformance.run.forms import signature_of
from conformance.run.mapped.calls import Calls
from conformance.run.mapped.findings import Finding
from conformance.run.mapped.shown_values import value_of
from conformance.run.mapped.values import tolerance

ANSWERED = "{what} is answered{as_that}, of operands that have no such axis"


def answered_beyond(calls: Calls) -> Finding | None:
    """The first call with an axis that there is not that is answered; None where all are refused.

    It is the adapter's where its function counts the axis anew, as `axis % ndim` does, and otherwise the engine's.
    """
    for case, call in _invalid(calls):
        beyond = replace(case, operands=call.operands, parameters=call.parameters)
        if beyond.label in calls.deadly:
            continue
        calls.note(beyond.label)
        try:
            values = Observation(calls.backend, Oracle(calls.op, beyond)).forward()
        except BaseException as error:
            if is_ctrl_c(error):
                raise
            continue
        said = ANSWERED.format(what=call.what, as_that=_as_which(calls, case, call.parameter, values))
        return Finding(beyond.label, said, signature=signature_of(beyond))
    return None


def _invalid(calls: Calls) -> list[tuple[Case, Invalid]]:
    """The invalid calls near the first right one that names an axis by a number, one for each such parameter."""
    for case in calls.right:
        near = invalid_calls(calls.op, case.operands, case.parameters)
        if found := [(case, call) for call in near if call.parameter in AXES]:
            return found
    return []


def _as_which(calls: Calls, case: Case, parameter: str, values: Sequence[Array]) -> str:
    """The axis that is there and has the same value, in words; the one that is left of a division first."""
    rank = max((x.ndim for x in case.operands), default=0)
    axes = range(rank + 1)  # a new axis may stand behind all
    for axis in sorted(axes, key=lambda a: not rank or a != BEYOND % rank):
        try:
            expected = value_of(calls.op, case, {parameter: axis})
        except Exception:
            continue
        pairs = zip(values, expected, strict=False)
        if len(values) == len(expected) and all(is_near(v, z, tolerance(case.dtype)) for v, z in pairs):
            return f" as {parameter}={axis} is"
    return ""
