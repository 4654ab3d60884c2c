"""Mutants in which two calls of an op share what they saved, or where their gradients are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.backend import Backend, Function
from conformance.ops import ALL_OPS
from conformance_backends.mutants.mutant import Mutant, SteppedTape, Wrong, altered_rule, with_ops
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
)
