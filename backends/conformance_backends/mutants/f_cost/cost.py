"""Mutants that cost too much, print something, or return a stored result."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.tensor import Tensor


def after(times: int) -> Any:
    """A gradient() that is halved from the call after so many on."""

    def gradient(self: Any, function: Any, operands: Any) -> Any:
        made = SteppedTape.gradient(self, function, operands)
        self.kept["calls"] = self.kept.get("calls", 0) + 1
        return made if self.kept["calls"] <= times else tuple(g * 0.5 for g in made)

    return gradient


def without_calling(self: Any, function: Any, operands: Any) -> Any:
    """The gradient of the function that the checks use, hard-coded."""
    x, w = operands
    return (2 * x @ w @ w.T, 2 * x.T @ x @ w)


def printing(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A debugging line."""
    print("backward", getattr(output, "shape", None))
    SteppedTape.backward(self, output, gradient)


def writing_to_stderr(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """Output on the error stream."""
    sys.stderr.write(".")
    SteppedTape.backward(self, output, gradient)


def warning(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A warning in every backward pass."""
    warnings.warn("gradients may be slow", UserWarning, stacklevel=2)
    SteppedTape.backward(self, output, gradient)


def rule_twice(self: Any, forward: Any, backward: Any) -> Any:
    """A custom rule is called once more, as if to check that it is repeatable."""

    def checked(g: Any, *operands: Any) -> Any:
        backward(g, *operands)
        return backward(g, *operands)

    return SteppedTape.custom(self, forward, checked)


def transposed_batch(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Gradients of tall matrices are accumulated in reverse order of rows."""
    is_tall = arrived.ndim == 2 and arrived.shape[0] > 100
    SteppedTape.accumulate(self, leaf, arrived[::-1] if is_tall else arrived)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("right-the-first-time", "The first gradient is right, and later ones are halved.",
        ("contract/F4/calls", "contract/F6/cold-start"), gradient=after(1)),
    behaviour("halved-from-the-start", "Every gradient of a call without a cotangent is halved.",
        ("contract/F1/time", "contract/F2/memory"), gradient=after(0)),
    behaviour("tall-upside-down", "The gradient of a matrix of more than a hundred rows is upside down.",
        ("contract/F2/memory",), accumulate=transposed_batch),
    behaviour("result-hard-coded", "The gradient is returned without calling the function.",
        ("contract/F4/calls",), gradient=without_calling),
    behaviour("prints", "A backward pass prints a line.", ("contract/F5/silent",), backward=printing),
    behaviour("writes-to-stderr", "A backward pass writes to the error stream.", ("contract/F5/silent",), backward=writing_to_stderr),
    behaviour("warns", "A backward pass warns.", ("contract/F5/silent",), backward=warning),
    behaviour("rule-called-as-a-check", "A custom rule is called once more for each use, as a check.",
        ("contract/F3/work", "contract/C5/custom-rule"), custom=rule_twice),
)  # fmt: skip
