"""Powers, order, blocks, bags, pooling, volumes, limits, factors and halves of spectra as users of torch write them.

The table is read as source too, like those of `torch_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its customary name

from conformance.errors import Unsupported
from conformance_backends.families.torch_axes import over_merged
from conformance_backends.families.torch_families import as_signs, parts


def avg_pool3d(
    x: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> Any:
    """F.avg_pool3d, of volumes that are no smaller than a window, whatever the margin."""
    if any(side < size for side, size in zip(x.shape[2:], kernel_size, strict=True)):
        raise Unsupported("torch's avg_pool3d refuses a volume smaller than the kernel")
    return F.avg_pool3d(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def segment_sum(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Zeros to which the entries are added by index_add, which takes no places out of range."""
    if any(not 0 <= segment < num_segments for segment in segment_ids):
        raise Unsupported("torch's index_add takes no places out of range")
    zeros = torch.zeros((num_segments, *x.shape[1:]), dtype=x.dtype)
    return zeros.index_add(0, torch.tensor(segment_ids, dtype=torch.int64), x)


def of_segments(x: Any, segment_ids: Any, num_segments: int, reduce: str, start: float) -> Any:
    """A number to which the entries are reduced by scatter_reduce, which takes no places out of range."""
    if any(not 0 <= segment < num_segments for segment in segment_ids):
        raise Unsupported("torch's scatter_reduce takes no places out of range")
    numbers = torch.full((num_segments, *x.shape[1:]), start, dtype=x.dtype)
    index = torch.tensor(segment_ids, dtype=torch.int64).reshape(-1, *[1] * (x.ndim - 1)).expand(x.shape)
    return torch.scatter_reduce(numbers, 0, index, x, reduce, include_self=reduce != "mean")


def lstm(x: Any, h: Any, c: Any, *weights: Any) -> tuple[Any, Any, Any]:
    """torch.lstm, of one layer in one direction, whose states have an axis for both."""
    states, hidden, cell = torch.lstm(x, (h[None], c[None]), weights, True, 1, 0.0, True, False, False)
    return states, hidden[0], cell[0]


def gru(x: Any, h: Any, *weights: Any) -> tuple[Any, Any]:
    """torch.gru, of one layer in one direction, whose state has an axis for both."""
    states, hidden = torch.gru(x, h[None], weights, True, 1, 0.0, True, False, False)
    return states, hidden[0]


def ctc(log_probabilities: Any, targets: Any, input_lengths: Any, target_lengths: Any, reduction: str) -> Any:
    """F.ctc_loss, whose blank is the class 0."""
    lengths = torch.tensor(input_lengths), torch.tensor(target_lengths)
    return F.ctc_loss(log_probabilities, targets, *lengths, reduction=reduction)


