"""From an exception to a verdict, or to the absence of a failure."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from conformance.backend import Backend
from conformance.checks import Check
from conformance.checks.registry import NotThisCase
from conformance.errors import ConformanceError, Unsupported, Violation, is_ctrl_c
from conformance.questions import Item, Question
from conformance.run.attribution import (
    Origin,
    functions_of,
    is_about_python_values,
    is_about_the_call,
    is_defect,
    is_misfit_of_adapter,
    origin_of,
)
from conformance.runfile.records import ResultLine, Verdict

CONVERSIONS = ("array", "numpy", "leaf", "memory")  # an adapter's own work, whatever is raised in it
READS = ("grad", "clear")  # where an adapter reads and forgets what the engine has stored already
LOOKUPS = ("op", "call")  # where an adapter finds an op by its name


def failure_of(check: Check, backend: Backend, question: Question[Any]) -> BaseException | None:
    """How a check fails on a question; None where it does not."""
    return raised_by(lambda: question.run(check, question.on(backend)))


def raised_by(call: Callable[[], Any]) -> BaseException | None:
    """What a call of a check raises; None where it holds, or is not about such a case."""
    try:
        call()
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
    if is_slip(failure, adapter):
        return Verdict.ADAPTER_ERROR
    return Verdict.INTERNAL_ERROR if is_defect(failure) else Verdict.ERROR


def is_slip(failure: BaseException, adapter: type[Backend]) -> bool:
    """Whether an exception is a slip of the adapter's own: a wrong name or call, a conversion, or a broken protocol."""
    kind = type(failure)
    if issubclass(kind, ConformanceError):
        return not issubclass(kind, (Violation, Unsupported))
    origin = origin_of(failure)
    if origin is Origin.OURS:
        return False
    frames = functions_of(failure)
    files = {getattr(sys.modules.get(cls.__module__), "__file__", "") for cls in adapter.__mro__}
    files |= _files_of_ops(adapter, files)
    is_innermost = bool(frames) and frames[-1][0] in files
    converts = any(file in files and function in CONVERSIONS for file, function in frames)
    is_name = is_innermost and issubclass(kind, (NameError, AttributeError, ImportError))
    # The engine has computed by then: what an own line of these raises, of its file alone, is no refusal of a call.
    reads = is_innermost and any(file in files and function in READS for file, function in frames)
    looks_up = is_innermost and frames[-1][1] in LOOKUPS and issubclass(kind, LookupError)
    is_own = (
        is_name
        or looks_up
        or reads
        or is_misfit_of_adapter(failure)
        or (is_innermost and (is_about_python_values(failure) or is_about_the_call(failure)))
    )
    return origin is Origin.CALLBACK or converts or is_own


def _files_of_ops(adapter: type[Backend], files: Collection[str | None]) -> set[str | None]:
    """The other files of an adapter's folder in which it writes its ops as lambdas."""
    folders = {Path(file).parent for file in files if file}
    codes = (getattr(function, "__code__", None) for function in getattr(adapter, "ops", {}).values())
    written = {code.co_filename for code in codes if code and code.co_name == "<lambda>"}
    return {file for file in written if Path(file).parent in folders}


def result_for(item: Item, verdict: Verdict, **measured: Any) -> ResultLine:
    """The line of an item: what it is follows from it, what was `measured` is given."""
    check = item.definition
    return ResultLine(
        id=item.id,
        backend=item.backend,
        kind=check.kind,
        subject=item.subject,
        check=check.name,
        clause=check.clause,
        level=item.level,
        dtype=item.dtype,
        verdict=verdict,
        **measured,
    )
