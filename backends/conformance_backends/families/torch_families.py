"""Special functions, volumes, resampling, spectra, norms of matrices and gathered reductions as users of torch write them.

The table is read as source too, like those of `torch_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its customary name

from conformance.errors import Unsupported
from conformance_backends.torch_layers import of_classes

LINEAR = {3: "linear", 4: "bilinear", 5: "trilinear"}  # by the number of axes


def mode_of(x: Any, mode: str) -> str:
    """torch's name of a mode."""
    return {"linear": LINEAR[x.ndim], "cubic": "bicubic"}.get(mode, mode)


def over_axes(reduce: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """A reduction over the named axes; torch reads dim=() as every axis, where the catalogue means none."""
    if axis == ():
        raise Unsupported("torch reads dim=() as every axis")
    return reduce(x, dim=axis, keepdim=keepdims)


def shifting(shift: Any, x: Any, axes: Any) -> Any:
    """A shift along the named axes, of which torch wants one."""
    if axes == ():
        raise Unsupported("torch shifts along one axis at least")
    return shift(x, axes)


def parts(z: Any) -> Any:
    """The real and the imaginary part."""
    return z.real, z.imag


def as_signs(is_positive: Any, x: Any) -> Any:
    """Truth values as the targets 1 and -1, of the scores' type."""
    return 2 * is_positive.to(x.dtype) - 1


def all_sent(values: Any, index: Any) -> Any:
    """The values of a scatter, whose gradient torch documents for one of each index alone."""
    if values.shape != index.shape:
        raise Unsupported("torch's scatter has a gradient of as many values as indices only")
    return values


# ---- the tables ---------------------------------------------------------------------------------

SPECIAL: Mapping[str, Callable[..., Any]] = {
    "erfcx": torch.special.erfcx,
    "ndtr": torch.special.ndtr,
    "log_ndtr": torch.special.log_ndtr,
    "erfinv": torch.special.erfinv,
    "ndtri": torch.special.ndtri,
    "i0": torch.special.i0,
    "i1": torch.special.i1,
    "i0e": torch.special.i0e,
    "i1e": torch.special.i1e,
    "entr": torch.special.entr,
    "xlog1py": torch.special.xlog1py,
    "gammainc": lambda x, a: torch.special.gammainc(x.new_tensor(a), x),
    "gammaincc": lambda x, a: torch.special.gammaincc(x.new_tensor(a), x),
    "zeta": lambda q, s: torch.special.zeta(s, q),
    "multigammaln": lambda x, p: torch.special.multigammaln(x, p),
    "ldexp": torch.ldexp,
}

OPS: Mapping[str, Callable[..., Any]] = {
    **SPECIAL,
    "fmax": torch.fmax,
    "fmin": torch.fmin,
    "nansum": lambda x, axis, keepdims: over_axes(torch.nansum, x, axis, keepdims),
    "nanmean": lambda x, axis, keepdims: over_axes(torch.nanmean, x, axis, keepdims),
    "scatter_reduce": lambda x, index, values, axis, reduce, include_self: torch.scatter_reduce(
        x, axis, index, all_sent(values, index), reduce, include_self=include_self
    ),
    "conv3d": lambda x, weight, bias, stride, padding, dilation, groups: F.conv3d(
        x, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups
    ),
    "fft": lambda re, im, n, axis, norm: parts(torch.fft.fft(torch.complex(re, im), n, axis, norm)),
    "ifft": lambda re, im, n, axis, norm: parts(torch.fft.ifft(torch.complex(re, im), n, axis, norm)),
    "rfft": lambda x, n, axis, norm: parts(torch.fft.rfft(x, n, axis, norm)),
    "irfft": lambda re, im, n, axis, norm: torch.fft.irfft(torch.complex(re, im), n, axis, norm),
    "matrix_norm": lambda x, ord, keepdims: torch.linalg.matrix_norm(x, ord, keepdim=keepdims),
    "matrix_exp": torch.linalg.matrix_exp,
    "interpolate": lambda x, size, mode, align_corners: F.interpolate(
        x, size=size, mode=mode_of(x, mode), align_corners=align_corners
    ),
    "interpolate_by_factor": lambda x, scale_factor, mode, align_corners: F.interpolate(
        x, scale_factor=scale_factor, mode=mode_of(x, mode), align_corners=align_corners
    ),
    "gather": lambda x, indices, axis: torch.gather(x, axis, indices),
    "soft_cross_entropy": lambda x, t, weight, reduction, label_smoothing: F.cross_entropy(
        x, t, of_classes(weight, x), reduction=reduction, label_smoothing=label_smoothing
    ),
    "standardize": lambda x, axis, eps: F.layer_norm(x, x.shape[-len(axis) :], eps=eps),
    "grid_sample": lambda x, grid, mode, padding_mode, align_corners: F.grid_sample(
        x, grid, mode=mode, padding_mode=padding_mode, align_corners=align_corners
    ),
    "local_response_norm": lambda x, size, alpha, beta, k: F.local_response_norm(
        x, size, alpha=alpha, beta=beta, k=k
    ),
    "pixel_shuffle": lambda x, upscale_factor: F.pixel_shuffle(x, upscale_factor),
    "pixel_unshuffle": lambda x, downscale_factor: F.pixel_unshuffle(x, downscale_factor),
    "adaptive_avg_pool2d": lambda x, output_size: F.adaptive_avg_pool2d(x, output_size),
    "adaptive_max_pool2d": lambda x, output_size: F.adaptive_max_pool2d(x, output_size),
    "rnn_cell": torch.rnn_tanh_cell,
    "gru_cell": torch.gru_cell,
    "lstm_cell": lambda x, h, c, *weights: torch.lstm_cell(x, (h, c), *weights),
    "bilinear": F.bilinear,
    "pairwise_distance": lambda x, y, p, eps, keepdims: F.pairwise_distance(
        x, y, p=p, eps=eps, keepdim=keepdims
    ),
    "normalize": lambda x, p, axis, eps: F.normalize(x, p=p, dim=axis, eps=eps),
    "margin_ranking": lambda x, y, is_first, margin, reduction: F.margin_ranking_loss(
        x, y, as_signs(is_first, x), margin=margin, reduction=reduction
    ),
    "hinge_embedding": lambda x, is_similar, margin, reduction: F.hinge_embedding_loss(
        x, as_signs(is_similar, x), margin=margin, reduction=reduction
    ),
    "triplet_margin": lambda anchor, near, far, margin, p, eps, reduction: F.triplet_margin_loss(
        anchor, near, far, margin=margin, p=p, eps=eps, reduction=reduction
    ),
    "multi_margin": lambda x, t, p, margin, weight, reduction: F.multi_margin_loss(
        x, t, p=p, margin=margin, weight=of_classes(weight, x), reduction=reduction
    ),
    "multilabel_soft_margin": lambda x, t, reduction: F.multilabel_soft_margin_loss(
        x, t, reduction=reduction
    ),
    # Its manual asks for a factor that is a triangle.
    "cholesky_solve": lambda b, factor, upper: torch.cholesky_solve(
        b, factor.triu() if upper else factor.tril(), upper=upper
    ),
    "lstsq": lambda a, b: torch.linalg.lstsq(a, b).solution,
    "addmm": lambda c, a, b, alpha, beta: torch.addmm(c, a, b, alpha=alpha, beta=beta),
    "baddbmm": lambda c, a, b, alpha, beta: torch.baddbmm(c, a, b, alpha=alpha, beta=beta),
    "multi_dot": lambda *xs: torch.linalg.multi_dot(xs),
    "fftn": lambda re, im, s, axes, norm: parts(torch.fft.fftn(torch.complex(re, im), s, axes, norm)),
    "ifftn": lambda re, im, s, axes, norm: parts(torch.fft.ifftn(torch.complex(re, im), s, axes, norm)),
    "trapezoid": lambda y, x, axis: torch.trapezoid(y, x, dim=axis),
    "central_diff": lambda x, spacing, axis, edge_order: torch.gradient(
        x, spacing=spacing, dim=axis, edge_order=edge_order
    )[0],
    "vander": lambda x, n, increasing: torch.vander(x, n, increasing),
    "rot90": lambda x, k, axes: torch.rot90(x, k, axes),
    "fftshift": lambda x, axes: shifting(torch.fft.fftshift, x, axes),
    "ifftshift": lambda x, axes: shifting(torch.fft.ifftshift, x, axes),
    "diag_embed": lambda x, offset: torch.diag_embed(x, offset),
    "cov": lambda x, correction: torch.cov(x, correction=correction),
    "cond": lambda x, p: torch.linalg.cond(x, p),
}
