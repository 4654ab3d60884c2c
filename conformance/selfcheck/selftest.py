"""The self-test: every check must catch the engines that are wrong on purpose.

A mutant is killed when each check that it names catches it. A mutant that survives is a hole in a
check; a check without a mutant may be one that cannot fail.
"""

from __future__ import annotations

import contextlib
import contextvars
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import groupby, islice
from typing import Any, Protocol
from zlib import crc32

from conformance.backend import Backend
from conformance.checks import load_all
from conformance.errors import AdapterError
from conformance.importing import entry_points
from conformance.load import loaded
from conformance.questions import Item, items_of
from conformance.run.execute import Executor
from conformance.run.plan import PROFILES
from conformance.run.process.spawned import pool_of
from conformance.runfile.records import MutantLine, Verdict
from conformance.strategies import Effort

GROUP = "conformance.mutants"
SLICES = 8  # of a control's questions, so that no core waits for the one that asks them
SHARE = 24  # of a control's ops one in so many is checked, unless all are asked for
# A second or more each time, of the engine as a whole: run, as wide checks are, only on controls and on mutants
# that name them.
SLOW = frozenset({"contract/B11/deep-chain", "contract/B11/long-chain", "contract/B12/freed"})
CAUGHT = frozenset({Verdict.FAIL, Verdict.ERROR, Verdict.TIMEOUT, Verdict.CRASH})

# A mutant that is wrong at one shape needs that shape.
EFFORT = Effort(signatures=PROFILES["quick"].signatures, draws=1, samples=4, programs=30, strength=1)


