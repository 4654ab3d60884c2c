"""A worker: runs the questions of a session in its own process, group by group."""

from __future__ import annotations

import contextlib
import datetime
import itertools
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

# The plugin uses these when an answer is there: an engine may have left no descriptor to import them with.
import conformance.run.failure_text  # noqa: F401
from conformance import kept
from conformance.backend import Backend, Function
from conformance.errors import UsageError
from conformance.load import load_backend
from conformance.ops import ALL_OPS
from conformance.questions import Item
from conformance.run import journal
from conformance.run.describe import Description, describe, hold_described
from conformance.run.execute import Executor
from conformance.run.journal import Journal
from conformance.run.plan import PROFILES, in_order, parted, scope_of, select, shard, together
from conformance.run.process import alone, caches, copies, memory, processes
from conformance.run.process.deadline import Limit, is_over
from conformance.run.process.surroundings import Surroundings
from conformance.run.workers import channel
from conformance.run.workers.deaths import lost, not_asked
from conformance.run.workers.left_out import Without
from conformance.run.workers.soundness import Gist, gist_of
from conformance.runfile.jsonl import encode
from conformance.runfile.known import in_force, judge
from conformance.runfile.known_file import read_known
from conformance.runfile.records import BackendLine, ResultLine, Verdict
from conformance.strategies.search import LONGEST

