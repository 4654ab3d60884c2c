"""The run as one HTML file that opens from disk, the data included.

The page is a shell; what it shows is drawn by its script from the run embedded in it, compressed. The
script may run because the page's policy names its digest, and no other script may.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Sequence
from importlib.resources import files

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from msgspec import structs

from conformance.runfile.jsonl import Run
from conformance.runfile.records import ResultLine
from conformance_reports.json_report import document
from conformance_reports.specification import specification
from conformance_reports.united import unite

# In the order in which they are joined: a part uses only what stands before it, `main` starts the page.
PARTS = (
    *("dom", "run", "overview", "rows", "grid", "matrix", "arrays", "again", "case"),
    *("charts", "atlas", "timing", "accuracy", "about", "main"),
)


def render(runs: Sequence[Run]) -> str:
    """The whole page, self-contained."""
    run = unite(runs)
    script = _script()
    environment = Environment(
        loader=PackageLoader("conformance_reports", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        run=run,
        counts=run.counts(),
        style=Markup(_asset("page.css")),
        script=Markup(script),
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=_packed(run),
    )


def _script() -> str:
    """The page's script: the parts in one function, so that they share names with each other alone."""
    parts = "\n".join(_asset(f"{part}.js") for part in PARTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def _asset(name: str) -> str:
    return (files("conformance_reports") / "page" / name).read_text(encoding="utf-8")


def _packed(run: Run) -> str:
    """The run and the words of the specification, gzipped, as base64.

    Measurements are kept to four digits: the rest is noise that does not compress, a third of the file. Nor do
    the tokens of cases that passed: `conformance replay ID` finds them in the run file.
    """
    results = [_slim(line) for line in run.results]
    data = msgspec.json.encode({**document(run), "results": results, "specification": specification()})
    return base64.b64encode(gzip.compress(data, compresslevel=9, mtime=0)).decode()


def _slim(line: ResultLine) -> ResultLine:
    accuracy = line.accuracy and structs.replace(line.accuracy, token="")
    brief = {name: _brief(getattr(line, name)) for name in ("seconds", "error", "ulp")}
    return structs.replace(line, accuracy=accuracy, **brief)


def _brief(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")
