"""Control flow on values is asked of engines whose arrays have comparisons, and of those whose users read the value."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.mutants.c_modes.control_flow import CONTROL_FLOW, ReusesTotals
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine import Tensor

from conformance.backend import Backend
from conformance.questions import Item
from conformance.run.execute import Executor
from conformance.run.failure_text import failure_text
from conformance.runfile.records import ResultLine, Verdict
from conformance.strategies import Effort

EFFORT = Effort(signatures=3, draws=2, samples=2, programs=3)


def answers(backend: Backend) -> list[ResultLine]:
    items = [Item(backend.name, check, "C7", "") for check in CONTROL_FLOW]
    return list(Executor(backend, seed=0, effort=EFFORT).results(items))


def verdicts(backend: Backend) -> set[Verdict]:
    return {line.verdict for line in answers(backend)}


@pytest.mark.costly
@pytest.mark.parametrize("refusal", [TypeError, NotImplementedError])
def test_an_engine_whose_arrays_cannot_be_compared_is_asked_by_value(
    monkeypatch: pytest.MonkeyPatch, refusal: type[Exception]
) -> None:
    def compared(self: Any, other: Any) -> Any:
        raise refusal("no comparisons")

    monkeypatch.setattr(Tensor, "__gt__", compared)
    assert verdicts(NumpyTape()) == {Verdict.PASS}
    assert verdicts(ReusesTotals()) == {Verdict.FAIL}
    programs = [
        Item("numpy", f"program/{name}", "program", "float64") for name in ("composition", "differences")
    ]
    wide = replace(EFFORT, programs=30)  # some of which have branches
    assert {line.verdict for line in Executor(NumpyTape(), seed=0, effort=wide).results(programs)} == {
        Verdict.PASS
    }


class Undeclared(NumpyTape):
    """An engine whose adapter does not say what it does with control flow."""

    conventions: ClassVar[Mapping[str, str]] = {k: v for k, v in NumpyTape.conventions.items() if k != "C7"}


@pytest.mark.parametrize("check", ["contract/C7/branch", "contract/C7/compared"])
def test_an_engine_whose_comparisons_have_no_truth_value_fails_with_the_numbers_of_the_wrong_branch(
    monkeypatch: pytest.MonkeyPatch, check: str, tmp_path: Path
) -> None:
    """Python takes any object for true, so that the engine follows the first branch always."""
    monkeypatch.setattr(Tensor, "__gt__", lambda self, other: object())
    monkeypatch.setattr("conformance.checks.c_modes.control_flow.GREATER", "")  # the operator alone
    (line,) = Executor(Undeclared(), seed=0, effort=EFFORT).results([Item("undeclared", check, "C7", "")])
    assert line.verdict is Verdict.FAIL
    shown = line.evidence
    assert shown is not None
    assert shown.message.startswith(
        "none of the conventions of C7 holds; as 'eager': operand 0's gradient of"
    )
    assert shown.message.endswith("whose control flow depends on a value, was accepted")
    assert "declares" not in shown.message
    assert shown.expected is not None
    assert shown.got is not None
    assert shown.got != shown.expected
    assert "at [" in failure_text(line, None)
    # The script ends with the call that is wrong: what decides the branch, and what was got.
    assert f"# got {shown.got}" in shown.script.replace("np.array(", "").replace(", 'float64')", "")
    *_, decided, printed = subprocess.run(
        [sys.executable, "-c", shown.script],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=tmp_path,
    ).stdout.splitlines()
    assert decided == "False"  # there, comparisons have a truth value
    assert np.allclose([float(number) for number in printed.strip("[]").split()], shown.got)


def test_an_engine_that_refuses_to_branch_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Traced:
        """What a comparison gives while a function is traced."""

        def __bool__(self) -> bool:
            raise TypeError("the value is not known yet")

    monkeypatch.setattr(Tensor, "__gt__", lambda self, other: Traced())
    assert verdicts(NumpyTape()) == {Verdict.FAIL}  # it declares that it follows them
    for line in answers(NumpyTape()):
        assert line.evidence is not None
        assert line.evidence.message.endswith("declares 'eager'\nTypeError: the value is not known yet")
