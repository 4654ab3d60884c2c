"""Mutants whose random numbers repeat what they drew for a neighbour, or come again after a failure."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Function, as_tuple
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, behaviour
from conformance_backends.numpy_engine import drawing
from conformance_backends.numpy_engine.tensor import Tensor


def one_row(self: Any, x: Any, rate: float) -> Any:
    """One row is drawn, and dropped in all rows."""
    kept = drawing._source.generator.random(x.shape[1:]) >= rate
    scale = np.where(kept, 1 / (1 - rate) if rate < 1 else 0, 0).astype(x.dtype)
    return x * Tensor(np.broadcast_to(scale, x.shape).copy())


def half_again(self: Any, like: Any) -> Tensor:
    """The second half of the columns is the first half again."""
    drawn: Tensor = engine.bernoulli(like)
    half = like.shape[-1] // 2 if like.ndim else 0
    drawn.value[..., half : 2 * half] = drawn.value[..., :half]
    return drawn


def checkpoint_rewinds_by_failing(self: Any, function: Function) -> Function:
    """Where the function raises when it is computed again, the generator stands where it stood after its first call."""
    ends: list[Any] = []

    def noting(*operands: Any) -> Any:
        output = function(*operands)
        ends.append(drawing.drawn_so_far())
        return output

    right = engine.checkpoint(noting)

    def operation(*operands: Any) -> Any:
        output = right(*operands)
        for node in {z.node for z in as_tuple(output) if z.node is not None}:
            pullback = node.pullback

            def pulled(cotangents: Any, pullback: Any = pullback) -> Any:
                try:
                    return pullback(cotangents)
                except Exception:
                    drawing._source.generator.bit_generator.state = ends[0]
                    raise

            node.pullback = pulled
        return output

    return operation


MUTANTS: tuple[Mutant, ...] = (
    behaviour("dropout-of-one-row", "A dropout drops the same entries in every row.",
        ("contract/C12/apart",), dropout=one_row),
    behaviour("numbers-of-one-half", "The random numbers of one half of the columns are those of the other.",
        ("contract/C12/apart",), noise=half_again),
    behaviour("checkpoint-rewinds-by-failing", "After a checkpoint that could not be computed again old random numbers come again.",
        ("contract/C12/after-a-failure",), checkpoint=checkpoint_rewinds_by_failing),
)  # fmt: skip
