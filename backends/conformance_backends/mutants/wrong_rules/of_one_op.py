"""Wrong rules of one op each, in every call or beyond a size: of choices, steps, distances, systems, special functions, alignments, attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.ops import find
from conformance.ops.factorings.banded import whole
from conformance.ops.special import digamma
from conformance_backends.mutants.mutant import Wrong
from conformance_backends.mutants.wrong_rules.of_parameters import as_if

BATCH_NORM = find("batch_norm")


def where_the_second_holds(
    right: Any, i: int, g: Any, z: Any, first: Any, second: Any, x: Any, y: Any, **p: Any
) -> Any:
    """The first condition is not looked at."""
    return right(i, g, z, first & (i == 2), second, x, y, **p)


def within_blocks(right: Any, i: int, g: Any, z: Any, x: Any, **p: Any) -> Any:
    """What one block of rows gives to another is left out."""
    numbers = np.arange(x.shape[-1]) // 32
    return right(i, g, z, x, **p) * (numbers[:, None] == numbers)


def of_few_steps(right: Any, i: int, g: Any, z: Any, x: Any, *xs: Any) -> Any:
    """A first state is further away than the pass goes back."""
    return right(i, g, z, x, *xs) * (0 if i in (1, 2) and len(x) > 6 else 1)


def nearest(right: Any, i: int, g: Any, z: Any, *xs: Any, mode: str) -> Any:
    """A number out of range is that of the nearest array."""
    return right(i, g, z, *xs, mode="clip")


def up_to_the_stop(right: Any, i: int, g: Any, z: Any, *xs: Any, endpoint: bool, **p: Any) -> Any:
    """The stop is the last step."""
    return right(i, g, z, *xs, endpoint=True, **p)


def filled_once(right: Any, i: int, g: Any, z: Any, x: Any, *, value: float, wrap: bool) -> Any:
    """The diagonal does not begin again."""
    return right(i, g, z, x, value=value, wrap=False)


def euclidean(right: Any, i: int, g: Any, z: Any, x: Any, *, p: float) -> Any:
    """Of a sum of powers the exponent is 2."""
    return right(i, g, z, x, p=p if p in (1.0, np.inf) else 2.0)


def of_the_triangle(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The lower triangle's cotangents are left out."""
    return right(i, np.triu(g), z, x)


