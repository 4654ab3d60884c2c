"""Taking out of the file of known failures what passes now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tomlkit

from conformance.runfile.known import KnownFailure, in_force
from conformance.runfile.known_file import BEGINS, read_known
from conformance.runfile.listing import NOTHING_LISTED, as_before, tables_of
from conformance.runfile.records import BackendLine, ResultLine, Verdict
from conformance.runfile.whole import write_whole


class Mended(NamedTuple):
    """The ids that were taken out, and the reasons of the entries that had no other."""

    ids: tuple[str, ...]
    entries: tuple[str, ...]


def take_out_mended(
    path: Path, results: Sequence[ResultLine], backends: Sequence[BackendLine] = ()
) -> Mended:
    """Take what the run calls fixed out of the file: the ids themselves, and an entry with its last id.

    A pattern stays, which says that a failure comes and goes, and so does an entry about other versions of the engine.
    What else the file says stays as it is written, comments between entries too. Raises UsageError as `read_known` does.
    """
    known = read_known(path)
    fixed = {result.id for result in results if result.verdict is Verdict.FIXED}
    meant = {entry.ids for entry in in_force(known, backends)}
    passing = [tuple(i for i in entry.ids if i in fixed) if entry.ids in meant else () for entry in known]
    emptied = [n for n, entry in enumerate(known) if passing[n] == entry.ids]
    taken = tuple(dict.fromkeys(identifier for ids in passing for identifier in ids))
    if taken:
        text = _without(_text(path), known, passing, emptied)
        write_whole(path, as_before(path, text if text.strip() else NOTHING_LISTED))
    return Mended(taken, tuple(known[n].reason for n in emptied))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig")


def _without(
    text: str, known: Sequence[KnownFailure], passing: Sequence[Sequence[str]], emptied: Sequence[int]
) -> str:
    document = tomlkit.parse(text)
    entries = tables_of(document)
    for n, ids in enumerate(passing):
        if ids and n not in emptied:
            _shorten(entries[n], ids)
    text = tomlkit.dumps(document)
    begins = [found.start() for found in BEGINS.finditer(text)]
    if len(begins) != len(known):  # a text in the file has such a line as well
        for n in reversed(emptied):
            del entries[n]
        return str(tomlkit.dumps(document))
    ends = [*begins[1:], len(text)]
    for n in reversed(emptied):
        text = text[: begins[n]] + _after(text[begins[n] : ends[n]]) + text[ends[n] :]
    return text


def _shorten(entry: Any, ids: Sequence[str]) -> None:
    """Take ids out of an entry's list; one that is left is written without brackets where it stood alone in its line."""
    listed = entry["id"]
    for place in reversed(range(len(listed))):
        if listed[place] in ids:
            del listed[place]
    if len(listed) == 1:
        entry["id"] = listed[0]


def _after(entry: str) -> str:
    """The comments that follow an entry after an empty line: they are about the next ones."""
    lines = entry.splitlines(keepends=True)
    last = max(n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#"))
    rest = lines[last + 1 :]
    gap = next((n for n, line in enumerate(rest) if not line.strip()), len(rest))
    kept = "".join(rest[gap + 1 :])
    return kept if kept.strip() else ""
