"""Is the work behind a keystroke bounded, however many results there are?

How long a keystroke takes depends on the machine: `python -m tests.reports.measure_html` measures that. What is drawn does not.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from conformance_reports.html import render
from playwright.sync_api import Page

from .conftest import Open, go
from .synthetic import large_run

# Types a letter into the field that has the focus; how many elements were drawn until the frame after the next.
TYPED = """async (letter) => {
    const field = document.activeElement;
    let drawn = 0;
    const all = (nodes) => [...nodes].reduce((n, x) => n + (x.nodeType === 1 ? 1 + x.querySelectorAll("*").length : 0), 0);
    const watcher = new MutationObserver((records) => { for (const r of records) drawn += all(r.addedNodes); });
    watcher.observe(document.body, { childList: true, subtree: true });
    field.value = letter;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (const r of watcher.takeRecords()) drawn += all(r.addedNodes);
    watcher.disconnect();
    return drawn;
}"""
MOST = (
    8_000  # elements, of a hundred rows with a dozen marks each, or of sixty causes in each of a few groups
)


RESULTS = 8_000


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report of many results, of which a fifth fail."""
    path: Path = tmp_path_factory.mktemp("many") / "many.html"
    path.write_text(render([large_run(RESULTS)]), encoding="utf-8")
    return path.as_uri()


def drawn_for(page: Page, text: str) -> int:
    return int(page.evaluate(TYPED, text))


def test_a_keystroke_draws_no_more_than_a_page(visit: Open, many: str) -> None:
    page = visit(many)
    for view in ("/results", "/matrix", "/matrix?by=clause", "/engine/slate", "/differ"):
        go(page, view)
        page.locator("main .controls input[type=search]").last.focus()
        drawn = [drawn_for(page, "o"), drawn_for(page, "op")]
        assert 0 < max(drawn) < MOST, (view, drawn)


def test_the_search_over_everything_draws_a_page_of_what_it_finds(visit: Open, many: str) -> None:
    page = visit(many)
    page.keyboard.press("/")
    assert 0 < drawn_for(page, "op") < 200


def test_what_is_left_out_of_a_long_list_is_counted_and_can_be_asked_for(visit: Open, many: str) -> None:
    page = visit(f"{many}#/results")
    assert page.locator(".results > li").count() == 100
    page.get_by_role("button", name="Show more (7\u202f900 left)").click()
    assert page.locator(".results > li").count() == 200
