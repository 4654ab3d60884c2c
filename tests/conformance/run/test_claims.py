"""Slips in what an adapter offers beyond gradients, each of which one claim of smoke names."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Capability
from conformance.errors import Unsupported
from conformance.load import load_backend
from conformance.run.claims.arrays import not_taken
from conformance.run.smoke import questions, try_question


class SeedsReplace(NumpyTape):
    """Its seed replaces what is stored where the output is a leaf."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        if output.is_leaf:
            self.clear(output)
        super().backward(output, gradient, retain=retain)


class TangentsCleared(NumpyTape):
    """It reads tangents after those of the operands are gone."""

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        outputs, pushed = super().jvp(function, operands, tangents)
        is_operand = [any(np.array_equal(self.numpy(z), x) for x in operands) for z in outputs]
        return outputs, tuple(0 * t if gone else t for gone, t in zip(is_operand, pushed, strict=True))


class ReadsWhileRecording(NumpyTape):
    """It reads gradients only while the engine records."""

    is_stopped = False

    @contextlib.contextmanager
    def no_grad(self) -> Iterator[None]:  # type: ignore[override]
        self.is_stopped = True
        try:
            with super().no_grad():
                yield
        finally:
            self.is_stopped = False

    def grad(self, leaf: Any) -> Any:
        return None if self.is_stopped else super().grad(leaf)


class GradientsReversed(NumpyTape):
    """It returns the gradients of a scalar in another order."""

    def gradient(self, function: Any, operands: Any) -> Any:
        return super().gradient(function, operands)[::-1]


class TangentsReversed(NumpyTape):
    """It hands on the tangents in another order."""

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        return super().jvp(function, operands, tangents[::-1])


class InnerReversed(NumpyTape):
    """It returns inner gradients in another order."""

    def nested_vjp(self, function: Any, arrays: Any, cotangents: Any) -> Any:
        return super().nested_vjp(function, arrays, cotangents)[::-1]


class WithValueInOrder(NumpyTape):
    """It returns the gradients beside a value by ascending positions, whatever was asked for."""

    def value_and_gradient(self, function: Any, arrays: Any, wrt: Any, *, auxiliary: bool = False) -> Any:
        positions = tuple(sorted(wrt)) if isinstance(wrt, tuple) else wrt
        return super().value_and_gradient(function, arrays, positions, auxiliary=auxiliary)


class JacobiansReversed(NumpyTape):
    """It returns Jacobians in another order."""

    def jacobian(self, function: Any, operands: Any, kind: str = "rows") -> Any:
        return super().jacobian(function, operands, kind)[::-1]


class WithinReversed(NumpyTape):
    """Gradients by the arrays named, the last one first."""

    def gradients_within(self, function: Any, operands: Any, cotangents: Any) -> Any:
        return super().gradients_within(function, operands, cotangents)[::-1]


class Shared(NumpyTape):
    """It computes later, by the caller's memory; what a loop returns is no array of its."""

    capabilities = NumpyTape.capabilities - {Capability.LOOPS}

    def forward(self, function: Any, operands: Any) -> Any:
        return tuple((super(Shared, self).forward, function, operands, i) for i in range(1))

    def numpy(self, array: Any) -> Any:
        if not isinstance(array, tuple):
            return super().numpy(array)
        forward, function, operands, place = array
        return super().numpy(forward(function, operands)[place])


@pytest.mark.costly
@pytest.mark.parametrize(
    ("slip", "claim"),
    [
        (SeedsReplace, "an operand that is returned as it is has its gradient"),
        (TangentsCleared, "an operand that is returned as it is has its tangent"),
        (ReadsWhileRecording, "a stored gradient is read in a no_grad scope, too"),
        (GradientsReversed, "the gradients of a scalar are in the order of its operands"),
        (TangentsReversed, "each tangent goes with its own operand"),
        (WithinReversed, "gradients by results on the way are in the order of the arrays named"),
        (InnerReversed, "inner gradients are in the order of the arrays"),
        (WithValueInOrder, "gradients beside a value are in the order of the positions"),
        (JacobiansReversed, "Jacobians are in the order of the operands"),
        (Shared, "what the caller writes into an array after a call changes no value of that call"),
    ],
)
def test_one_claim_names_the_slip(slip: type[NumpyTape], claim: str) -> None:
    assert [q.claim for q in questions(slip()) if try_question(q, slip())] == [claim]
    assert not any(try_question(q, NumpyTape()) for q in questions(NumpyTape()))


class RefusesLeaves(NumpyTape):
    """It sends nothing back from a leaf, and says so."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        if output.is_leaf:
            raise ValueError("nothing was computed")
        super().backward(output, gradient, retain=retain)


def test_a_refusal_is_no_slip() -> None:
    claims = {q.claim: q for q in questions(RefusesLeaves())}
    assert not try_question(claims["an operand that is returned as it is has its gradient"], RefusesLeaves())


class OfOneToFourAxes(NumpyTape):
    """Its engine has arrays of one to four axes alone."""

    least = 1

    def array(self, value: Any) -> Any:
        if not self.least <= np.ndim(value) <= 4:
            raise Unsupported("arrays have 1 to 4 axes")
        return super().array(value)

    def leaf(self, value: Any) -> Any:
        return super().leaf(self.numpy(self.array(value)))


class OfFiveAxes(OfOneToFourAxes):
    """It has arrays of no shape that smoke tries."""

    least = 5


def test_arrays_that_an_engine_does_not_have_are_no_slip() -> None:
    assert not {q.claim for q in questions(OfOneToFourAxes()) if try_question(q, OfOneToFourAxes())}
    assert {len(shape) for shape in not_taken(OfOneToFourAxes())} == {0, 6}
    assert not_taken(NumpyTape()) == {}
    basic = next(q for q in questions(OfFiveAxes()) if q.is_basic)
    assert "array() refuses arrays of every shape" in try_question(basic, OfFiveAxes())


MADE_BY_A_LOOP = """
import dataclasses
import numpy as np
from conformance_backends.numpy_backend import NumpyTape

OPS = {"tanh": lambda x: np.tanh(x * HIDDEN), "add": lambda x, y: np.add(x, y)}
for name in ("sin", "cos"):
    OPS[name] = (lambda kept: lambda x: getattr(np, kept)(x))(name)
for value in (1,):
    HIDDEN = value

class Loop(NumpyTape):
    ops = OPS
    dialect = dataclasses.replace(NumpyTape.dialect, call="")
"""


def test_a_name_that_scripts_would_lack_is_said(tmp_path: Path) -> None:
    (tmp_path / "looped.py").write_text(MADE_BY_A_LOOP)
    claim = next(q for q in questions(NumpyTape()) if "define what they name" in q.claim)
    assert not try_question(claim, NumpyTape())
    said = try_question(claim, load_backend(str(tmp_path / "looped.py")))
    assert said == (
        "Violation: scripts do not define what they name: HIDDEN in tanh, "
        "sin, cos, which no dictionary of the adapter's source spells"
    )


class Twice(NumpyTape):
    """Every backward pass is run two times."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        super().backward(output, gradient, retain=True)
        super().backward(output, gradient, retain=retain)


def test_what_came_is_compared_with_what_is_expected() -> None:
    claim = next(q for q in questions(NumpyTape()) if q.claim == "the gradients of a product are right")
    assert try_question(claim, Twice()).endswith(
        "got [  6. -10.], expected [ 3. -5.]: what is expected times 2"
    )