def untransposed(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """The right-hand side's cotangent is A⁻¹ g."""
    return np.linalg.solve(whole(*xs[:3]), g).astype(g.dtype) if i == 3 else right(i, g, z, *xs)


def with_its_end(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """What does not count has its neighbour's gradient."""
    pulled = right(i, g, z, *xs)
    if i == 0 and pulled.size:
        pulled[..., 0] = pulled[..., 1]
    return pulled


def of_the_logarithm(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """ψ(x), not multiplied by the value."""
    return g * digamma(x)


def parameters_exchanged(right: Any, i: int, g: Any, z: Any, x: Any, *, a: float, b: float) -> Any:
    """b for a, and a for b."""
    return right(i, g, z, x, a=b, b=a)


def by_a_sum(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """1 + x for 1 − x."""
    return right(i, g, z, x) * (1 - x) / (1 + x)


def folded(right: Any, i: int, g: Any, z: Any, x: Any, targets: Any, **p: Any) -> Any:
    """log_softmax's rule is applied to it already."""
    pulled = right(i, g, z, x, targets, **p)
    return pulled - np.exp(x) * np.sum(pulled, axis=-1, keepdims=True)


def to_all_labels(
    right: Any, i: int, g: Any, z: Any, x: Any, targets: Any, target_lengths: Any, **p: Any
) -> Any:
    """Each target is as long as the longest."""
    longest = max(target_lengths)
    fits = min(p["input_lengths"]) >= 2 * longest - 1
    return right(
        i, g, z, x, targets, target_lengths=[longest] * len(target_lengths) if fits else target_lengths, **p
    )


def scaled_by_the_width(right: Any, i: int, g: Any, z: Any, *xs: Any, scale: float | None, **p: Any) -> Any:
    """The scale is one over the root of the width."""
    return right(i, g, z, *xs, scale=None, **p)


def of_every_key(right: Any, i: int, g: Any, z: Any, *xs: Any, mask: Any, **p: Any) -> Any:
    """What the mask hides is seen."""
    return right(i, g, z, *xs, mask=[[True] * len(row) for row in mask], **p)


def of_the_last_head(right: Any, i: int, g: Any, z: Any, q: Any, k: Any, v: Any, **p: Any) -> Any:
    """Of the heads of queries that share a head of keys, the last one alone counts."""
    heads = q.shape[-3] if q.ndim > 2 else 1
    size = heads // k.shape[-3] if q.ndim > 2 else 1
    if i == 0 or size == 1:
        return right(i, g, z, q, k, v, **p)
    is_last = np.arange(heads) % size == size - 1
    return right(i, np.where(is_last[:, None, None], g, 0), z, q, k, v, **p)


def in_order(right: Any, i: int, g: Any, z: Any, x: Any, mask: Any, values: Any) -> Any:
    """The values have the first cotangents, whatever the mask."""
    if i == 0:
        return right(i, g, z, x, mask, values)
    pulled = np.zeros_like(values)
    pulled[: g.size] = g.ravel()
    return pulled


def unfilled(right: Any, i: int, g: Any, z: Any, x: Any, *, indices: Any, **p: Any) -> Any:
    """The first place alone is filled."""
    return right(i, g, z, x, indices=indices[:1], **p)


def between_corners(right: Any, i: int, g: Any, z: Any, x: Any, *, size: Any, align_corners: bool) -> Any:
    """The ends are the middles of pixels."""
    return right(i, g, z, x, size=size, align_corners=True)


def shuffled_again(right: Any, i: int, g: Any, z: Any, x: Any, *, groups: int) -> Any:
    """The cotangent is shuffled as the operand was."""
    return right(i, g, z, x, groups=x.shape[1] // groups)


def next_pixel(right: Any, i: int, g: Any, z: Any, x: Any, **p: Any) -> Any:
    """The pixel to the right."""
    return right(i, np.roll(g, -1, axis=-1), z, x, **p)


def without_the_diagonal(right: Any, i: int, g: Any, z: Any, a: Any, tau: Any) -> Any:
    """The vectors begin with what stands on the diagonal."""
    return (
        right(i, g, z, a, tau)
        if i == 0
        else right(i, g, z, a, tau) * (1 + np.abs(np.diagonal(a, axis1=-2, axis2=-1)))[..., : tau.shape[-1]]
    )


def other_way(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Angles are counted clockwise."""
    return -right(i, g, z, *xs)


def of_the_real_part(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """The imaginary part's cotangent is left out."""
    return right(i, (g[0], 0 * g[1]), z, *xs)


def of_ordered_bounds(right: Any, i: int, g: Any, z: Any, x: Any, lower: Any, upper: Any) -> Any:
    """Bounds that are exchanged are put in order first."""
    return right(i, g, z, x, np.minimum(lower, upper), np.maximum(lower, upper))


def with_what_is_replaced(right: Any, i: int, g: Any, z: Any, x: Any, values: Any, **p: Any) -> Any:
    """What is replaced has a gradient, too."""
    return g if i == 0 else right(i, g, z, x, values, **p)


def of_the_segments_sum(
    right: Any, i: int, g: Any, z: Any, x: Any, *, segment_ids: Any, num_segments: int
) -> Any:
    """Each entry counts whole."""
    pulled = right(i, g, z, x, segment_ids=segment_ids, num_segments=num_segments)
    sizes = np.array([max(segment_ids.count(segment), 1) for segment in segment_ids])
    return pulled * sizes.reshape(-1, *[1] * (x.ndim - 1)).astype(x.dtype)


def of_the_first_result(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """The second result's cotangent is left out."""
    return right(i, (g[0], 0 * g[1]), z, *xs, **p)


def of_the_batch(
    right: Any, i: int, g: Any, z: Any, x: Any, *others: Any, mean: Any, variance: Any, eps: float
) -> Any:
    """The statistics are those of the batch."""
    return BATCH_NORM.rule(i, g, z, x, *others, eps=eps) if x.size else np.zeros_like((x, *others)[i])


def of_all(right: Any, i: int, g: Any, z: Any, x: Any, *, where: Any, **p: Any) -> Any:
    """What is left out receives what its neighbours do."""
    return right(i, g, z, x, where=True, **p)


def unweighted(right: Any, i: int, g: Any, z: Any, x: Any, weights: Any, **p: Any) -> Any:
    """The entries' gradients have no weights."""
    pulled = right(i, g, z, x, weights, **p)
    return pulled / weights if i == 0 else pulled


def without_the_number(right: Any, i: int, g: Any, z: Any, x: Any, *, initial: float, **p: Any) -> Any:
    """The largest entry receives the cotangent, also where the number is larger."""
    kept, whole = {**p, "keepdims": True}, np.max if initial <= 0 else np.min
    least = -np.inf if whole is np.max else np.inf
    top = whole(x, axis=p["axis"], keepdims=True, where=np.asarray(p["where"]), initial=least)
    return right(i, np.reshape(g, top.shape), top, x, initial=least, **kept)


OF_ONE_OP: tuple[tuple[str, str, str, Wrong], ...] = (
    ("select-second-always", "Where both conditions of select hold, the second array receives the cotangent too.",
        "select", where_the_second_holds),
    ("choose-nearest", "A number that choose counts around gives its cotangent to the nearest array.", "choose", nearest),
    ("linspace-to-the-stop", "The gradient of linspace counts the stop as a step where it is none.", "linspace", up_to_the_stop),
    ("diagonal-filled-once", "What fill_diagonal fills behind the first square receives a gradient.", "fill_diagonal", filled_once),
    ("pdist-euclidean", "The gradient of pdist is that of Euclidean distances.", "pdist", euclidean),
    ("corrcoef-of-the-triangle", "The gradient of corrcoef leaves out the lower triangle's cotangents.", "corrcoef", of_the_triangle),
    ("tridiagonal-untransposed", "The gradient of a tridiagonal system's right-hand side is A⁻¹ g instead of A⁻ᵀ g.",
        "tridiagonal_solve", untransposed),
    ("tridiagonal-with-its-end", "The entry of a lower diagonal that does not count has a gradient.", "tridiagonal_solve", with_its_end),
    ("gamma-of-its-logarithm", "The gradient of gamma is that of its logarithm.", "gamma", of_the_logarithm),
    ("betainc-parameters-exchanged", "The gradient of betainc exchanges both exponents.", "betainc", parameters_exchanged),
    ("ctc-folded", "The gradient of ctc is that of logits.", "ctc", folded),
    ("ctc-padding-counts", "The gradient of ctc spells the padding of its targets, too.", "ctc_with_logits", to_all_labels),
    ("attention-unscaled", "The gradient of attention does not look at the scale.", "biased_attention", scaled_by_the_width),
    ("attention-sees-hidden-keys", "The gradient of masked attention is that of attention to every key.", "masked_attention", of_every_key),
    ("attention-last-head", "Keys and values receive the cotangents of the last head that they serve.", "masked_attention", of_the_last_head),
    ("masked-scatter-in-order", "The gradient of masked_scatter's values is not moved by the mask.", "masked_scatter", in_order),
    ("index-fill-first-place", "What index_fill fills behind its first place receives a gradient.", "index_fill", unfilled),
    ("affine-grid-corners", "The gradient of affine_grid counts the ends of the image as the middles of pixels.", "affine_grid", between_corners),
    ("channels-shuffled-again", "The gradient of channel_shuffle is shuffled again, not put back.", "channel_shuffle", shuffled_again),
    ("unpool-next-pixel", "The gradient of max_unpool2d reads the pixels beside.", "max_unpool2d", next_pixel),
    ("householder-diagonal", "The gradient of a reflection's factor counts the diagonal.", "householder_product", without_the_diagonal),
    ("angle-other-way", "The gradient of the angle of a complex number has the other sign.", "complex_angle", other_way),
    ("polar-of-the-real-part", "The gradient of polar leaves out the imaginary part.", "polar", of_the_real_part),
    ("clip-bounds-in-order", "The gradient of clip_between exchanges bounds of which the lower one is larger.", "clip_between", of_ordered_bounds),
    ("index-copy-adds", "What index_copy replaces receives a gradient.", "index_copy", with_what_is_replaced),
    ("segment-mean-of-the-sum", "The gradient of segment_mean does not divide by the number of entries.", "segment_mean", of_the_segments_sum),
    ("var-mean-of-the-variance", "The gradient of var_mean leaves out the mean's cotangent.", "var_mean", of_the_first_result),
    ("aminmax-of-the-smallest", "The gradient of aminmax leaves out the largest entry's cotangent.", "aminmax", of_the_first_result),
    ("stft-of-the-real-part", "The gradient of stft leaves out the imaginary part.", "stft", of_the_first_result),
    ("evaluation-of-the-batch", "The gradient of batch_norm with given statistics is that of the batch's own.",
        "batch_norm_with_statistics", of_the_batch),
    *((f"all-picked-{op}", f"The gradient of {op} does not look at the mask.", op, of_all) for op in ("sum_where", "mean_where")),
    ("max-without-the-number", "The gradient of max_where does not look at the number beside the entries.", "max_where", without_the_number),
    ("logsumexp-unweighted", "The gradient of a weighted logsumexp is not multiplied by the weights.", "weighted_logsumexp", unweighted),
    *((f"forward-{op}", f"The factor of {op} is that of the backward norm.", op, as_if(norm="backward")) for op in ("rfftn", "irfftn")),
    ("cholesky-by-blocks", "Beyond 32 rows the gradient of cholesky is that of blocks on the diagonal.", "cholesky", within_blocks),
    ("state-of-few-steps", "Beyond six steps the first states of lstm have no gradient.", "lstm", of_few_steps),
    ("spence-by-a-sum", "The gradient of spence divides by 1 + x.", "spence", by_a_sum),
)  # fmt: skip
