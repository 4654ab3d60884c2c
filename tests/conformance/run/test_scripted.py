"""A script is printed of a case that never returns, or that ends the process: up to the call that does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.ops import find
from conformance.run.process.scripted import script_apart
from conformance.strategies import Effort, draw_cases

ADAPTER = """
import os
import time
from conformance_backends.numpy_backend import NumpyTape

class Bad(NumpyTape):
    name = "bad"

    def backward(self, output, gradient=None, *, retain=False):
        {instead}
"""
DEEDS = {"hangs": "time.sleep(600)", "aborts": "os.abort()"}
ENDS = {"hangs": "no answer within 2 seconds", "aborts": "ended the process (SIGABRT)"}
CASE = draw_cases(find("exp"), "float64", 0, Effort(signatures=2, draws=2, samples=1, programs=1))[0]


@pytest.mark.costly
@pytest.mark.parametrize("how", DEEDS)
def test_a_script_ends_at_the_call_that_does_not_return(how: str, tmp_path: Path, capfd: Any) -> None:
    adapter = tmp_path / "bad.py"
    adapter.write_text(ADAPTER.format(instead=DEEDS[how]))
    arguments = [CASE.token, "--check", "op/vjp", "--on", f"{adapter}:Bad", "--script", "--timeout", "2"]
    assert main(["replay", *arguments]) == 0
    script = capfd.readouterr().out
    compile(script, "script", "exec")
    lines = script.strip().splitlines()
    assert ENDS[how] in lines[-1]
    assert re.search(r"\.backward\(", lines[-2])
    assert any("'exp'" in line for line in lines)


def test_the_script_of_a_case_that_returns_is_that_of_the_check_that_fails_or_of_the_first(
    tmp_path: Path,
) -> None:
    adapter = tmp_path / "bad.py"
    adapter.write_text(ADAPTER.format(instead="raise ValueError('no backward pass')"))
    assert "no backward pass" in script_apart(f"{adapter}:Bad", CASE.token, "op/vjp")
    assert "no backward pass" not in script_apart("numpy", CASE.token, "op/vjp")


@pytest.mark.costly
def test_a_call_in_a_function_that_does_not_return_leaves_a_whole_program(tmp_path: Path) -> None:
    adapter = tmp_path / "bad.py"
    adapter.write_text(ADAPTER.format(instead="super().backward(output, gradient, retain=retain)") + WORSE)
    script = script_apart(f"{adapter}:Worse", CASE.token, "op/forward", 2.0)
    compile(script, "script", "exec")
    assert "def f0" in script
    assert "no answer within 2 seconds" in script


WORSE = """
class Worse(Bad):
    def jvp(self, function, operands, tangents):
        super().jvp(function, operands, tangents)
        time.sleep(600)
"""
