"""A session: one engine's questions, run by pytest's workers.

The worker half runs them; the keeper half, in the process that writes the run file, receives the results
and turns the death of a worker into the one verdict it is worth.
"""

from __future__ import annotations

import contextlib
import datetime
import io
import itertools
import os
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from conformance.errors import UsageError
from conformance.load import load_backend
from conformance.questions import Item, items_of
from conformance.run import journal
from conformance.run.describe import Description, describe
from conformance.run.execute import Executor
from conformance.run.keeper import Keeper, lost
from conformance.run.plan import PROFILES, in_order, scope_of, select, shard
from conformance.run.process import memory, processes
from conformance.run.process.deadline import is_over
from conformance.run.process.surroundings import Surroundings
from conformance.runfile.known import KnownFailure, in_force, judge, read_known
from conformance.runfile.records import BackendLine, ResultLine

REMEMBERED = 8  # groups, before an engine is to forget what it compiled, some hundred megabytes of it
MANY = 1_000_000  # workers that may be replaced: each replaced one has cost a result, or counts as a failed start

# What a user's environment would tell the pytest that runs inside: nothing but what is named here is loaded.
SWITCHES = (
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "PYTEST_XDIST_AUTO_NUM_WORKERS",
)
PLUGINS = ("xdist.plugin", "conformance.pytest_plugin")


class Worker:
    """Runs questions where pytest's items run."""

    def __init__(
        self,
        *,
        specs: Sequence[str],
        queries: Sequence[str],
        profile: str,
        seed: int,
        shard: str,
        known: Path | None,
        timeout: float,
        journal: Path | None,
        plan: Path | None = None,
        until: float | None = None,
    ) -> None:
        self.surroundings = Surroundings()
        self.specs, self.queries, self.shard, self.plan = list(specs), list(queries), shard, plan
        if profile not in PROFILES:
            raise UsageError(f"there is no profile {profile!r}; there are {', '.join(PROFILES)}")
        self.effort, self.seed, self.timeout, self.until = PROFILES[profile], seed, timeout, until
        self.known = read_known(known) if known else ()
        self.folder = journal
        self.journal = self._opened()
        if self.journal and self.journal.is_of_worker:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the keeper's to answer
            processes.lead_group()
            self.surroundings = Surroundings()
        self._descriptions: dict[str, Description] = {}
        self._executors: dict[str, Executor] = {}
        self._groups: dict[tuple[str, str], list[Item]] = {}
        self._latest: tuple[tuple[str, str], dict[str, ResultLine]] = (("", ""), {})
        self._groups_run = itertools.count()

    def _opened(self) -> journal.Journal | None:
        return journal.Journal(self.folder, journal.worker_name()) if self.folder else None

    def items(self) -> list[Item]:
        """Every question of this session, scope by scope, and there group by group."""
        for spec in self.specs:
            description = describe(spec)
            self._descriptions[description.line.name] = description
        self.known = in_force(self.known, {name: d.line.version for name, d in self._descriptions.items()})
        everything = [i for d in self._descriptions.values() for i in items_of(d.line.name, d.dtypes)]
        chosen = self._chosen(everything)
        scopes: dict[str, list[Item]] = {}
        for item in chosen if self.until is None else in_order(chosen):
            self._groups.setdefault(self._group_of(item), []).append(item)
            scopes.setdefault(self.scope_of(item), []).append(item)
        return [item for scope in scopes.values() for item in scope]

    def scope_of(self, item: Item) -> str:
        """What one worker runs together."""
        return item.scope if self.until is None else scope_of(item)

    def _group_of(self, item: Item) -> tuple[str, str]:
        return item.backend, self.scope_of(item)

    def _chosen(self, everything: list[Item]) -> list[Item]:
        """The items of the plan, where there is one: what the queries select was decided over all engines."""
        if self.plan:
            wanted = msgspec.json.decode(self.plan.read_bytes(), type=set[str])
            return [item for item in everything if item.id in wanted]
        chosen = select(everything, self.queries)
        return shard(chosen, self.shard) if self.shard else chosen

    def described(self, name: str) -> BackendLine:
        """A backend's line of the header."""
        return self._descriptions[name].line

    def run(self, item: Item) -> tuple[list[ResultLine], ResultLine | None]:
        """The results that asking this item brought to light, its group's if it is the first, and its own.

        It has none where the time did not suffice.
        """
        fresh: list[ResultLine] = []
        group = self._group_of(item)
        if self._latest[0] != group:
            self._latest = (group, {result.id: result for result in self._run_group(group)})
            fresh = list(self._latest[1].values())
        found = self._latest[1].get(item.id)
        return fresh, found if found or is_over(self.until) else lost(item)

    def _run_group(self, group: tuple[str, str]) -> list[ResultLine]:
        lost = journal.culprits(self.folder) if self.folder else frozenset()
        items = [item for item in self._groups[group] if item.id not in lost]
        if not items:
            return []
        if self.journal:
            self.journal.watch(self.timeout)
            if self.journal.is_of_worker:
                memory.bound()
        try:
            today = datetime.date.today()
            executor = self._executor(items[0].backend)
            if next(self._groups_run) % REMEMBERED == REMEMBERED - 1:
                executor.backend.forget()
            return [judge(result, self.known, today) for result in executor.results(items)]
        finally:
            if self.journal:
                self.journal.rest()
                self.journal.trim()

    def _executor(self, name: str) -> Executor:
        if name not in self._executors:
            backend = load_backend(self._descriptions[name].spec)
            note = self.journal.note if self.journal else lambda text: None
            self._executors[name] = Executor(
                backend,
                seed=self.seed,
                effort=self.effort,
                note=note,
                known=self.known,
                surroundings=self.surroundings,
                until=self.until,
            )
        return self._executors[name]


