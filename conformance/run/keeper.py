"""The keeper: in the process that writes the run file, what becomes of workers' results, and of workers that die."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.load import start_timeout
from conformance.questions import Item
from conformance.run import journal
from conformance.run.process import deadline, processes
from conformance.run.process.ends import manner
from conformance.run.workers.deaths import Deaths, lost
from conformance.run.xdist_scheduler import is_stop_of_session, process_of, stop_session
from conformance.runfile.jsonl import decode
from conformance.runfile.known import KnownFailure
from conformance.runfile.records import ResultLine

STARTS = 3  # workers in a row that may die before they have collected anything
GRACE = 3.0  # seconds that a worker's own watchdog has, before it is ended from here
PERIOD = 0.25  # seconds between two looks at the workers
STARTING = "a worker that starts"  # in place of an id
STOPPED = " (its process is stopped, and goes on with SIGCONT)"
SILENT = 60.0  # seconds that a worker may have nothing to do while others are at work
LONG = 20.0  # seconds after which it is said, again and again, that a question is still being asked

Waiting = Callable[
    [str, float, float], None
]  # an id, the seconds since it was asked, and those until it is ended


def item_of(nodeid: str) -> str:
    """The id of the item behind pytest's id, to which xdist appends the scope after an @."""
    return nodeid.partition("::")[2].rpartition("@")[0] or nodeid.partition("::")[2]


class Keeper:
    """A pytest plugin in the keeping process: results come in, each once, and go to `keep`.

    Attributes:
        trouble: what went wrong on our side.
        not_started: why no worker could start; empty where one did.
        was_interrupted: whether it was by Ctrl-C, not by what stops a session from inside.
    """

    def __init__(
        self,
        items: Sequence[Item],
        folder: Path,
        known: Sequence[KnownFailure],
        keep: Callable[[ResultLine], None],
        limit: deadline.Limit,
        until: float | None = None,
        waiting: Waiting | None = None,
        is_last: Callable[[ResultLine], bool] | None = None,
    ) -> None:
        self.items = {item.id: item for item in items}
        self.folder, self.keep = folder, keep
        self.deaths = Deaths(self.items, folder, known, limit)
        self.kept: set[str] = set()
        self.trouble: list[str] = []
        self.not_started = ""
        self.was_interrupted = False
        self.until, self.is_last = until, is_last
        self.watch = Watch(folder, start_timeout(), until, waiting)
        self._has_all = False  # whether the last result that was wanted is there
        self._failed_starts = 0
        self._config: Any = None

    @property
    def is_over(self) -> bool:
        """Whether items have no result because the time did not suffice, or a result was the last one wanted."""
        return (self.watch.is_past or deadline.is_over(self.until)) and len(self.kept) < len(self.items)

    def _keep(self, result: ResultLine) -> None:
        if result.id not in self.kept and not self._has_all:
            self.kept.add(result.id)
            self.keep(result)
            if self.is_last is not None and self.is_last(result):
                self._has_all = self.watch.is_past = True
                stop_session(self._config, "no more is wanted")
                self.watch.end_all()

    # ---- workers come and go ------------------------------------------------------------------------

    def pytest_sessionstart(self, session: Any) -> None:
        """The workers are about to be started."""
        self._config = session.config
        self.watch.start()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """A worker is being started."""
        self.watch.add(node.gateway.id, process_of(node))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        """A worker has started: it has imported the engine and knows its questions."""
        self._failed_starts = 0
        self.watch.started(node.gateway.id)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        """A worker has ended; where too many could not even start, the session does."""
        worker = node.gateway.id
        has_started = self.watch.remove(worker)
        if self.watch.is_past:
            stop_session(self._config, "its time is over")
        if error is None or has_started or self.watch.is_past:
            return
        self._failed_starts += 1
        if self._failed_starts >= STARTS:
            said = journal.last_words(self.folder, worker) or journal.last_output(self.folder, worker)
            why = (
                self.watch.why.get(worker)
                or f"it ended ({manner(_code(node)) or 'its exit code is unknown'})"
            )
            self.not_started = f"{STARTS} workers could not start; the last one: {why}" + (
                said and f"\n{said}"
            )
            stop_session(self._config, self.not_started)
            self.watch.end_all()

    def pytest_keyboard_interrupt(self, excinfo: Any) -> None:
        """Nothing more is wanted of the workers: a hung one would be waited for."""
        self.was_interrupted = not is_stop_of_session(excinfo.value)
        self.watch.end_all()

    # ---- results -------------------------------------------------------------------------------------

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A report from a worker."""
        for text in getattr(report, "conformance", ()):
            line = decode(text)
            if isinstance(line, ResultLine):
                self._keep(self.deaths.saw(report.node.gateway.id, line))

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        """A worker died; where its question is asked once more, it stays in the scheduler's queue."""
        worker = report.node.gateway.id
        if self.watch.is_past:  # it was ended from here, which is no answer
            return
        is_overdue, is_silent = worker in self.watch.overdue, worker in self.watch.silent
        result = self.deaths.result(
            worker, item_of(crashitem), code=_code(report.node), is_overdue=is_overdue, is_silent=is_silent
        )
        if result is not None:
            self._keep(result)

    def pytest_internalerror(self, excrepr: Any) -> None:
        """Something of ours broke: say so at the end."""
        self.trouble.append(str(excrepr))

    def keep_unsettled(self) -> None:
        """What ended a worker and was to be asked in another, which could not start."""
        for result in self.deaths.settle():
            self._keep(result)

    def keep_missing(self) -> None:
        """Questions whose group died with its last item."""
        for identifier, item in self.items.items():
            if identifier not in self.kept:
                self._keep(lost(item, message="its group ended the process before it was run"))


