"""Takes a picture of every view of a report, light and dark, wide and narrow, to be looked at.

Run from the repository's root: python -m tests.reports.screenshots FOLDER RUN.jsonl … [--against EARLIER.jsonl]
The three pictures of the documents, from runs of torch and jax: python -m tests.reports.screenshots docs/images --pictures RUN.jsonl …
"""

from __future__ import annotations

import argparse
import shutil
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


def addresses(runs: list[Run]) -> dict[str, str]:
    """The views by name, with the pages of the first engine that fails, its worst op, its clause, its case and a cell."""
    views = {view.replace("?by=", "-by-").partition("?")[0]: view for view in VIEWS}
    causes = causes_of(runs[0].header.backends, runs[0].results)
    if not causes:
        return views
    worst = causes[0].worst
    op = next((cause.worst for cause in causes if cause.worst.kind == "op"), None)
    pages = {"engine": causes[0].engine, "clause": worst.clause, "case": worst.id}
    views |= {view: f"{view}/{quote(name)}" for view, name in pages.items()}
    if op:
        cell = quote(f"op/{op.subject}|{op.backend}", safe="")
        views |= {"op": f"op/{quote(op.subject)}", "matrix-cell": f"matrix?q={quote(op.subject)}&cell={cell}"}
        views |= {"case-of-op": f"case/{quote(op.id)}"}
    return views


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
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--against", type=Path, nargs="*", default=[])
    parser.add_argument("--pictures", action="store_true")
    options = parser.parse_args()
    runs = [read_run(path) for path in options.runs]
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page_file = Path(place) / "report.html"
        page_file.write_text(render(runs, [read_run(path) for path in options.against]), encoding="utf-8")
        if options.pictures:
            pictures(browser, page_file, options.folder)
            return
        for scheme in ("light", "dark"):
            for width in (1280, 390):
                context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 820})
                for name, address in addresses(runs).items():
                    page = context.new_page()
                    page.goto(f"{page_file.resolve().as_uri()}#/{address}")
                    page.wait_for_selector("html[data-ready]")
                    page.wait_for_timeout(200)  # the evidence is read after the first view
                    page.screenshot(path=options.folder / f"{name}-{width}-{scheme}.png")
                    if name == "overview":
                        page.keyboard.press("/")
                        page.keyboard.type("max")
                        page.wait_for_timeout(100)
                        page.screenshot(path=options.folder / f"search-{width}-{scheme}.png")
                    page.close()
        browser.close()


if __name__ == "__main__":
    main()
