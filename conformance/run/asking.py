"""What comes of one question put to one check.

What is asked with: a case of an op, a program, a history, a special point, or a sample for the engine as a
whole.
"""

from __future__ import annotations

import traceback
from typing import Any

from conformance.backend import Backend
from conformance.case import Case
from conformance.checks import Check
from conformance.checks.comparison import measuring
from conformance.checks.observation import Observation
from conformance.checks.point_observation import PointObservation
from conformance.checks.registry import NotThisCase
from conformance.checks.sample import Sample
from conformance.diagnosis.diagnose import diagnose
from conformance.errors import AdapterError, ConformanceError, Unsupported, Violation, is_ctrl_c
from conformance.history import History
from conformance.ops import find
from conformance.oracle.allowance import MANY_PERTURBATIONS, PERTURBATIONS
from conformance.points.point import Place
from conformance.program import Program
from conformance.runfile.records import Verdict

BEYOND_DOUBT = 64.0  # allowances: no number of trials makes that much of a difference

Question = Case | Program | History | Sample | Place


def token_of(check: Check, question: Question) -> str:
    """The question as one printable word, for `conformance replay`."""
    return question.token(check.key) if isinstance(question, Sample) else question.token


def ask(check: Check, backend: Backend, question: Question) -> Any:
    """Put one question to one check."""
    if isinstance(question, Case):
        return ask_observation(check, Observation(backend, find(question.op), question))
    return put(check, backend, question)


def put(check: Check, backend: Backend, question: Question) -> Any:
    """Put one question once, without a second judgement: what a script shows."""
    if isinstance(question, Case):
        return check.function(Observation(backend, find(question.op), question))
    if isinstance(question, Place):
        return check.function(PointObservation(backend, question))
    return check.function(backend, question)


def ask_seen(seen: Observation, check: Check, backend: Backend, question: Question) -> Any:
    """Put the case that is being observed: the arguments of `ask`, of which only the check is new."""
    return ask_observation(check, seen)


def ask_observation(check: Check, seen: Observation) -> Any:
    """Put an observed case to a check.

    Where the values differ, the allowance is found once more from many trials: a few are enough to let
    an engine pass, not to call it wrong. Before a gradient is, its diagnostics are heard.
    """
    try:
        return check.function(seen)
    except Violation as failure:
        if failure.error is None:
            raise
        if failure.error > BEYOND_DOUBT or seen.perturbations != PERTURBATIONS:
            raise _judged(check, seen, failure) from None
    measuring.clear()
    again = seen.with_perturbations(MANY_PERTURBATIONS)
    try:
        return check.function(again)
    except Violation as failure:
        raise _judged(check, again, failure) from None


def _judged(check: Check, seen: Observation, failure: Violation) -> BaseException:
    return (
        diagnose(seen, failure, MANY_PERTURBATIONS)
        if check.is_diagnosed and failure.error is not None
        else failure
    )


def failure_of(check: Check, backend: Backend, question: Question) -> BaseException | None:
    """How a check fails on a question; None where it does not."""
    try:
        ask(check, backend, question)
    except NotThisCase:
        return None
    except BaseException as failure:
        if is_ctrl_c(failure):
            raise
        return failure
    return None


def verdict_of(failure: BaseException, adapter: type[Backend]) -> Verdict:
    """What an exception means."""
    if isinstance(failure, Violation):
        return Verdict.FAIL
    if isinstance(failure, Unsupported):
        return Verdict.UNSUPPORTED
    if isinstance(failure, (AdapterError, ConformanceError)):
        return Verdict.ADAPTER_ERROR
    return Verdict.ADAPTER_ERROR if _is_adapters(failure, adapter) else Verdict.ERROR


def _is_adapters(failure: BaseException, adapter: type[Backend]) -> bool:
    """Whether an exception is a slip of the adapter's own: a name it got wrong, or its conversions."""
    frames = traceback.extract_tb(failure.__traceback__)
    files = {getattr(__import__(cls.__module__, fromlist=["x"]), "__file__", "") for cls in adapter.__mro__}
    is_innermost = bool(frames) and frames[-1].filename in files
    converts = any(f.filename in files and f.name in ("array", "numpy", "leaf", "memory") for f in frames)
    return converts or (is_innermost and isinstance(failure, (NameError, AttributeError, ImportError)))
