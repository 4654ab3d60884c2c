"""Reading the file of known failures: what is wrong in it is said of the entry where it stands, with what may be meant."""

from __future__ import annotations

import bisect
import datetime
import difflib
import fnmatch
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec

from conformance.errors import UsageError
from conformance.runfile.known import Kind, KnownFailure
from conformance.runfile.relative_error import Lost
from conformance.runfile.whole import hold_readable

DOCUMENTED = "documented"
MATCHES_NOTHING = "(?!)"  # what fnmatch makes of an empty range, such as [z-a]
TABLE = "known"
CHOICES: Mapping[str, tuple[str, ...]] = {"kind": get_args(Kind), "within": get_args(Lost)}
BEGINS = re.compile(r"^[ \t]*\[\[[ \t]*known[ \t]*\]\]", re.MULTILINE)
NEEDED = {"id": "write the id of a result, or a pattern of ids", "reason": "write why it fails"}
SHOWN = 80  # characters of an id in a message


def read_known(path: Path) -> tuple[KnownFailure, ...]:
    """The entries of a known-failures file.

    Raises UsageError if it cannot be read, or an entry lacks its id or its reason.
    """
    try:
        hold_readable(path)
        text = path.read_text(encoding="utf-8-sig")
        written = _tables(tomllib.loads(text))
        ends = [place for place, letter in enumerate(text) if letter == "\n"]
        lines = [bisect.bisect_left(ends, found.start()) + 1 for found in BEGINS.finditer(text)]
        if len(lines) != len(written):  # entries of a list in brackets, or a heading within a text
            lines = []
        return tuple(_entry(table, place, lines) for place, table in enumerate(written))
    except OSError as error:
        hint = "--known FILE names another; conformance known update RUN writes one"
        raise UsageError(f"cannot read the known failures {path}: {error.strerror}; {hint}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError, msgspec.ValidationError) as error:
        raise UsageError(f"{path} is not a known-failures file: {error}") from None


def _tables(document: Mapping[str, Any]) -> Sequence[Any]:
    """The entries as they are written; raises ValidationError where the file holds something else."""
    if slip := _unless_known(document, (TABLE,), "table"):
        raise msgspec.ValidationError(slip)
    written = document.get(TABLE, [])
    if not isinstance(written, list):
        raise msgspec.ValidationError(f"each entry begins with [[{TABLE}]], in two pairs of brackets")
    return written


def _entry(written: Any, place: int, lines: Sequence[int]) -> KnownFailure:
    """The entry, checked; raises ValidationError that names it by its line, its id and its number."""
    try:
        if isinstance(written, dict) and (slip := _misspelt(written)):
            raise msgspec.ValidationError(slip)
        entry = msgspec.convert(written, KnownFailure)
        if slip := _slip_of(entry, written):
            raise msgspec.ValidationError(slip)
    except msgspec.ValidationError as error:
        identifier = written.get("id") if isinstance(written, dict) else None
        first = identifier[0] if isinstance(identifier, list) and identifier else identifier
        named = f", {first[:SHOWN]}" if isinstance(first, str) and first.strip() else ""
        at = f"line {lines[place]}" if lines else "in the file"
        said = str(error).replace("`$.", "`")
        raise msgspec.ValidationError(f"{said} (entry {place + 1}, {at}{named})") from None
    return entry


def _misspelt(written: Mapping[str, Any]) -> str:
    """Which field or value of an entry there is none of, and what may be meant; empty where all are known."""
    if slip := _unless_known(written, KnownFailure.__struct_fields__, "field"):
        return slip
    for field, choices in CHOICES.items():
        given = written.get(field, "")
        for value in given if isinstance(given, list) else [given]:
            if isinstance(value, str) and value and value not in choices:
                allowed = ", ".join(repr(choice) for choice in choices if choice)
                also = "a number, or one of " if field == "within" else "one of "
                return f"{field} = {value!r} is none; it is {also}{allowed}{_hint(value, choices)}"
    return _no_date(written.get("expires", datetime.date.max))


def _no_date(value: object) -> str:
    """What is wrong with the day on which an entry expires; empty where it is one."""
    try:
        msgspec.convert(value, datetime.date)
    except msgspec.ValidationError:
        return f"expires = {value!r} is no date; write one such as expires = {datetime.date(2030, 1, 31)}"
    return ""


def _unless_known(names: Collection[str], known: Collection[str], what: str) -> str:
    for name in names:
        if name not in known:
            all_of_them = f"; there are {', '.join(known)}" if len(known) > 1 else f"; it is called {TABLE!r}"
            return f"there is no {what} {name!r}{_hint(name, known) or all_of_them}"
    return ""


def _hint(word: str, known: Collection[str]) -> str:
    close = difflib.get_close_matches(word, [each for each in known if each], n=2, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _slip_of(entry: KnownFailure, written: Mapping[str, object]) -> str:
    """What of an entry says nothing, or can be about nothing; empty where all of it says something."""
    for key, value in written.items():
        if value == [] or any(_is_blank(each) for each in (value if isinstance(value, list) else [value])):
            return f"{key} is empty: {NEEDED.get(key, 'write what it is, or leave it out')}"
    for pattern in entry.ids:
        if MATCHES_NOTHING in fnmatch.translate(pattern):
            return f"no id is like {pattern!r}, whose brackets hold an empty range"
    if entry.kind == DOCUMENTED and not (entry.sentence and entry.link):
        return f"what is {DOCUMENTED} needs the engine's sentence, and the link to where it stands"
    return ""


def _is_blank(value: object) -> bool:
    return isinstance(value, str) and not value.strip()