class Mutant(Protocol):
    """An engine wrong in exactly one way; a control, wrong in nothing, names no check."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def wrong(self) -> str:
        """What is wrong, in a sentence."""

    @property
    def kills(self) -> tuple[str, ...]:
        """The keys of the checks that must catch it."""

    @property
    def make(self) -> Callable[[], Backend]:
        """Makes a fresh backend."""

    @property
    def ops(self) -> tuple[str, ...]:
        """The ops on which the checks of ops are run."""

    @property
    def varies(self) -> str:
        """Of a control, in what it differs from the reference engine; empty where in nothing."""


Caught = dict[str, str]  # key of a check -> the id of the first item at which it caught something
OnProgress = Callable[[str], None]


@dataclass(frozen=True)
class Report:
    """What the self-test found.

    Attributes:
        mutants: one line each.
        control: the ids of items at which an engine that is not wrong was caught.
    """

    mutants: list[MutantLine]
    control: list[str] = field(default_factory=list)

    @property
    def survivors(self) -> list[MutantLine]:
        """The mutants that some check they name did not catch."""
        return [line for line in self.mutants if not is_killed(line)]

    @property
    def kills(self) -> dict[str, int]:
        """For every check, how many mutants it caught."""
        return {key: sum(key in line.killers for line in self.mutants) for key in load_all()}

    @property
    def score(self) -> str:
        """Killed mutants out of all."""
        return f"{len(self.mutants) - len(self.survivors)}/{len(self.mutants)}"


def is_killed(line: MutantLine) -> bool:
    """Whether every check that the mutant names caught it."""
    return bool(line.named) and set(line.named) <= set(line.killers)


# ---- what is registered --------------------------------------------------------------------------


@cache
def _everything() -> Mapping[str, Mutant]:
    found: dict[str, Mutant] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        for mutant in loaded(point, "family of mutants"):
            if mutant.name in found:
                raise AdapterError(f"two mutants are called {mutant.name}")
            found[mutant.name] = mutant
    return found


def registered_mutants() -> dict[str, Mutant]:
    """The installed mutants by name."""
    return {name: mutant for name, mutant in _everything().items() if mutant.kills}


def registered_controls() -> dict[str, Mutant]:
    """The installed engines that nothing may catch, by name: the reference engine, in several forms."""
    return {name: m for name, m in _everything().items() if not m.kills and not m.varies}


def registered_variants() -> dict[str, Mutant]:
    """The engines that are right in another way than the reference engine, by name: nothing may catch them either."""
    return {name: m for name, m in _everything().items() if not m.kills and m.varies}


def sampled(control: Mutant, seed: int) -> Mutant:
    """A control at a share of its ops, which is another one for every seed and control."""
    share = (op for op in control.ops if crc32(f"{seed} {control.name} {op}".encode()) % SHARE == 0)
    return replace(control, ops=tuple(share))  # type: ignore[type-var]  # mutants are dataclasses


def checks_without_mutant(mutants: Iterable[Mutant]) -> list[str]:
    """The checks that no mutant names."""
    named = {key for mutant in mutants for key in mutant.kills}
    return [key for key in load_all() if key not in named]


# ---- asking --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """What an engine that is not wrong is asked beside a few mutants: what these are asked, and no more.

    A mutant proves its check only where a right engine passes the same question.
    """

    ops: Mapping[
        str, frozenset[str]
    ]  # by the key of a check that some mutant names, the ops of those that do

    @staticmethod
    def of(mutants: Iterable[Mutant]) -> Part:
        """What these mutants are asked."""
        pairs = [(key, m.ops) for m in mutants for key in m.kills]
        return Part({key: frozenset(op for k, ops in pairs if k == key for op in ops) for key, _ in pairs})


def questions_for(
    mutant: Mutant, *, all_checks: bool = False, part: Part | None = None
) -> Iterator[list[Item]]:
    """The items for a mutant, in groups: of the checks that it names, for the whole engine and for the mutant's ops.

    Every check's, or a part, are asked where the mutant names none, since nothing may catch it; every one's but the slow
    ones, with `all_checks`.
    """
    named, ops = mutant.kills, dict.fromkeys(mutant.kills, frozenset(mutant.ops))
    if part is not None and not named:
        named, ops = tuple(part.ops), {key: part.ops[key].intersection(mutant.ops) for key in part.ops}
    items = [
        item
        for item in items_of(mutant.name, mutant.make().dtypes, by=() if all_checks else named)
        if (not named or item.check in named or not _is_slow(item))
        and item.kind.concerns(item, tuple(ops.get(item.check, mutant.ops)))
    ]
    for _, group in groupby(sorted(items, key=lambda item: item.group), key=lambda item: item.group):
        yield list(group)


def _is_slow(item: Item) -> bool:
    return item.check in SLOW or item.definition.is_wide or item.kind.is_slow


def catchers(
    mutant: Mutant,
    seed: int,
    effort: Effort,
    *,
    all_checks: bool = False,
    part: Part | None = None,
    slice_: tuple[int, int] = (0, 1),
) -> Caught:
    """The checks that catch a mutant, and where; with a slice (i, n), of every n groups of questions the i-th is asked."""
    caught: Caught = {}
    # Of an engine that is right, an error of this project's own is a fault of the suite, too.
    wrong = CAUGHT if mutant.kills else CAUGHT | {Verdict.ADAPTER_ERROR, Verdict.INTERNAL_ERROR}
    for group in islice(questions_for(mutant, all_checks=all_checks, part=part), slice_[0], None, slice_[1]):
        if not (items := [item for item in group if item.check not in caught]):  # one catch is enough
            continue
        # What an engine remembers ends with it.
        executor = Executor(mutant.make(), seed=seed, effort=effort, shrink=False, scripts=False)
        for item, result in zip(items, executor.results(items), strict=True):
            if result.verdict in wrong:
                caught.setdefault(item.check, item.id)
    return caught


def _judged(mutant: Mutant, seed: int, effort: Effort, **how: Any) -> Caught:
    """The same in a context of its own, where a scope that is left open ends with the mutant.

    What a mutant prints is part of its wrong, and nobody else's to read.
    """
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return contextvars.copy_context().run(partial(catchers, mutant, seed, effort, **how))


def selftest(
    mutants: Sequence[Mutant],
    controls: Sequence[Mutant] = (),
    *,
    seed: int = 0,
    effort: Effort = EFFORT,
    workers: int = 1,
    is_whole: bool = False,
    all_checks: bool = False,
    part: Part | None = None,
    on_progress: OnProgress = lambda name: None,
) -> Report:
    """Put the questions of the standard to every mutant, and to the controls.

    Args:
        mutants: the engines that must be caught.
        controls: the engines that must not be.
        seed: of everything drawn.
        effort: how much is drawn.
        workers: processes; with more than one, the mutants must be registered ones.
        is_whole: whether controls are checked at all their ops, and not at the share that belongs to the seed.
        all_checks: whether mutants are put to the checks that they do not name, too: how many checks would notice.
        part: what the controls are asked; None for everything.
        on_progress: receives the name of each that is done.
    """
    named = {mutant.name: mutant for mutant in (*controls, *mutants)}
    caught: dict[str, Caught] = {name: {} for name in named}
    missing = {name: _slices(mutant) for name, mutant in named.items()}
    judge = partial(_caught_by, seed=seed, effort=effort, is_whole=is_whole, all_checks=all_checks, part=part)
    for name, found in _judge_all(named, judge, workers):
        caught[name] |= found
        missing[name] -= 1
        if not missing[name]:
            on_progress(name)
    lines = [MutantLine(m.name, m.wrong, m.kills, tuple(sorted(caught[m.name]))) for m in mutants]
    return Report(lines, [where for control in controls for where in caught[control.name].values()])


def _slices(mutant: Mutant) -> int:
    """In how many slices an engine is asked: one that may not be caught is asked everything, which takes minutes."""
    return 1 if mutant.kills else SLICES


def _caught_by(
    mutant: Mutant | str,
    slice_: int,
    *,
    seed: int,
    effort: Effort,
    is_whole: bool,
    part: Part | None,
    **how: Any,
) -> Caught:
    given = mutant if not isinstance(mutant, str) else _everything()[mutant]
    is_sampled = not (is_whole or given.kills) and (bool(given.varies) or part is None)
    asked = sampled(given, seed) if is_sampled else given
    return _judged(asked, seed, effort, part=part, slice_=(slice_, _slices(given)), **how)


def _judge_all(
    mutants: Mapping[str, Mutant], run: Callable[[Mutant | str, int], Caught], workers: int
) -> Iterator[tuple[str, Caught]]:
    parts = [(name, slice_) for name, mutant in mutants.items() for slice_ in range(_slices(mutant))]
    if workers == 1:
        for name, slice_ in parts:
            yield name, run(mutants[name], slice_)
        return
    # Names travel, since rules do not pickle.
    with pool_of(workers) as pool:
        futures = {pool.submit(run, name, slice_): name for name, slice_ in parts}
        for future in as_completed(futures):
            yield futures[future], future.result()
