"""From an exception to a verdict, or to the absence of a failure."""

from __future__ import annotations

import sys
import traceback
from typing import Any

from conformance.backend import Backend
from conformance.checks import Check
from conformance.checks.registry import NotThisCase
from conformance.errors import ConformanceError, Unsupported, Violation, is_ctrl_c
from conformance.questions import Question
from conformance.runfile.records import Verdict

CONVERSIONS = ("array", "numpy", "leaf", "memory")  # an adapter's own work, whatever is raised in it


def failure_of(check: Check, backend: Backend, question: Question[Any]) -> BaseException | None:
    """How a check fails on a question; None where it does not."""
    try:
        question.run(check, question.on(backend))
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
    if isinstance(failure, ConformanceError):
        return Verdict.ADAPTER_ERROR
    return Verdict.ADAPTER_ERROR if _is_adapters(failure, adapter) else Verdict.ERROR


def _is_adapters(failure: BaseException, adapter: type[Backend]) -> bool:
    """Whether an exception is a slip of the adapter's own: a wrong name, or a conversion."""
    frames = traceback.extract_tb(failure.__traceback__)
    files = {getattr(sys.modules.get(cls.__module__), "__file__", "") for cls in adapter.__mro__}
    is_innermost = bool(frames) and frames[-1].filename in files
    converts = any(f.filename in files and f.name in CONVERSIONS for f in frames)
    return converts or (is_innermost and isinstance(failure, (NameError, AttributeError, ImportError)))
