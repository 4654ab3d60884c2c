"""The keeper of a session turns the death of a worker into the one verdict it is worth."""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from conformance.errors import DependencyError
from conformance.oracle import rounding
from conformance.questions import Item, items_of
from conformance.run import journal
from conformance.run.keeper import Keeper, Watch, item_of
from conformance.run.process.deadline import Limit
from conformance.run.session import run_session
from conformance.run.workers.deaths import Deaths, lost
from conformance.run.workers.worker import REMEMBERED, REMEMBERED_WITHIN
from conformance.run.xdist_scheduler import ScopeScheduling, require_xdist
from conformance.runfile.records import ResultLine, Verdict

pytestmark = pytest.mark.costly

ITEMS = [item for item in items_of("mine", ("float64",)) if item.group == ("mine", "op/tanh/float64")]
FIRST, SECOND = ITEMS[:2]


def kept_of(folder: Path, crashed: Item) -> ResultLine:
    kept: list[ResultLine] = []
    keeper = Keeper(ITEMS, folder, (), kept.append, limit=Limit(2.0))
    report = SimpleNamespace(node=SimpleNamespace(gateway=SimpleNamespace(id="gw0")))
    keeper.pytest_handlecrashitem(f"::{crashed.id}", report, None)
    (result,) = kept
    return result


@pytest.mark.parametrize("noted", [FIRST, SECOND])
def test_a_death_is_of_the_question_in_the_journal(tmp_path: Path, noted: Item) -> None:
    (tmp_path / "gw0.now").write_bytes(bytes(journal.WHEN.size) + noted.id.encode() + b"\0")
    assert kept_of(tmp_path, FIRST).id == noted.id
    assert noted.id in journal.culprits(tmp_path)


@pytest.mark.parametrize("written", [None, b"\0"])
def test_a_death_before_anything_is_noted_is_of_the_question_that_was_given(
    tmp_path: Path, written: bytes | None
) -> None:
    if written is not None:
        (tmp_path / "gw0.now").write_bytes(written)
    assert kept_of(tmp_path, FIRST).id == FIRST.id
    assert FIRST.id in journal.culprits(tmp_path)


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
def test_what_was_killed_from_outside_is_asked_once_more_and_then_interrupted(
    tmp_path: Path, by: signal.Signals
) -> None:
    deaths = Deaths({item.id: item for item in ITEMS}, tmp_path, (), limit=Limit(2.0))
    assert deaths.result("gw0", FIRST.id, code=-by, is_overdue=False) is None
    assert FIRST.id not in journal.culprits(tmp_path)
    other = deaths.result("gw1", SECOND.id, code=-signal.SIGSEGV, is_overdue=False)
    again = deaths.result("gw2", FIRST.id, code=-by, is_overdue=False)
    assert other is not None
    assert again is not None
    assert (other.verdict, again.verdict) == (Verdict.CRASH, Verdict.INTERRUPTED)


def test_what_was_late_for_expected_numbers_is_asked_once_more_and_then_nobodys_fault(tmp_path: Path) -> None:
    words = f'Timeout (0:00:02)!\nThread 0x7f (most recent call first):\n  File "{rounding.__file__}", line 9 in trial\n'
    for worker in ("gw0", "gw1"):
        (tmp_path / f"{worker}.words").write_text(words, encoding="utf-8")
    deaths = Deaths({item.id: item for item in ITEMS}, tmp_path, (), limit=Limit(2.0))
    assert deaths.result("gw0", FIRST.id, code=1, is_overdue=False) is None
    again = deaths.result("gw1", FIRST.id, code=1, is_overdue=False)
    assert again is not None
    assert again.verdict is Verdict.INTERRUPTED
    assert again.evidence is not None
    assert again.evidence.message.startswith("the time was taken by what computes the expected numbers")


