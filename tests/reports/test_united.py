"""Are several runs one run?"""

from __future__ import annotations

import msgspec
import pytest
from conformance_reports.united import backend_names, unite

from conformance.errors import UsageError
from conformance.runfile.jsonl import Damage, DamageKind, Run
from conformance.runfile.records import EndLine, Verdict

from .synthetic import header, proofs, result, small_run, timings


def finished(run: Run) -> Run:
    run.end = EndLine(complete=True, counts=run.counts(), seconds=2.0)
    return run


def test_the_first_header_leads_and_backends_are_joined() -> None:
    first = finished(Run(header("first", ("tape",)), [], [], [], []))
    second = finished(Run(header("second", ("tape", "mini")), [], timings(), proofs(), []))
    united = unite([first, second])
    assert united.header.id == "first"
    assert backend_names(united) == ["tape", "mini"]
    assert united.timings == timings()
    assert united.proofs == proofs()
    assert united.is_complete
    assert united.end is not None
    assert united.end.seconds == 4.0


def test_later_results_win_by_id_and_are_counted_again() -> None:
    before = finished(Run(header(), [result("tape", "add", "vjp", verdict=Verdict.FAIL)], [], [], []))
    after = finished(Run(header(), [result("tape", "add", "vjp")], [], [], []))
    united = unite([before, after])
    assert [line.verdict for line in united.results] == [Verdict.PASS]
    assert united.end is not None
    assert united.end.counts == {"pass": 1}


def test_one_incomplete_run_leaves_the_whole_incomplete() -> None:
    assert not unite([small_run(), Run(header(), [], [], [], [])]).is_complete


def test_damage_is_kept() -> None:
    damage = Damage(DamageKind.UNREADABLE, "run.jsonl", 3, "not JSON")
    united = unite([small_run(), finished(Run(header(), [], [], [], [], damage=(damage,)))])
    assert united.damage == (damage,)
    assert united.missing == "run.jsonl, line 3: not JSON"
    assert not united.is_complete


def test_no_run_is_refused_with_the_way_out() -> None:
    with pytest.raises(UsageError, match="conformance report RUN"):
        unite([])


def test_a_backend_only_results_know_is_named() -> None:
    run = Run(header(backends=("tape",)), [result("stray", "add", "vjp")], [], [], [])
    assert backend_names(unite([run])) == ["tape", "stray"]


def test_uniting_leaves_the_runs_as_they_were() -> None:
    run = small_run()
    before = msgspec.json.encode(run)
    unite([run, run])
    assert msgspec.json.encode(run) == before
