"""From an exception to a verdict, or to the absence of a failure."""

from __future__ import annotations

import sys
from typing import Any

from conformance.backend import Backend
from conformance.checks import Check
from conformance.checks.registry import NotThisCase
from conformance.errors import ConformanceError, Unsupported, Violation, is_ctrl_c
from conformance.questions import Question
from conformance.run.attribution import Origin, functions_of, origin_of
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
    """What an exception means; no exception of this project's own counts against an engine."""
    kind = type(failure)  # not `isinstance`, which an exception's own __class__ may answer
    if issubclass(kind, Violation):
        return Verdict.FAIL
    if issubclass(kind, Unsupported):
        return Verdict.UNSUPPORTED
    if issubclass(kind, ConformanceError):
        return Verdict.ADAPTER_ERROR
    origin = origin_of(failure)
    if origin is Origin.OURS and not issubclass(kind, MemoryError):
        return Verdict.INTERNAL_ERROR
    is_adapters = origin is Origin.CALLBACK or _is_adapters(failure, adapter)
    return Verdict.ADAPTER_ERROR if is_adapters else Verdict.ERROR


def _is_adapters(failure: BaseException, adapter: type[Backend]) -> bool:
    """Whether an exception is a slip of the adapter's own: a wrong name, or a conversion."""
    frames = functions_of(failure)
    files = {getattr(sys.modules.get(cls.__module__), "__file__", "") for cls in adapter.__mro__}
    is_innermost = bool(frames) and frames[-1][0] in files
    converts = any(file in files and function in CONVERSIONS for file, function in frames)
    return converts or (is_innermost and issubclass(type(failure), (NameError, AttributeError, ImportError)))
