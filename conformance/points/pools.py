"""Special points of the largest entries of windows of signals, images and volumes: ties, infinities, margins, what is no number."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.points.constructors import INF, NAN, SHARED, border, limit, tie, valued
from conformance.points.point import SpecialPoint


def geometry(rank: int, padding: int = 0) -> dict[str, Any]:
    """Windows of two entries along each axis, side by side."""
    if rank == 1:
        return {"kernel_size": 2, "stride": 2, "padding": padding, "dilation": 1, "ceil_mode": False}
    each = {"kernel_size": 2, "stride": 2, "padding": padding, "dilation": 1}
    return {**{name: (n,) * rank for name, n in each.items()}, "ceil_mode": False}


def window(rank: int, *entries: float) -> Any:
    """One example with one channel of one window, with these entries."""
    return np.reshape(entries, (1, 1) + (2,) * rank).tolist()


def entry(rank: int, value: float) -> Any:
    """One example with one channel of one entry."""
    return np.full((1, 1) + (1,) * rank, value).tolist()


def beside_the_margin(op: str, rank: int) -> tuple[SpecialPoint, ...]:
    """One entry in a window of a margin: below zero, and no greater than what the margin holds."""
    return (
        limit(op, "below-0-beside-the-margin", (entry(rank, -3.0),), (1.0,), **geometry(rank, 1)),
        border(op, "minus-infinity-beside-the-margin", (entry(rank, -INF),),
            {"zero": (0.0,), "one": (1.0,), SHARED: (0.5**rank,)}, **geometry(rank, 1)),
    )  # fmt: skip


def of_rank(op: str, rank: int) -> tuple[SpecialPoint, ...]:
    """The ties of the entries of one window."""
    count = 2**rank
    places = [(0, 0, *np.unravel_index(i, (2,) * rank)) for i in range(count)]
    others = [2.0] * (count - 2)
    return (
        tie(op, "tie-of-2", window(rank, *others, 5.0, 5.0), places[-2:], **geometry(rank)),
        tie(op, "tie-at-minus-infinity", window(rank, *[-INF] * count), places, **geometry(rank)),
        tie(op, "all-equal", window(rank, *[5.0] * count), places, **geometry(rank)),
        limit(op, "minus-infinity-beside-a-number", (window(rank, *[-INF] * (count - 1), -3.0),),
            (window(rank, *[0.0] * (count - 1), 1.0),), **geometry(rank)),
    )  # fmt: skip


def not_numbers(op: str, rank: int) -> tuple[SpecialPoint, ...]:
    """What is no number is the value of its window, wherever it stands; a window of -inf has that value, beside a margin too."""
    count = 2**rank
    first, last = (NAN, *range(1, count)), (*range(1, count), NAN)
    return (
        valued(op, "nan-first", (window(rank, *first),), **geometry(rank)),
        valued(op, "nan-last", (window(rank, *last),), **geometry(rank)),
        valued(op, "nan-beside-the-margin", (entry(rank, NAN),), **geometry(rank, 1)),
        valued(op, "window-of-minus-infinity", (window(rank, *[-INF] * count),), **geometry(rank)),
        valued(op, "margin-around-minus-infinity", (entry(rank, -INF),), **geometry(rank, 1)),
    )


POINTS: tuple[SpecialPoint, ...] = (
    *of_rank("max_pool1d", 1),
    *of_rank("max_pool3d", 3),
    *(point for rank in (1, 3) for point in beside_the_margin(f"max_pool{rank}d", rank)),
    beside_the_margin("max_pool2d", 2)[0],
    *(point for rank in (1, 2, 3) for point in not_numbers(f"max_pool{rank}d", rank)),
)
