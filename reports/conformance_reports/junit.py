"""The run as JUnit XML, for CI systems that read nothing else."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from shlex import quote

from conformance.runfile.jsonl import Run
from conformance.runfile.records import BackendLine, ResultLine, Verdict
from conformance_reports.united import backend_names, unite

SUFFIXES = (".xml",)

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

# Everything outside the Char production of XML 1.0, lone surrogates included.
ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def legal(text: str) -> str:
    """The text without the characters that XML cannot hold, even escaped."""
    return ILLEGAL.sub("\ufffd", text)


def render(runs: Sequence[Run]) -> str:
    """One test suite per backend, one test case per result, named by its id."""
    run = unite(runs)
    by_backend: dict[str, list[ResultLine]] = {name: [] for name in backend_names(run)}
    for result in run.results:
        by_backend[result.backend].append(result)
    lines = {line.name: line for line in run.header.backends}
    root = ET.Element("testsuites", name="conformance")
    for name, results in by_backend.items():
        root.append(_suite(name, lines.get(name), results, run.header.started))
    if not run.is_complete:
        root.append(_incomplete(run))
    for outcome in ("tests", "failures", "errors", "skipped"):
        root.set(outcome, str(sum(int(suite.get(outcome, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(name: str, backend: BackendLine | None, results: list[ResultLine], started: str) -> ET.Element:
    cases = [_case(result) for result in results]
    if backend is not None and backend.error:
        cases.append(_lone_error(f"{name}/adapter", "adapter_error", backend.error))
    suite = _counted(name, cases)
    suite.set("time", f"{sum(result.seconds for result in results):.6f}")
    suite.set("timestamp", legal(started))
    if backend is not None:
        _properties(suite, {"engine": backend.engine, "version": backend.version, "mode": backend.mode}, at=0)
    return suite


def _counted(name: str, cases: list[ET.Element]) -> ET.Element:
    suite = ET.Element("testsuite", name=legal(name), tests=str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
    suite.extend(cases)
    return suite


def _case(result: ResultLine) -> ET.Element:
    case = ET.Element(
        "testcase",
        name=legal(result.id),
        classname=legal(f"{result.backend}.{result.kind}.{result.subject}"),
        time=f"{result.seconds:.6f}",
    )
    token = result.evidence.token if result.evidence else ""
    _properties(
        case,
        {"level": result.level, "clause": result.clause, "token": token, "verdict": result.verdict.value},
    )
    if result.verdict in OUTCOMES:
        outcome = ET.SubElement(
            case, OUTCOMES[result.verdict], type=result.verdict.value, message=legal(_message(result))
        )
        outcome.text = legal(_detail(result))
    return case


def _message(result: ResultLine) -> str:
    if result.verdict is Verdict.FIXED:
        return "passes now: remove it from the known-failures file"
    return result.reason or result.verdict.value


def _detail(result: ResultLine) -> str:
    evidence = result.evidence
    if evidence is None:
        return ""
    lines = [evidence.message, f"clause {result.clause} ({result.level})"]
    lines += [f"at {evidence.where}"] if evidence.where else []
    lines += [f"see {evidence.link}"] if evidence.link else []
    again = f"again: conformance replay {quote(evidence.token)} --on {quote(result.backend)}"
    lines += [again] if evidence.token else []
    return "\n".join(lines)


def _properties(element: ET.Element, values: dict[str, str], *, at: int | None = None) -> None:
    properties = ET.Element("properties")
    for name, value in values.items():
        if value:
            ET.SubElement(properties, "property", name=name, value=legal(value))
    element.insert(len(element) if at is None else at, properties)


def _incomplete(run: Run) -> ET.Element:
    """A suite of one error: without it a run that died early would look green."""
    return _counted("run", [_lone_error("run/complete", "incomplete", run.missing)])


def _lone_error(name: str, kind: str, message: str) -> ET.Element:
    case = ET.Element("testcase", name=legal(name), classname="run")
    ET.SubElement(case, "error", type=kind, message=legal(message))
    return case
