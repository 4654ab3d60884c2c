"""Measures the page against its budget: 50 000 results, at most 3 MB, first view within a second.

Run from the repository's root: python -m tests.reports.measure_html
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from conformance_reports.html import render
from playwright.sync_api import sync_playwright

from tests.reports.synthetic import large_run


def main() -> None:
    """Print what the page weighs, how long it takes to write, and how long to its first view."""
    run = large_run()
    began = time.perf_counter()
    text = render([run])
    written = time.perf_counter() - began
    print(f"{len(run.results)} results: {len(text.encode()) / 1e6:.2f} MB, written in {written:.1f} s")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "large.html"
        path.write_text(text, encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for view in ("overview", "matrix", "accuracy", "about", "matrix?by=clause"):
            page = browser.new_page()
            page.goto(f"{path.as_uri()}#/{view}")
            page.wait_for_selector("html[data-ready]")
            print(f"  {view}: first view after {page.evaluate('document.documentElement.dataset.ready')} ms")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
