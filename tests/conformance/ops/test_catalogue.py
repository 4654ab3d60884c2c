"""The catalogue holds every row once, under names that mean one thing."""

from __future__ import annotations

import pytest

from conformance.errors import UsageError
from conformance.op import Op
from conformance.ops import ALL_OPS, CATALOGUE, FAMILIES, FLAT, find

ROWS = [op for rows in FAMILIES.values() for op in rows]


def test_every_row_is_in_the_catalogue() -> None:
    assert [op.name for op in ROWS] == list(ALL_OPS)


def test_a_row_has_a_slope_or_is_flat() -> None:
    assert CATALOGUE | FLAT == ALL_OPS
    assert [op.name for op in FAMILIES["flat"]] == list(FLAT)


def test_there_are_rows_of_every_kind() -> None:
    assert len(CATALOGUE) >= 70


def test_a_name_means_one_op() -> None:
    names = [name for op in ROWS for name in (op.name, *op.aliases)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("op", ROWS, ids=repr)
def test_a_row_says_where_it_comes_from(op: Op) -> None:
    assert op.source.strip()
    assert op.formula.strip()
    assert callable(op.reference)


def test_an_alias_finds_its_op() -> None:
    assert find("power") is find("pow")


def test_a_misspelt_name_is_answered_with_close_ones() -> None:
    with pytest.raises(UsageError, match="tanh"):
        find("tahn")
