"""The table has a row per result, and no cell that a spreadsheet would evaluate."""

from __future__ import annotations

import csv
import io

import pytest
from conformance_reports.csv_report import COLUMNS, harmless, render

from conformance.runfile.jsonl import Run
from conformance.runfile.records import Evidence, Verdict

from .synthetic import header, hostile_run, result, small_run


def rows(run: Run) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render([run]))))


def test_a_row_per_result() -> None:
    run = small_run()
    found = rows(run)
    assert list(found[0]) == list(COLUMNS)
    assert [row["id"] for row in found] == [line.id for line in run.results]
    for row, line in zip(found, run.results, strict=True):
        assert (row["verdict"], row["clause"], row["cases"]) == (line.verdict, line.clause, str(line.cases))
        assert row["error"] == ("" if line.error is None else repr(line.error))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\n=1", " -2"])
def test_text_that_a_spreadsheet_would_evaluate_is_quoted(text: str) -> None:
    assert harmless(text) == f"'{text}"
    line = result("tape", text, "vjp", verdict=Verdict.FAIL, evidence=Evidence(message=text))
    row, _ = rows(Run(header(), [line], [], [], []))
    assert row["subject"] == row["message"] == f"'{text}"


def test_ordinary_text_is_kept() -> None:
    assert [harmless(text) for text in ("", "a=1", "'quoted'", "1-2")] == ["", "a=1", "'quoted'", "1-2"]


def test_hostile_names_stay_in_their_cells() -> None:
    run = hostile_run()
    assert len(rows(run)) == len(run.results) + (not run.is_complete)


def test_a_run_that_is_not_complete_has_a_row_that_says_so() -> None:
    last = rows(Run(header(), [], [], [], []))[-1]
    assert (last["id"], last["verdict"]) == ("run/complete", "error")
    assert "no footer" in last["message"]
