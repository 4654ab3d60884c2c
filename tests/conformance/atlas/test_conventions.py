"""What an engine does where engines differ is found out by the checks themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.mutants import MUTANTS
from conformance_backends.numpy_backend import NumpyTape

from conformance.atlas import conventions
from conformance.atlas.conventions import measure_conventions
from conformance.backend import Function
from conformance.clauses import STANDARD

pytestmark = pytest.mark.costly


def test_what_the_reference_engine_declares_is_what_is_found() -> None:
    for measured in measure_conventions(NumpyTape()):
        assert measured.is_settled, measured
        assert len(measured.found) <= 1 or measured.declared in measured.found


def test_an_undeclared_convention_is_found() -> None:
    backend = NumpyTape()
    backend.conventions = {}
    found = {e.clause.number: e.found for e in measure_conventions(backend)}
    assert found["A2"] == ("refused",)
    assert found["B3"] == ("accumulates",)
    assert backend.conventions == {}


class NoSecondCheckpoint(NumpyTape):
    """An engine whose checkpoints raise where another gradient is computed through them."""

    def checkpoint(self, function: Function) -> Function:
        inner = super().checkpoint(function)

        def once(*operands: Any) -> Any:
            if self.is_nested:
                raise NotImplementedError("only once")
            return inner(*operands)

        return once

    is_nested = False

    def nested_vjp(self, *given: Any) -> Any:
        self.is_nested = True
        try:
            return super().nested_vjp(*given)
        finally:
            self.is_nested = False


def test_a_check_that_raises_the_same_under_every_convention_decides_nothing() -> None:
    for backend in (NumpyTape(), NoSecondCheckpoint()):
        (measured,) = measure_conventions(backend, [STANDARD["C6"]])
        assert measured.found == ("calls",), measured


class AssignsInOrder(NumpyTape):
    """An engine that tolerates a trailing None, and gives too few cotangents to the first operands: a fault of its own."""

    conventions: ClassVar[dict[str, str]] = {k: v for k, v in NumpyTape.conventions.items() if k != "C5"}

    def custom(self, forward: Function, backward: Function) -> Function:
        def padded(g: Any, *xs: Any) -> Any:
            return [*backward(g, *xs), *[None] * len(xs)][: len(xs)]

        return super().custom(forward, padded)


def test_a_convention_that_another_chapter_tells_is_found_beside_a_fault() -> None:
    (measured,) = measure_conventions(AssignsInOrder(), [STANDARD["C5"]])
    assert measured.found == ("tolerated",), measured
    (measured,) = measure_conventions(NumpyTape(), [STANDARD["C5"]])
    assert measured.found == ("refused",), measured


class RoundsUp(NumpyTape):
    """An engine that rounds halves up: what that does to gradients is as in others."""

    ops: ClassVar[dict[str, Any]] = {
        **NumpyTape.ops,
        "rint": lambda x: NumpyTape.ops["floor"](NumpyTape.ops["add"](x, np.asarray(0.5, x.dtype))),
    }


def test_a_value_that_is_wrong_whatever_is_declared_hides_no_convention() -> None:
    found = {e.clause.number: e for e in measure_conventions(RoundsUp(), [STANDARD["E19"]])}
    right = {e.clause.number: e for e in measure_conventions(NumpyTape(), [STANDARD["E19"]])}
    assert found["E19"].found == right["E19"].found
    assert len(found["E19"].found) == 1


@pytest.mark.parametrize("name", ["declares-replacing-accumulates"])
def test_a_wrong_declaration_is_not_settled(name: str) -> None:
    mutant = next(m for m in MUTANTS if m.name == name)
    wrong = {e.clause.number: e for e in measure_conventions(mutant.make())}["B3"]
    assert wrong.declared == "replaces"
    assert wrong.found == ("accumulates",)
    assert not wrong.is_settled


def test_what_is_declared_of_one_op_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept while the general conventions are tried, it would hold under each, and be no exception any more."""
    tried: list[dict[str, str]] = []

    def answers(check: Any, backend: NumpyTape, *given: Any) -> Iterator[Any]:
        tried.append(dict(backend.conventions))
        return iter([("exp", True)])

    monkeypatch.setattr(conventions, "_answers", answers)
    backend = NumpyTape()
    backend.conventions = {**backend.conventions, "A5/exp": "cast", "A14/argmax": "none"}
    list(measure_conventions(backend, [STANDARD["A5"]]))
    assert {given["A5"] for given in tried} == set(STANDARD["A5"].conventions)
    assert all("A5/exp" not in given and given["A14/argmax"] == "none" for given in tried)


class RaisesAtLength:
    """A check that ends in an error of many lines."""

    def require(self, backend: Any) -> None:
        """Nothing is offered."""
        raise RuntimeError("refused\n" * 100)


def test_a_long_reason_is_one_line() -> None:
    failed = conventions._run(RaisesAtLength(), NumpyTape(), iter([None]), set(), is_of_op=False)  # type: ignore[arg-type, list-item]
    assert isinstance(failed, conventions.Failed)
    assert failed.message.startswith("RuntimeError: refused refused")
    assert "\n" not in failed.message
    assert len(failed.message) < 250


class TrapsInAllButTheLogarithm(NumpyTape):
    """An engine in which one op gives no NaN behind a mask."""

    def vjp(self, function: Function, operands: Any, cotangents: Any, wrt: Any = None) -> Any:
        """Of the masked logarithm alone without NaN."""
        called: list[str] = []
        call = self.op
        self.op = lambda name: (called.append(name), call(name))[1]  # type: ignore[method-assign]
        try:
            outputs, gradients = super().vjp(function, operands, cotangents, wrt)
        finally:
            self.op = call  # type: ignore[method-assign]
        hidden = 0.0 if "log" in called or called.count("where") > 1 else np.nan
        return outputs, tuple(np.where(operands[0] == 0, hidden, np.asarray(g)) for g in gradients)


def test_an_op_that_follows_another_convention_in_a_contract_is_an_exception() -> None:
    (measured,) = measure_conventions(TrapsInAllButTheLogarithm(), [STANDARD["E16"]])
    assert measured.found == ("trap",), measured
    assert measured.exceptions == {"log": "safe"}
