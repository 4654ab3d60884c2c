"""Takes a picture of every view of a report, light and dark, wide and narrow, to be looked at.

Run from the repository's root: python -m tests.reports.screenshots FOLDER RUN.jsonl …
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from urllib.parse import quote

from conformance_reports.html import render
from playwright.sync_api import sync_playwright

from conformance.runfile.causes import causes_of
from conformance.runfile.jsonl import Run, read_run

VIEWS = (
    *("overview", "results", "matrix", "matrix?by=clause", "atlas?differ=1", "differ", "compare", "accuracy"),
    *("timing", "about", "glossary"),
)


def addresses(runs: list[Run]) -> list[str]:
    """The views, and the pages of the first engine with failures, its worst op, its clause and its case."""
    causes = causes_of(runs[0].header.backends, runs[0].results)
    if not causes:
        return list(VIEWS)
    worst = causes[0].worst
    pages = ("engine", causes[0].engine), ("op", worst.subject), ("clause", worst.clause), ("case", worst.id)
    return [*VIEWS, *(f"{view}/{quote(name)}" for view, name in pages)]


def main() -> None:
    """Write a picture per view, width and colour scheme."""
    folder, runs = Path(sys.argv[1]), [read_run(Path(name)) for name in sys.argv[2:]]
    folder.mkdir(parents=True, exist_ok=True)
    page_file = folder / "report.html"
    page_file.write_text(render(runs), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
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
