"""A recurrence with numbers of few bits, whose derivatives are known exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from conformance.backend import Backend, Function
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.observation import plain
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, MULTIPLY

STEPS = 3  # so few that single precision holds every number on the way, and no order of summation differs


@dataclass(frozen=True)
class Recurrence:
    """h, then h w + x of it for each x; beside each step h x is put out.

    Attributes:
        start: h before the first step.
        items: the x, stacked.
        factor: w, which the step captures.
    """

    start: Array
    items: Array
    factor: Array

    @property
    def operands(self) -> list[Array]:
        """What an engine's function of it takes."""
        return [self.start, self.items, self.factor]

    @cached_property
    def states(self) -> list[Array]:
        """h before the first step, and after each."""
        states = [self.start]
        for x in self.items:
            states.append(states[-1] * self.factor + x)
        return states

    @property
    def outputs(self) -> Array:
        """h x of every step."""
        return np.stack([*self.states[:-1], self.start])[: len(self.items)] * self.items

    def pulled(self, last: Any = 0, beside: Any = 0) -> tuple[Array, Array, Array]:
        """The cotangents of start, items and factor, of those of the last h and of the outputs."""
        of_state = last + np.zeros_like(self.start)
        of_outputs = beside + np.zeros_like(self.items)
        of_items, of_factor = np.zeros_like(self.items), np.zeros_like(self.factor)
        for n in reversed(range(len(self.items))):
            of_items[n] = of_state + of_outputs[n] * self.states[n]
            of_factor = of_factor + of_state * self.states[n]
            of_state = of_state * self.factor + of_outputs[n] * self.items[n]
        return of_state, of_items, of_factor

    def pushed(self, of_start: Array, of_items: Array, of_factor: Array) -> tuple[Array, Array]:
        """The tangents of the last h and of the outputs."""
        tangent, outputs = of_start, []
        for n, x in enumerate(self.items):
            outputs.append(tangent * x + self.states[n] * of_items[n])
            tangent = tangent * self.factor + self.states[n] * of_factor + of_items[n]
        return tangent, np.stack(outputs)


def drawn(sample: Sample, count: int = STEPS, shape: tuple[int, ...] | None = None) -> Recurrence:
    """A recurrence of so many steps."""
    shape = sample.shape if shape is None else shape
    return Recurrence(sample.array(shape), sample.array((count, *shape)), sample.array(shape))


def step_of(engine: Backend, factor: Any) -> Function:
    """Its step, which captures the factor."""
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    return lambda h, x: (add(multiply(h, factor), x), multiply(h, x))


def scanned(engine: Backend) -> Function:
    """The recurrence as a function of start, items and factor, by the engine's own loop."""
    return lambda h, xs, w: tuple(engine.scan(step_of(engine, w), h, xs))


def hold_gradients(
    engine: Backend,
    function: Function,
    operands: Sequence[Array],
    given: Sequence[Any],
    expected: Any,
    what: str,
) -> None:
    """Claim the gradients of a function of such numbers; None stands for zeros."""
    _, pulled = engine.vjp(function, [np.array(x) for x in operands], [np.array(g) for g in given])
    hold_pulled(engine, pulled, expected, what)


def hold_pulled(engine: Backend, pulled: Sequence[Any], expected: Sequence[Any], what: str) -> None:
    """Claim the gradients that an engine gave; None stands for zeros."""
    for index, (gradient, right) in enumerate(zip(pulled, expected, strict=True)):
        got = None if gradient is None else plain(engine, gradient)
        hold_equal(got, np.asarray(right), f"operand {index}'s gradient of {what}")


def hold_values(engine: Backend, values: Sequence[Any], expected: Sequence[Array], what: str) -> None:
    """Claim the values that a function of such numbers returns."""
    for index, (value, right) in enumerate(zip(values, expected, strict=True)):
        hold_equal(plain(engine, value), right, f"value {index} of {what}")
