"""The results as a table of comma-separated values, for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from conformance.runfile.jsonl import Run
from conformance.runfile.records import ResultLine, Verdict
from conformance_reports.united import unite

SUFFIXES = (".csv",)
COLUMNS = (
    *("id", "backend", "kind", "subject", "check", "clause", "level", "dtype", "verdict"),
    *("cases", "undecided", "error", "ulp", "message"),
)
FORMULA_SIGNS = ("=", "+", "-", "@")  # a spreadsheet would evaluate text that starts with one of them


def render(runs: Sequence[Run]) -> str:
    """A row per result; one more, of the verdict `error`, where the runs are not complete."""
    run = unite(runs)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows(map(_row, run.results))
    if not run.is_complete:
        row = {"id": "run/complete", "verdict": Verdict.ERROR.value, "message": run.missing}
        table.writerow(harmless(row.get(name, "")) for name in COLUMNS)
    return text.getvalue()


def harmless(text: str) -> str:
    """The text, with ' in front where a spreadsheet would take it for a formula."""
    return f"'{text}" if text.lstrip().startswith(FORMULA_SIGNS) else text


def _row(line: ResultLine) -> list[str | float | None]:
    values = (line.reason if name == "message" else getattr(line, name) for name in COLUMNS)
    return [harmless(value) if isinstance(value, str) else value for value in values]
