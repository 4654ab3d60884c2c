"""The report as a folder to be hosted: the interactive page, with a plain page per engine, op and clause.

The plain pages need no script, so that they can be searched and cited; each leads to its view of the interactive page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from conformance.runfile.causes import Cause, causes_of
from conformance.runfile.jsonl import Run
from conformance.runfile.records import ResultLine
from conformance.runfile.severity import SEVERITY_TEXT
from conformance_reports.html import environment, render, style
from conformance_reports.specification import specification
from conformance_reports.united import unite


def write_site(folder: Path, runs: Sequence[Run], against: Sequence[Run] = ()) -> int:
    """Write the site into `folder`; returns how many pages stand beside `index.html`."""
    run = unite(runs)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(render(runs, against), encoding="utf-8")
    template = environment().get_template("site.html")
    pages = list(_pages(run))
    for page in pages:
        path = folder / page["kind"] / f"{page['file']}.html"
        path.parent.mkdir(exist_ok=True)
        path.write_text(template.render(**page, run=run, style=style()), encoding="utf-8")
    return len(pages)


def file_name(name: str) -> str:
    """A name as the name of a file: letters, digits, dots and hyphens alone, and no hidden one."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", name).lstrip(".")[:80] or "_"


def _pages(run: Run) -> Iterator[dict[str, Any]]:
    known = specification()
    causes = causes_of(run.header.backends, run.results)
    engines = {line.name: line.engine or line.name for line in run.header.backends}
    versions = {line.engine or line.name: line.version for line in run.header.backends}
    for engine in dict.fromkeys(engines.values()):
        lines = [line for line in run.results if engines.get(line.backend) == engine]
        own = [cause for cause in causes if cause.engine == engine]
        yield _page("engine", engine, f"{engine} {versions[engine]}", [], lines, own, known)
    for op in dict.fromkeys(line.subject for line in run.results if line.kind == "op"):
        lines = [line for line in run.results if line.kind == "op" and line.subject == op]
        text = known["ops"].get(op, {}).get("formula", "").splitlines()
        yield _page("op", op, op, text, lines, _about(causes, lines), known)
    for clause in dict.fromkeys(line.clause for line in run.results if line.clause in known["clauses"]):
        lines = [line for line in run.results if line.clause == clause]
        text = [known["clauses"][clause]["sentence"], known["clauses"][clause]["reason"]]
        yield _page("clause", clause, f"Clause {clause}", text, lines, _about(causes, lines), known)


def _about(causes: Sequence[Cause], lines: Sequence[ResultLine]) -> list[Cause]:
    ids = {line.id for line in lines}
    return [cause for cause in causes if any(line.id in ids for line in cause.results)]


def _page(
    kind: str,
    name: str,
    title: str,
    text: Sequence[str],
    lines: Sequence[ResultLine],
    causes: Sequence[Cause],
    known: dict[str, Any],
) -> dict[str, Any]:
    counts: dict[str, Counter[str]] = {}
    for line in lines:
        counts.setdefault(line.backend, Counter())[line.verdict.value] += 1
    return {
        "kind": kind,
        "file": file_name(name),
        "title": title,
        "text": text,
        "address": f"../index.html#/{kind}/{quote(name)}",
        "counts": counts,
        "causes": [_cause(cause, known) for cause in causes],
    }


def _cause(cause: Cause, known: dict[str, Any]) -> dict[str, Any]:
    evidence = cause.worst.evidence
    return {
        "engine": cause.engine,
        "severity": SEVERITY_TEXT[cause.severity],
        "title": cause.title,
        "kind": cause.kind or ("known" if cause.is_known else "not known"),
        "count": len(cause.results),
        "clause": cause.worst.clause,
        "claim": known["claims"].get(cause.worst.check_key, ""),
        "sentence": known["clauses"].get(cause.worst.clause, {}).get("sentence", ""),
        "script": evidence.script if evidence and is_program(evidence.script) else "",
    }


def is_program(script: str) -> bool:
    """Whether there is more than comments, which alone are recorded of an engine that computed nothing."""
    return any(line.strip() and not line.lstrip().startswith("#") for line in script.splitlines())
