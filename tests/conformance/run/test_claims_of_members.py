"""Slips in members that an adapter writes itself are named by a claim of smoke."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Backend
from conformance.run.claims import errors, members
from conformance.run.smoke import questions, try_question


class FreesAlways(NumpyTape):
    """An engine that frees its graphs, to which the adapter does not hand on that one is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.freed: list[Any] = []

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        if any(output is other for other in self.freed):
            raise RuntimeError("the graph was freed")
        super().backward(output, gradient)
        self.freed.append(output)


class JacobianForHessian(NumpyTape):
    """Knows of no kind."""

    def jacobian(self, function: Any, operands: Any, kind: str = "rows") -> Any:
        return super().jacobian(function, operands)


class Flattened(NumpyTape):
    """Returns the gradients of a structure as a tuple."""

    def structured_gradient(self, function: Any, structure: Any) -> Any:
        found = super().structured_gradient(function, structure)
        return found["x"], *found["others"]


class Exchanged(NumpyTape):
    """Returns the gradients of a structure in each other's place."""

    def structured_gradient(self, function: Any, structure: Any) -> Any:
        found = super().structured_gradient(function, structure)
        return {"x": found["others"][0], "others": [found["x"]]}


class LeavesScopeOn(NumpyTape):
    """Restores what it has switched off where nothing is raised."""

    entered: AbstractContextManager[Any]

    def no_grad(self) -> AbstractContextManager[Any]:
        @contextlib.contextmanager
        def scope() -> Iterator[None]:
            self.entered = super(LeavesScopeOn, self).no_grad()
            self.entered.__enter__()
            yield
            self.entered.__exit__(None, None, None)

        return scope()


class DetachesNothing(NumpyTape):
    """Returns what it is given."""

    def detach(self, array: Any) -> Any:
        return array


class FreezesInverted(NumpyTape):
    """Sets the flag to what it should not be."""

    def needs_gradient(self, leaf: Any, flag: bool) -> None:
        super().needs_gradient(leaf, not flag)


class FreezesNothing(NumpyTape):
    """Knows of no flag."""

    def needs_gradient(self, leaf: Any, flag: bool) -> None:
        super().needs_gradient(leaf, True)


class MakesLeaves(NumpyTape):
    """Has one way to make arrays."""

    def array(self, value: Any) -> Any:
        return self.leaf(value)


class RecordsAlways(NumpyTape):
    """Has a scope that does nothing."""

    def no_grad(self) -> AbstractContextManager[Any]:
        return contextlib.nullcontext()


SLIPS: list[tuple[type[Backend], str, str]] = [
    (FreesAlways, "a second pass through a graph has the first one's gradient", "the graph was freed"),
    (JacobianForHessian, "a Hessian is of second derivatives", "the Hessian of the sum of x * x * x"),
    (Flattened, "the gradient of a structure has its form", "is tuple, where the same form is expected"),
    (Exchanged, "the gradient of a structure has its form", "the gradient at 'x' of the sum of x * w"),
    (DetachesNothing, "what is detached is a constant", "the gradient where x * x is detached in x * x * x"),
    (
        RecordsAlways,
        "a no_grad scope records nothing",
        "the gradient where x * x is computed in a no_grad scope",
    ),
    (FreezesInverted, "a frozen leaf gets no gradient", "x got a gradient of x * w"),
    (FreezesNothing, "a frozen leaf gets no gradient", "x got a gradient of x * w"),
    (MakesLeaves, "what array() makes gets no gradient", "that array() made got a gradient"),
    (LeavesScopeOn, "an exception ends a no_grad scope", ""),
]


@pytest.mark.parametrize(("adapter", "claim", "said"), SLIPS)
def test_a_slip_contradicts_its_claim(adapter: Any, claim: str, said: str) -> None:
    backend = adapter()
    (question,) = (q for q in questions(backend) if q.claim == claim)
    try:
        answer = try_question(question, backend)
    finally:
        if isinstance(backend, LeavesScopeOn):
            backend.entered.__exit__(None, None, None)
    assert answer
    assert said in answer
    assert try_question(question, NumpyTape()) == ""


def test_the_scope_comes_last_but_for_errors() -> None:
    """Where an exception does not end it, nothing that follows is recorded; after an error some engines compute nothing."""
    raising = [claim for claim, _, _ in errors.claims_of(NumpyTape())]
    *_, scope, one, other = (question.claim for question in questions(NumpyTape()))
    assert scope == "an exception ends a no_grad scope"
    assert [one, other] == raising
    assert {claim for claim, _, _ in members.claims_of(NumpyTape())} == {claim for _, claim, _ in SLIPS}


class SeedsAgain(NumpyTape):
    """The seed of a pass is added to that of the one before."""

    def __init__(self) -> None:
        super().__init__()
        self.seeds: list[tuple[Any, Any]] = []

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        for other, seed in self.seeds:
            gradient = gradient + seed if other is output and gradient is not None else gradient
        self.seeds.append((output, gradient))
        super().backward(output, gradient, retain=retain)


class CutsCotangents(NumpyTape):
    """An inner gradient gets the numbers of its cotangents."""

    def nested_vjp(self, function: Any, arrays: Any, cotangents: Any) -> Any:
        return super().nested_vjp(function, arrays, [self.detach(g) for g in cotangents])


@pytest.mark.parametrize(
    ("adapter", "claim", "where"),
    [
        (SeedsAgain, "a second pass through a graph has the first one's gradient", "clear it"),
        (CutsCotangents, "an inner gradient can be taken at a constant", "`cotangents` keep their history"),
    ],
)
def test_a_hint_says_where_else_to_look(adapter: Any, claim: str, where: str) -> None:
    (question,) = (q for q in questions(adapter()) if q.claim == claim)
    assert try_question(question, adapter())
    assert where in question.hint


def test_one_claim_names_a_stale_seed() -> None:
    of_passes = [q for q in questions(SeedsAgain()) if q.claim.startswith("a second pass")]
    assert [q.claim for q in of_passes if try_question(q, SeedsAgain())] == [
        "a second pass through a graph has the first one's gradient"
    ]
