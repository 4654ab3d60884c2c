"""Does the summary of a CI job say what failed, and fit?"""

from __future__ import annotations

import re

from conformance_reports.markdown import LIMIT, plain, render

from conformance.runfile.jsonl import Run
from conformance.runfile.records import Evidence, Verdict

from .synthetic import HOSTILE, header, hostile_run, result, small_run


def test_counts_per_backend_fewest_problems_first() -> None:
    rows = [line for line in render([small_run()]).splitlines() if line.startswith("| ")]
    names = [row.split("|")[1].strip() for row in rows[1:5]]
    assert names == ["tape", "mini", "slate", "slate.jit"]
    assert "✓ 0" in rows[1]
    assert "✗ 6" in rows[3]


def test_failures_name_id_clause_and_message() -> None:
    text = render([small_run()])
    assert "slate/op/atan2/vjp/float64" in text
    assert "### Failures by cause: 15, of which 3 are known" in text
    assert "### Pass now" in text


def test_one_complaint_about_many_results_is_one_row() -> None:
    text = render([small_run()])
    assert sum(line.startswith("| ✗ |") for line in text.splitlines()) == 5
    assert "| slate | 4 | silently wrong numbers (not known)" in text


def test_the_mutation_score_stands_beside_the_counts() -> None:
    assert "2 of 3 mutants caught" in render([small_run()])
    text = render([Run(header(), [], [], [], [])])
    assert re.search(
        r"The suite itself: \d+ of \d+ mutants caught, recorded with the release on \d{4}-", text
    )


def test_a_backend_without_results_is_not_run_never_zero() -> None:
    assert "– not run" in render([Run(header(backends=("tape",)), [], [], [], [])])


def test_a_run_that_is_not_complete_says_so_first() -> None:
    assert "Not complete" in render([Run(header(), [], [], [], [])]).splitlines()[2]


def test_hostile_text_is_escaped() -> None:
    text = render([hostile_run()])
    assert "<" not in text.replace("\\<", "")
    assert "\u202e" not in text
    assert "\x00" not in text
    for row in (line for line in text.splitlines() if line.startswith("| ✗")):
        assert len(re.findall(r"(?<!\\)\|", row)) == 7
        assert not re.search(r"(?<!\\)`", row)
        assert len(row) < 2000


def test_plain_text_is_one_line_and_links_nowhere() -> None:
    assert plain("a\nb|c `d` [e](f) <g> @h") == r"a b\|c \`d\` \[e\](f) &lt;g&gt; \@h"


def test_the_summary_fits_and_says_what_it_left_out() -> None:
    fixed = [result("tape", f"op{n}" * 20, "vjp", verdict=Verdict.FIXED) for n in range(15_000)]
    text = render([Run(header(), fixed, [], [], [])])
    assert len(text.encode()) <= LIMIT
    assert "Shortened here" in text


def test_long_names_are_shortened() -> None:
    assert len(plain(HOSTILE[-1])) < 400


def test_every_clause_is_listed_by_backend_and_what_is_not_offered_with_its_reason() -> None:
    lines = [
        result("slate", "tanh", "vjp"),
        result("slate", "tanh", "vjp", verdict=Verdict.KNOWN, dtype="float32"),
        result("mini", "tanh", "vjp", verdict=Verdict.FAIL),
        result(
            "tape", "tanh", "vjp", verdict=Verdict.UNSUPPORTED, evidence=Evidence(message="it has no <tanh>")
        ),
    ]
    text = render([Run(header(), lines, [], [], [])])
    (heads,) = (line for line in text.splitlines() if line.startswith("| clause |"))
    (row,) = (line for line in text.splitlines() if line.startswith("| E1 |"))
    names, shown = (line.strip("| ").split(" | ")[1:] for line in (heads, row))
    cells = dict(zip(names, shown, strict=True))
    assert (cells["slate"], cells["mini"], cells["tape"]) == ("1 pass, 1 known", "1 ✗", "– (1)")
    assert "1. it has no &lt;tanh&gt;" in text
