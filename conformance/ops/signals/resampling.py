"""Signals, images and volumes at another size, one axis after another.

Places are those that most engines document: where ends are aligned, the first and the last sample stand above each other; else
the ends of the intervals around them do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Choose, Op, Shape, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import along, scatter_add
from conformance.ops.rows import linear
from conformance.ops.traits import HOLOMORPHIC

FIRST = 2  # axis that is resampled; before it are the batch and the channels

# -- places ------------------------------------------------------------------------------------------


def nearest_places(before: int, after: int, mode: str) -> Any:
    """The sample that each new one copies: below its place, or the one that is nearest to the middle of its interval."""
    new = np.arange(after)
    return (2 * new + 1) * before // (2 * after) if mode == "nearest-exact" else new * before // after


def weighted_places(before: int, after: int, like: Any, align_corners: bool | None) -> Any:
    """For each new sample the old ones on both sides, and the share of the second.

    They are computed in the precision of `like`, as engines compute them.
    """
    new = np.full_like(np.real(like), np.arange(after), shape=(after,))
    if align_corners:
        place = new * (before - 1) / max(after - 1, 1)
    else:
        place = np.maximum((new + 0.5) * before / after - 0.5, 0)
    left = np.asarray(place).astype(int)
    return left, np.minimum(left + 1, before - 1), place - left.astype(place.dtype)


def with_shares(x: Any, share: Any, axis: int) -> Any:
    """The shares along an axis of `x`."""
    return np.reshape(share, shape=(-1,) + (1,) * (np.ndim(x) - axis - 1))


# -- the op and its transpose ------------------------------------------------------------------------


def resampled(x: Any, after: int, axis: int, mode: str, align_corners: bool | None) -> Any:
    """`x` at another size along an axis."""
    before = np.shape(x)[axis]
    if mode != "linear":
        return np.take(x, nearest_places(before, after, mode), axis=axis)
    left, right, share = weighted_places(before, after, x, align_corners)
    share = with_shares(x, share, axis)
    return (1 - share) * np.take(x, left, axis=axis) + share * np.take(x, right, axis=axis)


def unresampled(g: Any, before: int, axis: int, mode: str, align_corners: bool | None) -> Any:
    """The transpose of `resampled`: each cotangent added at the places that it was taken from."""
    shape = (*np.shape(g)[:axis], before, *np.shape(g)[axis + 1 :])

    def added(cotangents: Any, places: Any) -> Any:
        return scatter_add(cotangents, index=along(axis, len(shape), places), shape=shape)

    after = np.shape(g)[axis]
    if mode != "linear":
        return added(g, nearest_places(before, after, mode))
    left, right, share = weighted_places(before, after, g, align_corners)
    share = with_shares(g, share, axis)
    return added((1 - share) * g, left) + added(share * g, right)


@dispatched
def interpolate(x: Any, *, size: tuple[int, ...], mode: str, align_corners: bool | None) -> Any:
    """`x` with axes of `size` behind those of the batch and the channels."""
    for axis, after in enumerate(size, FIRST):
        x = resampled(x, after, axis, mode, align_corners)
    return x


def interpolate_transposed(
    g: Any, x: Any, size: tuple[int, ...], mode: str, align_corners: bool | None
) -> Any:
    """The transposes of the axes."""
    for axis in range(FIRST, FIRST + len(size)):
        g = unresampled(g, np.shape(x)[axis], axis, mode, align_corners)
    return g


# -- the law and the row -----------------------------------------------------------------------------

# Shapes, and sizes that are larger, smaller, the same, whole multiples and not, and 1.
SIZES: tuple[tuple[Shape, tuple[Shape, ...]], ...] = (
    ((1, 2, 3, 3), ((6, 6), (5, 2), (3, 3), (1, 4), (2, 2))),
    ((2, 1, 2, 4), ((4, 8), (3, 3), (2, 1), (1, 1))),
    ((1, 3, 1, 5), ((2, 3), (1, 10))),
    ((1, 2, 3), ((7,), (2,), (6,), (1,))),
    ((2, 3, 1), ((1,), (4,))),
    ((1, 1, 17), ((8,), (33,))),
    ((1, 2, 2, 3, 2), ((4, 2, 3), (1, 6, 4))),
)
# Many new samples take shares of the same two: what is kept of each is more than the square of the old length.
ENLARGED: tuple[tuple[Shape, tuple[Shape, ...]], ...] = (
    ((1, 1, 2), ((10,), (17,))),
    ((2, 1, 2, 3), ((9, 20), (11, 3))),
)
SHARED = (("linear", True), ("linear", False))  # modes that take shares


def resizing(choose: Choose) -> Signature:
    """A signal, an image or a volume, the new size of its axes, and how it is found."""
    shape, sizes = choose(SIZES + ENLARGED)
    modes = SHARED if (shape, sizes) in ENLARGED else (*SHARED, ("nearest", None), ("nearest-exact", None))
    mode, align_corners = choose(modes)
    return Signature((shape,), {"size": choose(sizes), "mode": mode, "align_corners": align_corners})


ROWS: tuple[Op, ...] = (
    linear("interpolate", interpolate, interpolate_transposed,
        formula="x̄[i] = Σ w g over the new samples that take the share w of sample i",
        source="linear; the transpose of taking shares adds them back", law=resizing, aliases=("upsample",),
        traits={HOLOMORPHIC}),
)  # fmt: skip
