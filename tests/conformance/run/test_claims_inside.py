"""Slips that show inside a gradient, in a second pass, or when a call is made again, are named by a claim of smoke."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.graph import is_recording

from conformance.backend import Backend, Capability, FunctionalBackend
from conformance.run.claims import again, inside

from .claims_asked import answer_of
from .test_claims_again import FURTHER, LATER


class ValuesForTangents(NumpyTape):
    """Inner tangents are the values."""

    def nested_jvp(self, function: Any, arrays: Any, tangents: Any) -> Any:
        values = function(*arrays)
        return values if isinstance(values, tuple) else (values,)


class BareTangent(NumpyTape):
    """One tangent is no tuple."""

    def nested_jvp(self, function: Any, arrays: Any, tangents: Any) -> Any:
        return super().nested_jvp(function, arrays, tangents)[0]


class TangentsExchanged(NumpyTape):
    """A rule of forward mode gets the tangents in reverse."""

    def custom_forward(self, forward: Any, pushforward: Any) -> Any:
        return super().custom_forward(forward, lambda xs, ts: pushforward(xs, ts[::-1]))


class CutsTheValue(NumpyTape):
    """The value is detached."""

    def value_and_gradient(self, *given: Any, auxiliary: bool = False) -> Any:
        value, *others = super().value_and_gradient(*given, auxiliary=auxiliary)
        return self.detach(value), *others


class CutsTheGradient(NumpyTape):
    """The gradient is detached."""

    def value_and_gradient(self, *given: Any, auxiliary: bool = False) -> Any:
        value, found, beside = super().value_and_gradient(*given, auxiliary=auxiliary)
        cut = tuple(map(self.detach, found)) if isinstance(found, tuple) else self.detach(found)
        return value, cut, beside


class CutsItself(NumpyTape):
    """Without `retain` the adapter cuts the graph, which the engine keeps."""

    def __init__(self) -> None:
        super().__init__()
        self.cut: list[Any] = []

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        if not any(output is other for other in self.cut):
            super().backward(output, gradient)
        if not retain:
            self.cut.append(output)


class SwitchesOn(NumpyTape):
    """A scope sets at its exit what is usual."""

    depth: ClassVar[list[Any]] = []

    @contextmanager
    def no_grad(self) -> Iterator[None]:
        scope = super().no_grad()
        if is_recording():
            self.depth[:] = [scope]
            scope.__enter__()
        yield
        while self.depth:
            self.depth.pop().__exit__(None, None, None)


class Functional(FunctionalBackend):
    """The reference engine as transforms of functions."""

    name = "functional"
    engine = "numpy"
    ops = NumpyTape.ops
    conventions = NumpyTape.conventions
    capabilities = frozenset({Capability.WRITABLE})

    def version(self) -> str:
        return "0"

    def array(self, value: Any) -> Any:
        return engine.Tensor(np.array(value))

    def numpy(self, array: Any) -> Any:
        return np.asarray(array.value)

    def memory(self, array: Any) -> Any:
        return array.value

    def pullback(self, function: Any, arrays: Sequence[Any]) -> Any:
        output, pulled = engine.vjp(function, *arrays)
        return output, lambda g: pulled(*g if isinstance(g, tuple) else [g])

    def gradient(self, function: Any, operands: Any) -> Any:
        return engine.grad(function)(*map(self.array, operands))


class KeptById(Functional):
    """A pullback is found again by the function and the arrays that it is of."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[Any, Any] = {}

    def pullback(self, function: Any, arrays: Sequence[Any]) -> Any:
        key = id(function), *map(id, arrays)
        if key not in self.kept:
            output, pull = super().pullback(function, [self.array(self.numpy(a)) for a in arrays])
            self.kept[key] = output, pull, function, list(arrays)  # alive, so that no id is given again
        return self.kept[key][:2]


class ValuesKeptById(KeptById):
    """The same, whose pullback reads the arrays when it is called: the output alone is that of other numbers."""

    def pullback(self, function: Any, arrays: Sequence[Any]) -> Any:
        return super().pullback(function, arrays)[0], Functional.pullback(self, function, arrays)[1]


