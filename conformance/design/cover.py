"""Covering arrays: few rows that together have every combination of `strength` levels that any row has.

The rows that can be chosen are listed, so that no combination is lost to a constraint and none is impossible. They
are chosen greedily (Cohen et al. 1997, "The AETG system"): a combination that is still missing is picked, and of some
rows that have it the one that adds most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

Codes = np.ndarray[tuple[int, int], np.dtype[np.int64]]
Tuples = np.ndarray[tuple[int, int], np.dtype[np.int64]]
# Rows that are alike but for some factors: what they have before these, each its own, and what they have after these.
Alike = tuple[dict[str, str], Sequence[dict[str, str]], dict[str, str]]
CANDIDATES = 64  # rows compared at each step
ABSENT = -1  # the level of a factor that does not apply to a row
BASE = 1 << 20  # more than an op has levels, so that three fit one number


class Levels:
    """Numbers for the levels of factors, in the order in which they come; `named` are those that have come."""

    def __init__(self, named: Iterable[tuple[str, str]] = ()) -> None:
        self.numbers: dict[tuple[str, str], int] = {each: number for number, each in enumerate(named)}

    def encode(self, rows: Iterable[dict[str, str]]) -> Codes:
        """A row of numbers for each row of levels, a column for each factor."""
        return self.encode_alike([({}, [row], {}) for row in rows])

    def encode_alike(self, groups: Sequence[Alike]) -> Codes:
        """What `encode` gives of all rows of the groups; what is alike is looked up once."""
        named: dict[str, None] = {}
        for before, each, after in groups:
            for part in (before, each[0], after, *each[1:]):
                named |= dict.fromkeys(part)
        columns = [_Column(self, factor) for factor in named]
        places = {factor: place for place, factor in enumerate(named)}
        codes: list[list[int]] = []
        for before, each, after in groups:
            first = before | each[0] | after
            common = [column[first.get(column.factor)] for column in columns]
            own = sorted({places[factor] for row in each for factor in row}) if len(each) > 1 else ()
            for row in each:
                codes.append(common.copy())
                for place in own:
                    codes[-1][place] = columns[place][row.get(columns[place].factor)]
        return np.array(codes, dtype=np.int64).reshape(len(codes), len(columns))

    def translate(
        self, codes: Codes, own: Levels, rename: Callable[[str], str] = lambda factor: factor
    ) -> Codes:
        """Rows that were encoded by `own`, in these numbers: what encoding them again, their factors renamed, would give."""
        here = [self._number(rename(factor), level) for factor, level in own.numbers]
        return np.array([*here, ABSENT], dtype=np.int64)[codes]

    def _number(self, factor: str, level: str) -> int:
        return self.numbers.setdefault((factor, level), len(self.numbers))


class _Column(dict[str | None, int]):
    """The numbers of one factor's levels, each looked up once: a law has hundreds of thousands of them."""

    def __init__(self, levels: Levels, factor: str) -> None:
        super().__init__({None: ABSENT})
        self.levels, self.factor = levels, factor

    def __missing__(self, level: str) -> int:
        self[level] = number = self.levels._number(self.factor, level)
        return number


def tuples(codes: Codes, strength: int) -> Tuples:
    """The combinations of `strength` levels that each row has, as one number each; ABSENT where a factor does not apply.

    The number depends on the levels alone, so rows of different ops share what they have in common.
    """
    if strength == 2 and codes.shape[1] > 1:  # as below, but many factors at once: this is most of the work
        factors = np.ascontiguousarray(codes.T)
        pairs = np.empty((len(factors) * (len(factors) - 1) // 2, len(codes)), dtype=np.int64)
        end = 0
        for i, one in enumerate(factors[:-1], start=1):
            start, end = end, end + len(factors) - i
            some, others = pairs[start:end], factors[i:]
            np.minimum(one, others, out=some)
            is_absent = some == ABSENT
            some += 1
            some *= BASE
            some += np.maximum(one, others)
            some += 1
            some[is_absent] = ABSENT
        return pairs.T
    columns = list(combinations(range(codes.shape[1]), min(strength, codes.shape[1])))
    found = np.empty((len(codes), len(columns)), dtype=np.int64)
    for i, chosen in enumerate(columns):
        levels = np.sort(codes[:, chosen], axis=1)
        number = np.zeros(len(codes), dtype=np.int64)
        for column in levels.T:
            number = number * BASE + column + 1
        found[:, i] = np.where((levels == ABSENT).any(axis=1), ABSENT, number)
    return found


def levels_in(found: Tuples, strength: int) -> Codes:
    """The levels of each of the combinations that `tuples` found, once, in ascending order."""
    numbers = np.unique(found)
    numbers = numbers[numbers != ABSENT]
    digits = [numbers // BASE**place % BASE - 1 for place in reversed(range(strength))]
    return np.stack(digits, axis=1)


class Combinations:
    """What `tuples` finds of rows, found where it is looked at: of all rows of a convolution it takes hundreds of megabytes."""

    def __init__(self, codes: Codes, strength: int) -> None:
        self.codes, self.strength = codes, strength
        self.count = math.comb(codes.shape[1], min(strength, codes.shape[1]))  # of each row

    def of(self, rows: Sequence[int] | np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[list[int]]:
        """Those of some rows."""
        return tuples(self.codes[np.asarray(rows, dtype=np.int64)], self.strength).tolist()


class Greedy:
    """Chooses rows of one op.

    Attributes:
        found: the combinations that count as gain.
        covered: those that are covered so far, shared by whoever shares their coverage.
        chosen: the rows, in the order in which they were chosen.
    """

    def __init__(self, found: Combinations, covered: set[int], rng: np.random.Generator) -> None:
        self.found, self.covered, self.rng = found, covered, rng
        self.chosen: list[int] = []

    def cover(self, wanted: Tuples, *, most: int | None = None) -> None:
        """Choose rows until every combination of `wanted` is there, or `most` rows are."""
        every, where = np.unique(wanted, return_inverse=True)
        where = where.reshape(wanted.shape)
        missing = every != ABSENT
        for row in self.chosen:
            missing[where[row]] = False
        while missing.any() and (most is None or len(self.chosen) < most):
            goal = self.rng.choice(np.flatnonzero(missing))
            row = self.best(np.flatnonzero((where == goal).any(axis=1)), missing[where])
            missing[where[row]] = False
            self.take(row)

    def fill(self, count: int, among: Sequence[int] | None = None) -> None:
        """Choose rows that add most, of all or `among` some, until there are `count`, or none is left."""
        is_left = np.full(len(self.found.codes), among is None)
        is_left[list(among or ())] = True
        is_left[self.chosen] = False
        while len(self.chosen) < count and is_left.any():
            self.take(self.best(np.flatnonzero(is_left)))
            is_left[self.chosen[-1]] = False

    def take(self, row: int) -> None:
        """Choose a row."""
        self.chosen.append(row)
        self.covered.update(*self.found.of([row]))

    def best(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]], missing: Any = None) -> int:
        """Of some of the rows the one with most combinations that are not covered; those wanted count first."""
        some = rows if len(rows) <= CANDIDATES else self.rng.choice(rows, CANDIDATES, replace=False)
        some = self.rng.permutation(some)
        new = [len(row) - sum(map(self.covered.__contains__, row)) for row in self.found.of(some)]
        gain = np.array(new, dtype=np.int64)
        if missing is not None:
            gain = gain + self.found.count * missing[some].sum(axis=1)
        return int(some[int(np.argmax(gain))])
