"""Listing the failures of a run in the file of known failures: an entry for each cause."""

from __future__ import annotations

import codecs
import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import tomlkit
from tomlkit.items import AoT

from conformance.errors import UsageError
from conformance.runfile.causes import Cause, causes_of
from conformance.runfile.known import (
    NOT_IMPLEMENTED,
    KnownFailure,
    entry_for,
    entry_of_result,
    message_of,
    messages_of,
)
from conformance.runfile.known_file import read_known
from conformance.runfile.patterns import VARIES, pattern_of, stated_line
from conformance.runfile.records import FAILING, BackendLine, ResultLine, Verdict
from conformance.runfile.texts import printable
from conformance.runfile.whole import write_whole

ESCAPED = re.compile(r"\[([*?[])\]")  # as `glob.escape` writes it
NOTHING_LISTED = "# No failure is known.\n"
REPEATABLE = "repeatable"  # the check that asks the same twice
UNJUDGED: Mapping[str, str] = MappingProxyType({})
SUBJECT = 3  # parts of an id: the backend, the kind, and the op, the clause or the point's op


def write_known(
    path: Path,
    results: Sequence[ResultLine],
    reason: str,
    backends: Sequence[BackendLine] = (),
    judged: Mapping[str, str] = UNJUDGED,
) -> int:
    """List the unexpected failures among `results` in the file, keeping what it says; returns how many.

    Failures of one cause that say the same are one entry, with a list of ids; `judged` is its kind, and what that needs. A failure that says the same as a listed one but
    for its numbers widens that entry: each further case would be a failure of its own. An entry that somebody has
    judged, by a kind, a script, calls or an error, stays as it is. An id of an op whose answers differ from call to call is
    no promise: it is written with a `*`, also where it stands without and passes. Entries of one cause stand together,
    the worst cause first, each under the cause's title where there are several; `backends` says whose modes they are.
    """
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is no file, so nothing is listed in it")
    listed = read_known(path) if path.exists() else ()
    text = path.read_text(encoding="utf-8-sig").rstrip("\n") + "\n\n" if path.exists() else ""
    document = tomlkit.parse(text.lstrip("\n"))
    entries = tables_of(document)
    new = [
        (result, message)
        for result in results
        if result.verdict in FAILING
        for message in messages_of(result)
        if not _entry_for(listed, result, message)
    ]
    varying, unsteady = _varying(new), _unsteady(results)
    causes: dict[tuple[str, str], list[tuple[ResultLine, str]]] = {}
    for result, message in new:
        wide = pattern_of(message, has_numbers_of_case=True)
        subject = subject_of(result.id)
        narrower = [n for n, entry in enumerate(listed) if _is_narrower(entry, result.id, wide)]
        for position in narrower:
            entries[position]["says"] = wide
        if not narrower:
            is_raised = result.verdict is Verdict.ERROR  # an engine's numbers are those of one call
            is_wide = is_raised or (subject, wide) in varying or subject in unsteady
            says = wide if is_wide else pattern_of(message)
            alike = causes.setdefault((subject, says), [])
            if all(other.id != result.id for other, _ in alike):
                alike.append((result, message))
    for title, group in _by_cause(list(causes.items()), causes_of(backends, results)):
        merged = _merged(group)
        for (_, says), alike in merged:
            comment = f"{title} ({len(merged)} entries)" if len(merged) > 1 else ""
            entries.append(_entry(alike, reason, says, unsteady, comment, judged))
    passing = {r.id for r in results if r.verdict is Verdict.FIXED and subject_of(r.id) in unsteady}
    promised = [n for n, entry in enumerate(listed) if passing & set(entry.ids)]
    for position in promised:
        ids = [f"{i}*" if i in passing else i for i in listed[position].ids]
        entries[position]["id"] = ids[0] if len(ids) == 1 else tomlkit.item(ids).multiline(multiline=True)
    if (
        new or promised or not path.exists()
    ):  # an empty list of tables would be written as a list to which none can be added
        renewed = tomlkit.dumps(document).rstrip("\n") + "\n" if entries else NOTHING_LISTED
        write_whole(path, as_before(path, renewed))
    return len({result.id for result, _ in new})


def as_before(path: Path, text: str) -> str:
    """The text with the line ends and the mark of the encoding that the file has: else every line of it would change."""
    before = path.read_bytes() if path.exists() else b""
    if 2 * before.count(b"\r\n") > before.count(b"\n"):
        text = text.replace("\n", "\r\n")
    return f"\ufeff{text}" if before.startswith(codecs.BOM_UTF8) else text


