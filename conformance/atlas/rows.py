"""Rows: the surveys side by side, place by place, and what differs between two atlases."""

from __future__ import annotations

import msgspec

from conformance.atlas.entries import Atlas, Entry
from conformance.clauses import STANDARD


class Row(msgspec.Struct, frozen=True):
    """One place of the atlas: an entry per backend that has one; `dtype` where an engine differs by it."""

    place: str
    clause: str
    among: tuple[str, ...]
    entries: dict[str, Entry]
    dtype: str = ""

    @property
    def is_apart(self) -> bool:
        """Whether the backends differ."""
        return len({entry.found for entry in self.entries.values()}) > 1

    @property
    def op(self) -> str:
        """The op; of a clause its number."""
        return self.place.partition("/")[0]

    @property
    def name(self) -> str:
        """The place, with the dtype where there is one."""
        return f"{self.place} {self.dtype}".strip()


def rows_of(atlas: Atlas) -> list[Row]:
    """The places of all surveys, those first at which backends differ; otherwise clauses, then op by op.

    A place has a row for all dtypes if no engine differs by the dtype there, and otherwise one for each.
    """
    by_place: dict[str, dict[str, dict[str, Entry]]] = {}  # place, dtype, backend
    for one in atlas.surveys:
        for entry in one.entries:
            of_dtype = by_place.setdefault(entry.place, {}).setdefault(entry.dtype, {})
            of_dtype[one.backend.name] = entry
    rows = [row for place, by_dtype in by_place.items() for row in _rows_at(place, by_dtype)]
    ops = list(dict.fromkeys(row.op for row in rows))
    return sorted(rows, key=lambda row: (not row.is_apart, row.place not in STANDARD, ops.index(row.op)))


def _rows_at(place: str, by_dtype: dict[str, dict[str, Entry]]) -> list[Row]:
    first = next(iter(next(iter(by_dtype.values())).values()))
    kinds: dict[str, set[tuple[str, str]]] = {}
    for entries in by_dtype.values():
        for name, entry in entries.items():
            kinds.setdefault(name, set()).add((entry.found, entry.standing))
    if all(len(of_backend) == 1 for of_backend in kinds.values()):
        merged = {name: entry for entries in reversed(by_dtype.values()) for name, entry in entries.items()}
        by_dtype = {"": {name: merged[name] for name in kinds}}
    return [Row(place, first.clause, first.among, entries, dtype) for dtype, entries in by_dtype.items()]


class Change(msgspec.Struct, frozen=True):
    """What differs between two surveys of one backend; empty where a place is in one of them only."""

    backend: str
    place: str
    before: str
    after: str


def changes(before: Atlas, after: Atlas) -> list[Change]:
    """What differs between two atlases, backend by backend; backends in one of them only are left out."""
    there = {one.backend.name: one.by_key() for one in after.surveys}
    found = []
    for one in before.surveys:
        here, then = one.by_key(), there.get(one.backend.name, {})
        for key in dict.fromkeys([*here, *then]) if then else ():
            was, is_now = (entries[key].found if key in entries else "" for entries in (here, then))
            if was != is_now:
                found.append(Change(one.backend.name, " ".join(key).strip(), was, is_now))
    return list(dict.fromkeys(found))