def test_what_ended_a_process_is_not_said_to_end_no_other_before_it_was_asked_in_one(tmp_path: Path) -> None:
    deaths = Deaths({item.id: item for item in ITEMS}, tmp_path, (), limit=Limit(2.0))
    before = lost(FIRST, Verdict.PASS, "")
    deaths.saw("gw0", msgspec.structs.replace(before, subject="exp", id="mine/op/exp/vjp/float64"))
    lacked = msgspec.structs.replace(before, subject="det", verdict=Verdict.UNSUPPORTED)
    deaths.saw("gw0", msgspec.structs.replace(lacked, id="mine/op/det/vjp/float64"))
    assert deaths.result("gw0", FIRST.id, code=-signal.SIGSEGV, is_overdue=False) is None
    (waiting,) = deaths.unexplained
    assert "the time did not suffice to ask it in another" in waiting
    deaths.saw("gw1", before)
    (said,) = deaths.unexplained
    assert said.endswith(
        "this ended a process, and not another: what was asked before it may have damaged its memory: exp"
    )


def test_a_session_in_which_nothing_was_asked_is_no_crash_of_the_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pytest, "main", lambda *_, **__: pytest.ExitCode.NO_TESTS_COLLECTED)
    kept: list[ResultLine] = []
    (trouble,) = run_session(
        ["mine"], ITEMS, (), workers=1, known=(), limit=Limit(2.0), keep=kept.append
    ).trouble
    assert "before anything was run" in trouble
    assert not kept


@pytest.mark.parametrize(("until", "most"), [(None, 2), (1e12, 3)])
def test_no_more_workers_are_started_than_there_are_groups(
    monkeypatch: pytest.MonkeyPatch, until: float | None, most: int
) -> None:
    started: list[str] = []

    def main(arguments: list[str], **_: Any) -> pytest.ExitCode:
        started.append(arguments[arguments.index("-n") + 1])
        return pytest.ExitCode.NO_TESTS_COLLECTED

    monkeypatch.setattr(pytest, "main", main)
    # of two scopes, one of which has items of two worths where the time has an end
    names = ("mine/op/tanh/vjp/float64", "mine/op/tanh/shape/float64", "mine/op/exp/vjp/float64")
    items = [item for item in items_of("mine", ("float64",)) if item.id in names]
    for workers in (1, 2, 40):
        run_session(
            ["mine"],
            items,
            (),
            workers=workers,
            known=(),
            limit=Limit(2.0),
            keep=lambda result: None,
            until=until,
        )
    assert started == ["1", "2", str(most)]


def test_a_death_by_the_watchdog_is_a_timeout(tmp_path: Path) -> None:
    assert kept_of(tmp_path, FIRST).verdict is Verdict.CRASH
    (tmp_path / "gw0.words").write_text("Timeout (0:00:02)!")
    result = kept_of(tmp_path, FIRST)
    assert result.verdict is Verdict.TIMEOUT
    assert result.evidence is not None
    assert result.evidence.message.startswith("no answer within 2 s")


def test_what_shares_its_cases_is_run_by_one_worker_in_one_go() -> None:
    scheduling = ScopeScheduling(SimpleNamespace(getvalue=lambda _: ["popen"]), None)
    both = [item for name in ("mine", "mine.jit") for item in items_of(name, ("float64", "float32"))]
    groups: dict[str, set[tuple[str, str]]] = {}
    for item in both:
        assert scheduling._split_scope(f"conformance::{item.id}@{item.scope}") == item.scope
        assert (
            item_of(f"conformance::{item.id}@{item.scope}") == item_of(f"conformance::{item.id}") == item.id
        )
        groups.setdefault(item.scope, set()).add(item.group)
    assert groups["op/tanh/float64"] == {("mine", "op/tanh/float64"), ("mine.jit", "op/tanh/float64")}
    assert groups["point/tanh/float32"] == {
        ("mine", "point/tanh/float32"),
        ("mine.jit", "point/tanh/float32"),
    }
    assert groups["mine/contract/B1/fan-out"] == {("mine", "mine/contract/B1/fan-out")}


class Node:
    """A worker that takes whatever it is given."""

    shutting_down = False

    def __init__(self) -> None:
        self.given: list[int] = []

    def send_runtest_some(self, indices: list[int]) -> None:
        self.given += indices

    def shutdown(self) -> None:
        self.shutting_down = True


