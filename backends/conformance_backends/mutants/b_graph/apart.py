"""Mutants that take for one what looks alike: two calls of an op, operands of equal values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.backend import Backend, Function
from conformance.ops import ALL_OPS
from conformance_backends.mutants.mutant import Mutant, SteppedTape, Wrong, altered_rule, behaviour, with_ops
from conformance_backends.numpy_engine.tensor import Tensor

Arrays = tuple[np.ndarray[Any, Any], ...]


def _shapes(operands: tuple[Any, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(np.shape(x) for x in operands)


def with_latest_operands(op: str) -> Backend:
    """An op whose rule uses the operands of its latest call with these shapes."""
    latest: dict[Any, Arrays] = {}

    def wrong(right: Any, index: int, g: Any, z: Any, *operands: Any, **parameters: Any) -> Any:
        saved = latest.get(_shapes(operands), operands)
        if any(isinstance(x, Tensor) for x in (g, *operands)):
            saved = operands
        return right(index, g, ALL_OPS[op].reference(*saved, **parameters), *saved, **parameters)

    return with_ops({op: _noting(op, wrong, latest)})


def _noting(op: str, wrong: Wrong, latest: dict[Any, Arrays]) -> Function:
    function = altered_rule(op, wrong)

    def called(*operands: Any, **parameters: Any) -> Any:
        values = tuple(np.array(x.value if isinstance(x, Tensor) else x) for x in operands)
        latest[_shapes(values)] = values
        return function(*operands, **parameters)

    return called


class OneBuffer(SteppedTape):
    """Stores each gradient where the one before was, of its shape."""

    def accumulate(self, leaf: Tensor, arrived: Any) -> None:
        """Store it as ever, then move it."""
        super().accumulate(leaf, arrived)
        assert leaf.grad is not None
        buffer = self.kept.setdefault((leaf.grad.shape, leaf.grad.dtype), np.empty_like(leaf.grad))
        buffer[...] = leaf.grad
        leaf.grad = buffer


def one_leaf_for_one_array(self: Any, value: Any) -> Any:
    """A leaf of an array of which there is a leaf already is that leaf."""
    kept = self.kept.setdefault(id(value), (value, SteppedTape.leaf(self, value)))
    return kept[1]


def equal_numbers_are_one() -> Any:
    """A product takes two leaves without axes of one number for one leaf."""

    def call(a: Any, b: Any) -> Any:
        are_leaves = all(
            isinstance(x, Tensor) and x.is_leaf and x.requires_grad and not x.ndim for x in (a, b)
        )
        return SteppedTape.ops["multiply"](a, a if are_leaves and a.value == b.value else b)

    return with_ops({"multiply": call}, SteppedTape)


def equal_operands_together(self: Any, function: Any, operands: Any) -> tuple[Any, ...]:
    """Operands of a loss that have equal values share the sum of their gradients."""
    gradients = SteppedTape.gradient(self, function, operands)
    return tuple(
        sum(g for y, g in zip(operands, gradients, strict=True) if np.array_equal(x, y)) for x in operands
    )


KILLS: Mapping[str, tuple[str, ...]] = {"matmul": ("op/calls-apart",), "tanh": ("op/calls-apart",)}
MUTANTS = (
    *(
        Mutant(
            f"{op}-with-latest-operands",
            f"The rule of {op} uses the operands of the latest call with these shapes, whichever is pulled back.",
            kills,
            lambda op=op: with_latest_operands(op),  # type: ignore[misc]
            (op,),
        )
        for op, kills in KILLS.items()
    ),
    Mutant(
        "gradients-into-one-buffer",
        "Each gradient is stored where the one before was, of its shape.",
        ("op/calls-apart",),
        OneBuffer,
        ("tanh",),
    ),
    behaviour(
        "one-leaf-for-one-array",
        "Leaves that are made of one NumPy array are one leaf.",
        ("contract/B1/one-array",),
        leaf=one_leaf_for_one_array,
    ),
    Mutant(
        "equal-0-d-leaves-are-one",
        "A product of two leaves without axes of one number sends both cotangents to the first.",
        ("contract/B1/one-array",),
        equal_numbers_are_one,
        ("multiply",),
    ),
    behaviour(
        "equal-operands-together",
        "Operands of a loss that have equal values share the sum of their gradients.",
        ("contract/B1/equal-values",),
        gradient=equal_operands_together,
    ),
)