def tables_of(document: tomlkit.TOMLDocument) -> Any:
    """The entries of a file, each a table of its own: those that are written within one pair of brackets become that."""
    found = document.get("known")
    if isinstance(found, AoT):
        return found
    entries = tomlkit.aot()
    for entry in found or ():
        table = tomlkit.table()
        table.update(entry)
        table.add(tomlkit.nl())
        entries.append(table)
    document.pop("known", None)
    document["known"] = entries
    return entries


def _entry_for(listed: Sequence[KnownFailure], result: ResultLine, message: str) -> KnownFailure | None:
    """The entry that speaks of a result's message; of other messages than its own the calls and numbers are not known."""
    is_own = message == message_of(result)
    return entry_of_result(listed, result) if is_own else entry_for(listed, result.id, message)


def _varying(new: Sequence[tuple[ResultLine, str]]) -> set[tuple[str, str]]:
    """The subjects and patterns of which one check gives messages that differ in their numbers."""
    said: dict[tuple[str, str, str], set[str]] = {}
    for result, message in new:
        wide = pattern_of(message, has_numbers_of_case=True)
        said.setdefault((result.id, subject_of(result.id), wide), set()).add(pattern_of(message))
    return {(subject, wide) for (_, subject, wide), exact in said.items() if len(exact) > 1}


def subject_of(identifier: str) -> str:
    """The part of an id that failures of one cause share."""
    return "/".join(identifier.split("/")[:SUBJECT])


def _is_narrower(entry: KnownFailure, identifier: str, wide: str) -> bool:
    """Whether an entry that nobody has judged says of this very id what `wide` says, with numbers of its own."""
    is_judged = entry.kind or entry.script or entry.calls or entry.within
    is_of_others = any(
        subject_of(other) != subject_of(identifier) for other in entry.ids
    )  # of whom it is not said
    if is_judged or is_of_others or identifier not in entry.ids or not isinstance(entry.says, str):
        return False
    return bool(entry.says) and fnmatch.fnmatchcase(ESCAPED.sub(r"\1", entry.says), wide)


def _unsteady(results: Sequence[ResultLine]) -> frozenset[str]:
    """The subjects whose answers differ from call to call."""
    differ = FAILING | {Verdict.KNOWN}
    return frozenset(subject_of(r.id) for r in results if r.check == REPEATABLE and r.verdict in differ)


def _by_cause(groups: Sequence[Any], causes: Sequence[Cause]) -> Iterator[tuple[str, list[Any]]]:
    """The entries to be written, by the cause of their first results, with its title."""
    place = {result.id: n for n, cause in enumerate(causes) for result in cause.results}
    of_cause: dict[int, list[Any]] = {}
    for group in groups:
        of_cause.setdefault(place[group[1][0][0].id], []).append(group)
    for n in sorted(of_cause):
        yield causes[n].title, of_cause[n]


def _merged(group: Sequence[Any]) -> list[Any]:
    """The failures of one cause, those together that raise, or differ, and say the same, whatever the op."""
    alike: dict[tuple[bool, str], list[tuple[ResultLine, str]]] = {}
    for (_, says), failures in group:
        alike.setdefault((failures[0][0].verdict is Verdict.ERROR, says), []).extend(failures)
    return list(alike.items())


def _entry(
    alike: Sequence[tuple[ResultLine, str]],
    reason: str,
    says: str,
    unsteady: frozenset[str],
    cause: str,
    judged: Mapping[str, str],
) -> Any:
    (first, message), table = alike[0], tomlkit.table()
    if cause:
        table.add(tomlkit.comment(f"of one cause: {printable(cause)}"))
    ids = [f"{r.id}*" if subject_of(r.id) in unsteady else r.id for r, _ in alike]
    table["id"] = ids[0] if len(ids) == 1 else tomlkit.item(ids).multiline(multiline=True)
    table["reason"] = reason or VARIES.sub("…", stated_line(message))
    if first.verdict is Verdict.ERROR and message.startswith(f"{NotImplementedError.__name__}:"):
        table["kind"] = NOT_IMPLEMENTED  # says the engine itself: the cases that it has are asked on
    else:
        table.update(judged)
    table["says"] = says
    is_of_case = bool(first.evidence) and message == messages_of(first)[0]
    if first.evidence and first.evidence.token and is_of_case:
        table["token"] = first.evidence.token
    table.add(tomlkit.nl())  # people read the file
    return table