def test_a_group_that_is_finished_is_counted_no_more_and_each_item_is_handed_out_once() -> None:
    config = SimpleNamespace(
        getvalue=lambda _: ["popen"],
        getoption=lambda *_, **__: None,
        option=SimpleNamespace(loadscopereorder=True),
    )
    scheduling, node = ScopeScheduling(config), Node()
    names = [f"::{scope}{n}@{scope}" for n in range(3) for scope in "abcdefgh"]
    scheduling.add_node(node)
    scheduling.add_node_collection(node, names)
    scheduling.schedule()
    done = 0
    while done < len(node.given):
        scheduling.mark_test_complete(node, node.given[done])
        done += 1
        assert len(scheduling.assigned_work[node]) <= 2
    assert sorted(node.given) == list(range(len(names)))
    assert scheduling.tests_finished
    assert not scheduling.has_pending
    assert node.shutting_down


def test_a_scheduler_without_what_is_relied_on_is_an_error_that_names_the_version() -> None:
    with pytest.raises(
        DependencyError, match=f"pytest-xdist {version('pytest-xdist')} has .*: Other has no _reschedule"
    ):
        require_xdist(type("Other", (), {"_pending_of": None}))


FORGETFUL = """
import os
import numpy as np
from conformance_backends.numpy_backend import NumpyTape

class Forgetful(NumpyTape):
    held = None

    def call(self, name, parameters):
        if self.held is None and name == "sin":
            self.held = np.ones(int(os.environ["BYTES"]) // 8)
        return super().call(name, parameters)

    def forget(self):
        self.held = ()
        with open(os.environ["FORGOTTEN"], "a") as file:
            file.write("forgot\\n")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody says how much memory is taken")
@pytest.mark.parametrize("size", [0, REMEMBERED + 2**24])
def test_an_engine_forgets_once_it_takes_much_memory(command: Any, tmp_path: Path, size: int) -> None:
    adapter, forgotten = tmp_path / "forgetful.py", tmp_path / "forgotten"
    adapter.write_text(FORGETFUL)
    asked = ("-q", "op/sin/vjp", "-q", "op/sinh/vjp", "-n", 1)
    done = command("run", adapter, *asked, FORGOTTEN=str(forgotten), BYTES=str(size))
    assert set(done.verdicts.values()) == {"pass"}
    assert forgotten.exists() == bool(size)
    assert not size or forgotten.read_text().count("forgot") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody says how much memory is taken")
def test_an_engine_forgets_within_an_op_before_its_memory_is_at_its_end(command: Any, tmp_path: Path) -> None:
    adapter, forgotten = tmp_path / "forgetful.py", tmp_path / "forgotten"
    adapter.write_text(FORGETFUL)
    asked = ("-q", "op/sin/vjp/float64", "-q", "op/sin/linear/float64", "-n", 1)
    done = command("run", adapter, *asked, FORGOTTEN=str(forgotten), BYTES=str(REMEMBERED_WITHIN + 2**24))
    assert set(done.verdicts.values()) == {"pass"}
    assert forgotten.read_text().count("forgot") == 1


FILLED = """
import threading
from conformance.run.process import memory

memory.bound(2**26)
held = []
try:
    while True:
        held.append(bytes(2**16))
except MemoryError:
    pass
memory.leave(2**26)
threading.Thread(target=print, args=("there is room",)).start()
held.append(bytes(2**25))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing bounds the memory of a process")
def test_where_an_engine_has_taken_all_memory_some_is_left_to_say_so() -> None:
    filled = [sys.executable, "-c", FILLED]
    done = subprocess.run(filled, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "there is room\n"), done.stderr
    bare = [sys.executable, "-c", FILLED.replace("memory.leave(2**26)\n", "")]
    assert (
        "can't start new thread" in subprocess.run(bare, capture_output=True, text=True, check=False).stderr
    )


def test_a_question_that_takes_long_is_said_with_the_time_it_has_left(tmp_path: Path) -> None:
    said: list[tuple[str, float, float]] = []
    watch = Watch(tmp_path, 1.0, waiting=lambda *given: said.append(given))
    (tmp_path / "gw0.now").write_bytes(journal.WHEN.pack(1300.0) + FIRST.id.encode() + b"\0")
    for now in (1000.0, 1019.0, 1021.0, 1022.0, 1041.0):
        watch._say_if_long("gw0", now, 1300.0)
    assert said == [(FIRST.id, 21.0, 279.0), (FIRST.id, 41.0, 259.0)]
    (tmp_path / "gw0.now").write_bytes(journal.WHEN.pack(1300.0) + SECOND.id.encode() + b"\0")
    watch._say_if_long("gw0", 1042.0, 1300.0)
    assert len(said) == 2
