"""A run with a budget runs what is worth most, ends in time, says what it left out, and can be resumed."""

from __future__ import annotations

import faulthandler
import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from xdist.dsession import Interrupted

from conformance.cli import main
from conformance.ops import CATALOGUE, FAMILIES
from conformance.questions import Item, items_of
from conformance.run import plan
from conformance.run.journal import Journal
from conformance.run.keeper import Keeper, Watch
from conformance.run.plan import Worth
from conformance.run.process import deadline
from conformance.run.process.deadline import OVERTIME, TIMEOUT, Budget, Limit
from conformance.run.resume import command_to_resume
from conformance.runfile.jsonl import Run, encode, read_run
from conformance.runfile.merge import merge, without_times
from conformance.runfile.records import BackendLine, EndLine, Verdict
from conformance.seconds import duration

pytestmark = pytest.mark.costly

ITEMS = list(items_of("mine", ("float64", "float32")))

SLOW = """
import os, time
from conformance_backends.numpy_backend import NumpyTape

class Slow(NumpyTape):
    def call(self, name, parameters):
        if name == "tanh" and "ASLEEP" in os.environ:
            time.sleep(float(os.environ["ASLEEP"]))
        return super().call(name, parameters)
"""
QUERIES = ("-q", "op/exp/vjp/float64", "-q", "op/tanh/vjp/float64", "-q", "op/exp/shape/float64")


def test_vjps_come_first_and_then_contracts() -> None:
    ordered = plan.in_order(ITEMS)
    assert [plan.worth(item) for item in ordered] == sorted(map(plan.worth, ITEMS))
    assert {item.check for item in ordered if plan.worth(item) is Worth.OWN_VJP} == {"op/vjp", "op/flat"}
    assert {item.check.partition("/")[0] for item in ordered if plan.worth(item) is Worth.CONTRACT} == {
        "contract"
    }
    assert ordered[0].dtype == "float64"
    assert sorted(map(str, ordered)) == sorted(map(str, ITEMS))


