"""What the known failures of an engine would hide: questions whose answer could be wrong in another way unnoticed.

    python tests/benchmarks/known_masks.py BACKEND [-q QUERY ...] [--profile quick] [--seed 0] [--known FILE] [--questions FILE]

Every check of which an entry speaks is run on its questions. Where it compares numbers, the expected ones are given to it as well, but
doubled, with the other sign, and conjugated. What it says of these is a failure that nobody has put on record: the share of questions for which an entry
explains one of them all the same is printed, and for each entry what it explains, how inaccurate that is at most, and which parameters
it never fails with. `--questions` keeps what was found, so that another list of known failures is judged in a second. Nothing of this is asserted anywhere.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from conformance.checks import comparison
from conformance.errors import Violation
from conformance.load import load_backend
from conformance.questions import Item, Question
from conformance.run.describe import describe
from conformance.run.evidence import error_of, message_of
from conformance.run.execute import Executor
from conformance.run.plan import PROFILES, parted, scope_of, select
from conformance.run.tally import Tally
from conformance.runfile.known import KnownFailure, entry_for, in_force, read_known
from conformance.runfile.relative_error import Difference

CLAIMS = ("hold_within", "hold_equal", "hold_close")
DEADLY = "this ended the process"
WRONG: Mapping[str, Callable[[Any], Any]] = {
    "doubled": lambda x: 2 * x,
    "negated": lambda x: -x,
    "conjugated": np.conj,  # the same array where it is real, which passes
}


class Failure(msgspec.Struct, frozen=True):
    """What a failure says, and the difference of its numbers; negative where that is infinite, since JSON has no infinity."""

    message: str
    error: float
    is_nan: bool = False
    is_zero: bool = False

    @classmethod
    def of(cls, failure: BaseException) -> Failure:
        """The record of an exception."""
        error, is_nan, is_zero = error_of(failure)
        return cls(message_of(failure), error if np.isfinite(error) else -1.0, is_nan, is_zero)

    def entry(self, known: Sequence[KnownFailure], identifier: str, call: str) -> KnownFailure | None:
        """The entry that explains it."""
        error = self.error if self.error >= 0 else float("inf")
        return entry_for(known, identifier, self.message, call, Difference(error, self.is_nan, self.is_zero))


class Asked(msgspec.Struct, frozen=True):
    """One check on one question: how it failed, and how it would have with each wrong answer that it notices."""

    id: str
    call: str
    parameters: dict[str, str]
    failure: Failure | None
    wrong: dict[str, Failure]


# ---- what is found by running ----------------------------------------------------------------------------


class Altered:
    """Gives every comparison of numbers wrong answers too; what it says of the first is in `said`."""

    def __init__(self) -> None:
        self.said: dict[str, Failure] = {}
        self.is_inside = False

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Stand in for the claims wherever they are imported."""
        changed = []
        for name in CLAIMS:
            original = getattr(comparison, name)
            replaced = self._standing_in(original)
            for module in [m for n, m in sys.modules.items() if n.startswith("conformance.")]:
                if vars(module).get(name) is original:
                    setattr(module, name, replaced)
                    changed.append((module, name, original))
        try:
            yield
        finally:
            for module, name, original in changed:
                setattr(module, name, original)

    def _standing_in(self, claim: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(claim)
        def both(got: Any, expected: Any, *more: Any, **named: Any) -> Any:
            if not self.is_inside:
                self.is_inside = True
                try:
                    self._note(lambda answer: claim(answer, expected, *more, **named), got, expected)
                    return claim(got, expected, *more, **named)
                finally:
                    self.is_inside = False
            return claim(got, expected, *more, **named)

        return both

    def _note(self, claim: Callable[[Any], Any], got: Any, expected: Any) -> None:
        right = np.asarray(getattr(expected, "exact", expected))
        for name, wrong in WRONG.items():
            if name not in self.said:
                answer = wrong(right)
                try:
                    claim(answer if got is None else answer.astype(got.dtype))
                except Violation as failure:
                    self.said[name] = Failure.of(failure)


class Listener(Executor):
    """Runs every question, whatever failed before it, and keeps what was found."""

    asked: list[Asked]
    altered: Altered

    def _look_behind(self, item: Item, tally: Tally) -> None:
        said, self.altered.said = self.altered.said, {}
        if said or tally.failure is not None:
            question = self.question
            self.asked.append(
                Asked(
                    item.id,
                    question.call,
                    {n: repr(v) for n, v in getattr(question.input, "parameters", {}).items()},
                    None if tally.failure is None else Failure.of(tally.failure),
                    said,
                )
            )
        tally.failure = tally.question = None

    def _put(self, kind: Any, question: Question[Any], takers: Any, tallies: Any) -> None:
        self.question = question
        super()._put(kind, question, takers, tallies)

    def _with_evidence(self, line: Any, item: Item, tally: Tally) -> Any:
        return self._bare(item, tally)


def asked_of(spec: str, queries: Sequence[str], profile: str, seed: int, known: Path) -> list[Asked]:
    """Every question of the checks of which an entry speaks, but for those that end the process."""
    described, effort = describe(spec), PROFILES[profile]
    entries = in_force(read_known(known), [described.line])
    items, _ = parted([described], seed, effort)
    items = select(items, queries) if queries else items
    deadly = [entry for entry in entries if DEADLY in str(entry.says)]
    items = [item for item in items if any(entry.covers(item.id) for entry in entries)]
    items = [item for item in items if not any(entry.covers(item.id) for entry in deadly)]
    listener = Listener(load_backend(spec), seed=seed, effort=effort, shrink=False, scripts=False)
    listener.asked, listener.altered = [], Altered()
    groups = [list(group) for _, group in groupby(sorted(items, key=scope_of), key=scope_of)]
    with listener.altered.installed():
        for number, group in enumerate(groups):
            print(f"{number} of {len(groups)}: {group[0].id}", file=sys.stderr)
            for _ in listener.results(group):
                pass
    return listener.asked


# ---- what the entries make of it -------------------------------------------------------------------------


def report(asked: Sequence[Asked], known: Sequence[KnownFailure]) -> Iterator[str]:
    """A line per entry, those that hide most first, and the share of questions for which one hides something."""
    numbers = {id(entry): number for number, entry in enumerate(known)}
    explained, hidden = defaultdict[int, list[Asked]](list), defaultdict[int, list[Asked]](list)
    about = {name: [entry for entry in known if entry.covers(name)] for name in {one.id for one in asked}}
    masked = noticed = 0
    for one in asked:
        if one.failure and (entry := one.failure.entry(about[one.id], one.id, one.call)):
            explained[numbers[id(entry)]].append(one)
        hiding = [entry for f in one.wrong.values() if (entry := f.entry(about[one.id], one.id, one.call))]
        noticed, masked = noticed + bool(one.wrong), masked + bool(hiding)
        for number in {numbers[id(entry)] for entry in hiding}:
            hidden[number].append(one)
    for number in sorted({*explained, *hidden}, key=lambda n: -len(hidden[n])):
        failing = explained[number]
        yield (
            f"{number}: explains {len(failing)}, off by {_worst(failing)}; hides {len(hidden[number])} "
            f"| {known[number].ids[0]} | {known[number].reason} | {'; '.join(_never(failing, hidden[number]))}"
        )
    yield f"masked: {masked} of {noticed} questions, {masked / max(noticed, 1):.1%}"


def _worst(failing: Sequence[Asked]) -> str:
    errors = [one.failure.error for one in failing if one.failure]
    infinite, nan = (
        sum(error < 0 for error in errors),
        sum(one.failure.is_nan for one in failing if one.failure),
    )
    return f"{max(errors, default=0):.2g}" + f" and {infinite} times no number, {nan} times NaN" * bool(
        infinite
    )


def _never(failing: Sequence[Asked], hidden: Sequence[Asked]) -> Iterator[str]:
    """The values of parameters with which an op passes every question that an entry hides."""
    for name in sorted({name for one in failing for name in one.parameters}):
        fails = {(_op(one), one.parameters.get(name, "")) for one in failing}
        passes = {(_op(one), one.parameters.get(name, "")) for one in hidden} - fails
        if never := sorted({value for op, value in passes if op in {_op(one) for one in failing}}):
            yield f"{name}: fails {sorted({v for _, v in fails})[:4]}, never {never[:4]}"


def _op(one: Asked) -> str:
    return one.id.split("/")[2]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, or read what a run found, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("backend")
    parser.add_argument("-q", "--query", action="append", default=[])
    parser.add_argument("--profile", default="quick", choices=PROFILES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--known", type=Path, default=Path("known-failures.toml"))
    parser.add_argument("--questions", type=Path)
    given = parser.parse_args(arguments)
    if given.questions and given.questions.exists():
        asked = msgspec.json.decode(given.questions.read_bytes(), type=list[Asked])
    else:
        asked = asked_of(given.backend, given.query, given.profile, given.seed, given.known)
        if given.questions:
            given.questions.write_bytes(msgspec.json.encode(asked))
    for line in report(asked, read_known(given.known)):
        print(line)


if __name__ == "__main__":
    main()
