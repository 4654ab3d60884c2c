"""Does the record of the release say what was measured, of when, and nothing that was cut short?"""

from __future__ import annotations

from pathlib import Path

import pytest
from conformance_reports import release
from conformance_reports.html import render
from playwright.sync_api import expect

from conformance.runfile.jsonl import Run
from conformance.runfile.records import EndLine

from .conftest import Open
from .synthetic import header, mutants, proofs, spotless_run


def test_the_record_counts_and_dates_what_complete_run_files_hold() -> None:
    run = Run(header(), [], [], proofs(), mutants(), EndLine(complete=True, counts={}))
    found = release.measured([run])
    assert found["mutants"] == {"date": "2026-05-04", "digest": "5e1f0c", "caught": 2, "of": 3}
    assert found["proofs"]["count"] == len(proofs())
    assert found["proofs"]["op"] == proofs()[-1].op


def test_a_run_that_was_cut_short_gives_no_record() -> None:
    assert release.measured([Run(header(), [], [], proofs(), mutants())]) == {}


def test_the_shipped_record_says_of_when_it_is() -> None:
    record = release.record()
    assert record["proofs"]["digest"]
    assert record["proofs"]["date"]


def test_a_run_without_a_self_test_shows_the_record_and_its_date(
    visit: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = {"date": "2026-05-01", "digest": "abc", "caught": 368, "of": 370}
    monkeypatch.setattr("conformance_reports.html.record", lambda: {"mutants": part})
    (tmp_path / "page.html").write_text(render([spotless_run()]), encoding="utf-8")
    page = visit((tmp_path / "page.html").as_uri())
    expect(page.locator("aside").first).to_contain_text("368 / 370")
    expect(page.locator("aside").first).to_contain_text("Recorded with the release on 2026-05-01")
