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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.errors import UsageError
from conformance.load import load_backend
from conformance.questions import Item, items_of
from conformance.run import journal, memory
from conformance.run.describe import Description, describe
from conformance.run.execute import Executor, result_for
from conformance.run.plan import PROFILES, select, shard
from conformance.runfile.jsonl import decode
from conformance.runfile.known import KnownFailure, judge, read_known
from conformance.runfile.records import BackendLine, Evidence, ResultLine, Verdict

REMEMBERED = 8  # groups, before an engine is to forget what it compiled, some hundred megabytes of it
MANY = 1_000_000  # workers that may be replaced: each replaced one has cost a result, so it ends by itself


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
    ) -> None:
        self.specs, self.queries, self.shard = list(specs), list(queries), shard
        if profile not in PROFILES:
            raise UsageError(f"there is no profile {profile!r}; there are {', '.join(PROFILES)}")
        self.effort, self.seed, self.timeout = PROFILES[profile], seed, timeout
        self.known = read_known(known) if known else ()
        self.folder = journal
        self.journal = self._opened()
        if self.journal and self.journal.is_of_worker:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the keeper's to answer
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
        everything = [i for d in self._descriptions.values() for i in items_of(d.line.name, d.dtypes)]
        chosen = select(everything, self.queries)
        chosen = shard(chosen, self.shard) if self.shard else chosen
        scopes: dict[str, list[Item]] = {}
        for item in chosen:
            self._groups.setdefault(item.group, []).append(item)
            scopes.setdefault(item.scope, []).append(item)
        return [item for scope in scopes.values() for item in scope]

    def described(self, name: str) -> BackendLine:
        """A backend's line of the header."""
        return self._descriptions[name].line

    def run(self, item: Item) -> tuple[list[ResultLine], ResultLine]:
        """The results that asking this item brought to light, its group's if it is the first, and its own."""
        fresh: list[ResultLine] = []
        if self._latest[0] != item.group:
            self._latest = (item.group, {result.id: result for result in self._run_group(item.group)})
            fresh = list(self._latest[1].values())
        return fresh, self._latest[1].get(item.id) or _lost(item)

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
            )
        return self._executors[name]


def _lost(item: Item, verdict: Verdict = Verdict.CRASH, message: str = "", cases: int = 0) -> ResultLine:
    """The result of a question that ended its process."""
    evidence = Evidence(message=message or "this ended the process")
    return result_for(item, verdict, cases=cases, seconds=0.0, evidence=evidence)


def item_of(nodeid: str) -> str:
    """The id of the item behind pytest's id, to which xdist appends the scope after an @."""
    return nodeid.partition("::")[2].rpartition("@")[0] or nodeid.partition("::")[2]


# ---- the keeper -------------------------------------------------------------------------------


class Keeper:
    """A pytest plugin in the keeping process: results come in, each once, and go to `keep`."""

    def __init__(
        self,
        items: Sequence[Item],
        folder: Path,
        known: Sequence[KnownFailure],
        keep: Callable[[ResultLine], None],
        timeout: float,
    ) -> None:
        self.items = {item.id: item for item in items}
        self.folder, self.known, self.keep, self.timeout = folder, known, keep, timeout
        self.kept: set[str] = set()
        self.trouble: list[str] = []

    def _keep(self, result: ResultLine) -> None:
        if result.id not in self.kept:
            self.kept.add(result.id)
            self.keep(result)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A report from a worker."""
        for text in getattr(report, "conformance", ()):
            line = decode(text)
            if isinstance(line, ResultLine):
                self._keep(line)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        """A worker died: the id in its journal is the one that killed it, else the one it was given.

        Nothing is noted yet while the cases of a group are drawn, which may take too long as well.
        """
        worker = report.node.gateway.id
        noted, words = journal.last_noted(self.folder, worker), journal.last_words(self.folder, worker)
        culprit = noted if noted in self.items else item_of(crashitem)
        journal.add_culprit(self.folder, culprit)
        verdict = Verdict.TIMEOUT if journal.was_timeout(words) else Verdict.CRASH
        said = f"\n{words[:2000]}" if words else ""
        message = (
            f"no answer within {self.timeout:g} s{said}"
            if verdict is Verdict.TIMEOUT
            else f"this ended the process{said}"
        )
        result = _lost(self.items[culprit], verdict, message, cases=1)
        self._keep(judge(result, self.known, datetime.date.today()))

    def pytest_internalerror(self, excrepr: Any) -> None:
        """Something of ours broke: say so at the end."""
        self.trouble.append(str(excrepr))

    def keep_missing(self) -> None:
        """Questions whose group died with its last item."""
        for identifier, item in self.items.items():
            if identifier not in self.kept:
                self._keep(_lost(item, message="its group ended the process before it was run"))


def run_session(
    specs: Sequence[str],
    items: Sequence[Item],
    options: Sequence[str],
    *,
    workers: int,
    known: Sequence[KnownFailure],
    timeout: float,
    keep: Callable[[ResultLine], None],
) -> list[str]:
    """Run the items of one engine's backends in worker processes.

    Returns what went wrong on our side, as text; KeyboardInterrupt is raised on.
    """
    with tempfile.TemporaryDirectory(prefix="conformance-") as name:
        folder = Path(name)
        keeper = Keeper(items, folder, known, keep, timeout)
        arguments = [
            *("--rootdir", name, "-c", os.devnull, "--capture=no", "--import-mode=importlib"),
            *("-p", "no:terminal", "-p", "no:cacheprovider", "-p", "no:warnings", "-p", "no:faulthandler"),
            *("-p", "no:benchmark", "-p", "no:hypothesispytest"),
            *("-n", str(workers), "--dist", "loadgroup", "--max-worker-restart", str(MANY)),
            *(part for spec in specs for part in ("--conformance-backend", spec)),
            *("--conformance-journal", name, "--conformance-timeout", str(timeout)),
            *options,
            name,
        ]
        with contextlib.redirect_stderr(io.StringIO()) as said:
            code = pytest.main(arguments, plugins=[keeper])
        if code == pytest.ExitCode.INTERRUPTED and not keeper.trouble:
            raise KeyboardInterrupt
        if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR) or keeper.trouble:
            return keeper.trouble or [said.getvalue().strip() or f"pytest ended with {code!r}"]
        if not keeper.kept:  # no answer, and no death of a worker either: nothing to count against an engine
            return [said.getvalue().strip() or f"pytest ended with {code!r} before anything was run"]
        keeper.keep_missing()
        return []
