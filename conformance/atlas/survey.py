"""Surveys: what one backend does wherever engines may differ, measured in a process of its own.

A survey has the conventions of the clauses, found by asking their checks, and a reading of every special
point. Several surveys side by side are the atlas; those of two versions of one engine show what has changed.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from conformance.atlas.conventions import measure_conventions
from conformance.backend import Backend
from conformance.checks.point_observation import Standing
from conformance.clauses import STANDARD
from conformance.errors import AdapterError, UsageError
from conformance.load import load_backend, name_of
from conformance.questions import items_of
from conformance.run.describe import describe
from conformance.run.execute import Executor
from conformance.run.plan import digest
from conformance.runfile.records import BackendLine
from conformance.strategies import Effort

MARK = "conformance-survey:"
SCHEMA = 1
NOTHING = Effort(signatures=1, draws=1, samples=1, programs=1)  # points are not drawn


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was measured at one place: the clause of an measured, or the key of a special point.

    `found` is a convention's name, or the numbers; `standing` is as in a reading.
    """

    place: str
    clause: str
    found: str
    standing: str = Standing.OPEN.value
    declared: str = ""
    among: tuple[str, ...] = ()
    value: Any = None


class Survey(msgspec.Struct, frozen=True):
    """One backend, and what was measured of it."""

    backend: BackendLine
    entries: tuple[Entry, ...]

    def by_place(self) -> dict[str, Entry]:
        """The entries by where they were measured."""
        return {entry.place: entry for entry in self.entries}


class Atlas(msgspec.Struct, frozen=True):
    """Surveys side by side: what an atlas file holds."""

    schema: int
    digest: str
    surveys: tuple[Survey, ...]


# ---- measuring ------------------------------------------------------------------------------------


def survey(spec: str) -> Survey:
    """Load the backend here and measure it; raises what `load_backend` raises."""
    backend = load_backend(spec)
    return Survey(describe(spec).line, (*_conventions(backend), *_points(backend)))


def _conventions(backend: Backend) -> Iterator[Entry]:
    for measured in measure_conventions(backend):
        number = measured.clause.number
        found = " or ".join(measured.found) or ("not checked" if measured.reason else "none of them")
        declared = measured.declared or ""
        yield Entry(number, number, found, declared=declared, among=measured.clause.conventions)


def _points(backend: Backend) -> Iterator[Entry]:
    """One entry per point; where dtypes differ, one entry per dtype."""
    executor = Executor(backend, seed=0, effort=NOTHING, shrink=False)
    points = [i for i in items_of(backend.name, backend.dtypes) if i.definition.kind == "point"]
    found: dict[str, dict[str, Entry]] = {}
    for item in points:
        (result,) = executor.results([item])
        if (r := result.atlas) is not None:
            entry = Entry(item.subject, result.clause, r.found, r.standing, r.declared, r.among, r.value)
            found.setdefault(item.subject, {})[item.dtype] = entry
    for place, of_dtype in found.items():
        first = next(iter(of_dtype.values()))
        if len({(entry.found, entry.standing) for entry in of_dtype.values()}) == 1:
            yield first
            continue
        for dtype, entry in of_dtype.items():
            yield msgspec.structs.replace(entry, place=f"{place} {dtype}")


def surveyed(specs: list[str]) -> Atlas:
    """The surveys of several backends, each from its own process.

    Raises AdapterError where a backend cannot start, or ends its process.
    """
    return Atlas(SCHEMA, digest(), tuple(_surveyed_apart(spec) for spec in specs))


def _surveyed_apart(spec: str) -> Survey:
    done = subprocess.run(
        [sys.executable, "-m", "conformance.atlas.survey", spec], capture_output=True, text=True, check=False
    )
    found = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    if not found:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise AdapterError(f"{name_of(spec)} could not be surveyed (exit {done.returncode}): {last}")
    return msgspec.json.decode(found[-1][len(MARK) :], type=Survey)


# ---- keeping --------------------------------------------------------------------------------------


def write_atlas(path: Path, atlas: Atlas) -> None:
    """Write the atlas file."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(atlas), indent=1))


def read_atlas(path: Path) -> Atlas:
    """Read an atlas file; UsageError where it is none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Atlas)
    except OSError as error:
        raise UsageError(f"cannot read the atlas {path}: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise UsageError(
            f"{path} is no atlas ({error}); write one with: conformance atlas BACKEND -o F"
        ) from None


# ---- comparing ------------------------------------------------------------------------------------


class Row(msgspec.Struct, frozen=True):
    """One place of the atlas: an entry per backend that has one."""

    place: str
    clause: str
    among: tuple[str, ...]
    entries: dict[str, Entry]

    @property
    def is_apart(self) -> bool:
        """Whether the backends differ."""
        return len({entry.found for entry in self.entries.values()}) > 1


def rows_of(atlas: Atlas) -> list[Row]:
    """The places of all surveys, those first at which backends differ; otherwise clauses, then points."""
    places: dict[str, Entry] = {}
    for one in atlas.surveys:
        for entry in one.entries:
            places.setdefault(entry.place, entry)
    rows = [
        Row(
            place,
            entry.clause,
            entry.among,
            {one.backend.name: e for one in atlas.surveys if (e := one.by_place().get(place)) is not None},
        )
        for place, entry in places.items()
    ]
    return sorted(rows, key=lambda row: (not row.is_apart, row.place not in STANDARD))


class Change(msgspec.Struct, frozen=True):
    """What differs between two surveys of one backend; empty where a place is in one of them only."""

    backend: str
    place: str
    before: str
    after: str


def changes(before: Atlas, after: Atlas) -> list[Change]:
    """What differs between two atlases, backend by backend; backends in one of them only are left out."""
    there = {one.backend.name: one.by_place() for one in after.surveys}
    found = []
    for one in before.surveys:
        here, then = one.by_place(), there.get(one.backend.name, {})
        for place in dict.fromkeys([*here, *then]) if then else ():
            was, is_now = (entries[place].found if place in entries else "" for entries in (here, then))
            if was != is_now:
                found.append(Change(one.backend.name, place, was, is_now))
    return found


def main() -> None:
    """Print the survey of the backend named on the command line."""
    sys.stdout.write(f"\n{MARK}{msgspec.json.encode(survey(sys.argv[1])).decode()}\n")


if __name__ == "__main__":
    main()
