"""A failure that is laid to the adapter is asked alone, in a process in which the engine was asked nothing before.

An engine that keeps something of one call and takes it for another computes another function for a while. To the diagnosis
that looks like an adapter that calls another function, but such an adapter calls it in every process.
"""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from conformance.load import load_backend
from conformance.questions import questions_in
from conformance.run.process.apart import SILENCE, Ended, messages_of
from conformance.run.verdict import failure_of
from conformance.runfile.diagnostics import Fault
from conformance.runfile.records import ResultLine, Verdict

BEHIND = ", but "  # what stands behind it in the message says why it is the adapter's
DEPENDS = "; alone, in a process of its own, the same call is right: what the engine computes depends on the calls before it"


def is_laid_to_the_adapter(result: ResultLine) -> bool:
    """Whether a diagnosis says that the adapter calls another function, of a case that can be asked again."""
    evidence = result.evidence
    return (
        result.verdict is Verdict.ADAPTER_ERROR
        and evidence is not None
        and evidence.fault == Fault.ADAPTER
        and bool(evidence.token)
    )


def judged_alone(result: ResultLine, spec: str) -> ResultLine:
    """The result, which is the engine's where the case passes in a process of its own."""
    assert result.evidence is not None
    if fails_alone(spec, result.evidence.token, result.check_key) is not False:
        return result
    said = result.evidence.message.partition(BEHIND)[0] + DEPENDS
    evidence = msgspec.structs.replace(result.evidence, message=said, fault=str(Fault.ENGINE))
    return msgspec.structs.replace(result, verdict=Verdict.FAIL, evidence=evidence)


def fails_alone(spec: str, token: str, key: str, silence: float = SILENCE) -> bool | None:
    """Whether a check of a recorded case fails in a process of its own; None where that cannot be seen."""
    if multiprocessing.current_process().daemon:
        return None  # such a process has no children
    try:
        return any(messages_of(_ask, spec, token, key, silence=silence))
    except Ended:
        return None


def _ask(send: Callable[[Any], None], spec: str, token: str, key: str) -> None:
    """Send for each check of the case whether it fails."""
    backend = load_backend(spec)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for check, question in questions_in(token, key):
            send(failure_of(check, backend, question) is not None)
