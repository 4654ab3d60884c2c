"""The plan: which questions a run has, selected and sharded by id, and their order where the time may not suffice.

An id is one spelling for everything: `mine/op/matmul/vjp/float32` is a line of the run file, a pytest
id, a query, a link and a key among the known failures.
"""

from __future__ import annotations

import datetime
import enum
import hashlib
import os
import platform
import re
import uuid
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import msgspec
import numpy as np

import conformance
from conformance.checks import load_all
from conformance.clauses import STANDARD
from conformance.errors import NothingSelected, UsageError, brief
from conformance.ops import ALL_OPS, FAMILIES
from conformance.points import SPECIAL_POINTS
from conformance.questions import Item, items_of
from conformance.questions.cases import COUNTED
from conformance.questions.compact import Compact
from conformance.questions.queries import matches, sentences
from conformance.run.describe import Description
from conformance.runfile.jsonl import SCHEMA
from conformance.runfile.records import ResultLine, RunLine, SpecLine
from conformance.strategies import Effort

if TYPE_CHECKING:
    from conformance.run.conduct import Request

DIGITS = 9  # of the numbers of a shard
PROFILES = {
    "quick": Effort(signatures=4, draws=3, samples=3, programs=12, strength=1),
    "standard": Effort(signatures=16, draws=4, samples=6, programs=60, strength=3),
    "thorough": Effort(signatures=40, draws=8, samples=16, programs=300, strength=4),
}


def select(items: Sequence[Item], queries: Sequence[str], further: Sequence[Item] = ()) -> list[Item]:
    """The items that any query selects; all of them without a query.

    Where a query matches none of them, it selects of `further` items: those that the profile leaves out.

    Raises NothingSelected for queries that match nothing; it names the first of them, and counts the others.
    """
    if not queries:
        return list(items)
    selected: dict[Item, None] = {}
    unmatched: list[str] = []
    for query in queries:
        found = [item for item in items if matches(item.id, query)]
        found = found or [item for item in further if matches(item.id, query)]
        if not found:
            unmatched.append(query)
        selected |= dict.fromkeys(found)
    if unmatched:
        raise NothingSelected("\n".join(sentences(unmatched, (*items, *further))))
    return [item for item in (*items, *further) if item in selected]


def shard(items: Sequence[Item], text: str) -> list[Item]:
    """Part i of n of the items, `text` being "i/n"; items of one scope stay together, and no item is in two parts."""
    part, count = numbers_of_shard(text)
    return [item for item in items if zlib.crc32(item.scope.encode()) % count == part - 1]


def numbers_of_shard(text: str) -> tuple[int, int]:
    """The numbers i and n of "i/n"; raises UsageError where they name no part."""
    found = re.fullmatch(r"([1-9][0-9]*)/([1-9][0-9]*)", text)
    if found and max(map(len, found.groups())) > DIGITS:
        raise UsageError(f"--shard {brief(text)!r}: i and n have at most {DIGITS} digits")
    part, count = map(int, found.groups()) if found else (1, 0)
    if part > count:
        raise UsageError(f"--shard {brief(text)!r}: expected i/n with 1 <= i <= n, for example 1/4")
    return part, count


def parted(descriptions: Iterable[Description], seed: int, effort: Effort) -> tuple[list[Item], list[Item]]:
    """The items of some backends that an effort asks, and those that it leaves out."""
    asked: list[Item] = []
    left_out: list[Item] = []
    for description in descriptions:
        line, dtypes = description.line, description.dtypes
        is_compact = effort.of_engine(compiles=description.compiles).is_compact
        is_registered = not line.spec  # an adapter in a file may have the name of one that is
        compact = Compact.of(line.name if is_registered else "", dtypes, seed) if is_compact else None
        only = frozenset(description.ops) if description.is_spelling else None
        for item in items_of(line.name, dtypes, only, respelled=description.respells):
            (asked if compact is None or compact.asks(item) else left_out).append(item)
    return asked, left_out


def with_left_out(description: Description, left_out: Sequence[Item]) -> Description:
    """The description of a backend, its line with what the profile leaves out of it, by chapter."""
    own = by_chapter(item for item in left_out if item.backend == description.line.name)
    return msgspec.structs.replace(description, line=msgspec.structs.replace(description.line, left_out=own))


class Worth(enum.IntEnum):
    """What is run first: an op's own VJP is what every user of an engine meets, and a contract spans all ops."""

    OWN_VJP = 0
    CONTRACT = 1
    REST = 2


