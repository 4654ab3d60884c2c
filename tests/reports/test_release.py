"""Does the record of the release say what was measured, of when, and nothing that was cut short?"""

from __future__ import annotations

from pathlib import Path

import pytest
from conformance_reports import release
from conformance_reports.html import render
from msgspec import structs
from playwright.sync_api import expect

from conformance.runfile.jsonl import Run
from conformance.runfile.records import EndLine

from .conftest import Open
from .synthetic import header, mutants, proofs, result, spotless_run


def test_the_record_counts_and_dates_what_complete_run_files_hold() -> None:
    run = Run(header(), [], [], proofs(), mutants(), EndLine(complete=True, counts={}))
    found = release.measured([run])
    assert found["mutants"] == {"date": "2026-05-04", "digest": "5e1f0c", "caught": 2, "of": 3}
    assert found["proofs"]["count"] == len(proofs())
    assert found["proofs"]["op"] == proofs()[-1].op


def test_the_coverage_is_that_of_the_first_backend_in_the_dtype_that_reaches_most() -> None:
    seen = [
        ("tape", "tanh", (3, 4)),
        ("tape", "tanh", (4, 4)),
        ("tape", "add", (2, 5)),
        ("slate", "add", (5, 5)),
    ]
    results = [
        structs.replace(result(backend, op, f"vjp{n}"), levels=levels, pairs=(1, 9))
        for n, (backend, op, levels) in enumerate(seen)
    ]
    run = Run(header(), results, [], [], [], EndLine(complete=True, counts={}))
    found = release.measured([run])["coverage"]
    assert (found["backend"], found["profile"], found["ops"]) == ("tape", "quick", 2)
    assert (found["levels"], found["pairs"]) == ([6, 9], [2, 18])


def test_a_run_that_was_cut_short_gives_no_record() -> None:
    assert release.measured([Run(header(), [], [], proofs(), mutants())]) == {}


def test_the_shipped_record_says_of_when_it_is() -> None:
    record = release.record()
    assert set(record) == {"mutants", "proofs", "coverage"}
    for part in record.values():
        assert part["digest"]
        assert part["date"]
    assert 0 < record["mutants"]["caught"] <= record["mutants"]["of"]


def test_a_run_without_a_self_test_shows_the_record_and_its_date(
    visit: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    when = {"date": "2026-05-01", "digest": "abc"}
    coverage = {**when, "backend": "tape", "profile": "quick", "ops": 2, "levels": [6, 9], "pairs": [2, 18]}
    held = {"mutants": {**when, "caught": 368, "of": 370}, "coverage": coverage}
    monkeypatch.setattr("conformance_reports.html.record", lambda: held)
    (tmp_path / "page.html").write_text(render([spotless_run()]), encoding="utf-8")
    page = visit((tmp_path / "page.html").as_uri())
    expect(page.locator("aside").first).to_contain_text("368 / 370")
    expect(page.locator("aside").first).to_contain_text("Recorded with the release on 2026-05-01")
    expect(page.locator("aside").first).to_contain_text("6 of the 9 levels of the factors of 2 ops")
