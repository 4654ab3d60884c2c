"""Mutants of the engine that refuse more than it does: where a clause lets an engine refuse, they are no holes."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.graph import is_recording

from conformance.questions import items_of
from conformance.selfcheck.generated import outcome
from conformance.selfcheck.generated.ask import Groups
from conformance.selfcheck.generated.edits import edits_of
from conformance.selfcheck.generated.engine import EngineMutant

ASKED = "contract/C1/no-grad-backward"


class Refusing(NumpyTape):
    """Refuses a backward pass in a no_grad scope, which clause C1 allows."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        if not is_recording():
            raise RuntimeError("nothing is differentiated here")
        super().backward(output, gradient, retain=retain)


class Mutant(EngineMutant):
    """A mutant with the engine that is given."""

    def __init__(self, made: type[NumpyTape]) -> None:
        super().__init__("graph", "backward_pass", 0)
        object.__setattr__(self, "made", made)

    def backend(self) -> NumpyTape:
        made: type[NumpyTape] = self.made  # type: ignore[attr-defined]
        return made()


def groups_of_one(dtypes: tuple[str, ...]) -> Groups:
    return (tuple(i for i in items_of("mutant", dtypes) if i.id.endswith(ASKED)),)


@pytest.mark.parametrize(
    ("made", "why"), [(Refusing, f"it refuses what it may refuse, in {ASKED}"), (NumpyTape, "")]
)
def test_what_refuses_more_than_the_engine_stands_apart(
    made: type[NumpyTape], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcome, "groups_of_engine", groups_of_one)
    monkeypatch.setattr(outcome, "_REFUSALS", {})
    assert outcome._refuses_more(Mutant(made), "quick", 0, lambda: None) == why


def test_of_a_raise_statement_nothing_is_changed_but_that_it_may_be_left_out() -> None:
    (function,) = ast.parse(
        "def f(x):\n    if x:\n        raise ValueError(f'{x} is {type(x)}')\n    return x"
    ).body
    assert isinstance(function, ast.FunctionDef)
    changed = [edit for edit in edits_of(function, {}) if isinstance(edit.parent, (ast.Raise, ast.Call))]
    assert not changed
    assert "dropped statement" in {edit.operator for edit in edits_of(function, {})}
