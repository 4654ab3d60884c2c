"""A token alone is enough to run the checks of its case again, and no others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.case import Case
from conformance.checks import load_all
from conformance.cli import main
from conformance.ops import find
from conformance.strategies import Effort, draw_cases
from conformance.values import MAGNITUDES

EFFORT = Effort(signatures=2, draws=2, samples=1, programs=1)
NEAR = draw_cases(find("exp"), "float64", 0, EFFORT)[0]
FAR = draw_cases(find("exp"), "float64", 0, EFFORT, MAGNITUDES)[0]


def claims_printed(capsys: Any, *arguments: str) -> list[str]:
    assert main(["replay", *arguments, "--on", "numpy"]) == 0
    return [line.split(maxsplit=3)[3] for line in capsys.readouterr().out.splitlines()]


def meant_for(case: Case) -> int:
    return sum(c.asks_about(find(case.op)) and c.is_meant_for(case) for c in load_all().values())


@pytest.mark.parametrize(
    ("case", "is_far", "is_near"),
    [(NEAR, False, True), (FAR, True, False), (replace(NEAR, texture=""), True, True)],
    ids=["ordinary", "of every magnitude", "custom rule"],
)
def test_operands_of_every_magnitude_have_the_checks_meant_for_them(
    case: Case, is_far: bool, is_near: bool, capsys: Any
) -> None:
    printed = "\n".join(claims_printed(capsys, case.token))
    assert ("At operands of every magnitude" in printed) == is_far
    assert ("linear in the cotangent" in printed) == is_near
    assert printed.count("\n") + 1 == meant_for(case)


def test_a_named_check_is_run_for_any_operands(capsys: Any) -> None:
    assert len(claims_printed(capsys, FAR.token, "--check", "op/vjp")) == 1


def test_a_script_needs_a_dialect(capsys: Any, monkeypatch: Any) -> None:
    replayed = ["replay", NEAR.token, "--on", "numpy", "--check", "op/vjp", "--script"]
    assert main(replayed) == 0
    assert "import numpy as np" in capsys.readouterr().out
    monkeypatch.setattr(NumpyTape, "dialect", None)
    assert main(replayed) == 4
    said = capsys.readouterr()
    assert not said.out
    assert "numpy declares no `dialect`" in said.err


def test_half_precision_has_no_checks_that_need_full_precision(capsys: Any) -> None:
    half = draw_cases(find("exp"), "float16", 0, EFFORT)[0]
    assert len(claims_printed(capsys, half.token)) == meant_for(half) < meant_for(NEAR)


@pytest.mark.parametrize("script", [[], ["--script"]])
def test_half_a_token_is_refused_and_not_the_engines_fault(script: list[str], capsys: Any) -> None:
    token = draw_cases(find("tanh"), "float64", 0, EFFORT)[0].token
    assert main(["replay", token[:60], "--on", "numpy", *script]) == 4
    said = capsys.readouterr()
    assert "is not a whole replay token" in said.err
    assert "engine" not in said.out


def test_a_token_is_found_among_spaces(capsys: Any) -> None:
    token = draw_cases(find("tanh"), "float64", 0, EFFORT)[0].token
    assert main(["replay", f" {token}\n", "--on", "numpy", "--check", "op/vjp"]) == 0


@pytest.mark.costly
@pytest.mark.parametrize(
    ("adapter", "said"),
    [("hangs_at_import", "did not start within 1.5 s"), ("exits_at_import", "ended its process (exit 7)")],
)
def test_an_adapter_that_does_not_start_is_not_waited_for_in_silence(
    command: Any, adapters: Path, adapter: str, said: str
) -> None:
    arguments = (NEAR.token, "--on", adapters / f"{adapter}.py")
    done = command("replay", *arguments, CONFORMANCE_PATIENCE="1.5")
    assert (done.code, done.out) == (11, "")
    assert said in done.err