def worth(item: Item) -> Worth:
    """When an item's turn comes."""
    if item.check in COUNTED:
        return Worth.OWN_VJP
    return Worth.CONTRACT if item.definition.kind == "contract" else Worth.REST


def in_order(items: Iterable[Item]) -> list[Item]:
    """The items by their worth, and of the same worth the families of ops side by side, else in the order in which they came.

    So an engine that is too slow for its time is asked a part of every family, and not elementwise ops alone.
    """
    return sorted(items, key=lambda item: (worth(item), _depth(item)))


def _depth(item: Item) -> float:
    """How far on in its family an op stands, from 0 to 1; what is of no family is first."""
    op = item.subject.partition("/")[0]
    return _depths().get(op, 0.0) if worth(item) is not Worth.CONTRACT else 0.0


@cache
def _depths() -> dict[str, float]:
    return {op.name: place / len(rows) for rows in FAMILIES.values() for place, op in enumerate(rows)}


def scope_of(item: Item) -> str:
    """What one worker runs together: of the items that share their questions, those of the same worth."""
    return f"{worth(item).name.lower()}:{item.scope}"


def together(item: Item, until: float | None) -> str:
    """What one worker runs in one go: the items of a scope, or less of it where the time has an end."""
    return item.scope if until is None else scope_of(item)


def by_chapter(items: Iterable[Item]) -> dict[str, int]:
    """How many items each chapter of the standard has among these; a probe is of a capability instead."""
    clauses = ((STANDARD.get(item.definition.clause), item) for item in items)
    counts = Counter(clause.chapter if clause else item.kind.name for clause, item in clauses)
    return dict(sorted(counts.items()))


@cache
def digest() -> str:
    """A short digest of rows, clauses and checks. Runs of different digests do not merge."""
    text = "\n".join(
        [
            *(f"{op.name} {op.formula} {op.source}" for op in ALL_OPS.values()),
            *(f"{c.number} {c.sentence}" for c in STANDARD.values()),
            *(f"{c.key} {c.claim}" for c in load_all().values()),
            *SPECIAL_POINTS,
            conformance.__version__,
        ]
    )
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def missing_of(chosen: Sequence[Item], results: Sequence[ResultLine]) -> list[Item]:
    """The items without a result."""
    answered = {result.id for result in results}
    return [item for item in chosen if item.id not in answered]


def header_of(
    profile: str, seed: int, descriptions: Sequence[Description] = (), request: Request | None = None
) -> RunLine:
    """The first line of a run file, whoever writes it."""
    return RunLine(
        schema=SCHEMA,
        id=uuid.uuid4().hex[:12],
        started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        profile=profile,
        seed=seed,
        spec=SpecLine(conformance.__version__, digest()),
        host={
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
            "numpy": np.__version__,
            "cores": str(os.cpu_count()),
            "extended precision": f"{np.finfo(np.longdouble).nmant + 1} bits",
        },
        backends=tuple(d.line for d in descriptions),
        queries=request.queries if request else (),
        shard=request.shard if request else "",
        ids=request.ids if request else (),
    )


def engine_of(spec: str) -> str:
    """What shares worker processes: the modes of one engine, and nothing else."""
    return spec if ":" in spec or spec.endswith(".py") else spec.partition(".")[0]


def sessions_of(
    descriptions: Sequence[Description], chosen: Sequence[Item]
) -> list[tuple[list[str], list[Item]]]:
    """The chosen items by engine."""
    by_backend: dict[str, list[Item]] = {}
    for item in chosen:
        by_backend.setdefault(item.backend, []).append(item)
    sessions: dict[str, tuple[list[str], list[Item]]] = {}
    for description in descriptions:
        part = by_backend.get(description.line.name, [])
        if part:
            specs, gathered = sessions.setdefault(engine_of(description.spec), ([], []))
            specs.append(description.spec)
            gathered.extend(part)
    return list(sessions.values())


def engines_of(descriptions: Sequence[Description]) -> list[tuple[str, list[str]]]:
    """Every engine that could start: how to load its first mode, and the names of all its modes."""
    engines: dict[str, tuple[str, list[str]]] = {}
    for description in descriptions:
        if not description.line.error:
            _, names = engines.setdefault(engine_of(description.spec), (description.spec, []))
            names.append(description.line.name)
    return list(engines.values())
