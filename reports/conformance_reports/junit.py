"""The run as JUnit XML, for CI systems that read nothing else.

No standard defines it. What is written here is what both schemas allow that are in use: Ant's, which is strict, and that of
Jenkins. So a test case has no properties: its level and clause stand in the text of a failure, and nowhere if it passes.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from conformance.runfile.jsonl import Run
from conformance.runfile.records import BackendLine, ResultLine
from conformance_reports.outcomes import (
    OUTCOMES,
    Trouble,
    detail_of,
    message_of,
    seconds_of,
    started,
    troubles_of,
)
from conformance_reports.united import backend_names, unite

SUFFIXES = (".xml",)
NOWHERE = "run"  # the suite of what is no backend's

# Everything outside the Char production of XML 1.0, lone surrogates included.
ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def legal(text: str) -> str:
    """The text without the characters that XML cannot hold, even escaped."""
    return ILLEGAL.sub("\ufffd", text)


def render(runs: Sequence[Run]) -> str:
    """One test suite per backend, one test case per result, named by its id."""
    run = unite(runs)
    cases: dict[str, list[ET.Element]] = {name: [] for name in backend_names(run)}
    for result in run.results:
        cases[result.backend].append(_case(result))
    for trouble in troubles_of(run):
        cases.setdefault(trouble.backend or NOWHERE, []).append(_lone_error(trouble))
    lines = {line.name: line for line in run.header.backends}
    when = started(run).strftime("%Y-%m-%dT%H:%M:%S")
    root = ET.Element("testsuites")
    for number, (name, own) in enumerate(cases.items()):
        root.append(_suite(name, number, lines.get(name), own, when))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(
    name: str, number: int, backend: BackendLine | None, cases: list[ET.Element], when: str
) -> ET.Element:
    """A suite, with everything that either schema requires."""
    known = {} if backend is None else {"engine": backend.engine, "version": backend.version}
    suite = ET.Element(
        "testsuite",
        name=legal(name) or NOWHERE,
        package="conformance",
        id=str(number),
        timestamp=when,
        hostname="localhost",  # the schema's word for: not recorded
        tests=str(len(cases)),
        failures=_count(cases, "failure"),
        errors=_count(cases, "error"),
        skipped=_count(cases, "skipped"),
        time=f"{sum(float(case.get('time', '0')) for case in cases):.6f}",
    )
    properties = ET.SubElement(suite, "properties")
    for key, value in {**known, "mode": backend.mode if backend else ""}.items():
        if value:
            ET.SubElement(properties, "property", name=key, value=legal(value))
    suite.extend(cases)
    ET.SubElement(suite, "system-out")
    ET.SubElement(suite, "system-err")
    return suite


def _count(cases: Sequence[ET.Element], tag: str) -> str:
    return str(sum(case.find(tag) is not None for case in cases))


def _case(result: ResultLine) -> ET.Element:
    case = ET.Element(
        "testcase",
        name=legal(result.id),
        classname=legal(f"{result.backend}.{result.kind}.{result.subject}"),
        time=f"{seconds_of(result):.6f}",
    )
    if result.verdict in OUTCOMES:
        outcome = ET.SubElement(
            case, OUTCOMES[result.verdict], type=result.verdict.value, message=legal(message_of(result))
        )
        outcome.text = legal(detail_of(result))
    return case


def _lone_error(trouble: Trouble) -> ET.Element:
    case = ET.Element("testcase", name=legal(trouble.name), classname="run", time="0")
    ET.SubElement(case, "error", type=trouble.kind, message=legal(trouble.message))
    return case
