"""Does axe-core find a barrier that matters?"""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
import pytest

from .conftest import Open, go

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RUN = "axe.run({ resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })"
VIEWS = (
    "/overview",
    "/engine/slate",
    "/op/atan2",
    "/clause/E1",
    "/results?verdict=fail",
    "/differ?a=tape&b=slate",
    "/compare",
    "/glossary",
    "/matrix?family=elementwise",
    "/matrix?by=clause&cell=clause%2FE1%7Cslate",
    "/case/slate/op/atan2/vjp/float64",
    "/case/tape/op/norm/vjp/float64?tab=raw",
    "/atlas",
    "/accuracy",
    "/timing",
    "/about",
)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False)])
def test_axe_has_no_serious_finding(visit: Open, small: str, width: int, dark: bool) -> None:
    page = visit(small, width=width, dark=dark)
    page.evaluate(AXE)
    found = []
    for view in VIEWS:
        go(page, view)
        found += page.evaluate(RUN)["violations"]
    serious = [
        (finding["id"], node["html"][:160], node.get("failureSummary", "")[:200])
        for finding in found
        if finding["impact"] in ("serious", "critical")
        for node in finding["nodes"][:3]
    ]
    assert serious == []
