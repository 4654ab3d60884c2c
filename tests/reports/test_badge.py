"""Does a badge say the gravest first, and is it an image that nothing escapes from?"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import msgspec
import pytest
from conformance_reports.badge import badge_of, render
from conformance_reports.badge_endpoint import render as render_endpoint

from conformance.runfile.jsonl import Run
from conformance.runfile.records import BackendLine, EndLine, ResultLine, Verdict

from .synthetic import HOSTILE, header, hostile_run, result, small_run


def run_of(*verdicts: Verdict, engine: str = "tape", error: str = "", is_complete: bool = True) -> Run:
    line = BackendLine("tape", engine, "" if error else "1.2", error=error)
    lead = msgspec.structs.replace(header(), backends=(line,))
    results: list[ResultLine] = [
        msgspec.structs.replace(result("tape", "add", f"check{n}"), verdict=verdict)
        for n, verdict in enumerate(verdicts)
    ]
    end = EndLine(complete=is_complete, counts={}) if is_complete else None
    return Run(lead, results, [], [], [], end)


@pytest.mark.parametrize(
    ("run", "message", "colour"),
    [
        (run_of(Verdict.PASS, Verdict.PASS, Verdict.UNSUPPORTED), "2 of 2 pass", "green"),
        (run_of(Verdict.PASS, Verdict.KNOWN), "1 of 2 pass, 1 known", "yellow"),
        (run_of(Verdict.PASS, Verdict.KNOWN, Verdict.CRASH), "1 of 3 pass, 1 new failure", "red"),
        (run_of(Verdict.FAIL, Verdict.ERROR, is_complete=False), "0 of 2 pass, 2 new failures", "red"),
        (run_of(error="no module"), "could not start", "red"),
        (run_of(Verdict.PASS, is_complete=False), "1 of 1 pass, not complete", "grey"),
        (run_of(Verdict.UNSUPPORTED), "0 of 0 pass, not complete", "grey"),
    ],
)
def test_the_gravest_decides(run: Run, message: str, colour: str) -> None:
    badge = badge_of([run])
    assert (badge.message, badge.colour) == (message, colour)


def test_the_label_names_the_one_engine() -> None:
    assert badge_of([run_of(Verdict.PASS)]).label == "tape 1.2 conformance"
    assert badge_of([small_run()]).label == "gradient conformance"


@pytest.mark.parametrize("engine", HOSTILE)
def test_the_image_is_one_element_tree_with_a_title(engine: str) -> None:
    root = ET.fromstring(render([run_of(Verdict.PASS, engine=engine)]))
    assert {element.tag.partition("}")[2] for element in root.iter()} == {"svg", "title", "rect", "g", "text"}
    assert root.get("aria-label") == root[0].text
    assert "1 of 1 pass" in (root[0].text or "")
    assert int(root.get("width", "0")) < 1000
    assert ET.fromstring(render([hostile_run()])).tag.endswith("svg")


def test_the_endpoint_has_what_shields_requires() -> None:
    assert json.loads(render_endpoint([run_of(Verdict.PASS, Verdict.KNOWN)])) == {
        "schemaVersion": 1,
        "label": "tape 1.2 conformance",
        "message": "1 of 2 pass, 1 known",
        "color": "yellow",
        "isError": False,
    }
