"""Wrong rules that do not look at a parameter: of windows, factors, bags, losses and resampling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.op import Shape
from conformance.ops.laws.windows import window_counts
from conformance.ops.signals.resampling import interpolate_transposed
from conformance_backends.mutants.mutant import Wrong

# -- windows -----------------------------------------------------------------------------------------


def each_axis(value: Any) -> Shape:
    """A number for each axis, of one axis too."""
    return value if isinstance(value, tuple) else (value,)


def of_whole_windows(right: Any, i: int, g: Any, z: Any, x: Any, *, ceil_mode: bool, **p: Any) -> Any:
    """Windows that reach beyond the margin are left out."""
    ones = (1,) * (x.ndim - 2)
    geometry = (each_axis(p.get(name, ones)) for name in ("kernel_size", "stride", "padding", "dilation"))
    counts = window_counts(x.shape[2:], *geometry)
    if 0 in counts:
        return np.zeros_like(x)
    first = (..., *(slice(count) for count in counts))
    return right(i, g[first], z[first], x, ceil_mode=False, **p)


def counting_what_is_beyond(right: Any, i: int, g: Any, z: Any, x: Any, *, ceil_mode: bool, **p: Any) -> Any:
    """Every window is divided by its size."""
    pulled = right(i, g, z, x, ceil_mode=ceil_mode, **p)
    if not ceil_mode or not p["count_include_pad"]:
        return pulled
    size = math.prod(each_axis(p["kernel_size"]))
    return right(i, g, z, x, ceil_mode=True, **{**p, "divisor_override": size})


def by_the_windows(right: Any, i: int, g: Any, z: Any, x: Any, *, divisor_override: Any, **p: Any) -> Any:
    """The sums of windows are divided by how many entries they count."""
    return right(i, g, z, x, divisor_override=None, **p)


def without_gaps(right: Any, i: int, g: Any, z: Any, x: Any, *, dilation: Any, **p: Any) -> Any:
    """The first entries of a window whose entries are apart receive the cotangents of the largest."""
    shift = [gap - 1 for gap in each_axis(dilation)]
    pulled = right(i, g, z, x, dilation=dilation, **p)
    return np.roll(pulled, shift, axis=tuple(range(2, x.ndim)))


# -- any parameter -----------------------------------------------------------------------------------


def as_if(**settings: Any) -> Wrong:
    """The parameters have these values, whatever they are."""

    def wrong(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
        return right(i, g, z, *xs, **{**p, **settings})

    return wrong


# -- bags, gathered entries, losses and resampling -----------------------------------------------------


def without_shares(
    right: Any, i: int, g: Any, z: Any, weight: Any, indices: Any, shares: Any, **p: Any
) -> Any:
    """Every row of a bag counts once."""
    return right(i, g, z, weight, indices, np.ones_like(shares), **p)


def nothing_beyond(
    right: Any, i: int, g: Any, z: Any, x: Any, index: Any, values: Any, *, axis: int, **p: Any
) -> Any:
    """Entries that the index does not reach receive nothing."""
    pulled = right(i, g, z, x, index, values, axis=axis, **p)
    if i == 0:
        for other in range(x.ndim):
            if other != axis % x.ndim:
                np.moveaxis(pulled, other, 0)[index.shape[other] :] = 0
    return pulled


def picked_once(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """What was picked several times receives a mean."""
    counts = right(i, np.ones_like(g), z, *xs, **p)
    return right(i, g, z, *xs, **p) / np.maximum(counts, 1)


def linear_for_cubic(right: Any, i: int, g: Any, z: Any, x: Any, *, mode: str, **p: Any) -> Any:
    """Cubics are lines."""
    return right(i, g, z, x, mode="linear" if mode == "cubic" else mode, **p)


def by_a_single_quotient(right: Any, i: int, g: Any, z: Any, x: Any, *, mode: str, **p: Any) -> Any:
    """Places are multiples of a quotient in single precision."""
    if mode != "nearest":
        return right(i, g, z, x, mode=mode, **p)
    pulled = np.zeros_like(x)
    steps = [np.float32(old / new) for old, new in zip(x.shape[2:], g.shape[2:], strict=True)]
    places = [np.minimum((s * np.arange(n)).astype(int), old - 1) for s, n, old in zip(steps, g.shape[2:], x.shape[2:], strict=True)]  # fmt: skip
    np.add.at(pulled, (..., *np.ix_(*places)), g)
    return pulled


def by_the_size(right: Any, i: int, g: Any, z: Any, x: Any, *, scale_factor: Any, **p: Any) -> Any:
    """Samples are as far apart as the sizes say."""
    return interpolate_transposed(g, x, size=g.shape[2:], **p)


# -- sequences, tables and integrals -------------------------------------------------------------------


def of_the_last_step(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Of the sequence's cotangents the last step's counts alone."""
    steps = g[0] * (np.arange(len(g[0])) == len(g[0]) - 1).astype(g[0].dtype)[:, None, None]
    return right(i, (steps, *g[1:]), z, *xs)


