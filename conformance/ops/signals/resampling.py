"""Signals, images and volumes at another size, one axis after another.

Places are those that most engines document: where ends are aligned, the first and the last sample stand above each other; else
the ends of the intervals around them do.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.op import Choose, Op, Shape, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import along, scatter_add
from conformance.ops.rows import linear
from conformance.ops.traits import HOLOMORPHIC

SLOPE = (
    -0.75
)  # of the cubic at the neighbours of a sample: Keys 1981 has -0.5, images are mostly resized with this
FIRST = 2  # axis that is resampled; before it are the batch and the channels

# -- places ------------------------------------------------------------------------------------------


def nearest_places(before: int, after: int, mode: str, step: float | None) -> Any:
    """The sample that each new one copies: below its place, or the one that is nearest to the middle of its interval."""
    new = np.arange(after)
    if step is not None:
        return np.minimum(((new + 0.5 * (mode == "nearest-exact")) * step).astype(int), before - 1)
    return (2 * new + 1) * before // (2 * after) if mode == "nearest-exact" else new * before // after


def real_places(before: int, after: int, like: Any, align_corners: bool | None, step: float | None) -> Any:
    """Where each new sample stands among the old ones.

    They are computed in the precision of `like`, as engines compute them.
    """
    new = np.full_like(np.real(like), np.arange(after), shape=(after,))
    if align_corners:
        return new * (before - 1) / max(after - 1, 1)
    return ((new + 0.5) * before / after if step is None else (new + 0.5) * step) - 0.5


def cubic_shares(share: Any) -> tuple[Any, ...]:
    """What the four samples around a place contribute that lies so far behind the second of them."""

    def near(t: Any) -> Any:
        return ((SLOPE + 2) * t - (SLOPE + 3)) * t * t + 1

    def far(t: Any) -> Any:
        return ((SLOPE * t - 5 * SLOPE) * t + 8 * SLOPE) * t - 4 * SLOPE

    return far(share + 1), near(share), near(1 - share), far(2 - share)


def contributions(
    before: int, after: int, like: Any, mode: str, align_corners: bool | None, step: float | None
) -> list[tuple[Any, Any]]:
    """For each new sample the old ones that it is made of, and the share of each."""
    if mode.startswith("nearest"):
        return [(nearest_places(before, after, mode, step), np.ones(after, np.real(like).dtype))]
    place = np.asarray(real_places(before, after, like, align_corners, step))
    if mode == "linear":
        place = np.maximum(place, 0)
    left = np.floor(place).astype(int)
    share = place - left.astype(place.dtype)
    shares = (1 - share, share) if mode == "linear" else cubic_shares(share)
    first = left - (len(shares) // 2 - 1)
    return [(np.clip(first + i, 0, before - 1), each) for i, each in enumerate(shares)]


def with_shares(x: Any, share: Any, axis: int) -> Any:
    """The shares along an axis of `x`."""
    return np.reshape(share, shape=(-1,) + (1,) * (np.ndim(x) - axis - 1))


# -- the ops and their transposes ----------------------------------------------------------------------


def resampled(
    x: Any, axis: int, after: int, mode: str, align_corners: bool | None, step: float | None
) -> Any:
    """`x` at another size along an axis."""
    before = np.shape(x)[axis]
    if mode.startswith("nearest"):
        return np.take(x, nearest_places(before, after, mode, step), axis=axis)
    parts = contributions(before, after, x, mode, align_corners, step)
    return sum(with_shares(x, share, axis) * np.take(x, places, axis=axis) for places, share in parts)


def unresampled(
    g: Any, axis: int, before: int, mode: str, align_corners: bool | None, step: float | None
) -> Any:
    """The transpose of `resampled`: each cotangent added at the places that it was taken from."""
    shape = (*np.shape(g)[:axis], before, *np.shape(g)[axis + 1 :])

    def added(cotangents: Any, places: Any) -> Any:
        return scatter_add(cotangents, index=along(axis, len(shape), places), shape=shape)

    after = np.shape(g)[axis]
    if mode.startswith("nearest"):
        return added(g, nearest_places(before, after, mode, step))
    parts = contributions(before, after, g, mode, align_corners, step)
    return sum(added(with_shares(g, share, axis) * g, places) for places, share in parts)


@dispatched
def interpolate(x: Any, *, size: tuple[int, ...], mode: str, align_corners: bool | None) -> Any:
    """`x` with axes of `size` behind those of the batch and the channels."""
    for axis, after in enumerate(size, FIRST):
        x = resampled(x, axis, after, mode, align_corners, None)
    return x


def interpolate_transposed(
    g: Any, x: Any, size: tuple[int, ...], mode: str, align_corners: bool | None
) -> Any:
    """The transposes of the axes."""
    for axis in range(FIRST, FIRST + len(size)):
        g = unresampled(g, axis, np.shape(x)[axis], mode, align_corners, None)
    return g


@dispatched
def interpolate_by_factor(
    x: Any, *, scale_factor: tuple[float, ...], mode: str, align_corners: bool | None
) -> Any:
    """`x` with axes of so many times their size; samples are as far apart as the factor says, whatever the size is rounded to."""
    for axis, factor in enumerate(scale_factor, FIRST):
        x = resampled(x, axis, int(x.shape[axis] * factor), mode, align_corners, 1 / factor)
    return x


def interpolate_by_factor_transposed(
    g: Any, x: Any, scale_factor: tuple[float, ...], mode: str, align_corners: bool | None
) -> Any:
    """The transposes of the axes."""
    for axis, factor in enumerate(scale_factor, FIRST):
        g = unresampled(g, axis, np.shape(x)[axis], mode, align_corners, 1 / factor)
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
    ((1, 1, 1), ((1,), (3,))),
    ((1, 2, 2, 3, 2), ((4, 2, 3), (1, 6, 4))),
)
# Many new samples take shares of the same two: what is kept of each is more than the square of the old length.
ENLARGED: tuple[tuple[Shape, tuple[Shape, ...]], ...] = (
    ((1, 1, 2), ((10,), (17,))),
    ((2, 1, 2, 3), ((9, 20), (11, 3))),
)
# Places that are whole numbers, which a quotient rounded first, or one of single precision, may miss by one.
WHOLE: tuple[tuple[Shape, tuple[Shape, ...]], ...] = (
    ((1, 1, 26), ((14,), (22,))),
    ((1, 1, 30), ((26,),)),
    ((1, 1, 14), ((18,),)),
)
SHARED = (("linear", True), ("linear", False))  # modes that take shares
COPIED = (("nearest", None), ("nearest-exact", None))
IMAGE = 4  # axes of images, which are resized by cubics, too
CUBIC = (("cubic", False), ("cubic", True))
# Shapes, and factors of their axes; samples are copied by powers of two alone, whose inverses are exact.
FACTORS: tuple[tuple[Shape, tuple[tuple[float, ...], ...]], ...] = (
    ((1, 2, 3, 3), ((2.0, 2.0), (1.5, 1.5), (0.7, 2.5), (0.5, 4.0))),
    ((2, 1, 2, 4), ((1.5, 0.75), (2.0, 0.5), (0.5, 0.25))),
    ((1, 2, 3), ((1.5,), (0.7,), (2.0,), (0.5,))),
    ((2, 3, 1), ((2.5,), (1.0,))),
    ((1, 1, 17), ((0.3,), (2.0,))),
    ((1, 2, 2, 3, 2), ((1.5, 0.7, 2.0), (2.0, 0.5, 1.0))),
)


def resizing(choose: Choose) -> Signature:
    """A signal, an image or a volume, the new size of its axes, and how it is found."""
    shape, sizes = choose(SIZES + ENLARGED + WHOLE)
    modes = (*SHARED, *(CUBIC if len(shape) == IMAGE else ()))
    if (shape, sizes) not in ENLARGED:
        modes = COPIED[:1] if (shape, sizes) in WHOLE else (*modes, *COPIED)
    mode, align_corners = choose(modes)
    return Signature((shape,), {"size": choose(sizes), "mode": mode, "align_corners": align_corners})


def resizing_by_factor(choose: Choose) -> Signature:
    """A signal, an image or a volume, the factors of its axes, and how the new samples are found."""
    shape, factors = choose(FACTORS)
    factor = choose(factors)
    modes = (*SHARED, *(CUBIC if len(shape) == IMAGE else ()))
    if all(math.log2(n).is_integer() for n in factor):
        modes = (*modes, *COPIED)
    mode, align_corners = choose(modes)
    return Signature((shape,), {"scale_factor": factor, "mode": mode, "align_corners": align_corners})


ROWS: tuple[Op, ...] = (
    linear("interpolate", interpolate, interpolate_transposed,
        formula="x̄[i] = Σ w g over the new samples that take the share w of sample i",
        source="linear; the transpose of taking shares adds them back", law=resizing, aliases=("upsample",),
        traits={HOLOMORPHIC}),
    linear("interpolate_by_factor", interpolate_by_factor, interpolate_by_factor_transposed,
        formula="x̄[i] = Σ w g over the new samples that take the share w of sample i",
        source="interpolate's rule; places are those of the factor, not of the size", law=resizing_by_factor,
        traits={HOLOMORPHIC}),
)  # fmt: skip
