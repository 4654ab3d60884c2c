"""Evidence: what makes a failure believable."""

from __future__ import annotations

from conformance.backend import Backend
from conformance.case import listed
from conformance.checks import Check
from conformance.checks.sample import Sample
from conformance.errors import ConformanceError, Violation
from conformance.run.asking import Question, put, token_of
from conformance.runfile.diagnostics import DiagnosedViolation, NotEngineFault
from conformance.runfile.records import Evidence, printable
from conformance.scripts.script import script_of


def message_of(failure: BaseException | None) -> str:
    """What a failure says in an answer."""
    if failure is None or isinstance(failure, ConformanceError):
        return printable(str(failure))
    return printable(f"{type(failure).__name__}: {failure}")


def evidence_of(
    check: Check, backend: Backend, question: Question | None, failure: BaseException | None
) -> Evidence:
    """What makes a failure believable: values, a token, a script.

    What cannot be written down is left out, and said: an answer must not be lost with what shows it.
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
    check: Check, backend: Backend, question: Question, failure: BaseException | None, message: str
) -> Evidence:
    failure = failure.diagnosed if isinstance(failure, NotEngineFault) else failure
    found = failure if isinstance(failure, Violation) else Violation("")
    return Evidence(
        message=message,
        case=question.as_json()
        if not isinstance(question, Sample)
        else {"seed": question.seed, "dtype": question.dtype},
        expected=None if found.expected is None else listed(found.expected),
        got=None if found.got is None else listed(found.got),
        allowed=None if found.allowed is None else listed(found.allowed),
        because=found.because,
        where=found.where,
        token=token_of(check, question),
        fault=found.fault.value if isinstance(found, DiagnosedViolation) else "",
        diagnostics=found.diagnostics if isinstance(found, DiagnosedViolation) else (),
        operand=found.operand if isinstance(found, DiagnosedViolation) else None,
        script=script_of(backend, lambda recorder: put(check, recorder, question), failure),
    )
