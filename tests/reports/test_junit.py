"""Does a CI system that reads JUnit see what happened?"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import msgspec
import pytest
import xmlschema
from conformance_reports.junit import ILLEGAL, legal, render

from conformance.runfile.jsonl import Run
from conformance.runfile.records import BackendLine, EndLine, Verdict

from .synthetic import BACKENDS, HOSTILE, header, hostile_run, result, small_run

SCHEMAS = Path(__file__).with_name("schemas")


def odd_run() -> Run:
    """What a damaged file may say: no time, no date, no name, a backend that did not start, no end."""
    dead = BackendLine("dead", "dead", "", error="no module named dead")
    lead = msgspec.structs.replace(header(), backends=(dead,), started="yesterday")
    timeless = msgspec.structs.replace(result("", "add", "vjp"), seconds=math.nan)
    return Run(lead, [timeless], [], [], [])


def cases(text: str) -> dict[str, ET.Element]:
    return {case.get("name", ""): case for case in ET.fromstring(text).iter("testcase")}


def test_one_suite_per_backend_with_counts_that_agree() -> None:
    root = ET.fromstring(render([small_run()]))
    assert [suite.get("name") for suite in root] == list(BACKENDS)
    for suite in root:
        found = suite.findall("testcase")
        assert suite.get("tests") == str(len(found))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert suite.get(attribute) == str(sum(case.find(tag) is not None for case in found))
    assert sum(int(suite.get("tests", "0")) for suite in root) == len(small_run().results)


def test_each_verdict_has_its_outcome() -> None:
    expected = {
        Verdict.PASS: None,
        Verdict.FAIL: "failure",
        Verdict.FIXED: "failure",
        Verdict.ERROR: "error",
        Verdict.CRASH: "error",
        Verdict.TIMEOUT: "error",
        Verdict.ADAPTER_ERROR: "error",
        Verdict.INTERNAL_ERROR: "error",
        Verdict.INTERRUPTED: "error",
        Verdict.UNSUPPORTED: "skipped",
        Verdict.UNDECIDED: "skipped",
        Verdict.KNOWN: "skipped",
    }
    assert set(expected) == set(Verdict)
    run = small_run()
    found = cases(render([run]))
    for line in run.results:
        outcomes = [child.tag for child in found[line.id]]
        assert outcomes == ([expected[line.verdict]] if expected[line.verdict] else [])


def test_a_failure_has_level_clause_token_and_verdict() -> None:
    case = cases(render([small_run()]))["slate/op/atan2/vjp/float64"]
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("type") == "fail"
    assert "clause E1 (must)" in (failure.text or "")
    assert "again: conformance replay c1:9f2e77aa --on slate" in (failure.text or "")


def test_a_known_failure_is_skipped_with_its_reason() -> None:
    skipped = cases(render([small_run()]))["tape/op/norm/vjp/float64"].find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "nan at the origin"


def test_hostile_text_stays_text_and_is_valid_xml() -> None:
    names = set(cases(render([hostile_run()])))
    backend = HOSTILE[0]
    for text in HOSTILE:
        assert legal(f"{backend}/op/{text}/{text}/{text}") in names


def test_characters_that_xml_forbids_are_replaced() -> None:
    assert legal("a\x00b\x1bc\ud800d\ufffe\te\n") == "a\ufffdb\ufffdc\ufffdd\ufffd\te\n"
    assert not ILLEGAL.search("∂z/∂x · 𝑥 ‮")


def test_a_run_that_is_not_complete_is_an_error() -> None:
    case = cases(render([Run(header(), [result("tape", "add", "vjp")], [], [], [])]))["run/complete"]
    assert case.find("error") is not None


def test_a_backend_that_could_not_start_is_an_error() -> None:
    dead = BackendLine("dead", "dead", "", error="no module named dead")
    lead = msgspec.structs.replace(header(), backends=(dead,))
    run = Run(lead, [], [], [], [], EndLine(complete=True, counts={}))
    error = cases(render([run]))["dead/adapter"].find("error")
    assert error is not None
    assert error.get("message") == "no module named dead"


@pytest.mark.parametrize("schema", ["jenkins", "ant"])
@pytest.mark.parametrize("run", [small_run, hostile_run, odd_run])
def test_it_is_what_the_schemas_in_use_allow(schema: str, run: Any) -> None:
    xmlschema.XMLSchema(str(SCHEMAS / f"{schema}.xsd")).validate(render([run()]))
