"""What was covered is counted from cases, not from what the design promised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.design import Effort
from conformance.design.coverage import by_family, coverage_of, row_number, share_of
from conformance.design.rows import rows_of
from conformance.ops import find
from conformance.runfile.jsonl import read_run
from conformance.strategies import draw_cases

pytestmark = pytest.mark.costly

EVERY = Effort(4, 1, 1, 1, 2)


def test_the_cases_of_an_op_reach_what_its_design_promises() -> None:
    op = find("std")
    rows = [row_number(op, case) for case in draw_cases(op, "float64", 0, EVERY)]
    assert None not in rows
    levels = coverage_of(op, [n for n in rows if n is not None], 1)
    assert levels.share[0] == levels.share[1] > 15
    assert levels.missing == ()


def test_what_is_missing_is_named() -> None:
    op = find("add")
    none, first = coverage_of(op, (), 1), coverage_of(op, (0,), 1)
    assert none.share[0] == 0
    assert len(first.missing) < len(none.missing)
    assert any(word.startswith("needs a gradient: ") for word in first.missing)


def test_ops_of_a_family_share_their_levels() -> None:
    ops = [find("exp"), find("log")]
    assert [len(rows_of(op)) for op in ops] == [len(rows_of(ops[0]))] * 2
    half = len(rows_of(ops[0])) // 2
    found = {
        "exp": coverage_of(ops[0], range(half), 1),
        "log": coverage_of(ops[1], range(half, 2 * half + 1), 1),
    }
    total = by_family(found, {"unary": ops, "nothing": ()})["unary"]
    assert total.share[0] == total.share[1] == found["exp"].share[1]


def test_a_run_says_what_it_covered(command: Any, tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    done = command("run", "numpy", "-q", "op/std/vjp", "-n", 1, "-o", run)
    assert done.code == 0, done.said
    lines = read_run(run).results
    for line in lines:
        assert line.levels is not None
        assert line.levels == coverage_of(find("std"), line.rows, 1).share
    printed = command("list", "ops", "std", "--coverage", run).out
    assert "std" in printed
    assert "family reductions" in printed


@pytest.mark.parametrize("name", ["tanh", "sum", "where", "conv2d", "concat"])
@pytest.mark.parametrize("strength", [1, 2])
def test_a_share_is_counted_by_numbers_as_by_words(name: str, strength: int) -> None:
    op = find(name)
    for rows in ((), (0,), range(0, len(rows_of(op)), 3), (0, -1, 10**9)):
        assert share_of(op, rows, strength) == coverage_of(op, rows, strength).share
