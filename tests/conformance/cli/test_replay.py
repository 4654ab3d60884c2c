"""A token alone is enough to ask again what was asked of its case, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.case import Case
from conformance.checks import load_all
from conformance.cli import main
from conformance.ops import find
from conformance.strategies import Effort, draw_cases
from conformance.values import MAGNITUDES

EFFORT = Effort(signatures=2, draws=2, samples=1, programs=1)
NEAR = draw_cases(find("exp"), "float64", 0, EFFORT)[0]
FAR = draw_cases(find("exp"), "float64", 0, EFFORT, MAGNITUDES)[0]


def claims_told(capsys: Any, *arguments: str) -> list[str]:
    assert main(["replay", *arguments, "--on", "numpy"]) == 0
    return [line.split(maxsplit=3)[3] for line in capsys.readouterr().out.splitlines()]


def meant_for(case: Case) -> int:
    return sum(c.asks_about(find(case.op)) and c.is_meant_for(case) for c in load_all().values())


@pytest.mark.parametrize(
    ("case", "is_far", "is_near"),
    [(NEAR, False, True), (FAR, True, False), (replace(NEAR, texture=""), True, True)],
    ids=["ordinary", "of every magnitude", "written by hand"],
)
def test_numbers_of_every_magnitude_are_asked_what_is_meant_for_them(
    case: Case, is_far: bool, is_near: bool, capsys: Any
) -> None:
    told = "\n".join(claims_told(capsys, case.token))
    assert ("At operands of every magnitude" in told) == is_far
    assert ("linear in the cotangent" in told) == is_near
    assert told.count("\n") + 1 == meant_for(case)


def test_a_check_that_is_named_is_asked_whatever_the_numbers(capsys: Any) -> None:
    assert len(claims_told(capsys, FAR.token, "--check", "op/vjp")) == 1


def test_half_precision_is_not_asked_what_only_full_precision_can_answer(capsys: Any) -> None:
    half = draw_cases(find("exp"), "float16", 0, EFFORT)[0]
    assert len(claims_told(capsys, half.token)) == meant_for(half) < meant_for(NEAR)
