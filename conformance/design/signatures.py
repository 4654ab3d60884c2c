"""The signatures that an op is asked with: a covering array over the factors of its rows.

What they cover, by strength:

1. every level of the op's own parameters; every level that its family shares, once in the family;
2. every level;
3. every level; every pair of levels, once in the family;
4. every pair of levels;
5. every triple of levels.

Other dtypes than the first are asked less: rows of their own, which cover single levels first. A compact effort, that of
an engine which compiles each signature at strength 1, asks every level that two ops of a family can have once in the family, of those that one
op alone can have, and of the pairs of its switches, as many as MOST rows have, and one row for any other dtype. The seed decides which row has which levels together, and which op of a family has what the family shares; it never changes the strength.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from conformance.design.cover import ABSENT, Codes, Combinations, Greedy, Levels, Tuples, tuples
from conformance.design.effort import Effort
from conformance.design.levels import NEEDS, encoded, is_own, is_switch
from conformance.design.rows import Row, rows_of
from conformance.kept import kept
from conformance.op import Op
from conformance.ops import FAMILIES

FIRST = "float64"  # the dtype in which an op has all that the strength promises
OTHER = 3  # times as many rows as any other dtype has
MOST = 4  # rows that a compact effort gives to an op for the sake of levels that it alone can have
PLAIN = frozenset({2, 3, 4})  # lengths of axes that are several entries, and few
LARGE = 1000  # entries: rows of more come last, since a check that wants few signatures takes the first
# Combinations that an op itself must have, and those that its family must have among its ops.
IN_OP = {0: 0, 1: 1, 2: 1, 3: 1, 4: 2, 5: 3}
IN_FAMILY = {0: 0, 1: 1, 2: 0, 3: 2, 4: 0, 5: 0}


def signatures_of(op: Op, dtype: str, seed: int, effort: Effort) -> tuple[Row, ...]:
    """The rows with which an op is asked in a dtype, those on which every check can decide first."""
    rows = rows_of(op)
    if effort.is_compact:
        first, *others = (rows[i] for i in _compact(op, dtype, seed))
        return first, *sorted(others, key=_order)
    return tuple(
        sorted((rows[i] for i in _whole(op, dtype, seed, effort.strength, effort.signatures)), key=_order)
    )


def count_of_ready(rows: Sequence[Row]) -> int:
    """How many of an op's rows come first because every check can decide on them, and none is large."""
    return sum(not any(_order(row)) for row in rows)


def _order(row: Row) -> tuple[bool, bool]:
    """What a check that wants few signatures takes first."""
    return not row.can_decide, row.entries > LARGE


