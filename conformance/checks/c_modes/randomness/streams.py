"""What one random number says of another: nothing, along any axis, and after a failure, too (C12)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.c_modes.randomness.random_numbers import (
    dropped,
    hold_that_of_its_value,
    three_drawn,
)
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.errors import Violation

# Of as many pairs as the shape has, alike by chance in a half, a share of so much more is five standard deviations off, or more.
MUCH = 1 / 8


class Stopped(Exception):
    """Raised by a function that a checkpoint computes again."""


@contract("C12", "apart")
def numbers_of_one_place_say_nothing_of_those_of_another(engine: Backend, sample: Sample) -> None:
    """What is drawn for one row or column is not what is drawn for the next one, nor for one half of an array what is drawn for the other."""
    for function in dropped(engine, sample):
        mask = hold_that_of_its_value(engine, function, three_drawn(sample), "x n w")
        for axis, length in enumerate(mask.shape):
            for apart in (1, length // 2):
                first, second = np.split(mask, (apart,), axis), np.split(mask, (length - apart,), axis)
                alike = float(np.mean(first[1] == second[0]))
                if alike > 1 / 2 + MUCH:
                    raise Violation(
                        f"of the numbers drawn for {mask.shape} entries {alike:.0%} are those of the entry {apart} before "
                        f"along axis {axis}, where a half are by chance"
                    )


@contract("C12", "after-a-failure", Capability.CHECKPOINTING)
def numbers_go_on_after_a_checkpoint_that_cannot_be_computed_again(engine: Backend, sample: Sample) -> None:
    """Where what a checkpoint computes again raises, the numbers drawn afterwards are none that were drawn before."""
    for function in dropped(engine, sample):
        _hold_that_numbers_go_on(engine, function, three_drawn(sample))


def _hold_that_numbers_go_on(
    engine: Backend, function: Callable[..., Any], operands: tuple[Array, Array, Array]
) -> None:
    x, w, g = operands
    calls: list[int] = []

    def stopping(a: Any, b: Any) -> Any:
        calls.append(1)
        z = function(a, b)
        if len(calls) > 1:
            raise Stopped("the function of a checkpoint raises when it is called again")
        return z

    draw = partial(hold_that_of_its_value, engine, function, (x, w, g), "x n w")
    traced = engine.trace(engine.checkpoint(stopping), [np.array(x), np.array(w)])
    before = [draw() for _ in range(2)]
    try:
        traced.pull([engine.array(np.array(g))])
    except Exception:
        if len(calls) < 2:  # it was not the function
            raise
    if len(calls) < 2:
        raise NotThisCase("a checkpoint computes again what was recorded, without a call of the function")
    if any(np.array_equal(draw(), mask) for _ in range(2) for mask in before):
        raise Violation(
            "after a backward pass in which a checkpoint's function raised, the numbers drawn before it come again"
        )
