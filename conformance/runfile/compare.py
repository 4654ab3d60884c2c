"""The comparison of two runs: what fails now, what passes now, and what changed otherwise.

`compare(old, new)` takes two runs as `read_run` gives them (`unite` several first) and returns a `Comparison`, which is
a record: `msgspec.json.encode(comparison)` is its JSON. It knows no terminal and no format. A report uses

- `comparison.engines`: one `EngineChange` per backend, with its version before and after;
- `comparison.causes`: the differences grouped by what they have in common, regressions first, the largest group first;
- `comparison.counts`: how many differences there are of each `Change`;
- `comparison.is_regression`: what the exit code of `conformance compare` follows;
- `comparison.notes`: sentences on what makes the two runs less comparable (another seed, a cut file).
"""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from conformance.runfile.atlas_cell import AtlasCell
from conformance.runfile.badness import badness_of
from conformance.runfile.jsonl import Run
from conformance.runfile.patterns import stated_line
from conformance.runfile.records import FAILING, ResultLine, Verdict
from conformance.runfile.severity import SEVERITY_TEXT, is_failure, severity_of

PASSING = frozenset({Verdict.PASS, Verdict.FIXED})
ANSWERED = PASSING | {Verdict.KNOWN}

# What changes from run to run without a change of the engine: addresses, numbers, what a traceback adds.
VARIES = re.compile(r"0x[0-9a-f]+|[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)


class Change(enum.StrEnum):
    """How a question's answer in the new run differs from that in the old; the gravest first."""

    REGRESSED = "newly failing"
    WORSE = "failing worse"
    LOST = "no longer supported"
    CHANGED = "verdict or message changed"
    VALUE = "atlas value changed"
    GONE = "question gone"
    NEW = "question new"
    FIXED = "newly passing"


REGRESSIONS = frozenset({Change.REGRESSED, Change.WORSE, Change.LOST})


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question whose answer changed.

    `before` and `after` are verdicts, empty where the run has no such question; the messages are first lines.
    `kind_before` and `kind_after` say how bad a failure is, in the words of reports.
    `cell_before` and `cell_after` are cells of the atlas, where those changed.
    """

    id: str
    backend: str
    subject: str
    check: str
    clause: str
    change: Change
    before: str = ""
    after: str = ""
    message_before: str = ""
    message_after: str = ""
    kind_before: str = ""
    kind_after: str = ""
    cell_before: AtlasCell | None = None
    cell_after: AtlasCell | None = None


class Cause(msgspec.Struct, frozen=True):
    """Differences with one change, of one backend, in one check, with one message but for numbers and the subject."""

    change: Change
    backend: str
    check: str
    clause: str
    after: str
    message: str
    differences: tuple[Difference, ...]


class EngineChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A backend's engine and its versions; a version is empty where that run has no such backend.

    `error` is why the adapter could not start in the new run.
    """

    backend: str
    engine: str
    before: str = ""
    after: str = ""
    error: str = ""
    started_before: bool = True


class Comparison(msgspec.Struct, frozen=True):
    """What two runs differ in."""

    old: str  # when each was started
    new: str
    engines: tuple[EngineChange, ...]
    causes: tuple[Cause, ...]
    counts: dict[str, int]  # by Change
    same: int  # questions with one answer in both
    notes: tuple[str, ...] = ()

    @property
    def has_common_questions(self) -> bool:
        """Whether both runs answer some question: of others there is nothing to compare."""
        return bool(self.same) or any(d.before and d.after for d in self.differences)

    @property
    def is_regression(self) -> bool:
        """Whether something fails now that did not, or fails worse, or an engine that started starts no more."""
        fails = any(self.counts.get(change, 0) for change in REGRESSIONS)
        return fails or any(e.error and e.started_before for e in self.engines)

    @property
    def differences(self) -> list[Difference]:
        """All differences, cause by cause."""
        return [difference for cause in self.causes for difference in cause.differences]


def compare(old: Run, new: Run) -> Comparison:
    """What changed from the run `old` to the run `new`; empty where both are one run.

    A new run of chosen questions, such as those that failed, is compared in these: what it was not asked is not gone.
    """
    chosen = frozenset(new.header.ids)
    before = _by_id(r for r in old.results if not chosen or r.id in chosen)
    after = _by_id(new.results)
    found = list(_differences(before, after))
    counts = Counter(difference.change.value for difference in found)
    return Comparison(
        old.header.started,
        new.header.started,
        tuple(_engines(old, new)),
        tuple(group_by_cause(found)),
        {change.value: counts[change.value] for change in Change if counts[change.value]},
        len(before.keys() & after.keys()) - sum(d.change not in (Change.NEW, Change.GONE) for d in found),
        tuple(_notes(old, new)),
    )


def group_by_cause(differences: Iterable[Difference]) -> list[Cause]:
    """Differences that look like one event, together: regressions first, and the largest group first."""
    groups: dict[tuple[Change, str, str, str, str, str], list[Difference]] = {}
    for each in differences:
        text = essence(each.message_after or each.message_before, each.subject)
        groups.setdefault((each.change, each.backend, each.check, each.clause, each.after, text), []).append(
            each
        )
    order = list(Change)
    causes = [Cause(*key, tuple(sorted(group, key=lambda d: d.id))) for key, group in groups.items()]
    return sorted(causes, key=lambda c: (order.index(c.change), -len(c.differences), c.differences[0].id))


def essence(message: str, subject: str) -> str:
    """The stated line of a message, without the numbers and the subject that vary between alike failures."""
    first = stated_line(message)
    named = re.sub(rf"\b{re.escape(subject)}\b", "…", first) if subject else first
    return VARIES.sub("#", named)


def _by_id(results: Iterable[ResultLine]) -> dict[str, ResultLine]:
    return {result.id: result for result in results}


def _differences(before: dict[str, ResultLine], after: dict[str, ResultLine]) -> Iterator[Difference]:
    for identifier in dict.fromkeys((*before, *after)):
        old, new = before.get(identifier), after.get(identifier)
        change = _change(old, new)
        if change is not None:
            yield _difference(old, new, change)


def _change(old: ResultLine | None, new: ResultLine | None) -> Change | None:
    """How an answer changed; None where it did not."""
    if new is None:
        return Change.GONE
    if old is None:
        return Change.NEW
    if new.verdict in FAILING and old.verdict not in FAILING:
        return Change.REGRESSED
    if new.verdict is Verdict.UNSUPPORTED and old.verdict in ANSWERED:
        return Change.LOST
    if _fails_worse(old, new):
        return Change.WORSE
    if new.verdict in PASSING and old.verdict not in PASSING:
        return Change.FIXED
    is_same = new.verdict is old.verdict or {new.verdict, old.verdict} <= PASSING
    is_same = is_same and badness_of(old) == badness_of(new)
    if not is_same or essence(_message(old), old.subject) != essence(_message(new), new.subject):
        return Change.CHANGED
    return Change.VALUE if old.atlas != new.atlas else None


def _fails_worse(old: ResultLine, new: ResultLine) -> bool:
    """Whether a failure became a worse one; what the new run lists as known, and the old one did not so, is accepted."""
    if not (is_failure(old) and is_failure(new)):
        return False
    is_accepted = new.verdict is Verdict.KNOWN and (
        old.verdict is not Verdict.KNOWN or old.reason != new.reason
    )
    return not is_accepted and badness_of(new) > badness_of(old)


def _difference(old: ResultLine | None, new: ResultLine | None, change: Change) -> Difference:
    line = new or old
    assert line is not None
    is_of_atlas = change is Change.VALUE
    return Difference(
        line.id,
        line.backend,
        line.subject,
        line.check,
        line.clause,
        change,
        old.verdict.value if old else "",
        new.verdict.value if new else "",
        stated_line(_message(old)),
        stated_line(_message(new)),
        _kind(old),
        _kind(new),
        old.atlas if old and is_of_atlas else None,
        new.atlas if new and is_of_atlas else None,
    )


def _message(line: ResultLine | None) -> str:
    """The message of an answer that is not a pass."""
    return line.evidence.message if line and line.evidence and line.verdict not in PASSING else ""


def _kind(line: ResultLine | None) -> str:
    return SEVERITY_TEXT[severity_of(line)] if line and is_failure(line) else ""


def _engines(old: Run, new: Run) -> Iterator[EngineChange]:
    before = {line.name: line for line in old.header.backends}
    after = {line.name: line for line in new.header.backends}
    for name in dict.fromkeys((*before, *after)):
        first, second = before.get(name), after.get(name)
        yield EngineChange(
            name,
            (second.engine if second else "") or (first.engine if first else ""),
            first.version if first else "",
            second.version if second else "",
            second.error if second else "",
            started_before=bool(first and not first.error),
        )


def _notes(old: Run, new: Run) -> Iterator[str]:
    for what in ("profile", "seed"):
        first, second = getattr(old.header, what), getattr(new.header, what)
        if first != second:
            yield f"the runs are of different {what}s: {first} and {second}"
    if old.header.spec.digest != new.header.spec.digest:
        yield f"the runs are of different specifications: {old.header.spec.version} and {new.header.spec.version}"
    chosen = frozenset(new.header.ids)
    others = sum(result.id not in chosen for result in old.results) if chosen else 0
    if others:
        yield f"the new run was asked {len(chosen)} chosen questions; {others} others of the old run are not compared"
    for which, run in (("old", old), ("new", new)):
        if not run.is_complete:
            yield f"the {which} run is not complete: {run.missing}"
