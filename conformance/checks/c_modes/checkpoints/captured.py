"""What a checkpointed function captures by one of its outputs, or far from them (C6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, MULTIPLY
from conformance.parameters import of_engine

FAR = 100  # ops between what is captured and the output


@contract("C6", "captured-by-one-output", Capability.CHECKPOINTING)
def what_one_output_captures_has_its_gradient(engine: Backend, sample: Sample) -> None:
    """What one output of a checkpoint alone captures has its gradient, be it the first or the last, also beside an output that is a constant."""
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)
    x, w, g = (sample.array((3,)) for _ in range(3))
    constant = engine.array(np.array(sample.array((3,))))
    for which in (0, 1):

        def both(a: Any, b: Any, which: int = which) -> Any:
            def function(row: Any) -> Any:
                outputs = multiply(row, row), multiply(row, b)
                return outputs if which else outputs[::-1]

            return add(*engine.checkpoint(function)(a))

        got = gradients_of(engine, both, [x, w], g)
        what = f"x² + x w, outputs of a checkpoint of which number {which} captures w"
        for gradient, right, name in zip(got, (2 * g * x + g * w, g * x), "xw", strict=True):
            hold_equal(gradient, right, f"{name}'s gradient of {what}")

        def beside(a: Any, b: Any, which: int = which) -> Any:
            def function(row: Any) -> Any:
                product = multiply(row, b)
                return (constant, product) if which else (product, constant)

            return engine.checkpoint(function)(a)[which]

        got = gradients_of(engine, beside, [x, w], g)
        what = f"x w, output {which} of a checkpoint whose other one is a constant"
        for gradient, right, name in zip(got, (g * w, g * x), "xw", strict=True):
            hold_equal(gradient, right, f"{name}'s gradient of {what}")


@contract("C6", "captured-far", Capability.CHECKPOINTING)
def what_is_captured_far_from_the_output_has_its_gradient(engine: Backend, sample: Sample) -> None:
    """What a checkpointed function of many ops captures in the first of them has its gradient."""
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)
    x, w, g = (sample.array((3,)) for _ in range(3))
    constant = engine.array(np.array(sample.array((3,))))

    def function(a: Any, b: Any) -> Any:
        def long(row: Any) -> Any:
            value = multiply(row, b)
            for _ in range(FAR):
                value = add(value, constant)
            return value

        return of_engine(engine.checkpoint(long))(a)

    got = gradients_of(engine, function, [x, w], g)
    for gradient, right, name in zip(got, (g * w, g * x), "xw", strict=True):
        hold_equal(gradient, right, f"{name}'s gradient of x w, {FAR} sums before the output of a checkpoint")