@kept()
def _whole(op: Op, dtype: str, seed: int, strength: int, least: int) -> list[int]:
    """The numbers of the rows of an effort that is not compact."""
    family = _family_of(op)
    chosen = _first_dtype(family, seed, strength, least)[family.index(op)]
    return chosen if dtype == FIRST else _other_dtype(op, dtype, seed, max(2, len(chosen) // OTHER))


@kept()
def _compact(op: Op, dtype: str, seed: int) -> list[int]:
    """The numbers of the rows of a compact effort: one that can decide, and, in the first dtype, what makes its family whole."""
    if dtype == FIRST:
        family = _family_of(op)
        return _compact_family(family, seed)[family.index(op)]
    chooser = Greedy(_pairs(op), set(), _rng(op, seed, dtype))
    _take_plain(op, chooser)
    return list(map(int, chooser.chosen))


@kept(is_shared=True)
def _compact_family(family: tuple[Op, ...], seed: int) -> list[list[int]]:
    """The numbers of the rows of each op of a family: what two ops can have is asked of one, what one alone can have as far as MOST rows go.

    Parameters of one name are one factor, whichever ops have them.
    """
    levels = Levels()
    gained: set[int] = set()
    every: dict[str, Codes] = {}
    greedy: dict[str, Greedy] = {}
    for op in family:
        named = encoded(op)[1].numbers
        renamed = {factor: factor.removeprefix(f"{op.name} ") for factor, _ in named}
        every[op.name] = codes = levels.translate(*encoded(op), renamed.__getitem__)
        greedy[op.name] = chooser = Greedy(Combinations(codes, 1), gained, _rng(op, seed))
        _take_plain(op, chooser)
        chooser.cover(tuples(_switches(op), 2), most=MOST)
        every[op.name] = _where_seen(op, codes, levels)
    offered = Counter(n for codes in every.values() for n in np.unique(codes).tolist())
    alone = [number for number, count in offered.items() if count == 1]
    of_one = {name: np.where(np.isin(codes, alone), codes, ABSENT) for name, codes in every.items()}
    _share(greedy, {name: np.where(np.isin(codes, alone), ABSENT, codes) for name, codes in every.items()})
    _share(greedy, of_one, np.random.default_rng(seed), most=MOST)
    return [list(map(int, greedy[op.name].chosen)) for op in family]


def _take_plain(op: Op, chooser: Greedy) -> None:
    """Take a row on which as many checks as possible can decide: small matrices, no axis of size 1, not all of one size."""
    deciding, rows = _deciding(op), rows_of(op)
    whole = [i for i in deciding if rows[i].wrt is None]
    partly = [i for i in whole if any(len(s) > 1 for s in rows[i].signature.shapes)]
    plain = [i for i in partly if {n for s in rows[i].signature.shapes for n in s} <= PLAIN]
    matrices = [i for i in plain if all(len(s) > 1 for s in rows[i].signature.shapes)]
    uneven = [i for i in matrices if len({n for s in rows[i].signature.shapes for n in s}) > 1]
    for among in (uneven, matrices, plain, partly, whole, deciding, range(len(rows))):
        chooser.fill(1, among=among)


def _family_of(op: Op) -> tuple[Op, ...]:
    """The op's family; a row that is not of the catalogue is one by itself."""
    return next((rows for rows in FAMILIES.values() if op in rows), (op,))


@kept(is_shared=True)
def _first_dtype(family: tuple[Op, ...], seed: int, strength: int, least: int) -> list[list[int]]:
    """The numbers of the rows of each op of a family."""
    levels = Levels()
    gained: set[int] = set()
    every: dict[str, Codes] = {}
    greedy: dict[str, Greedy] = {}
    for op in family:
        every[op.name] = codes = _codes(op, levels)
        greedy[op.name] = chooser = Greedy(Combinations(codes, 2), gained, _rng(op, seed))
        if strength:
            _take_plain(op, chooser)  # the first, which checks of a few signatures take
        chooser.fill(least // 4, among=_deciding(op))
        if IN_OP[strength]:
            wanted = _own(op, codes, levels) if strength == 1 else codes
            if IN_OP[strength] == 1:
                wanted = _where_seen(op, wanted, levels)
            chooser.cover(tuples(wanted, IN_OP[strength]))
        chooser.fill(least)
    if IN_FAMILY[strength] == 1:
        _share(greedy, {op.name: _where_seen(op, every[op.name], levels) for op in family})
    elif IN_FAMILY[strength]:
        _share(greedy, {name: tuples(codes, 2) for name, codes in every.items()})
    return [list(map(int, greedy[op.name].chosen)) for op in family]


def _share(
    greedy: dict[str, Greedy],
    wanted: dict[str, Tuples],
    rng: np.random.Generator | None = None,
    *,
    most: float = math.inf,
) -> None:
    """Give what no op of a family has yet to the op that has the fewest rows of those that can have it.

    An op that has as many as `most` rows is given none; what then remains is by the order that `rng` draws.
    """
    offers = {name: set(found.ravel().tolist()) - {ABSENT} for name, found in wanted.items()}
    covered = {n for name, chooser in greedy.items() for n in wanted[name][chooser.chosen].ravel().tolist()}
    missing = sorted(set().union(*offers.values()) - covered)
    for number in missing if rng is None else rng.permutation(missing).tolist():
        able = [n for n in offers if number in offers[n] and len(greedy[n].chosen) < most]
        if number in covered or not able:
            continue
        name = min(able, key=lambda n: len(greedy[n].chosen))
        rows = np.flatnonzero((wanted[name] == number).any(axis=1))
        row = greedy[name].best(rows)
        greedy[name].take(row)
        covered.update(wanted[name][row].tolist())


def _other_dtype(op: Op, dtype: str, seed: int, count: int) -> list[int]:
    """The numbers of rows for another dtype: single levels, as far as so many rows have them."""
    chooser = Greedy(_pairs(op), set(), _rng(op, seed, dtype))
    chooser.fill(count // 2, among=_deciding(op))
    chooser.cover(tuples(encoded(op)[0], 1), most=count)
    chooser.fill(count)
    return list(map(int, chooser.chosen))


def _pairs(op: Op) -> Combinations:
    return Combinations(encoded(op)[0], 2)


@lru_cache(maxsize=512)
def _deciding(op: Op) -> tuple[int, ...]:
    """The rows on which a check can decide, without those that cost most."""
    return tuple(i for i, row in enumerate(rows_of(op)) if row.can_decide and row.entries <= LARGE)


def _codes(op: Op, levels: Levels) -> Codes:
    return levels.translate(*encoded(op))


def _own(op: Op, codes: Codes, levels: Levels) -> Codes:
    """The codes of the op's own parameters; any other level is absent."""
    own = [number for (factor, _), number in levels.numbers.items() if is_own(op, factor)]
    return np.where(np.isin(codes, own), codes, ABSENT)


def _where_seen(op: Op, codes: Codes, levels: Levels) -> Codes:
    """The codes without those in rows where an error of their level might not be seen, if it would be in another row.

    It is seen where checks can decide and each operand needs a gradient, since it may be in any of them.
    """
    shows = np.zeros(len(codes), bool)
    shows[[i for i in _deciding(op) if rows_of(op)[i].wrt is None]] = True
    seen = set(np.unique(codes[shows]).tolist()) - {ABSENT}
    seen -= {number for (factor, _), number in levels.numbers.items() if factor == NEEDS}
    return np.where(np.isin(codes, list(seen)) & ~shows[:, None], ABSENT, codes)


def _switches(op: Op) -> Codes:
    """The codes of the op's own parameters that choose between ways to compute; any other level is absent.

    What an engine does for two of them together is often code of its own.
    """
    codes, levels = encoded(op)
    by_factor: dict[str, list[tuple[int, str]]] = {}
    for (factor, level), number in levels.numbers.items():
        by_factor.setdefault(factor, []).append((number, level))
    own = [
        number
        for name in (rows_of(op)[0].signature.parameters if rows_of(op) else ())
        for number, _ in by_factor.get(f"{op.name} {name}", ())
        if all(is_switch(level) for _, level in by_factor[f"{op.name} {name}"])
    ]
    found = np.where(np.isin(codes, own), codes, ABSENT)
    whole = [i for i in _deciding(op) if rows_of(op)[i].wrt is None]  # on which every gradient can be wrong
    found[np.setdiff1d(np.arange(len(found)), whole)] = ABSENT
    return found


def _rng(op: Op, seed: int, dtype: str = "") -> np.random.Generator:
    """A generator of the op's own, so that adding a row changes as few other rows' signatures as can be."""
    return np.random.default_rng([seed, zlib.crc32(f"{op.name} {dtype}".encode())])