def test_at_any_time_as_large_a_part_of_every_family_was_asked() -> None:
    ordered = [item for item in plan.in_order(ITEMS) if item.check == "op/vjp"]
    half = {item.subject for item in ordered[: len(ordered) // 2]}
    for family, rows in FAMILIES.items():
        smooth = [op.name for op in rows if op.name in CATALOGUE]
        assert abs(len(half.intersection(smooth)) - len(smooth) / 2) <= 2 + len(smooth) / 8, family


def test_items_of_one_op_are_run_together_only_with_those_of_their_worth() -> None:
    of_tanh = [item for item in ITEMS if item.group == ("mine", "op/tanh/float64")]
    assert {plan.scope_of(item) for item in of_tanh} == {"own_vjp:op/tanh/float64", "rest:op/tanh/float64"}


def test_every_item_is_counted_in_one_chapter() -> None:
    counts = plan.by_chapter(ITEMS)
    assert set(counts) == {*"ABCDEFW", "capability"}
    assert sum(counts.values()) == len(ITEMS)


def test_what_one_part_leaves_serves_the_others() -> None:
    limited = Budget.of(100.0)
    ends = limited.shares([1, 3])
    now = time.monotonic()
    first, second = next(ends), next(ends)
    assert first is not None
    assert second is not None
    assert first - now == pytest.approx(25.0, abs=1.0)
    assert second - now == pytest.approx(100.0, abs=1.0)
    assert list(Budget.of(0.0).shares([1, 3])) == [None, None]


@pytest.mark.parametrize(
    ("timeout", "budget", "expected"),
    [
        (0.0, 0.0, Limit(TIMEOUT)),
        (0.0, 300.0, Limit(TIMEOUT, 30.0)),
        (0.0, 3600.0, Limit(TIMEOUT, 120.0)),
        (0.0, 86400.0, Limit(TIMEOUT)),
        (40.0, 300.0, Limit(40.0)),
    ],
)
def test_a_budget_shortens_the_time_out_of_one_question_unless_one_is_given(
    timeout: float, budget: float, expected: Limit
) -> None:
    assert Limit.of(timeout, budget) == expected


def test_a_hang_takes_little_of_a_budget_and_its_message_names_the_limit_and_the_way_out(
    slow: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(deadline, "LEAST", 2.0)  # instead of 30 seconds
    monkeypatch.setenv("ASLEEP", "600")
    code, found = run(slow, "hung.jsonl", "--budget", "1m", "-n", "1")
    assert code == 1
    assert found.end is not None
    assert not found.end.not_asked
    (late,) = [r for r in found.results if r.verdict is Verdict.TIMEOUT]
    assert late.subject == "tanh"
    assert late.evidence is not None
    assert late.evidence.message.startswith(
        "no answer within 2 s, the limit of one question that --budget sets"
    )
    assert f"--timeout {TIMEOUT:g}" in late.evidence.message
    assert found.counts()["pass"] == 2


def test_many_questions_of_a_slow_engine_are_no_hang(tmp_path: Path, monkeypatch: Any) -> None:
    """The watchdog of one question is set anew for the next one, and that of the group after it."""
    set_to: list[float] = []
    monkeypatch.setattr(faulthandler, "dump_traceback_later", lambda seconds, **_: set_to.append(seconds))
    monkeypatch.setattr(faulthandler, "cancel_dump_traceback_later", lambda: None)
    monkeypatch.setattr(faulthandler, "enable", lambda **_: None)
    monkeypatch.setattr(Journal, "_keep_output", lambda self, path: setattr(self, "_output", -1))
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    written = Journal(tmp_path, "gw0")
    written.watch(300.0, 30.0)
    for _ in range(3):
        written.ask("c1:abc")
        clock.now += 20.0
        written.note("mine/op/tanh/vjp/float64")
        clock.now += 1.0
        written.note("mine/op/tanh/shape/float64")
        written.ask("")
    assert set_to == [300.0, 30.0, 30.0, 279.0, 30.0, 30.0, 258.0, 30.0, 30.0, 237.0]
    written.rest()
    written.watch(300.0)
    written.ask("c1:abc")
    assert set_to[10:] == [300.0]
    for file in (written._memory, written._file, written._words):
        file.close()
    for descriptor in (written._kept, written._asked):
        os.close(descriptor)


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("5m", 300), ("1.5h", 5400), ("45", 45)])
def test_a_time_has_a_unit(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["5 minutes", "m", "0s", "nan"])
def test_what_is_no_time_is_refused(text: str, capsys: Any) -> None:
    assert main(["run", "numpy", "--budget", text]) == 4
    assert "is no time above zero" in capsys.readouterr().err


@pytest.fixture(scope="module")
def slow(tmp_path_factory: Any) -> Path:
    folder: Path = tmp_path_factory.mktemp("slow")
    (folder / "slow.py").write_text(SLOW)
    return folder


def run(folder: Path, output: str, *further: str) -> tuple[int, Run]:
    code = main(["run", str(folder / "slow.py"), *QUERIES, "--force", "-o", str(folder / output), *further])
    return code, read_run(folder / output)


@pytest.fixture(scope="module")
def plain(slow: Path) -> Run:
    code, found = run(slow, "plain.jsonl", "--budget", "1m", "-n", "1")
    assert code == 0
    return found


def test_a_run_ends_in_time_and_is_resumed(slow: Path, plain: Run, capsys: Any, monkeypatch: Any) -> None:
    assert plain.end is not None
    enough_for_exp = 3 * plain.end.seconds  # however busy the machine has become since
    monkeypatch.setenv("ASLEEP", "3")
    code, cut = run(slow, "cut.jsonl", "--budget", str(enough_for_exp), "-n", "1")
    monkeypatch.delenv("ASLEEP")
    assert code == 0
    assert cut.end is not None
    assert not cut.end.complete
    assert cut.end.seconds < enough_for_exp + OVERTIME
    assert cut.end.budget == enough_for_exp
    left_out = sum(cut.end.not_asked.values())
    assert left_out > 0
    assert cut.is_as_requested
    assert f"did not suffice for {left_out} questions (A" in cut.missing
    assert cut.missing in capsys.readouterr().out
    assert {r.check for r in cut.results[:2]} <= {"vjp", "flat"}
    assert main(["report", str(slow / "cut.jsonl"), "-o", str(slow / "cut.md")]) == 0
    assert cut.missing in (slow / "cut.md").read_text()

    assert (
        main(
            ["run", str(slow / "slow.py"), "--resume", str(slow / "cut.jsonl"), "-n", "2", "--budget", "60s"]
        )
        == 0
    )
    whole = read_run(slow / "cut.jsonl")
    assert whole.is_complete
    assert len(whole.results) == len(cut.results) + left_out
    found, expected = (
        sorted(map(without_times, each.results), key=lambda r: r.id) for each in (whole, plain)
    )
    assert [encode(r) for r in found] == [encode(r) for r in expected]


def test_a_budget_that_suffices_leaves_nothing_out(plain: Run) -> None:
    assert plain.is_complete
    assert plain.end is not None
    assert plain.end.not_asked == {}


def test_a_budget_in_which_nothing_could_be_run_is_an_incomplete_run(slow: Path) -> None:
    code, empty = run(slow, "empty.jsonl", "--budget", "0.001s", "-n", "1")
    assert code == 12
    assert empty.results == []


def test_shards_with_budgets_are_merged(slow: Path) -> None:
    _, cut = run(slow, "one.jsonl", "--budget", "0.001s", "--shard", "1/2")
    _, other = run(slow, "two.jsonl", "--budget", "0.001s", "--shard", "2/2")
    whole = merge([cut, other])
    assert whole.end is not None
    assert cut.end is not None
    assert other.end is not None
    assert sum(whole.end.not_asked.values()) == sum(
        (*cut.end.not_asked.values(), *other.end.not_asked.values())
    )
    assert whole.is_as_requested
    assert not merge([cut]).is_as_requested  # of the other shard nothing is known


def test_a_run_that_was_cut_short_otherwise_is_not_as_requested(plain: Run) -> None:
    cut = msgspec.structs.replace(plain, end=EndLine(complete=False, counts=plain.counts()))
    assert not cut.is_as_requested


class Hanging:
    """A process that has not ended by itself."""

    pid = 2**22 + 1  # of no process
    ended = False

    def poll(self) -> int | None:
        return -9 if self.ended else None

    def kill(self) -> None:
        self.ended = True

    def wait(self, timeout: float) -> int:
        return -9


def test_a_worker_that_does_not_come_back_is_ended_and_its_question_is_not_answered(tmp_path: Path) -> None:
    process = Hanging()
    watch = Watch(tmp_path, 1.0, until=time.monotonic() - OVERTIME)
    watch.add("gw0", process)
    watch.start()
    while not process.ended:
        time.sleep(0.05)
    watch.stop()
    assert watch.is_past
    kept: list[Any] = []
    keeper = Keeper(ITEMS[:2], tmp_path, (), kept.append, limit=Limit(2.0), until=time.monotonic())
    keeper.watch.is_past = True
    report = SimpleNamespace(
        node=SimpleNamespace(gateway=SimpleNamespace(id="gw0", _io=SimpleNamespace(popen=process)))
    )
    keeper.pytest_handlecrashitem(f"::{ITEMS[0].id}", report, None)
    assert not kept
    assert keeper.is_over
    for interrupt, is_of_user in ((Interrupted("its time is over"), False), (KeyboardInterrupt(), True)):
        keeper.pytest_keyboard_interrupt(SimpleNamespace(value=interrupt))
        assert keeper.was_interrupted is is_of_user


def test_an_item_names_its_own_worth_whatever_its_backend() -> None:
    item = Item("other", "op/vjp", "tanh", "float64")
    assert plan.worth(item) is Worth.OWN_VJP


@pytest.mark.parametrize(
    ("specs", "given"),
    [(("", ""), ""), (("mine.py", ""), "mine.py torch "), (("a b.py:Mine", ""), "'a b.py:Mine' torch ")],
)
def test_the_command_that_resumes_names_adapters_that_are_files(specs: tuple[str, str], given: str) -> None:
    backends = [
        BackendLine(name=name, engine=name, version="1", spec=spec)
        for name, spec in zip(("numpy", "torch"), specs, strict=True)
    ]
    assert command_to_resume(backends, Path("run.jsonl")) == f"conformance run {given}--resume run.jsonl"
