"""Takes a picture of every view of a report, light and dark, wide and narrow, to be looked at.

Run from the repository's root: python -m tests.reports.screenshots FOLDER RUN.jsonl …
The three pictures of the documents, from runs of torch and jax: python -m tests.reports.screenshots docs/images --pictures RUN.jsonl …
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from conformance_reports.html import render
from playwright.sync_api import Browser, sync_playwright

from conformance.runfile.causes import causes_of
from conformance.runfile.jsonl import Run, read_run

VIEWS = (
    *("overview", "results", "matrix", "matrix?by=clause", "atlas?differ=1", "differ", "compare", "accuracy"),
    *("timing", "about", "glossary"),
)
# What the README and docs/report.md show, at the width of a page of text.
PICTURES = {
    "overview": "overview",
    "engine": "engine/torch",
    "differ": "differ?a=torch&b=jax&ops=relu,max,sort,det",
}


def addresses(runs: list[Run]) -> list[str]:
    """The views, and the pages of the first engine with failures, its worst op, its clause and its case."""
    causes = causes_of(runs[0].header.backends, runs[0].results)
    if not causes:
        return list(VIEWS)
    worst = causes[0].worst
    pages = ("engine", causes[0].engine), ("op", worst.subject), ("clause", worst.clause), ("case", worst.id)
    return [*VIEWS, *(f"{view}/{quote(name)}" for view, name in pages)]


def pictures(browser: Browser, page_file: Path, folder: Path) -> None:
    """Write the three pictures of the documents."""
    for name, address in PICTURES.items():
        page = browser.new_page(color_scheme="light", viewport={"width": 1080, "height": 640})
        page.goto(f"{page_file.resolve().as_uri()}#/{address}")
        page.wait_for_selector("html[data-ready]")
        page.wait_for_timeout(500)
        page.screenshot(path=folder / f"{name}.png")
        page.close()


def main() -> None:
    """Write a picture per view, width and colour scheme."""
    folder, names = Path(sys.argv[1]), [name for name in sys.argv[2:] if name != "--pictures"]
    runs = [read_run(Path(name)) for name in names]
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page_file = Path(place) / "report.html"
        page_file.write_text(render(runs), encoding="utf-8")
        if "--pictures" in sys.argv:
            pictures(browser, page_file, folder)
            return
        for scheme in ("light", "dark"):
            for width in (1280, 390):
                context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 820})
                for address in addresses(runs):
                    page = context.new_page()
                    page.goto(f"{page_file.resolve().as_uri()}#/{address}")
                    page.wait_for_selector("html[data-ready]")
                    page.wait_for_timeout(200)  # the evidence is read after the first view
                    name = address.partition("?")[0].split("/")[0] + (
                        "-by-clause" if "by=" in address else ""
                    )
                    page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
                    page.close()
        browser.close()


if __name__ == "__main__":
    main()