def _code(node: Any) -> int | None:
    """The exit code of a worker that is down; None where there is none in time."""
    process = process_of(node)
    try:
        return None if process is None else process.wait(timeout=GRACE)
    except Exception:  # it holds its pipe no more, and does not end either
        process.kill()
        return None


class Watch:
    """Looks at the workers from outside: what stops, cancels its watchdog or never starts is ended.

    Attributes:
        overdue: the workers that were ended because they answered too late.
        silent: the workers that were ended because their answers came no more.
        why: what was done to a worker that did not start.
        is_past: whether every worker was ended because the time was over, or no more is wanted.
    """

    def __init__(
        self, folder: Path, patience: float, until: float | None = None, waiting: Waiting | None = None
    ) -> None:
        self.folder, self.patience, self.waiting = folder, patience, waiting
        self._noted: dict[
            str, tuple[str, float, int]
        ] = {}  # of a worker: an id, since when, how often it was said
        self.last = None if until is None else until + deadline.OVERTIME
        self.is_past = False
        self.overdue: set[str] = set()
        self.silent: set[str] = set()
        self._idle_since: dict[str, float] = {}
        self.why: dict[str, str] = {}
        self._workers: dict[str, tuple[Any, float]] = {}  # the process, and when it must have started
        self._dead_since: dict[str, float] = {}
        self._stop = threading.Event()

    def start(self) -> None:
        """Begin to look."""
        threading.Thread(target=self._run, name="conformance-watch", daemon=True).start()

    def stop(self) -> None:
        """Look no more."""
        self._stop.set()

    def add(self, worker: str, process: Any) -> None:
        """A worker is being started."""
        self._workers[worker] = process, time.monotonic() + self.patience

    def started(self, worker: str) -> None:
        """A worker has started."""
        if worker in self._workers:
            self._workers[worker] = self._workers[worker][0], 0.0

    def remove(self, worker: str) -> bool:
        """A worker is down; returns whether it had started."""
        _, until = self._workers.pop(worker, (None, 0.0))
        return not until

    def end_all(self) -> None:
        """End every worker."""
        for process, _ in list(self._workers.values()):
            _end(process)

    def _run(self) -> None:
        while not self._stop.wait(PERIOD):
            if deadline.is_over(self.last):
                self.is_past = True
                self.end_all()
            for worker, (process, until) in list(self._workers.items()):
                if process is not None:
                    self._look_at(worker, process, until)

    def _look_at(self, worker: str, process: Any, until: float) -> None:
        now = time.monotonic()
        if process.poll() is not None:
            # Its pipe is still open in a process that it started, or the keeper would know of its death.
            if now - self._dead_since.setdefault(worker, now) > GRACE:
                processes.end_group(process.pid)
                living = {p.pid for p, _ in list(self._workers.values()) if p is not None}
                processes.end_orphans(living, spare_own_group=True)
            return
        must_end = journal.deadline(self.folder, worker)
        if until and now > until:
            self.why[worker] = f"it did not start within {self.patience:g} s"
        elif must_end and now > must_end + GRACE:
            self.overdue.add(worker)
        elif self._is_silent(worker, now, must_end):
            self.silent.add(worker)
        else:
            self._say_if_long(worker, now, must_end, until, process.pid)
            return
        _end(process)

    def _is_silent(self, worker: str, now: float, must_end: float) -> bool:
        """Whether a worker has had nothing to do for long: its latest answers did not come, or it would have been given more.

        Before all have started, those that have wait for the others.
        """
        is_starting = any(until for _, until in list(self._workers.values()))
        if must_end or is_starting or journal.last_noted(self.folder, worker):
            self._idle_since.pop(worker, None)
            return False
        return now - self._idle_since.setdefault(worker, now) > SILENT

    def _say_if_long(
        self, worker: str, now: float, must_end: float, until: float = 0.0, pid: int = 0
    ) -> None:
        asked = STARTING if until else journal.last_noted(self.folder, worker)
        noted, since, said = self._noted.get(worker, ("", now, 0))
        if asked != noted:
            self._noted[worker] = asked, now, 0
        elif asked and now - since > LONG * (said + 1):
            self._noted[worker] = asked, since, said + 1
            if self.waiting is not None:
                state = STOPPED if processes.is_stopped(pid) else ""
                self.waiting(asked + state, now - since, max(0.0, (until or must_end) - now))


def _end(process: Any) -> None:
    if process is not None and process.poll() is None:
        processes.end_group(process.pid)
        process.kill()
