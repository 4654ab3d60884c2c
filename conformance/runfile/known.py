"""Known failures: what is wrong already, so that only a change is news."""

from __future__ import annotations

import datetime
import fnmatch
import math
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from conformance.errors import ALSO
from conformance.runfile.records import FAILING, BackendLine, Evidence, ResultLine, Verdict
from conformance.runfile.relative_error import Difference, Lost, difference

NOT_IMPLEMENTED = "not implemented"
SMOKE = "/smoke/"  # in the ids of claims of `smoke`, which no run asks
Kind = Literal["", "fault", "documented", "not implemented"]


class KnownFailure(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One entry of the file, which is one cause: the ids in which it shows (a `*` stands for anything), why, and where.

    `kind` is what the engine's developers would call it: a fault; documented, by a `sentence` of theirs at `link`; or
    not implemented, which is no failure: the other cases decide, and a result without one is unsupported. `says` is how the failure's message reads, one pattern or several; another failure of the same id is then news,
    and the cases after a known failure are run as well. An entry that leaves it out covers whatever goes wrong there.
    `calls` narrows it to calls that read so, such as "* norm='forward' *": what else fails of the same op is news.
    `within` narrows it to inaccuracies, by the largest relative error that the cause explains, as `difference` has it,
    or, as "nan", "zero" or "inf", to NaN, 0 or an infinity in place of numbers; with a list each wrong entry is one of these.
    `script` is a file beside the known-failures file that shows the failure without this project.
    """

    id: str | tuple[str, ...]
    reason: str
    says: str | tuple[str, ...] = ()
    calls: str | tuple[str, ...] = ()
    within: float | Lost | tuple[float | Lost, ...] | None = None
    link: str = ""
    token: str = ""
    script: str = ""
    expires: datetime.date | None = None  # from the day after, the failure counts again
    kind: Kind = ""
    sentence: str = ""  # the engine's own, of what is documented
    versions: str = ""  # of the engine that it is about, such as ">=2.14" (PEP 440); any where it is empty

    def __post_init__(self) -> None:
        """Refuse an entry that is about nothing, or about versions that PEP 440 does not know; raises ValueError."""
        if not all(self.ids) or not self.ids:
            raise ValueError("an entry needs an id")
        for each in self._within:
            if isinstance(each, float) and not 0 < each < math.inf:
                raise ValueError(
                    f"within is the largest error that an entry explains, such as 1e-6, or 'nan', 'zero' or 'inf', not {each}"
                )
        try:
            SpecifierSet(self.versions)
        except InvalidSpecifier:
            raise ValueError(f"the versions {self.versions!r} are none, such as '>=2.14'") from None

    @property
    def ids(self) -> tuple[str, ...]:
        """The patterns of the results in which it shows."""
        return _each(self.id)

    def has_expired(self, today: datetime.date) -> bool:
        """Whether the failure counts again."""
        return self.expires is not None and self.expires < today

    def declines(self, today: datetime.date) -> bool:
        """Whether it is no failure, but what the engine does not offer."""
        return self.kind == NOT_IMPLEMENTED and not self.has_expired(today)

    def covers(self, identifier: str) -> bool:
        """Whether it speaks of that result."""
        return any(_is_like(identifier, pattern) for pattern in self.ids)

    def concerns(self, backend: str) -> bool:
        """Whether it speaks of results of that backend."""
        return any(_is_like(backend, pattern.partition("/")[0]) for pattern in self.ids)

    @property
    def is_narrow(self) -> bool:
        """Whether other failures of its ids are news, so that the cases after a known one are run."""
        return bool(self.says or self.calls or self.within)

    def explains(
        self, identifier: str, message: str, call: str | None = None, error: Difference | None = None
    ) -> bool:
        """Whether it speaks of that failure, in that call, by that difference; of what is not known (None) it may."""
        is_said = not self.says or any(_says(message, pattern) for pattern in _each(self.says))
        is_called = not self.calls or call is None or any(_says(call, form) for form in _each(self.calls))
        is_near = self.within is None or error is None or error.is_within(*self._within)
        return is_said and is_called and is_near and self.covers(identifier)

    @property
    def _within(self) -> tuple[float | Lost, ...]:
        return (
            self.within if isinstance(self.within, tuple) else () if self.within is None else (self.within,)
        )


def _each(patterns: str | tuple[str, ...]) -> tuple[str, ...]:
    return (patterns,) if isinstance(patterns, str) else patterns


def _is_like(name: str, pattern: str) -> bool:
    """Whether a name is the pattern, which may have brackets of its own, or is matched by it."""
    return name == pattern or fnmatch.fnmatchcase(name, pattern)


def _says(message: str, pattern: str) -> bool:
    """Whether a message is meant: brackets may be written as they stand in it, or escaped as `update` writes them."""
    return any(fnmatch.fnmatchcase(message, form) for form in (pattern, pattern.replace("[", "[[]")))


def entry_for(
    known: Sequence[KnownFailure],
    identifier: str,
    message: str,
    call: str | None = None,
    error: Difference | None = None,
) -> KnownFailure | None:
    """The entry that speaks of a failure; None where it is news.

    A message of several calls is known where each of them is, by an entry of no error of numbers, since one alone has its
    numbers. Such a failure is one as long as one of them is.
    """
    own, *others = message.split(ALSO)
    found = [next((entry for entry in known if entry.explains(identifier, own, call, error)), None)]
    for other in others:
        fitting = (
            entry for entry in known if entry.within is None and entry.explains(identifier, other, call)
        )
        found.append(next(fitting, None))
    if not all(found):
        return None
    return next((entry for entry in found if entry and entry.kind != NOT_IMPLEMENTED), found[0])


def entry_of_result(known: Sequence[KnownFailure], result: ResultLine) -> KnownFailure | None:
    """The entry that speaks of what a failing result says, by its call and its numbers if it has them."""
    evidence = result.evidence
    if evidence is None or not evidence.token:
        return entry_for(known, result.id, message_of(result))
    error = difference(evidence.expected, evidence.got, evidence.allowed)
    return entry_for(known, result.id, evidence.message, evidence.call, error)


class _Extended(KnownFailure, frozen=True):
    """An entry that speaks of further backends, of which it is not said that all of it shows there: no pass refutes it."""

    further: tuple[str, ...] = ()

    def covers(self, identifier: str) -> bool:
        return super().covers(identifier) or any(_is_like(identifier, pattern) for pattern in self.further)

    def concerns(self, backend: str) -> bool:
        return super().concerns(backend) or any(
            _is_like(backend, pattern.partition("/")[0]) for pattern in self.further
        )


def in_force(known: Sequence[KnownFailure], backends: Iterable[BackendLine]) -> tuple[KnownFailure, ...]:
    """The entries that are about one of these backends, or about what it repeats, in its version."""
    backends = tuple(backends)
    for backend in backends:
        if backend.repeats:
            known = [_extended(entry, backend) for entry in known]
    return tuple(
        entry
        for entry in known
        if not entry.versions
        or any(entry.concerns(backend.name) and _is_in(entry, backend.version) for backend in backends)
    )


def _extended(entry: KnownFailure, backend: BackendLine) -> KnownFailure:
    """The entry, of that backend too where it is of what it repeats; a pattern that says "of any" has it already."""
    parts = [pattern.partition("/") for pattern in entry.ids if not entry.concerns(backend.name)]
    further = tuple(f"{backend.name}/{rest}" for name, _, rest in parts if _is_like(backend.repeats, name))
    if not further:
        return entry
    given = {name: getattr(entry, name) for name in entry.__struct_fields__}
    return _Extended(**given | {"further": (*given.get("further", ()), *further)})


def _is_in(entry: KnownFailure, version: str) -> bool:
    try:
        return Version(version) in SpecifierSet(entry.versions, prereleases=True)
    except InvalidVersion:
        return False  # an engine built from a branch: nobody knows what it has


def judge(
    result: ResultLine, known: Sequence[KnownFailure], today: datetime.date, *, is_compact: bool = False
) -> ResultLine:
    """The result in the light of the known failures: a failure becomes known, or unsupported, a pass becomes fixed.

    What the engine has not implemented is unsupported. A pass of few questions, by a compact plan, fixes nothing: others may fail still.
    """
    known = [entry for entry in known if not entry.has_expired(today)]
    if result.verdict in FAILING:
        entry = entry_of_result(known, result)
        becomes = Verdict.UNSUPPORTED if entry and entry.kind == NOT_IMPLEMENTED else Verdict.KNOWN
    elif result.verdict is Verdict.PASS and not is_compact:
        entry, becomes = next((entry for entry in known if result.id in entry.ids), None), Verdict.FIXED
        if entry and any(entry.explains(result.id, reason) for reason in result.declined):
            return result  # of other cases
    else:
        return result
    if entry is None:
        return result
    evidence = result.evidence or Evidence(message="listed among the known failures, but it passes")
    noted = msgspec.structs.replace(
        evidence,
        reason=entry.reason,
        link=entry.link or entry.script,
        failed_as="" if becomes is Verdict.FIXED else result.verdict.value,
        kind=entry.kind,
    )
    return msgspec.structs.replace(result, verdict=becomes, evidence=noted)


def message_of(result: ResultLine) -> str:
    """What its evidence says; empty where it has none."""
    return result.evidence.message if result.evidence else ""


def messages_of(result: ResultLine) -> tuple[str, ...]:
    """What its evidence says, and what the check says of other cases, each of one call."""
    said = (message_of(result), *(result.evidence.also if result.evidence else ()))
    return tuple(of_one for message in said for of_one in message.split(ALSO))


def stale(
    known: Sequence[KnownFailure],
    results: Sequence[ResultLine],
    *,
    is_complete: bool = True,
    backends: Sequence[BackendLine] = (),
) -> list[KnownFailure]:
    """The entries for which no result of the run fails any more.

    An entry of none of the run's `backends` says nothing. Of a run that is not complete, or asked a part, an entry
    without any result says nothing, and of a backend of which the profile leaves something out no entry does that holds
    where all is asked. One about claims of `smoke` says nothing of any run.
    """
    known = [entry for entry in known if not all(SMOKE in identifier for identifier in entry.ids)]
    if backends:
        known = [entry for entry in known if any(entry.concerns(backend.name) for backend in backends)]
    compact = [backend.name for backend in backends if backend.left_out]
    known = [entry for entry in known if not any(map(entry.concerns, compact))]
    # Most entries name ids, which are looked up; patterns are compared with every result.
    if not is_complete:
        ids = {r.id for r in results}
        known = [e for e in known if not ids.isdisjoint(e.ids) or any(map(e.covers, ids))]
    failing = [(r.id, m) for r in results if r.verdict in FAILING or _is_each(r) for m in messages_of(r)]
    failing += [(r.id, reason) for r in results for reason in r.declined]
    by_id: dict[str, list[str]] = {}
    for identifier, message in failing:
        by_id.setdefault(identifier, []).append(message)
    unseen = [
        entry for entry in known if not any(entry.explains(i, m) for i in entry.ids for m in by_id.get(i, ()))
    ]
    return [entry for entry in unseen if not any(entry.explains(*failure) for failure in failing)]


def _is_each(result: ResultLine) -> bool:
    return result.verdict is Verdict.KNOWN or bool(result.evidence and result.evidence.failed_as)
