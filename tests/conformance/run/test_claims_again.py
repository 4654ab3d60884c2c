"""Answers that are kept though the numbers changed are named by a claim of smoke, for each method that may keep one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Backend, Capability
from conformance.run.claims import again
from conformance.run.smoke import asked, hint_for, questions, try_question

from .claims_asked import answer_of

FURTHER = "the same call of a further method with other numbers has another answer"
LATER = "what the caller writes into an array after a call changes no gradient of that call"


class KeepsByFunction(NumpyTape):
    """It keeps what it returned of a function, by that function alone."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[Any, Any] = {}


class KeepsTangents(KeepsByFunction):
    """The tangents of a function."""

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        return self.kept.setdefault(function, super().jvp(function, operands, tangents))


class KeepsInnerTangents(KeepsByFunction):
    """Its recorded tangents."""

    def nested_jvp(self, function: Any, arrays: Any, tangents: Any) -> Any:
        return self.kept.setdefault(function, super().nested_jvp(function, arrays, tangents))


class KeepsInnerGradients(KeepsByFunction):
    """Its recorded gradients."""

    def nested_vjp(self, function: Any, arrays: Any, cotangents: Any) -> Any:
        return self.kept.setdefault(function, super().nested_vjp(function, arrays, cotangents))


class KeepsValues(KeepsByFunction):
    """Its value, with the gradient."""

    def value_and_gradient(self, function: Any, arrays: Any, wrt: Any, *, auxiliary: bool = False) -> Any:
        found = super().value_and_gradient(function, arrays, wrt, auxiliary=auxiliary)
        return self.kept.setdefault(function, found)


class KeepsJacobians(KeepsByFunction):
    """Its Jacobians, of either kind."""

    def jacobian(self, function: Any, operands: Any, kind: str = "rows") -> Any:
        found = super().jacobian(function, operands, kind)
        return found if kind == "hessian" else self.kept.setdefault((function, kind), found)


class KeepsHessians(KeepsByFunction):
    """Its Hessian alone."""

    def jacobian(self, function: Any, operands: Any, kind: str = "rows") -> Any:
        found = super().jacobian(function, operands, kind)
        return self.kept.setdefault(function, found) if kind == "hessian" else found


class MapsRows(KeepsByFunction):
    """It maps a function over rows by calling it for each."""

    capabilities = NumpyTape.capabilities | {Capability.VECTORIZING}

    def vectorized(self, function: Any) -> Any:
        return lambda a: np.stack([function(a[i]) for i in range(len(a))])


class KeepsMapped(MapsRows):
    """What it makes of rows."""

    def vectorized(self, function: Any) -> Any:
        mapped = super().vectorized(function)
        return lambda *arrays: self.kept.setdefault(function, mapped(*arrays))


@pytest.mark.parametrize(
    ("adapter", "said"),
    [
        (KeepsTangents, "the value and the tangent of x * x by jvp(), asked again with other numbers"),
        (KeepsInnerTangents, "the tangent of x * x by nested_jvp(), asked again"),
        (KeepsInnerGradients, "the gradient of x * x by nested_vjp(), asked again"),
        (KeepsValues, "of the sum of x * x by value_and_gradient(), asked again"),
        (KeepsJacobians, "the Jacobian of x * x by rows by jacobian(), asked again"),
        (KeepsHessians, "the Hessian of the sum of x * x * x by jacobian(), asked again"),
        (KeepsMapped, "x * x, mapped over rows by vectorized(), asked again"),
    ],
)
def test_an_answer_that_is_kept_by_the_function_is_a_slip(adapter: Any, said: str) -> None:
    assert said in answer_of(adapter(), FURTHER)
    assert answer_of(MapsRows(), FURTHER) == ""


class RefusesMethods(NumpyTape):
    """Its engine has them for no such function."""

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        raise RuntimeError("not of a product")

    def jacobian(self, function: Any, operands: Any, kind: str = "rows") -> Any:
        raise RuntimeError("not of a product")


def test_a_method_that_is_refused_is_no_slip() -> None:
    assert answer_of(RefusesMethods(), FURTHER) == ""


class SaysItCopies(NumpyTape):
    """It hands the caller's memory on, and declares that nothing that is written there changes a gradient."""

    conventions: ClassVar[Mapping[str, str]] = {**NumpyTape.conventions, "D4": "copies"}


class SaysNothing(NumpyTape):
    """It declares nothing of memory that is written into."""

    conventions: ClassVar[Mapping[str, str]] = {k: v for k, v in NumpyTape.conventions.items() if k != "D4"}


class Copies(SaysNothing):
    """It copies what it is given."""

    def array(self, value: Any) -> Any:
        return super().array(value.copy())

    def leaf(self, value: Any) -> Any:
        return super().leaf(value.copy())


def later(backend: Backend) -> tuple[str, str]:
    """What the claim about later writes says, and why it cannot be asked."""
    (question,) = (q for q in questions(backend) if q.claim == LATER)
    return asked(question, backend)


def test_a_gradient_of_what_was_written_after_the_call_is_a_slip_where_copies_are_declared() -> None:
    said, why_not = later(SaysItCopies())
    assert "the gradient of x * w by x, after 7 was written into the arrays that were handed over" in said
    assert why_not == ""
    assert later(Copies()) == ("", "")


@pytest.mark.parametrize(
    ("adapter", "why"), [(NumpyTape, 'is declared "hazard"'), (SaysNothing, "D4 is not declared")]
)
def test_an_engine_whose_arrays_may_share_the_memory_is_not_blamed(adapter: Any, why: str) -> None:
    said, why_not = later(adapter())
    assert said == ""
    assert why in why_not


class Panics(BaseException):
    """No Exception, as what an engine in Rust raises."""


class HasNoInnerTangents(NumpyTape):
    """Its engine panics where a tangent is taken inside a function that is differentiated."""

    def nested_jvp(self, function: Any, arrays: Any, tangents: Any) -> Any:
        """No tangents."""
        raise Panics("not implemented")


def test_a_panic_of_a_further_method_is_a_refusal() -> None:
    assert answer_of(HasNoInnerTangents(), FURTHER) == ""


class TangentsAreValues(NumpyTape):
    """nested_jvp() returns the values and the tangents."""

    def nested_jvp(self, function: Any, arrays: Any, tangents: Any) -> Any:
        return (function(*arrays), *super().nested_jvp(function, arrays, tangents))


def test_what_is_wrong_at_the_first_call_is_not_said_to_be_kept_by_id() -> None:
    (question,) = (q for q in questions(NumpyTape()) if q.claim == FURTHER)
    assert "kept by id()" in question.hint
    said = try_question(question, TangentsAreValues())
    assert "by nested_jvp()" in said
    assert hint_for(question, said) == again.AT_ONCE
    assert hint_for(question, f"x by jvp(), {again.AGAIN}") == question.hint
