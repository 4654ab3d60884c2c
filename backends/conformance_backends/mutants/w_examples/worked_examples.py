"""Mutants that fail only the worked examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.a_results.seeds import fitted
from conformance_backends.mutants.c_modes.rules.custom_rules import custom_with
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of


def with_ones(rule: Any, g: Any, xs: Any) -> Any:
    """The rule receives ones, and its results are multiplied by the cotangent."""
    return [
        None if p is None else p * g if np.shape(p) == np.shape(g) else p for p in rule(np.ones_like(g), *xs)
    ]


def trailing_none_dropped(rule: Any, g: Any, xs: Any) -> Any:
    """A trailing None is ignored."""
    pulled = rule(g, *xs)
    return pulled[:-1] if len(pulled) == len(xs) + 1 and pulled[-1] is None else pulled


def bias_from_one_row(rule: Any, g: Any, xs: Any) -> Any:
    """A third result is averaged over the batch instead of summed."""
    pulled = list(rule(g, *xs))
    if len(pulled) > 2 and np.shape(pulled[2])[:1] == (1,):
        pulled[2] = pulled[2] / len(g)
    return pulled


def only_if_all_need(self: Any, forward: Any, backward: Any) -> Any:
    """A custom rule is used only where every operand requires a gradient."""
    operation = engine.custom(forward, backward)

    def call(*operands: Any) -> Any:
        if all(edge_of(x) is not None for x in operands):
            return operation(*operands)
        return operation(*map(detach, operands))

    return call


def truncated_to_output(self: Any, output: Tensor, gradient: Any) -> Any:
    """A gradient argument that is too large is truncated."""
    return fitted(output, gradient, lambda g: g[tuple(map(slice, output.shape))].reshape(output.shape))


MUTANTS: tuple[Mutant, ...] = (
    behaviour("rule-gets-ones", "A custom rule receives ones, and its results are multiplied by the cotangent.",
        ("example/W4/custom-linear",), custom=custom_with(with_ones)),
    behaviour("rule-averages-bias", "The third result of a custom rule is averaged over the batch.",
        ("example/W4/custom-linear",), custom=custom_with(bias_from_one_row)),
    behaviour("rule-needs-all", "A custom rule is dropped where an operand is constant.",
        ("example/W4/custom-linear",), custom=only_if_all_need),
    behaviour("trailing-none-tolerated", "A trailing None is tolerated, though the adapter declares refusal.",
        ("example/W4/trailing-none",), custom=custom_with(trailing_none_dropped)),
    behaviour("declares-tolerance-refuses", "The adapter declares that a trailing None is tolerated, and it is refused.",
        ("example/W4/trailing-none",), conventions={**SteppedTape.conventions, "C5": "tolerated"}),
    behaviour("gradient-truncated", "A gradient argument that is too large is truncated to the output's shape.",
        ("example/W1/matmul-upstream",), seed=truncated_to_output),
)  # fmt: skip
