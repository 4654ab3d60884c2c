"""Answers stand in one order, from good to bad: every two of them compare, and an error is less bad than a wrong number."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from conformance.runfile.badness import OF_SEVERITY, OF_VERDICT, Badness, badness_of
from conformance.runfile.compare import REGRESSIONS, compare
from conformance.runfile.records import FAILING, UNEXPECTED, ResultLine, Verdict
from conformance.runfile.severity import Severity

from .drawn_runs import line, lines, run_of

PAGE = Path(__file__).parents[3] / "docs" / "ci.md"
NUMBERS = {"expected": [1.0], "where": "[0]"}
FROM_GOOD_TO_BAD = [
    line("tanh", Verdict.PASS),
    line("tanh", Verdict.UNDECIDED),
    line("tanh", Verdict.UNSUPPORTED),
    line("tanh", Verdict.ADAPTER_ERROR, "TypeError: no"),
    line("tanh", Verdict.ERROR, "ValueError: no"),
    line("tanh", Verdict.FAIL, "off", more={**NUMBERS, "got": [1 + 1e-10]}),
    line("tanh", Verdict.FAIL, "the gradient has shape (2,), its operand ()"),
    line("tanh", Verdict.CRASH, "it died"),
    line("tanh", Verdict.FAIL, "off", more={**NUMBERS, "got": ["nan"]}),
]


def test_every_kind_of_answer_has_its_place() -> None:
    assert [badness_of(answer) for answer in FROM_GOOD_TO_BAD] == list(Badness)


def test_every_verdict_and_every_severity_has_a_place() -> None:
    assert OF_VERDICT.keys() == set(Verdict) - UNEXPECTED - {Verdict.KNOWN}
    assert OF_SEVERITY.keys() == set(Severity)


@given(lines)
def test_a_list_does_not_change_how_bad_a_failure_is(answer: ResultLine) -> None:
    if answer.verdict in (Verdict.FAIL, Verdict.ERROR):
        known = line(
            answer.subject,
            Verdict.KNOWN,
            "off",
            more={**_evidence(answer), "failed_as": answer.verdict.value},
        )
        assert badness_of(known) == badness_of(answer)


def _evidence(answer: ResultLine) -> dict[str, object]:
    found = answer.evidence
    return {"expected": found.expected, "got": found.got, "where": found.where} if found else {}


failures = lines.filter(lambda answer: answer.verdict in FAILING)


@given(failures, failures)
def test_what_counts_as_a_regression_of_a_failure_is_this_order(one: ResultLine, other: ResultLine) -> None:
    other = line(one.subject, other.verdict, "off", more=_evidence(other))
    found = compare(run_of([one]), run_of([other]))
    assert found.is_regression == (badness_of(one) < badness_of(other))


@given(st.lists(failures, min_size=3, max_size=3))
def test_what_is_worse_than_the_worse_is_worse(answers: list[ResultLine]) -> None:
    first, second, third = (line("tanh", a.verdict, "off", more=_evidence(a)) for a in answers)
    is_worse = [
        bool(compare(run_of([a]), run_of([b])).counts.keys() & REGRESSIONS)
        for a, b in ((first, second), (second, third), (first, third))
    ]
    assert is_worse[2] or not (is_worse[0] and is_worse[1])


def test_the_page_lists_the_order() -> None:
    """docs/ci.md numbers the answers as the enumeration does."""
    listed = re.findall(r"^(\d)\. \*\*([^*]+)\*\*", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert listed == [(str(b + 1), b.name.lower().replace("_", " ")) for b in Badness]
