"""Is the CTRF report what its schema allows, and does it count what it lists?"""

from __future__ import annotations

import math
from collections import Counter
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
import pytest
from conformance_reports.ctrf import render

from conformance.runfile.jsonl import Run
from conformance.runfile.records import BackendLine

from .synthetic import header, hostile_run, result, small_run

Name = Annotated[str, msgspec.Meta(min_length=1)]
Status = Literal["passed", "failed", "skipped", "pending", "other"]


class Part(msgspec.Struct, forbid_unknown_fields=True):
    """A part of the document: the schema allows no further fields."""


class Tool(Part):
    name: Name
    version: str = ""


class Summary(Part):
    tests: int
    passed: int
    failed: int
    skipped: int
    pending: int
    other: int
    start: int
    stop: int
    suites: int = 0


class OneTest(Part):
    name: Name
    status: Status
    duration: int
    id: UUID | None = None
    rawStatus: str = ""  # noqa: N815 - the format's names
    suite: Annotated[list[str], msgspec.Meta(min_length=1)] | None = None
    labels: dict[str, str] = {}
    message: str = ""
    trace: str = ""


class Environment(Part):
    appName: str = ""  # noqa: N815
    testEnvironment: str = ""  # noqa: N815
    extra: dict[str, Any] = {}


class Results(Part):
    tool: Tool
    summary: Summary
    tests: list[OneTest]
    environment: Environment


class Document(Part):
    reportFormat: Literal["CTRF"]  # noqa: N815
    specVersion: Annotated[str, msgspec.Meta(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]  # noqa: N815
    results: Results
    generatedBy: str = ""  # noqa: N815


def document(run: Run) -> Results:
    return msgspec.json.decode(render([run]), type=Document).results


def broken_run() -> Run:
    dead = BackendLine("dead", "dead", "", error="no module named dead")
    lead = msgspec.structs.replace(header(), backends=(dead,), started="yesterday")
    return Run(lead, [msgspec.structs.replace(result("", "add", "vjp"), seconds=math.inf)], [], [], [])


@pytest.mark.parametrize("run", [small_run, hostile_run, broken_run])
def test_it_is_what_the_schema_allows_and_the_summary_counts_the_tests(run: Any) -> None:
    found = document(run())
    assert found.summary.tests == len(found.tests)
    counts = Counter(test.status for test in found.tests)
    for status in ("passed", "failed", "skipped", "pending", "other"):
        assert getattr(found.summary, status) == counts[status]
    assert found.summary.start <= found.summary.stop
    assert len({test.id for test in found.tests}) == len(found.tests)


def test_a_test_has_its_verdict_its_message_and_what_replays_it() -> None:
    (failed,) = [test for test in document(small_run()).tests if test.name == "slate/op/atan2/vjp/float64"]
    assert (failed.status, failed.rawStatus) == ("failed", "fail")
    assert failed.labels == {"clause": "E1", "level": "must", "dtype": "float64", "token": "c1:9f2e77aa"}
    assert "conformance replay c1:9f2e77aa --on slate" in failed.trace


def test_a_known_failure_is_not_passed_and_an_unfinished_run_fails() -> None:
    tests = {test.name: test for test in document(broken_run()).tests}
    assert tests["run/complete"].status == tests["dead/adapter"].status == "failed"
    known = [test for test in document(small_run()).tests if test.rawStatus == "known"]
    assert {test.status for test in known} == {"skipped"}
