"""Mutants that do too much or too little, say too much, or are right only the first time."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from conformance_backends.mutants.mutant import Mutant, Walking, behaviour, with_ops
from conformance_backends.numpy_engine.tensor import Tensor


def after(times: int) -> Any:
    """A gradient() that is halved from the call after so many on."""

    def gradient(self: Any, function: Any, operands: Any) -> Any:
        made = Walking.gradient(self, function, operands)
        self.kept["calls"] = self.kept.get("calls", 0) + 1
        return made if self.kept["calls"] <= times else tuple(g * 0.5 for g in made)

    return gradient


def without_calling(self: Any, function: Any, operands: Any) -> Any:
    """The answer to the question that is always asked, from memory."""
    x, w = operands
    return (2 * x @ w @ w.T, 2 * x.T @ x @ w)


def printing(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A line that somebody forgot."""
    print("backward", getattr(output, "shape", None))
    Walking.backward(self, output, gradient)


def muttering(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A word on the error stream."""
    sys.stderr.write(".")
    Walking.backward(self, output, gradient)


def warning(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A warning at every walk."""
    warnings.warn("gradients may be slow", UserWarning, stacklevel=2)
    Walking.backward(self, output, gradient)


def rule_twice(self: Any, forward: Any, backward: Any) -> Any:
    """A rule written by hand is called once more, to see whether it answers the same."""

    def checked(g: Any, *operands: Any) -> Any:
        backward(g, *operands)
        return backward(g, *operands)

    return Walking.custom(self, forward, checked)


def transposed_batch(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Tall matrices accumulate upside down."""
    is_tall = arrived.ndim == 2 and arrived.shape[0] > 100
    Walking.accumulate(self, leaf, arrived[::-1] if is_tall else arrived)


def one_place_for_each_operand(name: str) -> Any:
    """An op that looks up by identity which operand is meant, and finds the first."""
    right = Walking.ops[name]

    def op(x: Any, y: Any) -> Any:
        return right(x, x.detach() if x is y else y)

    return op


MUTANTS: tuple[Mutant, ...] = (
    behaviour("right-the-first-time", "The first gradient is right, later ones are halved.",
        ("contract/F4/calls", "contract/F6/cold-start"), gradient=after(1)),
    behaviour("halved-from-the-start", "Every gradient that is asked for without a cotangent is halved.",
        ("contract/F1/time", "contract/F2/memory"), gradient=after(0)),
    behaviour("tall-upside-down", "The gradient of a matrix of more than a hundred rows is upside down.",
        ("contract/F2/memory",), accumulate=transposed_batch),
    behaviour("answered-from-memory", "The gradient is told without calling the function.",
        ("contract/F4/calls",), gradient=without_calling),
    behaviour("prints", "A walk back prints a line.", ("contract/F5/silent",), backward=printing),
    behaviour("mutters", "A walk back writes to the error stream.", ("contract/F5/silent",), backward=muttering),
    behaviour("warns", "A walk back warns.", ("contract/F5/silent",), backward=warning),
    Mutant("square-by-identity", "x @ x has the gradient of its first operand alone.",
        ("contract/A20/named-twice",), lambda: with_ops({"matmul": one_place_for_each_operand("matmul")}), ("matmul",)),
    behaviour("rule-called-for-a-check", "A rule written by hand is called twice for each use.",
        ("contract/F3/work", "contract/C5/custom-rule"), custom=rule_twice),
)  # fmt: skip
