"""The run as one HTML file that opens from disk, the data included.

The page is a shell; what it shows is drawn by its script from the run embedded in it, compressed. The
script may run because the page's policy names its digest, and no other script may.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from conformance.runfile.jsonl import Run
from conformance_reports.packed import details_of, encoded, overview_of
from conformance_reports.release import record
from conformance_reports.specification import specification
from conformance_reports.united import unite

# In the order in which they are joined: a part uses only what stands before it, `main` starts the page.
PARTS = (
    *("dom", "address", "run", "results", "filters", "causes"),
    *("overview", "engine", "rows", "grid", "matrix", "arrays", "again", "case", "subject"),
    *(
        "charts",
        "atlas",
        "differ",
        "badness",
        "compare",
        "timing",
        "accuracy",
        "about",
        "glossary",
        "search",
        "main",
    ),
)


def render(runs: Sequence[Run], against: Sequence[Run] = ()) -> str:
    """The whole page, self-contained; `against` are the run files of an earlier run to compare with."""
    run = unite(runs)
    script = _script()
    return (
        environment()
        .get_template("page.html")
        .render(
            run=run,
            counts=run.counts(),
            style=style(),
            script=Markup(script),
            digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            data=encoded(
                {
                    **overview_of(run),
                    "against": overview_of(unite(against)) if against else None,
                    "specification": specification(),
                    "release": record(),
                }
            ),
            details=encoded(details_of(run)),
        )
    )


def environment() -> Environment:
    """The templates of the page: whatever they are given is text, unless it is marked as markup of ours."""
    return Environment(
        loader=PackageLoader("conformance_reports", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def style() -> Markup:
    """The style sheet."""
    return Markup(_asset("page.css"))


def _script() -> str:
    """The page's script: the parts in one function, so that they share names with each other alone."""
    parts = "\n".join(_asset(f"{part}.js") for part in PARTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def _asset(name: str) -> str:
    return (files("conformance_reports") / "page" / name).read_text(encoding="utf-8")
