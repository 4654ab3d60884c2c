"""The plan: every question of a run, as ids.

An id is one spelling for everything: `mine/op/matmul/vjp/float32` is a line of the run file, a pytest
id, a query, a link and a key among the known failures.
"""

from __future__ import annotations

import fnmatch
import hashlib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import conformance
from conformance.checks import Check, CheckKind, load_all
from conformance.checks.registry import FULL
from conformance.clauses import STANDARD, Level
from conformance.errors import NothingSelected, UsageError
from conformance.ops import ALL_OPS
from conformance.points import SPECIAL_POINTS
from conformance.strategies import Effort

PROFILES = {
    "quick": Effort(signatures=4, draws=3, samples=3, programs=12),
    "standard": Effort(signatures=16, draws=4, samples=6, programs=60),
    "thorough": Effort(signatures=40, draws=8, samples=16, programs=300),
}


@dataclass(frozen=True)
class Item:
    """One question: a check, asked of a subject of a backend in a dtype."""

    backend: str
    check: str
    subject: str
    dtype: str

    @cached_property
    def definition(self) -> Check:
        """The check."""
        return load_all()[self.check]

    @cached_property
    def id(self) -> str:
        """Its one spelling."""
        check = self.definition
        parts = {
            CheckKind.OP: (self.subject, check.name, self.dtype),
            CheckKind.PROGRAM: (check.name, self.dtype),
            CheckKind.HISTORY: (check.name,),
            CheckKind.CONTRACT: (check.clause, check.name),
            CheckKind.EXAMPLE: (check.clause, check.name),
            CheckKind.CAPABILITY: (check.name,),
            CheckKind.POINT: (self.subject, self.dtype),
        }[check.kind]
        return "/".join((self.backend, check.kind.value, *parts))

    @property
    def group(self) -> str:
        """What is evaluated together: an op's checks share their cases, its points what is compiled."""
        if self.definition.kind is CheckKind.OP:
            return f"{self.backend}/op/{self.subject}/{self.dtype}"
        if self.definition.kind is CheckKind.POINT:
            return f"{self.backend}/point/{self.subject.partition('/')[0]}/{self.dtype}"
        return self.id

    @property
    def scope(self) -> str:
        """What one worker asks in one go: its group, of all modes of the engine, since they share the group's cases."""
        shares = self.definition.kind in (CheckKind.OP, CheckKind.POINT)
        return self.group.partition("/")[2] if shares else self.group

    @property
    def level(self) -> str:
        """The level of the clause; a declared capability must be there."""
        clause = STANDARD.get(self.definition.clause)
        return clause.level.value if clause else Level.MUST.value


def items_of(backend: str, dtypes: Sequence[str]) -> Iterator[Item]:
    """Every question that can be asked of a backend."""
    checks = load_all().values()
    for check in checks:
        if check.kind in (CheckKind.CAPABILITY, CheckKind.CONTRACT, CheckKind.EXAMPLE):
            yield Item(backend, check.key, check.clause, "")
        if check.kind is CheckKind.HISTORY:
            yield Item(backend, check.key, "history", "")
    for dtype in dtypes:
        for op in ALL_OPS.values():
            for check in checks:
                if dtype in check.dtypes and check.asks_about(op):
                    yield Item(backend, check.key, op.name, dtype)
        for check in checks:
            if check.kind is CheckKind.PROGRAM and dtype in check.dtypes:
                yield Item(backend, check.key, "program", dtype)
        for point in SPECIAL_POINTS.values() if dtype in FULL else ():
            yield Item(backend, f"point/{point.nature.value}", point.key, dtype)


def matches(identifier: str, query: str) -> bool:
    """Whether an id is what a query asks for.

    A query is an id, or a beginning of one at a slash, with `*` for anything; the backend may be left out.
    """
    body = identifier.partition("/")[2]
    return any(
        fnmatch.fnmatchcase(text, query) or fnmatch.fnmatchcase(text, query.rstrip("/") + "/*")
        for text in (identifier, body)
    )


def select(items: Sequence[Item], queries: Sequence[str]) -> list[Item]:
    """The items that any query asks for; all of them without a query.

    Raises NothingSelected for a query that matches nothing.
    """
    if not queries:
        return list(items)
    for query in queries:
        if not any(matches(item.id, query) for item in items):
            raise NothingSelected(
                f"the query {query!r} matches nothing; "
                "ids look like numpy/op/matmul/vjp/float64 or contract/B1, see: conformance list checks"
            )
    return [item for item in items if any(matches(item.id, query) for query in queries)]


def shard(items: Sequence[Item], text: str) -> list[Item]:
    """Part i of n of the items, `text` being "i/n"; what shares its cases stays whole, and no item is in two parts."""
    first, slash, second = text.partition("/")
    if not (slash and first.isdigit() and second.isdigit() and 1 <= int(first) <= int(second)):
        raise UsageError(f"--shard {text!r}: expected i/n with 1 <= i <= n, for example 1/4")
    return [item for item in items if zlib.crc32(item.scope.encode()) % int(second) == int(first) - 1]


@cache
def digest() -> str:
    """A short digest of what is asked: rows, clauses and checks. Runs of different digests do not merge."""
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
