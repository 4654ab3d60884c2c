"""Evidence: what makes a failure believable."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import msgspec

from conformance.backend import Backend
from conformance.case import listed
from conformance.checks import Check
from conformance.diagnosis.pattern import pattern_of
from conformance.diagnosis.step import step_of
from conformance.errors import (
    ConformanceError,
    Violation,
    class_name,
    is_ctrl_c,
    is_violation,
    said_of,
    text_of,
)
from conformance.questions import Question
from conformance.run.attribution import Origin, is_defect, origin_of, traceback_of, trail_of
from conformance.run.mapped.findings import place_of
from conformance.run.process.surroundings import Replaced
from conformance.runfile.diagnostics import DiagnosedViolation, NotEngineFault
from conformance.runfile.known import KnownFailure, entry_for
from conformance.runfile.records import Evidence
from conformance.runfile.relative_error import Difference, difference
from conformance.runfile.texts import cut, printable
from conformance.scripts.script import script_of

LONGEST_SCRIPT = 50_000  # characters of a script that a run file keeps: some four of a thousand are longer


def message_of(failure: BaseException | None) -> str:
    """The message of a failure in a result; one of this project's own has its traceback."""
    if failure is None:
        return ""
    text = cut(said_of(failure))
    if is_own(failure):
        return printable(text)
    message = f"{class_name(failure)}: {text}"
    if is_defect(failure):
        message = f"a defect of this project, not of the engine: {message}\n{trail_of(failure)}"
    elif origin_of(failure) is Origin.CALLBACK:
        message += f"\nraised in a function of this project that the engine called:\n{trail_of(failure)}"
    return printable(message)


def is_own(failure: BaseException) -> bool:
    """Whether an exception is this project's statement about an engine or an adapter."""
    return issubclass(type(failure), ConformanceError)


def evidence_of(
    check: Check,
    backend: Backend,
    question: Question[Any] | None,
    failure: BaseException | None,
    first: BaseException | None,
) -> Evidence:
    """What makes a failure believable: values, a token, a script.

    `first` is the failure before its case was made small: its numbers are more, so that a pattern shows in them. What cannot be written down is left out, and the message says so: a result must not be lost with its evidence.
    """
    message = message_of(failure)
    if question is None:
        return Evidence(message=message)
    try:
        made = _whole(check, backend, question, failure)
        return msgspec.structs.replace(made, pattern=_pattern(failure, first))
    except BaseException as error:  # a script is recorded by running the question again
        if is_ctrl_c(error):
            raise
        slip = f"its case could not be written down, which is this project's fault: {class_name(error)}: {text_of(error)}"
        return Evidence(message=f"{message}\n({slip})")


def _pattern(failure: BaseException | None, first: BaseException | None) -> str:
    """What has a name in the numbers of a failure, or in the more numbers of the first one, of which that is said."""
    own, of_first = pattern_of(_violation(failure)), pattern_of(_violation(first))
    if own == of_first or not of_first:
        return own
    return f"{of_first}, in the case before it was made small"


def call_of(question: Question[Any] | None) -> str:
    """The question's call in a line; empty where there is none."""
    return question.call if question else ""


def entry_of(
    known: Sequence[KnownFailure],
    identifier: str,
    failure: BaseException | None,
    question: Question[Any] | None,
) -> KnownFailure | None:
    """The entry that speaks of a failure on a question; None where it is news."""
    if not known:
        return None
    return entry_for(known, identifier, message_of(failure), call_of(question), error_of(failure))


def error_of(failure: BaseException | None) -> Difference:
    """How far off the numbers of a failure are; infinitely where it is no difference of numbers."""
    found = _violation(failure)
    return difference(found.expected, found.got, found.allowed)


def bare_evidence_of(failure: BaseException | None, question: Question[Any] | None) -> Evidence:
    """What a failure says, and its numbers: all of its evidence for which the engine is not asked again."""
    found = _violation(failure)
    return Evidence(
        message=message_of(failure),
        call=call_of(question),
        expected=None if found.expected is None else listed(found.expected),
        got=None if found.got is None else listed(found.got),
        allowed=None if found.allowed is None else listed(found.allowed),
        token=question.input.token if question else "",
    )


def _violation(failure: BaseException | None) -> Violation:
    """The violation that a failure is, or diagnoses; one without numbers where it is none."""
    failure = failure.diagnosed if type(failure) is NotEngineFault else failure
    return failure if is_violation(failure) else Violation("")


def _whole(
    check: Check, backend: Backend, question: Question[Any], failure: BaseException | None
) -> Evidence:
    bare, found = bare_evidence_of(failure, question), _violation(failure)
    diagnosed = found if isinstance(found, DiagnosedViolation) else None
    failure = failure.diagnosed if type(failure) is NotEngineFault else failure
    return msgspec.structs.replace(
        bare,
        raised="" if failure is None or is_own(failure) else place_of(failure, backend),
        step="" if failure is None or is_own(failure) else step_of(traceback_of(failure)),
        case=question.input.as_json(),
        because=found.because,
        where=found.where,
        fault=diagnosed.fault.value if diagnosed else "",
        diagnostics=diagnosed.diagnostics if diagnosed else (),
        operand=diagnosed.operand if diagnosed else None,
        script=_script(check, backend, question, failure),
    )


def _script(check: Check, backend: Backend, question: Question[Any], failure: BaseException | None) -> str:
    """The failure in the engine's own API; recording runs the question again, which must not replace anything again.

    A recording keeps every array, so that it may take more memory than a question may; then there is none.
    """
    if type(failure) is Replaced:
        return ""
    with contextlib.suppress(MemoryError):
        return kept_of(
            script_of(backend, lambda recorder: question.record(check, recorder, failure), failure)
        )
    return ""


def kept_of(script: str) -> str:
    """The script, or of a very long one its first lines, which say that they are not the whole and what prints it."""
    if len(script) <= LONGEST_SCRIPT:
        return script
    beginning = script[:LONGEST_SCRIPT].rpartition("\n")[0]
    left_out = len(script) - len(beginning)
    return (
        f"{beginning}\n# {left_out} characters follow: conformance replay prints the whole script, given this result's id, "
        "the run file as --run, and --script"
    ).lstrip("\n")
