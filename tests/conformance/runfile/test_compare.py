"""Comparing two runs says what changed, once, and nothing where nothing did."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given

from conformance.runfile.compare import REGRESSIONS, Change, Comparison, compare
from conformance.runfile.jsonl import Run
from conformance.runfile.records import FAILING, BackendLine, Verdict

from .drawn_runs import HEADER, line, run_of, runs

MIRRORED = {Change.NEW: Change.GONE, Change.GONE: Change.NEW}


@given(runs)
def test_a_run_does_not_differ_from_itself(run: Run) -> None:
    found = compare(run, run)
    assert not found.causes
    assert not found.is_regression
    assert found.same == len(run.results)


@given(runs, runs)
def test_every_question_is_counted_once(old: Run, new: Run) -> None:
    found = compare(old, new)
    ids = [difference.id for difference in found.differences]
    assert len(ids) == len(set(ids)) == sum(found.counts.values())
    assert found.same + len(ids) == len({r.id for r in (*old.results, *new.results)})


@given(runs, runs)
def test_the_way_back_mentions_the_same_questions(old: Run, new: Run) -> None:
    there = {d.id: d for d in compare(old, new).differences}
    back = {d.id: d for d in compare(new, old).differences}
    assert there.keys() == back.keys()
    for identifier, difference in there.items():
        other = back[identifier]
        assert (difference.before, difference.after) == (other.after, other.before)
        if difference.change in (*MIRRORED, Change.VALUE):
            assert other.change is MIRRORED.get(difference.change, Change.VALUE)


@given(runs, runs)
def test_it_is_a_regression_where_something_fails_that_did_not(old: Run, new: Run) -> None:
    failed = {r.id: r.verdict in FAILING for r in old.results}
    fails_now = any(r.verdict in FAILING and not failed.get(r.id, True) for r in new.results)
    found = compare(old, new)
    assert found.is_regression == (fails_now or bool({Change.LOST, Change.WORSE} & found.counts.keys()))


@given(runs, runs)
def test_no_question_gets_worse_both_ways(old: Run, new: Run) -> None:
    there, back = (
        {d.id for d in compare(one, other).differences if d.change in REGRESSIONS}
        for one, other in ((old, new), (new, old))
    )
    assert not there & back


@given(runs, runs)
def test_it_is_json(old: Run, new: Run) -> None:
    found = compare(old, new)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Comparison) == found


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (Verdict.PASS, Verdict.FAIL, Change.REGRESSED),
        (Verdict.KNOWN, Verdict.CRASH, Change.REGRESSED),
        (Verdict.UNSUPPORTED, Verdict.ERROR, Change.REGRESSED),
        (Verdict.PASS, Verdict.UNSUPPORTED, Change.LOST),
        (Verdict.FAIL, Verdict.UNSUPPORTED, Change.CHANGED),
        (Verdict.FAIL, Verdict.CRASH, Change.WORSE),
        (Verdict.FAIL, Verdict.KNOWN, Change.CHANGED),
        (Verdict.FAIL, Verdict.PASS, Change.FIXED),
        (Verdict.KNOWN, Verdict.FIXED, Change.FIXED),
        (Verdict.UNSUPPORTED, Verdict.PASS, Change.FIXED),
        (Verdict.PASS, Verdict.FIXED, None),
    ],
)
def test_a_change_has_one_name(before: Verdict, after: Verdict, change: Change | None) -> None:
    found = compare(run_of([line("tanh", before)]), run_of([line("tanh", after)]))
    assert found.counts == ({change.value: 1} if change else {})


NUMBERS = {"expected": [1.0], "where": "[0]"}
DIGITS, WRONG = ({**NUMBERS, "got": [got]} for got in (1.0 + 1e-10, -1.0))
AS_ERROR, AS_FAIL = ({"failed_as": how, "reason": "the norm"} for how in ("error", "fail"))


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ((Verdict.ERROR, {}), (Verdict.FAIL, DIGITS), Change.WORSE),
        ((Verdict.ERROR, {}), (Verdict.FAIL, WRONG), Change.WORSE),
        ((Verdict.ERROR, {}), (Verdict.FAIL, {}), Change.WORSE),  # of another shape: no numbers were compared
        ((Verdict.FAIL, DIGITS), (Verdict.FAIL, WRONG), Change.WORSE),
        ((Verdict.CRASH, {}), (Verdict.FAIL, WRONG), Change.WORSE),
        ((Verdict.UNSUPPORTED, {}), (Verdict.FAIL, DIGITS), Change.REGRESSED),
        ((Verdict.FAIL, WRONG), (Verdict.FAIL, DIGITS), Change.CHANGED),
        ((Verdict.FAIL, WRONG), (Verdict.FAIL, {**WRONG, "got": [-2.0]}), None),
        ((Verdict.FAIL, WRONG), (Verdict.ERROR, {}), Change.CHANGED),
        ((Verdict.KNOWN, AS_ERROR), (Verdict.KNOWN, {**AS_FAIL, **WRONG}), Change.WORSE),
        ((Verdict.KNOWN, AS_ERROR), (Verdict.KNOWN, {**AS_FAIL, **WRONG, "reason": "now this"}), Change.CHANGED),
        ((Verdict.ERROR, {}), (Verdict.KNOWN, {**AS_FAIL, **WRONG}), Change.CHANGED),
        ((Verdict.KNOWN, {**AS_FAIL, **WRONG}), (Verdict.FAIL, WRONG), Change.REGRESSED),
    ],
)  # fmt: skip
def test_a_failure_that_becomes_a_worse_one_is_a_regression_unless_it_is_listed_anew(
    before: tuple[Verdict, dict[str, Any]], after: tuple[Verdict, dict[str, Any]], change: Change | None
) -> None:
    old, new = (run_of([line("tanh", verdict, "it is off", more=more)]) for verdict, more in (before, after))
    found = compare(old, new)
    assert found.counts == ({change.value: 1} if change else {})
    assert found.is_regression == (change in REGRESSIONS)


def test_alike_failures_are_one_cause() -> None:
    names = ("tanh", "exp", "log")
    old = run_of([line(n, Verdict.PASS) for n in names])
    new = run_of(
        [line(n, Verdict.ERROR, f"ValueError: {n} at 0x{i}f has {i} parts") for i, n in enumerate(names)]
    )
    (cause,) = compare(old, new).causes
    assert cause.message == "ValueError: … at # has # parts"
    assert [d.subject for d in cause.differences] == ["exp", "log", "tanh"]


def test_numbers_in_a_message_are_no_change_and_another_message_is() -> None:
    one, other, third = (
        run_of([line("tanh", Verdict.FAIL, m)]) for m in ("off by 1e-5", "off by 3", "raised")
    )
    assert not compare(one, other).causes
    assert compare(one, third).counts == {Change.CHANGED.value: 1}


def test_a_value_of_the_atlas_that_changed_is_shown_before_and_after() -> None:
    old, new = (run_of([line("tanh", Verdict.PASS, found=name)]) for name in ("zero", "one"))
    (difference,) = compare(old, new).differences
    assert difference.change is Change.VALUE
    assert difference.cell_before is not None
    assert difference.cell_after is not None
    assert (difference.cell_before.found, difference.cell_after.found) == ("zero", "one")


def test_an_engine_that_starts_no_more_is_a_regression() -> None:
    broken = msgspec.structs.replace(HEADER, backends=(BackendLine("mine", "", "", error="no library"),))
    found = compare(run_of([line("tanh", Verdict.PASS)]), run_of([], broken))
    assert found.is_regression
    assert [(e.before, e.after, e.error) for e in found.engines] == [("1", "", "no library")]
    assert not compare(run_of([], broken), run_of([], broken)).is_regression


def test_what_a_run_of_chosen_questions_was_not_asked_is_not_gone() -> None:
    old = run_of([line(op, Verdict.PASS) for op in ("tanh", "exp", "log")])
    failed = line("tanh", Verdict.FAIL)
    again = run_of([failed], msgspec.structs.replace(HEADER, ids=(failed.id,)))
    found = compare(old, again)
    assert found.counts == {Change.REGRESSED: 1}
    assert found.notes == (
        "the new run was asked 1 chosen questions; 2 others of the old run are not compared",
    )
    assert not compare(again, again).notes


def test_what_makes_two_runs_less_comparable_is_said() -> None:
    new = run_of([], msgspec.structs.replace(HEADER, seed=3, profile="standard"))
    new.end = None
    notes = "\n".join(compare(run_of([]), new).notes)
    for part in ("different seeds: 0 and 3", "different profiles", "the new run is not complete"):
        assert part in notes
