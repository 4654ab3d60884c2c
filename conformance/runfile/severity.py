"""How bad a failure is for who uses the engine, by its verdict and its numbers."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Sequence
from typing import Any

from conformance.runfile.records import UNEXPECTED, ResultLine, Verdict

# Of an engine's dtypes; a comparison is in the precision of its result.
EPSILON = {"float64": 2.0**-52, "complex128": 2.0**-52, "float16": 2.0**-10, "bfloat16": 2.0**-7}
EPSILON_OF_FLOAT32 = 2.0**-23
# What is compared there is an array before and after a write into another one: neither is a wrong gradient.
OF_MEMORY = frozenset({"A11", "B5", "D8"})
RAISED = re.compile(r"[A-Za-z_.]*(Error|Exception|Exit|Interrupt|Warning)\b(:|$)")

# Entries of another shape were not compared, or are right: what says that they are wrong as well does not end so.
OF_SHAPE = re.compile(r" has shape \([^)]*\), (expected|not) \([^)]*\)$", re.MULTILINE)


class Severity(enum.IntEnum):
    """How bad a failure is for who uses the engine, the worst first."""

    WRONG = 0
    DIED = 1
    CONTRACT = 2
    RAISED = 3
    DIGITS = 4
    OURS = 5


WRONG_NUMBERS = (Severity.WRONG, Severity.DIGITS)
SEVERITY_TEXT = {
    Severity.WRONG: "silently wrong numbers",
    Severity.DIED: "crashes or hangs",
    Severity.CONTRACT: "breaks a rule",
    Severity.RAISED: "raises an error",
    Severity.DIGITS: "loses digits",
    Severity.OURS: "fault of the adapter or of this suite",
}


def is_failure(result: ResultLine) -> bool:
    """Whether the result is a failure, known or not."""
    return result.verdict in UNEXPECTED or result.verdict is Verdict.KNOWN


def failed_as(result: ResultLine) -> Verdict:
    """How a failure failed: a known failure keeps that in its evidence, and shows it in its message before that."""
    if result.verdict is not Verdict.KNOWN or result.evidence is None:
        return result.verdict
    if result.evidence.failed_as:
        return Verdict(result.evidence.failed_as)
    return Verdict.ERROR if RAISED.match(result.evidence.message) else Verdict.FAIL


def severity_of(result: ResultLine) -> Severity:
    """How bad a failure is.

    It loses digits if the entry that is furthest out still has half of the digits of its dtype: its relative
    error is at most the square root of the dtype's epsilon. Arrays that share memory break a rule, whatever a write into
    one makes of the other.
    """
    verdict = failed_as(result)
    if verdict in (Verdict.ADAPTER_ERROR, Verdict.INTERNAL_ERROR):
        return Severity.OURS
    if verdict in (Verdict.CRASH, Verdict.TIMEOUT):
        return Severity.DIED
    if verdict is Verdict.ERROR:
        return Severity.RAISED
    distance = relative_error(result)
    if distance is None and _is_beside_a_range(result):
        return Severity.WRONG
    if distance is None or result.clause in OF_MEMORY:
        return Severity.CONTRACT
    return Severity.DIGITS if distance <= math.sqrt(_epsilon(result.dtype)) else Severity.WRONG


def _is_beside_a_range(result: ResultLine) -> bool:
    """Whether a point's gradient is a number outside of those that are allowed, of which none is the expected one."""
    evidence = result.evidence
    return result.kind == "point" and evidence is not None and evidence.got is not None


def relative_error(result: ResultLine) -> float | None:
    """|got − expected| over |expected| at the entry that is furthest out; None where no numbers were compared."""
    evidence = result.evidence
    if evidence is None or evidence.expected is None or evidence.got is None:
        return None
    if OF_SHAPE.search(evidence.message):
        return None
    got, expected = number_at(evidence.got, evidence.place), number_at(evidence.expected, evidence.place)
    if got is None or expected is None:
        return math.inf
    error = abs(got - expected)
    return 0.0 if error == 0 else error / abs(expected) if expected and math.isfinite(error) else math.inf


def number_at(values: Any, place: Sequence[int]) -> complex | None:
    """The entry at a place of recorded values; None where that is no number."""
    for index in place:
        if not isinstance(values, list) or index >= len(values):
            break
        values = values[index]
    try:
        return complex(values)
    except (TypeError, ValueError):
        return None


def _epsilon(dtype: str) -> float:
    return EPSILON.get(dtype, EPSILON_OF_FLOAT32 if dtype else EPSILON["float64"])
