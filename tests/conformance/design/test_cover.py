"""A covering array has every combination that any row has, in few rows."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from conformance.design.cover import ABSENT, Combinations, Greedy, Levels, tuples

FACTORS = {"a": 4, "b": 3, "c": 3, "d": 2, "e": 5}
# Not every row is possible: where a is 0, c is 0 too; d applies only where b is not 1.
ROWS = [
    {factor: str(level) for factor, level in zip(FACTORS, row, strict=True) if factor != "d" or row[1] != 1}
    for row in product(*map(range, FACTORS.values()))
    if row[0] or not row[2]
]


def combined(rows: list[dict[str, str]], strength: int) -> set[tuple[tuple[str, str], ...]]:
    return {chosen for row in rows for chosen in combinations(sorted(row.items()), strength)}


@pytest.mark.parametrize("strength", [1, 2, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_combination_that_is_possible_is_covered(strength: int, seed: int) -> None:
    codes = Levels().encode(ROWS)
    chooser = Greedy(Combinations(codes, 2), set(), np.random.default_rng(seed))
    chooser.cover(tuples(codes, strength))
    chosen = [ROWS[i] for i in chooser.chosen]
    assert combined(chosen, strength) == combined(ROWS, strength)
    assert len(chosen) <= {1: 8, 2: 40, 3: 160}[strength] < len(ROWS)


def test_a_factor_that_does_not_apply_is_no_level() -> None:
    codes = Levels().encode([{"a": "0"}, {"a": "0", "b": "1"}])
    assert (codes[0] == ABSENT).sum() == 1
    assert (tuples(codes, 2)[0] == ABSENT).all()


def test_rows_of_two_ops_share_the_combinations_of_levels_that_they_share() -> None:
    levels = Levels()
    here = tuples(levels.encode([{"rank": "1", "own": "7"}]), 1)
    there = tuples(levels.encode([{"other": "3", "rank": "1"}]), 1)
    assert len(set(here.ravel()) & set(there.ravel())) == 1


def test_rows_are_filled_up_by_what_adds_most() -> None:
    codes = Levels().encode(ROWS)
    chooser = Greedy(Combinations(codes, 2), set(), np.random.default_rng(0))
    chooser.fill(30)
    drawn = np.random.default_rng(0).choice(len(ROWS), 30, replace=False)
    assert len(set(chooser.chosen)) == 30
    filled, random = (len(combined([ROWS[i] for i in rows], 2)) for rows in (chooser.chosen, drawn.tolist()))
    assert filled > 1.1 * random
