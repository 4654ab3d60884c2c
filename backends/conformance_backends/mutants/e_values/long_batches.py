"""Mutants that are wrong for batches of a thousand examples, or add up thousands in half precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.e_values.half_precision import narrow_sum, precision
from conformance_backends.mutants.mutant import Mutant, rule, value

BLOCK = 64  # entries along an axis
TABLE = 768  # rows of a buffer in which an engine works


def rows_added_one_by_one(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """The gradient of a vector that is added to every row is added up row by row."""
    pulled = right(i, g, z, *xs)
    if i != 2 or np.ndim(g) < 2:
        return pulled
    rows = np.reshape(g, (-1, np.shape(g)[-1]))
    return np.array([narrow_sum(column, "bfloat16") for column in rows.T], pulled.dtype).reshape(pulled.shape)


def without_the_last_of_many(right: Any, i: int, g: Any, z: Any, *xs: Any, **parameters: Any) -> Any:
    """Of more examples than a buffer has rows the last pulls nothing back."""
    g = np.asarray(g)
    kept = g if g.ndim == 0 or len(g) <= TABLE else np.concatenate([g[:-1], np.zeros_like(g[-1:])])
    return right(i, kept, z, *xs, **parameters)


def begun_anew(right: Any, *xs: Any, **parameters: Any) -> Any:
    """What lies behind the rows of a buffer is computed of the first rows again."""
    z = np.array(right(*xs, **parameters))
    if z.ndim and len(z) > TABLE:
        z[TABLE:] = z[: len(z) - TABLE]
    return z


def begun_anew_every_block(right: Any, x: Any, axis: int, **parameters: Any) -> Any:
    """Behind a block of 64 entries the scan begins anew."""
    x = np.asarray(x)
    if x.ndim == 0 or x.shape[axis] <= BLOCK:
        return right(x, axis=axis, **parameters)
    first, rest = np.split(x, [BLOCK], axis=axis)
    return np.concatenate(
        [right(first, axis=axis, **parameters), right(rest, axis=axis, **parameters)], axis=axis
    )


MUTANTS: tuple[Mutant, ...] = (
    value("scan-in-blocks", "Behind 64 entries a running sum, or what continues a phase, begins anew.",
        ("op/long-axis",), ("cumulative_sum", "unwrap"), begun_anew_every_block),
    rule("last-of-many-examples-lost", "Of more than 768 examples the last pulls nothing back.",
        ("op/thousand-examples",), ("embedding", "conv2d", "layer_norm"), without_the_last_of_many),
    value("rows-behind-a-buffer-begun-anew", "The rows of a matrix product behind the first 768 are the first again.",
        ("op/thousand-examples",), ("matmul",), begun_anew),
    precision("rows-added-in-bfloat16", "What the rows of a batch share is added up in bfloat16, one row at a time.",
        ("op/long-batch",), ("linear",), "bfloat16", rows_added_one_by_one),
)  # fmt: skip