SPOILT = "the engine answers other questions otherwise since then, so its process was left"
# Bytes that what an engine compiled may take before it is to forget that, some 300 functions, and within a group.
REMEMBERED, REMEMBERED_WITHIN = 2**29, 2**30
# After these an engine is as it was.
HARMLESS = frozenset({Verdict.PASS, Verdict.UNDECIDED, Verdict.UNSUPPORTED})
SLIPS = 6  # of one adapter, after which what is laid to it is believed
GROUPS = 8  # before it is to forget where nobody says how much memory they took


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
        limit: Limit,
        journal: Path,
        name: str,
        plan: Path | None = None,
        until: float | None = None,
    ) -> None:
        self.specs, self.queries, self.shard, self.plan = list(specs), list(queries), shard, plan
        if profile not in PROFILES:
            raise UsageError(f"there is no profile {profile!r}; there are {', '.join(PROFILES)}")
        self.profile, self.effort, self.seed = profile, PROFILES[profile], seed
        self.limit, self.until = limit, until
        self.known = read_known(known) if known else ()
        self.folder = journal
        self.journal = Journal(journal, name)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the keeper's to answer
        processes.lead_group()
        self.surroundings = Surroundings()
        self._descriptions: dict[str, Description] = {}
        self._executors: dict[str, Executor] = {}
        self._groups: dict[tuple[str, str], list[Item]] = {}
        self._latest: tuple[tuple[str, str], dict[str, ResultLine]] = (("", ""), {})
        self._groups_run = itertools.count()
        self._ops: dict[str, Mapping[str, Function]] = {}  # of each backend, all of them
        self._gists: dict[str, Gist] = {}  # of each backend, before it was asked anything
        self._is_suspect = False  # whether a question of the latest group failed
        self._forgotten_at = 0  # bytes
        self._slips: set[tuple[str, str]] = set()  # the backend and the subject of what is the adapter's

    def items(self) -> list[Item]:
        """Every question of this session, in the order in which it is run."""
        for spec in self.specs:
            description = describe(spec)
            self._descriptions[description.line.name] = description
        self.surroundings.put_place_back()
        self.surroundings.put_needed_back()
        self.known = in_force(self.known, [d.line for d in self._descriptions.values()])
        if self.plan:
            listed = msgspec.json.decode(self.plan.read_bytes(), type=list[tuple[str, str, str, str]])
            hold_described(self._descriptions, {name for name, *_ in listed})
            chosen = arranged([Item(*names) for names in listed], until=self.until)
        else:
            asked = parted(self._descriptions.values(), self.seed, self.effort)
            chosen = planned(asked, self.queries, self.shard, until=self.until)
        for item in chosen:
            self._groups.setdefault(group_of(item, self.until), []).append(item)
        return chosen

    def scope_of(self, item: Item) -> str:
        """What one worker runs together."""
        return together(item, self.until)

    def described(self, name: str) -> BackendLine:
        """A backend's line of the header."""
        return self._descriptions[name].line

    def descriptions(self) -> list[Description]:
        """All backends, once their items are known."""
        return list(self._descriptions.values())

    def run(self, item: Item) -> tuple[list[ResultLine], ResultLine | None]:
        """The results that asking this item brought to light, its group's if it is the first, and its own.

        It has none where the time did not suffice.
        """
        fresh: list[ResultLine] = []
        group = group_of(item, self.until)
        if self._latest[0] != group:
            self._latest = (group, {result.id: result for result in self.run_group(group)})
            fresh = list(self._latest[1].values())
        found = self._latest[1].get(item.id)
        return fresh, found if found or is_over(self.until) else lost(item)

    def run_group(self, group: tuple[str, str]) -> list[ResultLine]:
        """The results of a group, but for those of its questions that ended a worker; some may be given up."""
        culprits, given_up = journal.culprits(self.folder), journal.given_up(self.folder)
        left = [item for item in self._groups[group] if item.id not in culprits]
        items = [item for item in left if (item.backend, item.subject) not in given_up]
        vain = [not_asked(item, self.limit) for item in left if item not in items]
        return vain + self._asked(items) if items else vain

    def _asked(self, items: Sequence[Item]) -> list[ResultLine]:
        """The results of the items of one group."""
        self.journal.watch(self.limit.group, self.limit.question)
        memory.bound()
        try:
            today = datetime.date.today()
            executor = self._executor(items[0].backend)
            room = memory.room_of(executor.backend)
            memory.bound(room)
            self._end_if_spoilt(items[0].backend)
            self._forget(executor.backend)
            self._leave_out(executor.backend, items[0])
            with copies.ended(), kept.opened(caches.shelf(items[0], self.profile, self.seed)):
                results = [self._asked_alone(result) for result in executor.results(items)]
                memory.bound(room)  # again: what an engine keeps of it is not what writing the shelf may take
            # Contracts stop threads, raise in rules and leave scopes: one that holds may have left the engine broken, too.
            is_cheap = not executor.backend.compiles_signatures  # to look, which an engine compiles for
            is_harmless = all(result.verdict in HARMLESS for result in results)
            self._is_suspect = not is_harmless or (is_cheap and items[0].subject not in ALL_OPS)
            return [
                judge(result, self.known, today, is_compact=executor.effort.is_compact) for result in results
            ]
        finally:
            memory.bound()  # again: to tell of a group that took all memory takes some
            self.note("")
            self.journal.rest()
            self.journal.trim()

    def _asked_alone(self, result: ResultLine) -> ResultLine:
        """The result; one that is laid to the adapter is asked again where the engine was asked nothing before.

        Once for each op: a process costs seconds, and an adapter that is new may have slips in many.
        """
        if not alone.is_laid_to_the_adapter(result) or is_over(self.until):
            return result
        of, slips = (result.backend, result.subject), [b for b, _ in self._slips if b == result.backend]
        if of in self._slips or len(slips) >= SLIPS:
            return result
        with self.aside(result, 0.0):
            judged = alone.judged_alone(result, self._descriptions[result.backend].spec)
        if judged is result:
            self._slips.add(of)
        return judged

    def _end_if_spoilt(self, name: str) -> None:
        """End this process where a failure has left the engine unlike itself; the question is then asked in another."""
        if (self._is_suspect or name not in self._gists) and self._is_spoilt(name):
            os.kill(os.getpid(), signal.SIGKILL)

    def _is_spoilt(self, name: str) -> bool:
        """Whether the engine answers otherwise than before it was asked anything."""
        gist = gist_of(self._executors[name].backend)
        return gist is not None and self._gists.setdefault(name, gist) != gist

    def _answer_and_end_if_spoilt(self, name: str, answer: Callable[[], ResultLine]) -> None:
        """The same after each failure of a group, whose answer is kept: what the engine is asked next is not to be blamed."""
        memory.leave()
        if self._is_spoilt(name):
            said = answer()
            assert said.evidence is not None
            evidence = msgspec.structs.replace(said.evidence, unshrunk=SPOILT)
            with self.aside(msgspec.structs.replace(said, evidence=evidence), 0.0):
                os.kill(os.getpid(), signal.SIGKILL)

    def _forget(self, backend: Backend) -> None:
        """Have an engine forget what it compiled, once that takes much memory: what ops share is then compiled once."""
        resident, count = memory.resident(), next(self._groups_run)
        self._forgotten_at = self._forgotten_at or resident
        is_much = resident - self._forgotten_at > REMEMBERED if resident else count % GROUPS == GROUPS - 1
        if is_much:
            backend.forget()
            self._forgotten_at = memory.resident()

    def _note(self, backend: Backend, text: str) -> None:
        """What is run now of a backend; what it has compiled is forgotten first where that takes half of what a group may."""
        self.note(text)
        resident = memory.resident() if memory.is_given_back_by(backend) else 0
        if resident - self._forgotten_at > REMEMBERED_WITHIN:
            backend.forget()
            self._forgotten_at = memory.resident()
            if self._forgotten_at < resident:  # what leaks is bounded still
                memory.bound(memory.room_of(backend))

    def _leave_out(self, backend: Backend, item: Item) -> None:
        """Let questions about other things than an op not call those ops of which workers died."""
        ops = self._ops.setdefault(backend.name, backend.ops)
        names = {op for name, op in journal.left_out(self.folder) if name == backend.name}
        if names:
            backend.ops = ops if item.subject in ALL_OPS else Without(ops, names)  # type: ignore[misc]  # this backend's alone, not the class's

    def note(self, text: str) -> None:
        """What is run now, for whoever is to know what a worker died of; its end, where no answer of it can arrive."""
        if channel.is_closed():  # by the question before, which the journal names still
            self.journal.say(channel.CLOSED)
            os._exit(1)
        self.journal.note(text)

    @contextlib.contextmanager
    def aside(self, result: ResultLine, took: float) -> Iterator[None]:
        """While smaller questions are tried, and the failing one is asked once more for its script, which may take all memory again."""
        memory.leave()
        within = min(LONGEST + took, self.limit.group)
        with self.journal.aside(encode(result), within), contextlib.ExitStack() as after:
            after.callback(memory.leave)
            yield

    def _executor(self, name: str) -> Executor:
        if name not in self._executors:
            backend = load_backend(self._descriptions[name].spec)
            self._executors[name] = Executor(
                backend,
                seed=self.seed,
                effort=self.effort,
                note=partial(self._note, backend),
                ask=self.journal.ask,
                known=self.known,
                surroundings=self.surroundings,
                aside=self.aside,
                after_failure=partial(self._answer_and_end_if_spoilt, name),
                until=self.until,
                culprits_of=journal.DeadlyCases(self.folder, name).culprits,
            )
        return self._executors[name]


def group_of(item: Item, until: float | None) -> tuple[str, str]:
    """The backend of an item, and what is run together."""
    return item.group if until is None else (item.backend, scope_of(item))


def planned(
    parts: tuple[Sequence[Item], Sequence[Item]],
    queries: Sequence[str],
    part: str,
    *,
    until: float | None = None,
) -> list[Item]:
    """The items that queries and a shard select, in the order in which they are run.

    `parts` are those that the profile asks, and those that it leaves out.
    """
    chosen = select(parts[0], queries, parts[1])
    return arranged(shard(chosen, part) if part else chosen, until=until)


def arranged(chosen: Sequence[Item], *, until: float | None = None) -> list[Item]:
    """Items scope by scope, and there group by group, the plain gradient first; by worth where the time has an end."""
    scopes: dict[str, dict[tuple[str, str], list[Item]]] = {}
    for item in chosen if until is None else in_order(chosen):
        scopes.setdefault(together(item, until), {}).setdefault(group_of(item, until), []).append(item)
    return [item for groups in scopes.values() for group in groups.values() for item in in_order(group)]