@dataclass
class Ended:
    """How a session ended: what went wrong on our side, why no worker could start, whether its time was over."""

    trouble: list[str] = field(default_factory=list)
    not_started: str = ""
    is_over: bool = False


def run_session(
    specs: Sequence[str],
    items: Sequence[Item],
    options: Sequence[str],
    *,
    workers: int,
    known: Sequence[KnownFailure],
    timeout: float,
    keep: Callable[[ResultLine], None],
    until: float | None = None,
) -> Ended:
    """Run the items of one engine's backends in worker processes, by worth where there is an end; KeyboardInterrupt is raised on."""
    if is_over(until):
        return Ended(is_over=True)
    with tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        plan = folder / "plan.json"
        plan.write_bytes(msgspec.json.encode([item.id for item in items]))
        keeper = Keeper(items, folder, known, keep, timeout, until)
        arguments = [
            *("--rootdir", name, "-c", os.devnull, "--capture=no", "--import-mode=importlib"),
            *("-p", "no:terminal", "-p", "no:cacheprovider", "-p", "no:warnings", "-p", "no:faulthandler"),
            *(part for plugin in PLUGINS for part in ("-p", plugin)),
            *("-n", str(workers), "--dist", "loadgroup", "--max-worker-restart", str(MANY)),
            *(part for spec in specs for part in ("--conformance-backend", spec)),
            *("--conformance-journal", name, "--conformance-timeout", str(timeout)),
            *("--conformance-plan", str(plan)),
            *(() if until is None else ("--conformance-until", str(until), "--no-loadscope-reorder")),
            *options,
            name,
        ]
        with (
            contextlib.redirect_stderr(io.StringIO()) as said,
            _environment(),
            processes.orphans_ended(),
        ):
            try:
                code = pytest.main(arguments, plugins=[keeper])
            finally:
                keeper.watch.stop()
                keeper.watch.end_all()
        return _ended(keeper, code, said.getvalue().strip())


def _ended(keeper: Keeper, code: int, said: str) -> Ended:
    if keeper.not_started:
        return Ended(not_started=keeper.not_started)
    if keeper.was_interrupted or (
        code == pytest.ExitCode.INTERRUPTED and not (keeper.trouble or keeper.is_over)
    ):
        raise KeyboardInterrupt
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR) or keeper.trouble:
        return Ended(keeper.trouble or [said or f"pytest ended with {code!r}"])
    if keeper.is_over:
        return Ended(is_over=True)
    if not keeper.kept:  # no answer, and no death of a worker either: nothing to count against an engine
        return Ended([said or f"pytest ended with {code!r} before anything was run"])
    keeper.keep_missing()
    return Ended()


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """The environment of pytest and its workers: no switch of the user's, and no module of the working folder."""
    before = dict(os.environ)
    for name in SWITCHES:
        os.environ.pop(name, None)
    os.environ.update(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTHONSAFEPATH="1")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
