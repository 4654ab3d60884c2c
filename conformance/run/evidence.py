"""Evidence: what makes a failure believable."""

from __future__ import annotations

from conformance.backend import Backend
from conformance.case import listed
from conformance.checks import Check
from conformance.checks.sample import Sample
from conformance.errors import ConformanceError, Violation
from conformance.run.asking import Question, put
from conformance.run.results import Evidence
from conformance.run.script import script_of


def evidence_of(
    check: Check, backend: Backend, question: Question | None, failure: BaseException | None
) -> Evidence:
    """What makes a failure believable: values, a token, a script."""
    message = (
        f"{type(failure).__name__}: {failure}" if not isinstance(failure, ConformanceError) else str(failure)
    )
    if question is None:
        return Evidence(message=message)
    found = failure if isinstance(failure, Violation) else Violation("")
    return Evidence(
        message=message,
        case=question.as_json()
        if not isinstance(question, Sample)
        else {"seed": question.seed, "dtype": question.dtype},
        expected=None if found.expected is None else listed(found.expected),
        got=None if found.got is None else listed(found.got),
        allowed=None if found.allowed is None else listed(found.allowed),
        where=found.where,
        token=question.token(check.key) if isinstance(question, Sample) else question.token,
        script=script_of(backend, lambda recorder: put(check, recorder, question), failure),
    )
