"""What was covered, counted from the cases that decided: levels and pairs of levels, of how many that an op offers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from conformance.case import Case
from conformance.design.cover import ABSENT, Codes, Tuples, levels_in, tuples
from conformance.design.levels import encoded, levels_of
from conformance.design.rows import Row, rows_of
from conformance.kept import kept
from conformance.op import Op, Signature

Combinations = frozenset[tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Coverage:
    """The combinations of levels that some cases reached, and those that could be."""

    reached: Combinations
    offered: Combinations

    def __or__(self, other: Coverage) -> Coverage:
        return Coverage(self.reached | other.reached, self.offered | other.offered)

    @property
    def share(self) -> tuple[int, int]:
        """How many were reached, of how many."""
        return len(self.reached & self.offered), len(self.offered)

    @property
    def missing(self) -> tuple[str, ...]:
        """What was not reached, in words."""
        return tuple(
            sorted(" × ".join(f"{f}: {level}" for f, level in row) for row in self.offered - self.reached)
        )


NOTHING = Coverage(frozenset(), frozenset())


def row_number(op: Op, case: Case) -> int | None:
    """Which of the op's rows a case is; None where it is none of them."""
    signature = Signature(tuple(x.shape for x in case.operands), case.parameters)
    return _numbers(op).get(Row(signature, case.wrt).key)


def coverage_of(op: Op, rows: Iterable[int], strength: int) -> Coverage:
    """What some of the op's rows cover, of all that its rows offer."""
    known = range(len(rows_of(op)))
    reached = (_combined(op, number, strength) for number in set(rows) if number in known)
    return Coverage(frozenset().union(*reached), _offered(op, strength))


def share_of(op: Op, rows: Iterable[int], strength: int) -> tuple[int, int]:
    """How many combinations some of the op's rows reach, of how many: the same as `coverage_of`, by numbers alone."""
    known = range(len(rows_of(op)))
    return _counted(op, tuple(sorted(number for number in set(rows) if number in known)), strength)


@kept()
def _counted(op: Op, rows: tuple[int, ...], strength: int) -> tuple[int, int]:
    codes, _ = encoded(op)
    return _count(_tuples(codes[list(rows)], strength)), _count_offered(op, strength)


@kept()
def _count_offered(op: Op, strength: int) -> int:
    codes, _ = encoded(op)
    return _count(_tuples(codes, strength))


def _tuples(codes: Codes, strength: int) -> Tuples:
    return tuples(codes, strength) if codes.shape[1] >= strength else codes[:, :0]


def _count(found: Tuples) -> int:
    return int(np.count_nonzero(np.unique(found) != ABSENT))


def by_family(found: Mapping[str, Coverage], families: Mapping[str, Iterable[Op]]) -> dict[str, Coverage]:
    """The coverage of families, in which ops share their levels."""
    joined = {}
    for name, ops in families.items():
        total = NOTHING
        for op in ops:
            total |= found.get(op.name, NOTHING)
        joined[name] = total
    return {name: total for name, total in joined.items() if total.offered}


@lru_cache(maxsize=512)
def _numbers(op: Op) -> dict[str, int]:
    return {row.key: number for number, row in enumerate(rows_of(op))}


@lru_cache(maxsize=1024)
def _offered(op: Op, strength: int) -> Combinations:
    codes, levels = encoded(op)
    words = list(levels.numbers)  # by number
    offered = levels_in(_tuples(codes, strength), strength)
    return frozenset(tuple(sorted(words[number] for number in row)) for row in offered.tolist())


def _combined(op: Op, number: int, strength: int) -> Combinations:
    return frozenset(combinations(sorted(levels_of(op, rows_of(op)[number]).items()), strength))
