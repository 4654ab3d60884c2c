"""A gradient argument of one entry for a 0-d output, and the reverse (A4)."""

from __future__ import annotations

from functools import partial

import numpy as np

from conformance.backend import Backend
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum, gradients_of, unless_refused
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import MULTIPLY


@contract("A4", "one-entry")
def gradient_argument_of_one_entry(engine: Backend, sample: Sample) -> None:
    """A gradient argument of shape (1,) for a 0-d output, or a 0-d one for shape (1,), is refused or that number."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    x, w = sample.array(), sample.array()
    product = lambda a, b: total(multiply(a, b))  # noqa: E731
    one, other = sample.array((1,)), sample.array((1,))
    calls = {
        "of shape (1,) for a 0-d output": (product, [x, w], (1,)),
        "of shape (1, 1) for a 0-d output": (product, [x, w], (1, 1)),
        "that is 0-d for an output of shape (1,)": (multiply, [one, other], ()),
    }
    for what, (function, operands, shape) in calls.items():
        g = sample.array(shape)
        given = unless_refused(partial(gradients_of, engine, function, operands, g))
        if given is None:
            continue
        number = g.reshape(())[()]
        for got, partner, name in zip(given, reversed(operands), "xw", strict=True):
            right = np.asarray(number * partner)
            hold_equal(got, right, f"{name}'s gradient for a gradient argument {what}")
