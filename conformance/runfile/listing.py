"""Listing the failures of a run in the file of known failures: an entry for each cause."""

from __future__ import annotations

import fnmatch
import glob
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomlkit

from conformance.runfile.known import KnownFailure, entry_for, message_of, read_known
from conformance.runfile.records import FAILING, ResultLine, Verdict

VARIES = re.compile(
    r"0x[0-9a-fA-F]+|(?<=[A-Za-z]_)\d+\b"
)  # from run to run: memory, and names such as tensor_47
OF_THE_CASE = re.compile(
    rf"{VARIES.pattern}|[\[(][\d\s,.+-]*\d[\d\s,.+-]*[\])]|(?<!\w)-?\d[\d.]*(?:e[+-]?\d+)?"
)  # what a message says of the call at hand: shapes, axes, lengths, values
ESCAPED = re.compile(r"\[([*?[])\]")  # as `glob.escape` writes it
SUBJECT = 3  # parts of an id: the backend, the kind, and the op, the clause or the point's op


def write_known(path: Path, results: Sequence[ResultLine], reason: str) -> int:
    """List the unexpected failures among `results` in the file, keeping what it says; returns how many.

    Failures of one op, or one clause, that say the same are one entry. A failure that says the same as a listed one but
    for its numbers widens that entry: each further case would be a failure of its own. An entry that somebody has
    judged, by a kind or a script, stays as it is.
    """
    text = path.read_text(encoding="utf-8").rstrip("\n") + "\n\n" if path.exists() else ""
    document = tomlkit.parse(text.lstrip("\n"))
    entries = document.setdefault("known", tomlkit.aot())
    listed = read_known(path) if path.exists() else ()
    new = [r for r in results if r.verdict in FAILING and not entry_for(listed, r.id, message_of(r))]
    causes: dict[tuple[str, str], list[ResultLine]] = {}
    for result in new:
        wide = pattern_of(message_of(result), has_numbers_of_case=True)
        narrower = [n for n, entry in enumerate(listed) if _is_narrower(entry, result.id, wide)]
        for position in narrower:
            entries[position]["says"] = wide
        if not narrower:
            is_raised = result.verdict is Verdict.ERROR  # an engine's numbers are those of one call
            says = pattern_of(message_of(result), has_numbers_of_case=is_raised)
            causes.setdefault((subject_of(result.id), says), []).append(result)
    for (_, says), alike in causes.items():
        entries.append(_entry(alike, reason, says))
    path.write_text(tomlkit.dumps(document).rstrip("\n") + "\n", encoding="utf-8")
    return len(new)


def pattern_of(message: str, *, has_numbers_of_case: bool = False) -> str:
    """A message as a pattern of what it says in every run: its first line, without addresses and counted names.

    Further lines are where something was raised, in a process of a number, at a time. `has_numbers_of_case`: its
    numbers are left out as well.
    """
    first, further, _ = message.partition("\n")
    parts = (OF_THE_CASE if has_numbers_of_case else VARIES).split(first)
    fixed = re.sub(r"[*]+", "*", "*".join(map(glob.escape, parts)))
    return fixed + "*" if further else fixed


def subject_of(identifier: str) -> str:
    """The part of an id that failures of one cause share."""
    return "/".join(identifier.split("/")[:SUBJECT])


def _is_narrower(entry: KnownFailure, identifier: str, wide: str) -> bool:
    """Whether an entry that nobody has judged says of this very id what `wide` says, with numbers of its own."""
    if entry.kind or entry.script or identifier not in entry.ids or not isinstance(entry.says, str):
        return False
    return bool(entry.says) and fnmatch.fnmatchcase(ESCAPED.sub(r"\1", entry.says), wide)


def _entry(alike: Sequence[ResultLine], reason: str, says: str) -> Any:
    first, table = alike[0], tomlkit.table()
    ids = [result.id for result in alike]
    table["id"] = ids[0] if len(ids) == 1 else tomlkit.item(ids).multiline(multiline=True)
    table["reason"] = reason or message_of(first).partition("\n")[0]
    table["says"] = says
    if first.evidence and first.evidence.token:
        table["token"] = first.evidence.token
    table.add(tomlkit.nl())  # people read the file
    return table
