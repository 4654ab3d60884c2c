"""Mutants that are wrong for arrays used several times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, with_ops
from conformance_backends.numpy_engine.graph import Node
from conformance_backends.numpy_engine.tensor import Tensor


def one_output_at_a_time(name: str) -> Callable[[], Any]:
    """An op of several outputs uses the cotangent of one of them, whichever others arrive with it."""

    def call(*operands: Any, **parameters: Any) -> Any:
        outputs = SteppedTape.ops[name](*operands, **parameters)
        node = outputs[0].node
        if node is not None:
            node.pullback = _with_the_last_alone(node)
        return outputs

    return lambda: with_ops({name: call}, SteppedTape)


def _with_the_last_alone(node: Node) -> Any:
    right = node.pullback
    return lambda cotangents: right([*[None] * (len(cotangents) - 1), cotangents[-1]])


def same_operand_once(name: str) -> Callable[[], Any]:
    """An op that is called with one array twice sends its cotangent to one place only."""

    def call(a: Any, b: Any, **parameters: Any) -> Any:
        return SteppedTape.ops[name](a, engine.detach(b) if a is b else b, **parameters)

    return lambda: with_ops({name: call}, SteppedTape)


def equal_leaves_are_one(name: str) -> Callable[[], Any]:
    """An op takes two leaves of equal values for one."""

    def call(a: Any, b: Any, **parameters: Any) -> Any:
        is_equal = isinstance(a, Tensor) and isinstance(b, Tensor) and np.array_equal(a.value, b.value)
        return SteppedTape.ops[name](a, a if is_equal else b, **parameters)

    return lambda: with_ops({name: call}, SteppedTape)


def pulled_once_per_array(self: Any, function: Any, operands: Any, wrt: Any = None) -> Any:
    """Where a function returns one array twice, the cotangent of the second place is dropped."""
    traced = SteppedTape.trace(self, function, operands, wrt)

    def pull(cotangents: Any) -> Any:
        first = {id(z): i for i, z in reversed([*enumerate(traced.outputs)])}
        kept = [
            g if first[id(z)] == i else self.array(np.zeros(z.shape, z.dtype))
            for i, (z, g) in enumerate(zip(traced.outputs, cotangents, strict=True))
        ]
        return traced.pull(kept)

    return type(traced)(traced.arrays, traced.outputs, pull)


OUTPUTS, OPERANDS = ("contract/B1/output-uses",), ("contract/B1/same-operand-twice",)

MUTANTS: tuple[Mutant, ...] = (
    Mutant("last-part-alone", "Where several parts of a split are used, the last one's cotangent counts alone.",
        OUTPUTS, one_output_at_a_time("split"), ("split",)),
    Mutant("power-of-itself", "x to the x sends a cotangent to one of its operands only.",
        OPERANDS, same_operand_once("pow"), ("pow",)),
    Mutant("equal-leaves-are-one", "A hypotenuse of two leaves of equal values sends both cotangents to the first.",
        OPERANDS, equal_leaves_are_one("hypot"), ("hypot",)),
    behaviour("returned-twice-counts-once", "Of an array that is returned twice the second cotangent is dropped.",
        ("contract/B1/returned-twice",), trace=pulled_once_per_array),
)  # fmt: skip
