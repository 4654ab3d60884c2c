"""What a capability declares is asked in smoke: slips in its method are named with the method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Backend
from conformance.run.claims import probes
from conformance.run.smoke import questions, try_question


class Transposed(NumpyTape):
    """The operand's axes stand before the output's."""

    def jacobian(self, function: Any, operands: Any, kind: str = "rows") -> Any:
        return tuple(found.T for found in super().jacobian(function, operands, kind))


class ByAll(NumpyTape):
    """By the first operand, whichever is named."""

    def value_and_gradient(self, function: Any, arrays: Any, wrt: Any, *, auxiliary: bool = False) -> Any:
        wrt = 0 if isinstance(wrt, int) else wrt
        return super().value_and_gradient(function, arrays, wrt, auxiliary=auxiliary)


class OfTheFirst(NumpyTape):
    """The other outputs, and their cotangents, are forgotten."""

    def gradients_within(self, function: Any, operands: Any, cotangents: Any) -> Any:
        def first(*arrays: Any) -> Any:
            outputs, named = function(*arrays)
            return outputs[:1], named

        return super().gradients_within(first, operands, cotangents[:1])


class Copied(NumpyTape):
    """The memory of a copy."""

    def memory(self, array: Any) -> Any:
        return np.array(super().memory(array))


class Detached(NumpyTape):
    """What is checkpointed is cut."""

    def checkpoint(self, function: Any) -> Any:
        return lambda *operands: self.detach(function(*operands))


class Exchanged(NumpyTape):
    """The branches are exchanged."""

    def branch(self, condition: Any, then: Any, otherwise: Any, operands: Any) -> Any:
        return super().branch(condition, otherwise, then, operands)


class Reversed(NumpyTape):
    """The outputs of a loop stand in reverse."""

    def scan(self, step: Any, carry: Any, items: Any) -> Any:
        last, outputs = super().scan(step, carry, items)
        return last, outputs[::-1]


SLIPS: tuple[tuple[type[NumpyTape], str, str], ...] = (
    (Transposed, "Jacobians are in the order of the operands", "jacobian()"),
    (ByAll, "gradients beside a value are in the order of the positions", "value_and_gradient()"),
    (
        OfTheFirst,
        "gradients by results on the way are in the order of the arrays named",
        "gradients_within()",
    ),
    (Copied, "writing into an array's memory changes the array", "memory()"),
    (Detached, "a checkpointed function has a gradient", "checkpoint()"),
    (Exchanged, "a branch of the engine's own has the gradients of the function that is called", "branch()"),
    (Reversed, "a loop of the engine's own has the gradients of its steps", "scan()"),
)


@pytest.mark.parametrize(("slip", "claim", "method"), SLIPS, ids=[slip.__name__ for slip, *_ in SLIPS])
def test_a_slip_in_a_method_is_named(slip: type[Backend], claim: str, method: str) -> None:
    (question,) = [each for each in questions(slip()) if each.claim == claim]
    assert not try_question(question, NumpyTape())
    assert try_question(question, slip())
    assert method in question.hint


def test_what_is_declared_alone_is_asked() -> None:
    class Little(NumpyTape):
        capabilities = frozenset()

    assert not list(probes.claims_of(Little()))
    assert len(list(probes.claims_of(NumpyTape()))) > 10