def without_the_last_state(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """The last state's cotangent is left out."""
    return right(i, (g[0], 0 * g[1], *g[2:]), z, *xs)


def where_nothing_is_added(right: Any, i: int, g: Any, z: Any, x: Any, **p: Any) -> Any:
    """What a period is added to receives nothing."""
    return right(i, g, z, x, **p) * (z == x)


def of_both_parts(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The whole part passes its cotangent on."""
    return g[0] + g[1]


def letters_averaged(right: Any, i: int, g: Any, z: Any, *xs: Any, subscripts: str) -> Any:
    """Of factors of many entries a letter that stands in one of them alone is averaged over, not summed."""
    terms, _, result = subscripts.partition("->")
    own, *others = (*terms.split(",")[i:], *terms.split(",")[:i])
    alone = [
        n for n, letter in zip(np.shape(xs[i]), own, strict=False) if letter not in result + "".join(others)
    ]
    is_large = min(map(np.size, xs)) > 1024 and "..." not in subscripts and len(xs) > 1
    return right(i, g, z, *xs, subscripts=subscripts) / (math.prod(alone) if is_large else 1)


def of_the_other_sign(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The exponent has the other sign."""
    return right(i, g, z, x) * np.exp(-2 * x)


def diagonals_of_the_first(right: Any, i: int, g: Any, z: Any, *xs: Any, subscripts: str) -> Any:
    """A factor behind the first that has a letter twice receives nothing."""
    own = subscripts.partition("->")[0].split(",")[i].replace("...", "")
    return right(i, g, z, *xs, subscripts=subscripts) * float(i == 0 or len(set(own)) == len(own))


def one_axis_of_stacks_summed(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Of the axes of a stack beside a matrix the first is summed over, and of the second the first entry is taken."""
    other = xs[1 - i]
    if xs[i].ndim != 2 or other.ndim < 4 or not other.size:
        return right(i, g, z, *xs)
    first = (slice(None), slice(0, 1))
    return right(i, g[first], z[first], *(x if x is xs[i] else x[first] for x in xs))


OF_PARAMETERS: tuple[tuple[str, str, str, Wrong], ...] = (
    *((f"whole-windows-{op}", f"The gradient of {op} leaves out the windows that reach beyond the margin.", op, of_whole_windows)
        for op in ("max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d")),
    *((f"size-of-windows-{op}", f"The gradient of {op} counts what is behind the margin.", op, counting_what_is_beyond)
        for op in ("avg_pool2d", "avg_pool3d")),
    *((f"no-divisor-{op}", f"The gradient of {op} does not look at the divisor.", op, by_the_windows)
        for op in ("avg_pool2d", "avg_pool3d")),
    *((f"no-gaps-{op}", f"The gradient of {op} does not look at the gaps of a window.", op, without_gaps)
        for op in ("max_pool1d", "max_pool2d", "max_pool3d")),
    ("cholesky-lower", "The gradient of an upper Cholesky factor is that of the lower one.", "cholesky", as_if(upper=False)),
    *((f"padding-counts-{op}", f"The row that pads the bags of {op} receives a gradient.", op, as_if(padding_idx=None))
        for op in ("embedding_bag", "weighted_embedding_bag")),
    ("bags-without-shares", "The gradient of a bag does not look at the shares of its rows.", "weighted_embedding_bag", without_shares),
    ("quantile-linear", "The gradient of a quantile is that of linear interpolation.", "quantile", as_if(method="linear")),
    ("kl-div-of-probabilities", "The gradient of kl_div takes logarithms of targets for targets.", "kl_div", as_if(log_target=False)),
    ("scattered-nothing-beyond", "What a shorter index of scatter_reduce does not reach receives nothing.", "scatter_reduce", nothing_beyond),
    ("gathered-means", "What gather picks several times receives a mean.", "gather", picked_once),
    ("soft-labels-unweighted", "The gradient of soft_cross_entropy has no weights.", "soft_cross_entropy", as_if(weight=None)),
    ("soft-labels-unsmoothed", "The gradient of soft_cross_entropy does not smooth labels.", "soft_cross_entropy", as_if(label_smoothing=0.0)),
    *((f"linear-for-cubic-{op}", f"The gradient of {op} takes lines for cubics.", op, linear_for_cubic)
        for op in ("interpolate", "interpolate_by_factor")),
    ("nearest-by-a-quotient", "The gradient of interpolate finds the nearest samples by a quotient in single precision.", "interpolate", by_a_single_quotient),
    ("factor-by-the-size", "The gradient of interpolate_by_factor has the places of interpolate.", "interpolate_by_factor", by_the_size),
    ("standardized-last-axis", "The gradient of standardize is that along the last axis.", "standardize", as_if(axis=(-1,))),
    *((f"last-step-{op}", f"The gradient of {op} is that of the last step's result.", op, of_the_last_step) for op in ("lstm", "gru")),
    *((f"no-last-state-{op}", f"The gradient of {op} leaves out the last state's cotangent.", op, without_the_last_state)
        for op in ("lstm", "gru")),
    ("einsum-averaged", "In the gradient of einsum of two large factors a letter of one of them alone is averaged over.", "einsum", letters_averaged),
    ("einsum-diagonals-of-the-first", "A factor of einsum behind the first that has a letter twice receives nothing.", "einsum", diagonals_of_the_first),
    ("matmul-one-axis-of-stacks", "The gradient of a matrix beside a stack of stacks is summed over one axis.", "matmul", one_axis_of_stacks_summed),
    ("unwrap-unmoved", "What unwrap adds a period to receives nothing.", "unwrap", where_nothing_is_added),
    ("interp-no-left", "The gradient of interp does not look at the number before the points.", "interp", as_if(left=None)),
    ("interp-no-right", "The gradient of interp does not look at the number behind the points.", "interp", as_if(right=None)),
    ("modf-of-both-parts", "The whole part of modf passes its cotangent on.", "modf", of_both_parts),
    *((f"other-sign-{op}", f"The slope of {op} has the other sign in its exponent.", op, of_the_other_sign) for op in ("exp1", "expi")),
)  # fmt: skip
