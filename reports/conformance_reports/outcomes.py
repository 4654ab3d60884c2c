"""What CI systems make of a verdict: they know only failures, errors and tests that were skipped."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from dataclasses import dataclass
from shlex import quote

from conformance.runfile.jsonl import Run
from conformance.runfile.records import ResultLine, Verdict

# `fixed` is a failure: what the known-failures file promises did not happen, as with a strict xfail.
OUTCOMES = {
    Verdict.FAIL: "failure",
    Verdict.FIXED: "failure",
    Verdict.ERROR: "error",
    Verdict.TIMEOUT: "error",
    Verdict.CRASH: "error",
    Verdict.ADAPTER_ERROR: "error",
    Verdict.INTERNAL_ERROR: "error",
    Verdict.INTERRUPTED: "error",
    Verdict.UNSUPPORTED: "skipped",
    Verdict.UNDECIDED: "skipped",
    Verdict.KNOWN: "skipped",
}


@dataclass(frozen=True)
class Trouble:
    """What is wrong beside the results: without it, a run that died early would look green.

    Attributes:
        name: as of a result.
        backend: whose it is; empty if it is of the run.
        kind: in place of a verdict.
        message: what is wrong.
    """

    name: str
    backend: str
    kind: str
    message: str


def troubles_of(run: Run) -> Iterator[Trouble]:
    """The backends that could not start, and whether the run is complete."""
    for line in run.header.backends:
        if line.error:
            yield Trouble(f"{line.name}/adapter", line.name, "adapter_error", line.error)
    if not run.is_complete:
        yield Trouble("run/complete", "", "incomplete", run.missing)


def message_of(result: ResultLine) -> str:
    """Why a result is what it is, in a line."""
    if result.verdict is Verdict.FIXED:
        return "passes now: remove it from the known-failures file"
    return result.reason or result.verdict.value


def detail_of(result: ResultLine) -> str:
    """The failure: message, clause, place, where to read more, and how to see it again."""
    evidence = result.evidence
    if evidence is None:
        return ""
    lines = [evidence.message, f"clause {result.clause} ({result.level})"]
    lines += [f"at {evidence.where}"] if evidence.where else []
    lines += [f"see {evidence.link}"] if evidence.link else []
    again = f"again: conformance replay {quote(evidence.token)} --on {quote(result.backend)}"
    lines += [again] if evidence.token else []
    return "\n".join(lines)


def seconds_of(result: ResultLine) -> float:
    """How long it took; 0 where a damaged file says what no time can be."""
    return result.seconds if math.isfinite(result.seconds) and result.seconds >= 0 else 0.0


def started(run: Run) -> datetime.datetime:
    """When the run began, in UTC; 1970 where a damaged file does not say."""
    try:
        return datetime.datetime.fromisoformat(run.header.started).astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return datetime.datetime.fromtimestamp(0, datetime.UTC)
