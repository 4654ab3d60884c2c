"""Chapter D: gradients share no memory with other arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Trace
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.observation import Observation, overwrite, plain
from conformance.checks.registry import NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, PERMUTE_DIMS, RESHAPE


@op_check("D8", "gradients-own-memory", Capability.WRITABLE)
def gradients_own_their_memory(seen: Observation) -> None:
    """Writing into one gradient changes no other gradient, no output and no operand."""
    # For a cotangent of ones a rule may return an operand itself instead of a product.
    ones = tuple(np.ones_like(g) for g in seen.case.cotangents)
    for cotangents in (seen.case.cotangents, ones) if seen.case.draw == 0 else (seen.case.cotangents,):
        _hold_own_memory(seen, cotangents)


def _hold_own_memory(seen: Observation, cotangents: tuple[Array, ...]) -> None:
    backend = seen.backend
    traced = seen.trace()
    gradients = traced.pull([backend.array(np.array(g)) for g in cotangents])
    named = [(f"operand {i}", a) for i, a in enumerate(traced.arrays)]
    named += [(f"output {i}", z) for i, z in enumerate(traced.outputs)]
    named += [(seen.label(p), g) for p, g in enumerate(gradients) if g is not None]
    values = [plain(backend, array) for _, array in named]
    first = len(named) - sum(g is not None for g in gradients)
    for position in range(first, len(named)):
        try:
            overwrite(backend, named[position][1], 7.0, named[position][0])
        except NotThisCase:
            continue
        values[position] = plain(backend, named[position][1])
        for (name, array), value in zip(named, values, strict=True):
            hold_equal(plain(backend, array), value, f"writing into {named[position][0]} changes {name}")


@contract("D8", "through-views", Capability.WRITABLE)
def gradients_through_views_own_their_memory(engine: Backend, sample: Sample) -> None:
    """Where an op's output is a view of its operand, reshaped or transposed, gradients share no memory."""
    add, transpose = engine.op(ADD), engine.call(PERMUTE_DIMS, {"axes": (1, 0)})
    flat, square = (engine.call(RESHAPE, {"shape": shape}) for shape in ((9,), (3, 3)))
    views: dict[str, Callable[[Any], Any]] = {
        "itself": lambda a: a,
        "transposed": transpose,
        "transposed twice": lambda a: transpose(transpose(a)),
        "reshaped there and back": lambda a: square(flat(a)),
    }
    for what, view in views.items():
        operands = [sample.array((3, 3)) for _ in range(2)]
        traced = engine.trace(lambda a, b, view=view: add(view(a), b), operands)
        _hold_apart(engine, traced, traced.pull([engine.array(sample.array((3, 3)))]), what)


def _hold_apart(engine: Backend, traced: Trace, gradients: Any, what: str) -> None:
    for index, gradient in enumerate(gradients):
        others = (gradients[1 - index], *traced.arrays, *traced.outputs)
        values = [plain(engine, array) for array in others]
        overwrite(engine, gradient, 7.0, f"operand {index}'s gradient")
        for array, value in zip(others, values, strict=True):
            hold_equal(
                plain(engine, array), value, f"writing into operand {index}'s gradient, {what}, changes more"
            )
