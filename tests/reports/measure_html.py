"""Measures the page against its budget.

50 000 results of which 10 000 fail: at most 3 MB, first view within a second, a keystroke in a filter within 100 ms.

Run from the repository's root: python -m tests.reports.measure_html [RESULTS]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

from conformance_reports.html import render
from playwright.sync_api import sync_playwright

from tests.reports.synthetic import large_run

VIEWS = ("overview", "engine/slate", "results", "matrix", "matrix?by=clause", "differ", "accuracy", "about")
FIELD = "main .controls label:has(input[placeholder]) input"
# From the event to the end of the frame that shows its effect.
KEYSTROKES = """async () => {
    const field = [...document.querySelectorAll("dialog[open] input, main .controls input[type=search]")].pop();
    const times = [];
    for (const text of ["o", "op", "op_", "op_1", ""]) {
        const began = performance.now();
        field.value = text;
        field.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
        times.push(performance.now() - began);
    }
    return times;
}"""


def main() -> None:
    """Print what the page weighs, how long it takes to write, and how long to its first view."""
    run = large_run(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
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
        for view in VIEWS:
            page = browser.new_page()
            page.goto(f"{path.as_uri()}#/{view}")
            page.wait_for_selector("html[data-ready]", timeout=120_000)
            ready = page.evaluate("document.documentElement.dataset.ready")
            typed = page.evaluate(KEYSTROKES) if page.locator(FIELD).count() else []
            if view == "overview":  # which has no filters: the search over everything
                page.keyboard.press("/")
                typed = page.evaluate(KEYSTROKES)
            strokes = ", ".join(f"{milliseconds:.0f}" for milliseconds in typed)
            print(f"  {view}: first view after {ready} ms" + (f", keystrokes {strokes} ms" if typed else ""))
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
