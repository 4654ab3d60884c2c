"""Gradients of several outputs, with respect to any tensors of their graph: leaves, and results on the way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance_backends.numpy_engine.graph import backward_pass, no_grad
from conformance_backends.numpy_engine.seeds import seed
from conformance_backends.numpy_engine.tensor import Tensor, edge_of


def gradients(
    outputs: Sequence[Tensor], tensors: Sequence[Tensor], cotangents: Sequence[Tensor | None]
) -> tuple[Tensor | None, ...]:
    """The gradients of the sum of all outputs, each weighted by its cotangent.

    The cotangent of a result on the way is complete when the backward pass comes to its node: the pass notes it, and goes
    on. No `grad` is changed.

    Args:
        outputs: of one graph or several; one may be computed from another.
        tensors: those by which gradients are wanted: leaves, results on the way, outputs.
        cotangents: one for each output, of its shape; None for a scalar's seed, 1.

    Returns:
        One gradient for each tensor; None where no output depends on it.

    Raises:
        ValueError, TypeError: as `Tensor.backward` does.
    """
    seeds = [
        (edge, seed(z, g).value)
        for z, g in zip(outputs, cotangents, strict=True)
        if (edge := edge_of(z)) is not None
    ]
    wanted = [edge_of(x) for x in tensors]
    with no_grad():
        found = backward_pass(seeds, on_the_way={edge[0] for edge in wanted if edge})
    arrived = [found.get(edge[0], [])[edge[1] :] if edge else [] for edge in wanted]
    # Each in memory of its own: what a rule returns may be its cotangent itself, for several operands.
    return tuple(None if not slots or slots[0] is None else Tensor(np.array(slots[0])) for slots in arrived)
