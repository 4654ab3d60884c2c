"""The largest, smallest, product and mean of the entries along the first axis that belong to each segment."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.op import DISTINCT, Choose, Op, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.gathered.blocks import SEGMENTS, segment_sum, segment_vjp, segmenting, sent
from conformance.ops.indexing import getitem, scatter_add
from conformance.ops.rows import general, linear
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, Homogeneous

# -- references --------------------------------------------------------------------------------------


def gathered(pick: np.ufunc, x: Any, start: float, segment_ids: list[int], num_segments: int) -> Any:
    """The entries of each segment put together, from a number on, which is left where there are none."""
    places, segments = sent(segment_ids, num_segments)
    result = np.full((num_segments, *np.shape(x)[1:]), start, x.dtype)
    pick.at(result, (segments,), x[places])
    return result


@dispatched
def segment_max(x: Any, *, segment_ids: list[int], num_segments: int) -> Any:
    """The largest entry of each segment, −∞ of none."""
    return gathered(np.maximum, x, -math.inf, segment_ids, num_segments)


@dispatched
def segment_min(x: Any, *, segment_ids: list[int], num_segments: int) -> Any:
    """The smallest entry of each segment, ∞ of none."""
    return gathered(np.minimum, x, math.inf, segment_ids, num_segments)


@dispatched
def segment_prod(x: Any, *, segment_ids: list[int], num_segments: int) -> Any:
    """The product of each segment, 1 of none."""
    return gathered(np.multiply, x, 1.0, segment_ids, num_segments)


def counts(x: Any, segment_ids: list[int], num_segments: int) -> Any:
    """How many entries each segment has, at least 1, beside its values."""
    _, segments = sent(segment_ids, num_segments)
    found = np.maximum(np.bincount(np.array(segments, dtype=int), minlength=num_segments), 1)
    return found.reshape(num_segments, *[1] * (np.ndim(x) - 1)).astype(x.dtype)


@dispatched
def segment_mean(x: Any, *, segment_ids: list[int], num_segments: int) -> Any:
    """The mean of each segment, 0 of none."""
    total = segment_sum(x, segment_ids=segment_ids, num_segments=num_segments)
    return total / counts(x, segment_ids, num_segments)


# -- rules -------------------------------------------------------------------------------------------


def segment_extreme_vjp(g: Any, z: Any, x: Any, segment_ids: list[int], num_segments: int) -> Any:
    """The cotangent of each segment at the entries that are equal to it, shared equally among ties."""
    places, segments = sent(segment_ids, num_segments)
    is_chosen = getitem(x, index=(places,)) == getitem(z, index=(segments,))
    ties = scatter_add(is_chosen.astype(x.dtype), index=(segments,), shape=np.shape(z))
    share = getitem(g, index=(segments,)) / np.maximum(getitem(ties, index=(segments,)), 1)
    return scatter_add(np.where(is_chosen, share, 0), index=(places,), shape=np.shape(x))


def segment_prod_vjp(g: Any, z: Any, x: Any, segment_ids: list[int], num_segments: int) -> Any:
    """The product of the others of its segment, without dividing."""
    places, segments = sent(segment_ids, num_segments)
    is_other = np.equal.outer(segments, segments) & ~np.eye(len(segments), dtype=bool)
    rows = is_other.reshape(len(segments), len(segments), *[1] * (np.ndim(x) - 1))
    others = np.prod(np.where(rows, np.expand_dims(getitem(x, index=(places,)), axis=0), 1), axis=1)
    return scatter_add(getitem(g, index=(segments,)) * others, index=(places,), shape=np.shape(x))


def segment_mean_vjp(g: Any, x: Any, segment_ids: list[int], num_segments: int) -> Any:
    """The cotangent of each entry's segment over the number of its entries."""
    return segment_vjp(g / counts(x, segment_ids, num_segments), x, segment_ids, num_segments)


# -- rows --------------------------------------------------------------------------------------------


# Each of which has an entry: of none engines give an infinity, or their last finite number.
FULL = (
    *(call for call in SEGMENTS if {*range(call[2])} <= {*call[1]}),
    *(((4, 2, 3), [1, 0, 1, 0], 2), ((2, 1, 3, 2), [1, 0], 2), ((33,), [i * i % 7 % 3 for i in range(33)], 3), ((5, 2), [-1, 0, 7, 0, 1], 2), ((1, 3), [0], 1)),
)  # fmt: skip


def of_entries(choose: Choose) -> Signature:
    """Segments that each have an entry."""
    shape, ids, count = choose(FULL)
    return Signature((shape,), {"segment_ids": ids, "num_segments": count})


def few(choose: Choose) -> Signature:
    """Segments whose products of many entries neither overflow nor vanish."""
    shape, ids, count = choose(
        [call for call in SEGMENTS if max((call[1].count(i) for i in call[1]), default=0) < 12]
    )
    return Signature((shape,), {"segment_ids": ids, "num_segments": count})


ROWS: tuple[Op, ...] = (
    *(
        general(name, reference, segment_extreme_vjp,
            formula="x̄ᵢ = g of the segment of i where xᵢ is its z, else 0", source="max's rule on each segment; ties share equally",
            domains=[DISTINCT], law=of_entries, traits={PIECEWISE_LINEAR, Homogeneous(1)})
        for name, reference in (("segment_max", segment_max), ("segment_min", segment_min))
    ),
    general("segment_prod", segment_prod, segment_prod_vjp,
        formula="x̄ᵢ = g of the segment of i · Π xⱼ over its other entries", source="product rule on each segment; without dividing",
        law=few, traits={HOLOMORPHIC}),
    linear("segment_mean", segment_mean, segment_mean_vjp,
        formula="x̄ᵢ = g of the segment of i over the number of its entries", source="segment_sum over the number",
        law=segmenting, traits={HOLOMORPHIC}),
)  # fmt: skip