class KeepsVjps(NumpyTape):
    """What vjp() has computed of a function by the same NumPy arrays is found again."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[Any, Any] = {}

    def vjp(self, function: Any, operands: Any, cotangents: Any, wrt: Any = None) -> Any:
        key = id(function), *map(id, operands)
        if key not in self.kept:
            self.kept[key] = super().vjp(function, operands, cotangents, wrt), function, list(operands)
        return self.kept[key][0]


class KeepsGradients(NumpyTape):
    """The gradient of a function by the same NumPy arrays is found again."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[Any, Any] = {}

    def gradient(self, function: Any, operands: Any) -> Any:
        key = id(function), *map(id, operands)
        if key not in self.kept:
            self.kept[key] = super().gradient(function, operands), function, list(operands)
        return self.kept[key][0]


OF_TANGENTS = "an inner tangent is that of each output"
RECORDED = "a value and its gradient can be differentiated"
AGAIN = "the same call with other numbers has another gradient"
SLIPS: list[tuple[type[Backend], str, str]] = [
    (ValuesForTangents, OF_TANGENTS, "the tangent of x * x * w along"),
    (BareTangent, OF_TANGENTS, "a tuple of 1 is due, and Tensor came"),
    (TangentsExchanged, "a rule of forward mode gets each operand's tangent", "by a rule, along both"),
    (CutsTheValue, RECORDED, "the sum of x * x, and its value again"),
    (CutsTheGradient, RECORDED, "x times the gradient of the sum"),
    (CutsItself, "a second pass that is not refused has its gradient", "after two passes, neither with"),
    (SwitchesOn, "a no_grad scope within another ends alone", "follows a scope that ended in another"),
    (KeptById, AGAIN, "pullback()"),
    (ValuesKeptById, AGAIN, "the value of x * x by pullback()"),
    (KeepsVjps, AGAIN, "by vjp(), asked again"),
    (KeepsGradients, AGAIN, "by gradient()"),
]


@pytest.mark.parametrize(("adapter", "claim", "said"), SLIPS, ids=[slip.__name__ for slip, *_ in SLIPS])
def test_a_slip_contradicts_its_claim(adapter: Callable[[], Backend], claim: str, said: str) -> None:
    assert said in answer_of(adapter(), claim)
    right = Functional() if issubclass(adapter, Functional) else NumpyTape()  # type: ignore[arg-type]
    assert answer_of(right, claim) == ""


def test_every_claim_has_a_slip() -> None:
    claims = {claim for kind in (inside, again) for claim, _, _ in kind.claims_of(NumpyTape())}
    assert claims <= {FURTHER, LATER, *(claim for _, claim, _ in SLIPS)}


class Refuses(NumpyTape):
    """Its engine frees its graphs, and differentiates neither tangents nor what value_and_gradient() returns."""

    def __init__(self) -> None:
        super().__init__()
        self.freed: list[Any] = []

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        if any(output is other for other in self.freed):
            raise RuntimeError("the graph was freed")
        super().backward(output, gradient)
        if not retain:
            self.freed.append(output)

    def nested_jvp(self, function: Any, arrays: Any, tangents: Any) -> Any:
        raise RuntimeError("no tangents of tangents")

    def value_and_gradient(self, *given: Any, auxiliary: bool = False) -> Any:
        raise RuntimeError("no functions of functions")


class Replaces(NumpyTape):
    """Its engine stores the last gradient alone."""

    def __init__(self) -> None:
        super().__init__()
        self.leaves: list[Any] = []

    def leaf(self, value: Any) -> Any:
        self.leaves.append(super().leaf(value))
        return self.leaves[-1]

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        for leaf in self.leaves:
            self.clear(leaf)
        super().backward(output, gradient, retain=retain)


@pytest.mark.parametrize(
    "claim", [OF_TANGENTS, RECORDED, "a second pass that is not refused has its gradient"]
)
def test_an_engine_that_refuses_is_no_slip(claim: str) -> None:
    assert answer_of(Refuses(), claim) == ""


def test_an_engine_that_replaces_is_no_slip() -> None:
    assert answer_of(Replaces(), "a second pass that is not refused has its gradient") == ""