OPS: Mapping[str, Callable[..., Any]] = {
    "clip_between": lambda x, lower, upper: torch.clamp(x, min=lower, max=upper),
    "frac": torch.frac,
    "lstm": lstm,
    "gru": gru,
    "var_mean": lambda x, axis, keepdims, correction: torch.var_mean(
        x, dim=axis, keepdim=keepdims, correction=correction
    ),
    "std_mean": lambda x, axis, keepdims, correction: torch.std_mean(
        x, dim=axis, keepdim=keepdims, correction=correction
    ),
    "aminmax": lambda x, axis, keepdims: tuple(torch.aminmax(x, dim=axis, keepdim=keepdims)),
    "multilabel_margin": lambda x, targets, reduction: F.multilabel_margin_loss(
        x, torch.tensor(targets), reduction=reduction
    ),
    # torch says that its operand is triangular, and gives the other triangle a gradient too.
    "cholesky_inverse": lambda factor, upper: torch.cholesky_inverse(
        torch.triu(factor) if upper else torch.tril(factor), upper=upper
    ),
    "index_copy": lambda x, values, indices, axis: torch.index_copy(
        x, axis, torch.tensor(indices, dtype=torch.int64), values
    ),
    "ctc": ctc,
    "ctc_with_logits": lambda x, targets, input_lengths, target_lengths, reduction: ctc(
        F.log_softmax(x, -1), targets, input_lengths, target_lengths, reduction
    ),
    "biased_attention": lambda q, k, v, bias, scale: F.scaled_dot_product_attention(
        q, k, v, bias, scale=scale
    ),
    "masked_attention": lambda q, k, v, mask, scale: F.scaled_dot_product_attention(
        q, k, v, torch.tensor(mask), scale=scale, enable_gqa=q.ndim > 2
    ),
    "power_of": lambda x, exponent: torch.pow(x, exponent),
    "kthvalue": lambda x, k, axis, keepdims: torch.kthvalue(x, k, dim=axis, keepdim=keepdims).values,
    "nanmedian": lambda x, axis, keepdims: over_merged(
        lambda rows, dim: torch.nanmedian(rows, dim).values, x, axis, keepdims
    ),
    "nanquantile": lambda x, q, axis, keepdims: over_merged(
        lambda rows, dim: torch.nanquantile(rows, q, dim), x, axis, keepdims
    ),
    "complex_abs": lambda re, im: torch.abs(torch.complex(*torch.broadcast_tensors(re, im))),
    "complex_angle": lambda re, im: torch.angle(torch.complex(*torch.broadcast_tensors(re, im))),
    "polar": lambda size, angle: parts(torch.polar(size, angle)),
    "masked_scatter": torch.masked_scatter,
    "index_fill": lambda x, indices, axis, value: torch.index_fill(
        x, axis, torch.tensor(indices, dtype=torch.int64), value
    ),
    "affine_grid": lambda theta, size, align_corners: F.affine_grid(theta, size, align_corners=align_corners),
    "max_unpool2d": lambda x, indices, kernel_size, output_size: F.max_unpool2d(
        x, torch.tensor(indices), kernel_size, output_size=output_size
    ),
    "channel_shuffle": lambda x, groups: F.channel_shuffle(x, groups),
    "householder_product": torch.linalg.householder_product,
    "fill_diagonal": lambda x, value, wrap: x.clone().fill_diagonal_(value, wrap),
    "corrcoef": torch.corrcoef,
    "pdist": lambda x, p: F.pdist(x, p),
    "softmin": lambda x, axis: F.softmin(x, dim=axis),
    "embedding_bag": lambda weight, indices, mode, padding_idx: F.embedding_bag(
        indices, weight, mode=mode, padding_idx=padding_idx
    ),
    "weighted_embedding_bag": lambda weight, indices, shares, padding_idx: F.embedding_bag(
        indices, weight, mode="sum", per_sample_weights=shares, padding_idx=padding_idx
    ),
    "block_diag": torch.block_diag,
    "avg_pool1d": lambda x, kernel_size, stride, padding, ceil_mode, count_include_pad: F.avg_pool1d(
        x, kernel_size, stride, padding, ceil_mode, count_include_pad
    ),
    "max_pool1d": lambda x, kernel_size, stride, padding, dilation, ceil_mode: F.max_pool1d(
        x, kernel_size, stride, padding, dilation, ceil_mode
    ),
    "conv_transpose3d": lambda x, weight, bias, stride, padding, output_padding, dilation, groups: (
        F.conv_transpose3d(
            x,
            weight,
            bias,
            stride=stride,
            padding=padding,
            output_padding=output_padding,
            dilation=dilation,
            groups=groups,
        )
    ),
    "avg_pool3d": avg_pool3d,
    "max_pool3d": lambda x, kernel_size, stride, padding, dilation, ceil_mode: F.max_pool3d(
        x, kernel_size, stride, padding, dilation, ceil_mode
    ),
    "lp_pool2d": lambda x, norm_type, kernel_size, stride: F.lp_pool2d(x, norm_type, kernel_size, stride),
    "lp_pool1d": lambda x, norm_type, kernel_size, stride: F.lp_pool1d(x, norm_type, kernel_size, stride),
    "threshold": lambda x, threshold, value: F.threshold(x, threshold, value),
    "renorm": lambda x, p, axis, maxnorm: torch.renorm(x, p, axis, maxnorm),
    "cosine_embedding": lambda x, y, is_similar, margin, reduction: F.cosine_embedding_loss(
        x, y, as_signs(is_similar, x), margin=margin, reduction=reduction
    ),
    "segment_sum": segment_sum,
    "segment_max": lambda x, segment_ids, num_segments: of_segments(
        x, segment_ids, num_segments, "amax", -torch.inf
    ),
    "segment_min": lambda x, segment_ids, num_segments: of_segments(
        x, segment_ids, num_segments, "amin", torch.inf
    ),
    "segment_prod": lambda x, segment_ids, num_segments: of_segments(
        x, segment_ids, num_segments, "prod", 1.0
    ),
    "segment_mean": lambda x, segment_ids, num_segments: of_segments(
        x, segment_ids, num_segments, "mean", 0.0
    ),
    "sliding_windows": lambda x, axis, size, step: x.unfold(axis, size, step),
    "lu": lambda x: tuple(torch.linalg.lu(x)[1:]),
    # Its pivots are counted from 1, as LAPACK's are, and are those of each matrix.
    "lu_solve": lambda factors, b, pivots: torch.linalg.lu_solve(
        factors, (torch.tensor(pivots, dtype=torch.int32) + 1).expand(factors.shape[:-1]), b
    ),
    "cumulative_trapezoid": lambda y, x, axis: torch.cumulative_trapezoid(y, x, dim=axis),
    "stft": lambda x, window, hop: parts(
        torch.stft(x, window.shape[0], hop, window=window, center=False, return_complex=True)
    ),
    "rfftn": lambda x, s, axes, norm: parts(torch.fft.rfftn(x, s, axes, norm)),
    "irfftn": lambda re, im, s, axes, norm: torch.fft.irfftn(torch.complex(re, im), s, axes, norm),
    "hfft": lambda re, im, n, axis, norm: torch.fft.hfft(torch.complex(re, im), n, axis, norm),
    "ihfft": lambda x, n, axis, norm: parts(torch.fft.ihfft(x, n, axis, norm)),
}
