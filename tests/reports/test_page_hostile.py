"""Is text that an engine chose ever more than text?"""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from .conftest import Open, go
from .synthetic import HOSTILE, hostile_run

VIEWS = (
    *("/overview", "/results", "/matrix", "/matrix?by=clause", "/atlas", "/accuracy", "/timing", "/about"),
    *("/differ", "/compare", *("/engine/" + quote(name, safe="/") for name in HOSTILE[:3])),
    *("/op/" + quote(HOSTILE[0], safe="/"), "/clause/" + quote(HOSTILE[1], safe="/")),
)
CASES = tuple("/case/" + quote(line.id, safe="/") for line in hostile_run().results[: len(HOSTILE)])


HARM = """() => [
    window.harmed,
    document.querySelectorAll("main :is(script, img, iframe, object)").length,
    document.querySelectorAll("script").length,
    document.querySelectorAll("a:not([href^='#'])").length,
]"""


@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_text_is_inert(visit: Open, hostile: str, width: int) -> None:
    page = visit(hostile, width=width)
    for view in (*VIEWS, *CASES):
        go(page, view)
        page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
        assert page.evaluate(HARM) == [None, 0, 3, 0], view
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view


def test_characters_that_reorder_text_are_shown_by_number(visit: Open, hostile: str) -> None:
    text = visit(f"{hostile}#{CASES[5]}").locator("body").inner_text()
    assert "⟨U+202E⟩" in text
    assert "\u202e" not in text


def test_a_run_that_is_not_complete_says_so_and_where(visit: Open, hostile: str) -> None:
    expect(visit(hostile).locator(".facts .amber")).to_contain_text("! not complete")


def test_no_script_but_the_pages_own_may_run(visit: Open, small: str) -> None:
    page = visit(small)
    policy = page.locator("meta[http-equiv]").get_attribute("content") or ""
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy
    assert "unsafe-inline" not in policy.split("style-src")[0]
