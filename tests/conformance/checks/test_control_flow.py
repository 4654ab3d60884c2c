"""Control flow on values is asked of engines whose arrays have comparisons, and of those whose users read the value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from conformance_backends.mutants.c_modes.control_flow import CONTROL_FLOW, ReusesTotals
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine import Tensor

from conformance.backend import Backend
from conformance.questions import Item
from conformance.run.execute import Executor
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
