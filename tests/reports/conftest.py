"""One real browser for all tests of the page, and the runs they look at, rendered once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conformance_reports.html import render
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from .synthetic import hostile_run, small_run, spotless_run

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

Open = Callable[..., Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        missing = "no chromium on the path: install Debian's chromium (apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "small.html"
    path.write_text(render([small_run()]), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="session")
def spotless(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "spotless.html"
    path.write_text(render([spotless_run()]), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("report") / "hostile.html"
    path.write_text(render([hostile_run()]), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="session")
def contexts(browser: Browser) -> dict[bool, BrowserContext]:
    """A light and a dark one."""
    return {dark: browser.new_context(color_scheme="dark" if dark else "light") for dark in (False, True)}


@pytest.fixture
def visit(contexts: dict[bool, BrowserContext]) -> Iterator[Open]:
    """Opens an address from disk; whatever the page complains about, or asks, fails the test at its end."""
    complaints: list[str] = []
    pages: list[Page] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    def visited(address: str, *, width: int = 1280, dark: bool = False) -> Page:
        page = contexts[dark].new_page()
        page.set_viewport_size({"width": width, "height": 860})
        page.set_default_timeout(10_000)
        pages.append(page)
        page.on("console", on_console)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"a dialog: {dialog.message}"))
        page.on("request", lambda request: _local(request.url, complaints))
        page.goto(address)
        page.wait_for_selector("html[data-ready]", timeout=10_000)
        return page

    yield visited
    for page in pages:
        page.close()
    assert complaints == []


def _local(url: str, complaints: list[str]) -> None:
    if not url.startswith(("file:", "data:", "blob:")):
        complaints.append(f"the page requested {url}")


def go(page: Page, view: str) -> None:
    """Follow a link to a view of the page that is open, and wait until it is drawn."""
    page.evaluate(
        """view => new Promise(drawn => {
            if (location.hash === "#" + view) return drawn();
            addEventListener("hashchange", () => requestAnimationFrame(drawn), { once: true });
            location.hash = view;
        })""",
        view,
    )
