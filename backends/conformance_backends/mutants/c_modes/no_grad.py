"""Mutants whose no_grad scopes start or end wrongly."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from conformance_backends.mutants.mutant import AdapterScopedNoGrad, Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.graph import is_recording, set_recording


@contextlib.contextmanager
def ended_only_by_reaching_its_end(self: Any) -> Iterator[None]:
    """No `finally`: an exception leaves the scope open."""
    before, self.is_stopped = self.is_stopped, True
    yield
    self.is_stopped = before


@contextlib.contextmanager
def ended_by_ordinary_exceptions(self: Any) -> Iterator[None]:
    """`except Exception` does not see the GeneratorExit of a generator that is closed."""
    before, self.is_stopped = self.is_stopped, True
    try:
        yield
    except Exception:
        self.is_stopped = before
        raise
    self.is_stopped = before


@contextlib.contextmanager
def ended_by_the_inner_one(self: Any) -> Iterator[None]:
    """Recording resumes at the end of an inner scope, inside the outer one."""
    self.is_stopped = True
    try:
        yield
    finally:
        self.is_stopped = False


@contextlib.contextmanager
def nested_once(self: Any) -> Iterator[None]:
    """The previous state is stored in one variable, which an inner scope overwrites."""
    self.kept["before"], self.is_stopped = self.is_stopped, True
    try:
        yield
    finally:
        self.is_stopped = self.kept["before"]


@contextlib.contextmanager
def toggled(self: Any) -> Iterator[None]:
    """A scope in a scope records."""
    before, self.is_stopped = self.is_stopped, not self.is_stopped
    try:
        yield
    finally:
        self.is_stopped = before


@contextlib.contextmanager
def ended_by_an_inner_exception(self: Any) -> Iterator[None]:
    """An exception switches recording on, whatever it was before."""
    before, self.is_stopped = self.is_stopped, True
    try:
        yield
    except BaseException:
        self.is_stopped = False
        raise
    self.is_stopped = before


def recording_after_backward(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A backward pass ends with recording switched on, whatever it was before."""
    SteppedTape.backward(self, output, gradient)
    self.is_stopped = False


class StoppedForOneOp(AdapterScopedNoGrad):
    """A no_grad scope applies to one op only."""

    def _in_scope(self, op: Callable[..., Any]) -> Callable[..., Any]:
        stopped = super()._in_scope(op)

        def call(*operands: Any, **parameters: Any) -> Any:
            output = stopped(*operands, **parameters)
            self.is_stopped = False
            return output

        return call


def constant_in_a_scope(self: Any, value: Any) -> Any:
    """A leaf that is made in a scope is a constant."""
    return self.array(value) if self.is_stopped else AdapterScopedNoGrad.leaf(self, value)


def recording_after(method: str) -> Callable[..., Any]:
    """A call that ends with recording switched on, whatever it was before."""

    def call(self: Any, *given: Any) -> Any:
        result = getattr(AdapterScopedNoGrad, method)(self, *given)
        self.is_stopped = False
        return result

    return call


def written_as_a_constant(self: Any, array: Any, index: Any, value: Any) -> None:
    """A leaf that is written where nothing is recorded is a constant afterwards."""
    SteppedTape.assign(self, array, index, value)
    if not is_recording():
        array.edge = None


def idle_in_a_scope(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A backward pass does nothing where nothing is recorded."""
    if is_recording():
        SteppedTape.backward(self, output, gradient)


SCOPES = ("contract/C1/no-grad-ends",)
GENERATOR = "contract/C1/no-grad-generator"
OUTLASTS = "contract/C1/no-grad-outlasts"


def recording_after_a_failure(self: Any, function: Any, arrays: Any, cotangents: Any) -> Any:
    """Where a gradient fails, recording is left on."""
    try:
        return SteppedTape.nested_vjp(self, function, arrays, cotangents)
    except Exception:
        set_recording(True).__enter__()
        raise


def tangent_of_a_constant(self: Any, function: Any, operands: Any, tangents: Any) -> Any:
    """In a scope the function is of constants, and its tangent zero."""
    outputs, pushed = SteppedTape.jvp(self, function, operands, tangents)
    return outputs, pushed if is_recording() else tuple(0 * t for t in pushed)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("scope-does-nothing", "A no_grad scope records.",
        ("contract/C1/no-grad", "capability/no-grad"), no_grad=lambda self: contextlib.nullcontext()),
    behaviour("scope-leaks-after-exception", "A scope that an exception leaves stays open.",
        SCOPES, base=AdapterScopedNoGrad, scope=ended_only_by_reaching_its_end),
    behaviour("scope-leaks-from-generator", "A scope in a generator that is closed stays open.",
        SCOPES, base=AdapterScopedNoGrad, scope=ended_by_ordinary_exceptions),
    behaviour("scope-ends-with-inner", "The end of an inner scope ends the outer one.",
        ("contract/C1/no-grad",), base=AdapterScopedNoGrad, scope=ended_by_the_inner_one),
    behaviour("scope-toggles", "A no_grad scope within another one records.",
        ("contract/C1/no-grad-nested",), base=AdapterScopedNoGrad, scope=toggled),
    behaviour("scope-inner-keeps-outer-open", "After an inner scope the outer one stays open.",
        SCOPES, base=AdapterScopedNoGrad, scope=nested_once),
    behaviour("scope-of-all-threads", "A no_grad scope in one thread stops recording in all threads.",
        ("contract/C1/no-grad-thread", "history/threads"), base=AdapterScopedNoGrad),
    behaviour("scope-ends-with-inner-exception", "An exception in an inner scope ends the outer one.",
        (OUTLASTS,), base=AdapterScopedNoGrad, scope=ended_by_an_inner_exception),
    behaviour("scope-ends-with-backward", "A backward pass inside a no_grad scope ends the scope.",
        (OUTLASTS,), base=AdapterScopedNoGrad, backward=recording_after_backward),
    behaviour("scope-ends-with-nested-gradient", "A gradient as a function's value ends the no_grad scope that it is computed in.",
        ("contract/C1/no-grad-outlasts-others",), base=AdapterScopedNoGrad, nested_vjp=recording_after("nested_vjp")),
    behaviour("scope-ends-with-tangent", "A tangent ends the no_grad scope that it is computed in.",
        ("contract/C1/no-grad-outlasts-others",), base=AdapterScopedNoGrad, jvp=recording_after("jvp")),
    behaviour("scope-stops-backward", "A backward pass in a no_grad scope does nothing.",
        ("contract/C1/no-grad-backward",), backward=idle_in_a_scope),
    behaviour("scope-makes-constants", "A leaf that is made in a no_grad scope never has a gradient.",
        ("contract/C1/no-grad-leaf",), base=AdapterScopedNoGrad, leaf=constant_in_a_scope),
    behaviour("scope-lasts-one-op", "A no_grad scope applies to one op only.",
        (OUTLASTS, GENERATOR), base=StoppedForOneOp),
    behaviour("scope-makes-written-leaves-constants", "A leaf that is written in a no_grad scope is a constant afterwards.",
        ("contract/C1/leaf-written",), assign=written_as_a_constant),
    behaviour("tangents-in-a-scope", "A tangent that is taken in a no_grad scope is zero.",
        ("contract/C1/no-grad-derivatives",), jvp=tangent_of_a_constant),
    behaviour("failure-leaves-recording-on", "A gradient as a function's value that fails leaves recording on, in a no_grad scope too.",
        ("contract/C1/no-grad-outlasts-others",), nested_vjp=recording_after_a_failure),
)  # fmt: skip
