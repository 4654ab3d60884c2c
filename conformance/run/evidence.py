"""Evidence: what makes a failure believable."""

from __future__ import annotations

from typing import Any

from conformance.backend import Backend
from conformance.case import listed
from conformance.checks import Check
from conformance.errors import ConformanceError, Violation
from conformance.questions import Question
from conformance.runfile.diagnostics import DiagnosedViolation, NotEngineFault
from conformance.runfile.records import Evidence, printable
from conformance.scripts.script import script_of


def message_of(failure: BaseException | None) -> str:
    """The message of a failure in a result."""
    if failure is None or isinstance(failure, ConformanceError):
        return printable(str(failure))
    return printable(f"{type(failure).__name__}: {failure}")


def evidence_of(
    check: Check, backend: Backend, question: Question[Any] | None, failure: BaseException | None
) -> Evidence:
    """What makes a failure believable: values, a token, a script.

    What cannot be written down is left out, and the message says so: a result must not be lost with its evidence.
    """
    message = message_of(failure)
    if question is None:
        return Evidence(message=message)
    try:
        return _whole(check, backend, question, failure, message)
    except Exception as error:
        slip = f"its case could not be written down, which is this project's fault: {type(error).__name__}: {error}"
        return Evidence(message=f"{message}\n({slip})")


def _whole(
    check: Check, backend: Backend, question: Question[Any], failure: BaseException | None, message: str
) -> Evidence:
    failure = failure.diagnosed if isinstance(failure, NotEngineFault) else failure
    found = failure if isinstance(failure, Violation) else Violation("")
    diagnosed = found if isinstance(found, DiagnosedViolation) else None
    return Evidence(
        message=message,
        case=question.input.as_json(),
        expected=None if found.expected is None else listed(found.expected),
        got=None if found.got is None else listed(found.got),
        allowed=None if found.allowed is None else listed(found.allowed),
        because=found.because,
        where=found.where,
        token=question.input.token,
        fault=diagnosed.fault.value if diagnosed else "",
        diagnostics=diagnosed.diagnostics if diagnosed else (),
        operand=diagnosed.operand if diagnosed else None,
        script=script_of(backend, lambda recorder: check.function(*question.on(recorder)), failure),
    )
