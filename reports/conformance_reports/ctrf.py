"""The run as CTRF, the Common Test Report Format: JSON with one object per test, for dashboards of test results.

The format: https://ctrf.io, schema/ctrf.schema.json.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from conformance.runfile.jsonl import Run
from conformance.runfile.records import ResultLine
from conformance_reports.outcomes import OUTCOMES, detail_of, message_of, seconds_of, started, troubles_of
from conformance_reports.united import unite

SUFFIXES = (".ctrf.json",)
VERSION = "0.1.0"  # of the format
STATUSES = ("passed", "failed", "skipped", "pending", "other")
STATUS = {"failure": "failed", "error": "failed", "skipped": "skipped"}
IDS = uuid.UUID(
    "5f0d5d0e-3a43-5c35-9a55-0d6d6f7e3a10"
)  # of which the ids of tests are made: the same in every run


def render(runs: Sequence[Run]) -> str:
    """One test per result, named by its id, with the verdict as its raw status."""
    run = unite(runs)
    tests = [*map(_test, run.results), *_troubles(run)]
    counts = Counter(test["status"] for test in tests)
    began = round(started(run).timestamp() * 1000)
    seconds = run.end.seconds if run.end else sum(map(seconds_of, run.results))
    summary = {
        "tests": len(tests),
        **{status: counts[status] for status in STATUSES},
        "suites": len({test["suite"][0] for test in tests}),
        "start": began,
        "stop": began + round(seconds * 1000),
    }
    document = {
        "reportFormat": "CTRF",
        "specVersion": VERSION,
        "generatedBy": f"autograd-conformance {run.header.spec.version}",
        "results": {
            "tool": {"name": "autograd-conformance", "version": run.header.spec.version},
            "summary": summary,
            "tests": tests,
            "environment": _environment(run),
        },
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def _test(result: ResultLine) -> dict[str, Any]:
    outcome = OUTCOMES.get(result.verdict)
    token = result.evidence.token if result.evidence else ""
    labels = {"clause": result.clause, "level": result.level, "dtype": result.dtype, "token": token}
    test: dict[str, Any] = {
        "id": str(uuid.uuid5(IDS, result.id)),
        "name": result.id,
        "status": STATUS[outcome] if outcome else "passed",
        "rawStatus": result.verdict.value,
        "duration": round(seconds_of(result) * 1000),
        "suite": [result.backend, result.kind, result.subject],
        "labels": {name: value for name, value in labels.items() if value},
    }
    if outcome:
        test |= {"message": message_of(result), "trace": detail_of(result)}
    return test


def _troubles(run: Run) -> Iterator[dict[str, Any]]:
    for trouble in troubles_of(run):
        yield {
            "id": str(uuid.uuid5(IDS, trouble.name)),
            "name": trouble.name,
            "status": "failed",
            "rawStatus": trouble.kind,
            "duration": 0,
            "suite": [trouble.backend or "run"],
            "message": trouble.message,
        }


def _environment(run: Run) -> dict[str, Any]:
    header = run.header
    engines = {f"{line.engine} {line.version}".strip() for line in header.backends if not line.error}
    return {
        "appName": ", ".join(sorted(engines)),
        "testEnvironment": header.profile,
        "extra": {"seed": header.seed, "specification": header.spec.digest, **header.host},
    }
