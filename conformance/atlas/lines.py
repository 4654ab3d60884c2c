"""The atlas in lines: a sentence for each place at which engines differ, then a line for each of the others."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from conformance.atlas.entries import Entry
from conformance.atlas.rows import Row
from conformance.clauses import STANDARD

PLACE = 30  # columns of a place, as far as it goes
SIGNS = {"unfair": "✗ ", "artefact": "~ "}
WORDS = ("limit",)  # what is found where a point has no conventions
MEANING = "✗ is outside what is fair, ~ what a composition makes of its ops' conventions"


def lines_of(rows: Sequence[Row], width: int) -> list[str]:
    """All lines, none wider than `width`."""
    apart, alike = [r for r in rows if r.is_apart], [r for r in rows if not r.is_apart]
    lines = [f"backends differ at {len(apart)} of {len(rows)} places" + ":" * bool(apart)]
    for row in apart:
        lines += textwrap.wrap(
            sentence(row), width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
        )
    if alike:
        lines += ["", f"{'they do not differ at' if apart else 'what was found at'} {len(alike)} places:"]
    return [*lines, *(_cut(line(row), width) for row in alike), "", MEANING]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def sentence(row: Row) -> str:
    """What each backend does at a place where they differ; of a clause also what it says."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for name, entry in row.entries.items():
        groups.setdefault((entry.call, answer(entry), entry.found), []).append(name)
    said = [
        f"{', '.join(names)}: {call} gives {given}" if call else f"{', '.join(names)}: {given}"
        for (call, given, _), names in groups.items()
    ]
    if row.place in STANDARD:
        return f"{row.name}. {'; '.join(said)}. {STANDARD[row.place].sentence}"
    return f"{row.name} at {operands(row)}. {'; '.join(said)}."


def line(row: Row) -> str:
    """A place at which the backends do the same: the answer, the operands, each engine's call."""
    entry = next(iter(row.entries.values()))
    if not entry.call:
        return f"{row.name.ljust(PLACE)} {answer(entry)}  {STANDARD[row.place].sentence}"
    calls = dict.fromkeys(e.call for e in row.entries.values())
    return f"{row.name.ljust(PLACE)} {answer(entry)}  {operands(row)}  {'  '.join(calls)}"


def operands(row: Row) -> str:
    """The operands' values."""
    return _first(entry.operands for entry in row.entries.values())


def _first(texts: Iterable[str]) -> str:
    return next((text for text in texts if text), "")


def answer(entry: Entry) -> str:
    """The numbers, and what they are called; the convention alone where there are no numbers."""
    named = next((name for name in (*entry.among, *WORDS) if entry.found.endswith(name)), "")
    text = f"{entry.value} ({named})" if entry.value and named else entry.value or entry.found
    return SIGNS.get(entry.standing, "") + text
