"""Ops of MLX beside the usual ones: special functions, windows of one and three axes, transforms and factorings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from conformance.errors import Unsupported
from conformance_backends.mlx.functions import scaled_attention, spectrum

# ---- where one line is not enough ---------------------------------------------------------------


def last(x: Any) -> Any:
    """The channels behind the other axes, as MLX has them."""
    return mx.moveaxis(x, 1, -1)


def second(x: Any) -> Any:
    """The channels before the axes of the window again."""
    return mx.moveaxis(x, -1, 1)


def conv3d(x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """mx.conv3d, which has no groups."""
    if groups > 1:
        raise Unsupported("MLX's convolutions of three axes have no groups")
    return second(mx.conv3d(last(x), last(weight), stride, padding, dilation) + bias)


def transposed(convolution: Any, x: Any, weight: Any, bias: Any, groups: int, *geometry: Any) -> Any:
    """A transposed convolution, which has no groups."""
    if groups > 1:
        raise Unsupported("MLX's transposed convolutions have no groups")
    return second(convolution(last(x), mx.moveaxis(weight, 0, -1), *geometry) + bias)


def average(layer: Any, x: Any, counts_zeros: bool) -> Any:
    """A layer of average pooling, whose mean counts the zeros of the margin."""
    if not counts_zeros:
        raise Unsupported("MLX's mean counts the zeros of the margin")
    return second(layer(last(x)))


def instance_norm(x: Any, weight: Any, bias: Any, eps: float) -> Any:
    """nn.InstanceNorm, of three axes and more."""
    if x.ndim < 3:
        raise Unsupported("MLX's instance norm takes three axes and more")
    layer = nn.InstanceNorm(x.shape[1], eps, affine=True)
    layer.weight, layer.bias = weight, bias
    return second(layer(last(x)))


def group_norm(x: Any, weight: Any, bias: Any, num_groups: int, eps: float) -> Any:
    """nn.GroupNorm, with the channels of a group side by side."""
    layer = nn.GroupNorm(num_groups, x.shape[1], eps, pytorch_compatible=True)
    layer.weight, layer.bias = weight, bias
    return second(layer(last(x)))


def nan_to_num(x: Any, nan: float, posinf: Any, neginf: Any) -> Any:
    """mx.nan_to_num, which does not yet take float64."""
    if x.dtype == mx.float64:
        raise Unsupported("mx.nan_to_num does not yet take float64")
    return mx.nan_to_num(x, nan, posinf, neginf)


def max_pool3d(x: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    """nn.MaxPool3d, whose windows have no gaps."""
    return second(nn.MaxPool3d(kernel_size, stride, padding)(last(x)))


def avg_pool3d(
    x: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> Any:
    """nn.AvgPool3d, which divides by the size of a window."""
    return average(nn.AvgPool3d(kernel_size, stride, padding), x, count_include_pad or not any(padding))


def places(x: Any, start: Any, sizes: Any) -> tuple[Any, tuple[int, ...]]:
    """Where a block begins, and along which axes; MLX moves no block that does not fit, and counts from the front."""
    if any(i < 0 or i + size > n for i, size, n in zip(start, sizes, x.shape, strict=True)):
        raise Unsupported("MLX takes only blocks that lie within the array")
    return mx.array(start, mx.int32), tuple(range(x.ndim))


def dynamic_slice(x: Any, start: Any, sizes: Any) -> Any:
    """mx.slice."""
    return mx.slice(x, *places(x, start, sizes), sizes)


def dynamic_update_slice(x: Any, update: Any, start: Any) -> Any:
    """mx.slice_update."""
    return mx.slice_update(x, update, *places(x, start, update.shape))


def gaussian_nll(x: Any, t: Any, v: Any, reduction: str) -> Any:
    """nn.losses.gaussian_nll_loss, which broadcasts nothing."""
    if not x.shape == t.shape == v.shape:
        raise Unsupported("this loss of MLX takes targets and variances of the predictions' shape")
    return nn.losses.gaussian_nll_loss(x, t, v, eps=0.0, reduction=reduction)


def of_parts(transform: Any, re: Any, im: Any, *arguments: Any) -> Any:
    """A transform of numbers given in two parts; MLX's complex numbers have single precision."""
    if re.dtype != mx.float32 or im.dtype != mx.float32:
        raise Unsupported("MLX has complex numbers of single precision only")
    return transform(re + 1j * im, *arguments)


def in_parts(transform: Any, x: Any, *arguments: Any) -> tuple[Any, Any]:
    """The real and the imaginary part of a transform of real numbers."""
    if x.dtype != mx.float32:
        raise Unsupported("MLX has complex numbers of single precision only")
    z = transform(x, *arguments)
    return mx.real(z), mx.imag(z)


def one_axis(transform: Any, re: Any, im: Any, n: Any, axis: int, norm: str) -> tuple[Any, Any]:
    """The real and the imaginary part of a transform along one axis."""
    return spectrum(lambda z, s, axes, norm: transform(z, s, axes, norm), re, im, n, axis, norm)


def solve_triangular(a: Any, b: Any, lower: bool, unit_diagonal: bool) -> Any:
    """mx.linalg.solve_triangular, which reads the diagonal; of operands in the same batches."""
    if unit_diagonal or a.shape[:-2] != b.shape[:-2]:
        raise Unsupported("MLX solves triangular systems with their own diagonal, in the same batches")
    return mx.linalg.solve_triangular(a, b, upper=not lower)


# ---- the table ----------------------------------------------------------------------------------

FURTHER: Mapping[str, Callable[..., Any]] = {
    "clip_between": lambda x, lower, upper: mx.clip(x, lower, upper),
    "erf": mx.erf,
    "gelu": nn.gelu,
    "softmin": lambda x, axis: nn.softmin(x, axis=axis),
    "remainder": mx.remainder,
    "nan_to_num": nan_to_num,
    "cummax": lambda x, axis: mx.cummax(x, axis=axis),
    "cummin": lambda x, axis: mx.cummin(x, axis=axis),
    "put_along_axis": lambda x, values, indices, axis: mx.put_along_axis(
        x, mx.array(indices, mx.int32).reshape(values.shape), values, axis=axis
    ),
    "biased_attention": lambda q, k, v, bias, scale: scaled_attention(q, k, v, bias, scale),
    "masked_attention": lambda q, k, v, mask, scale: scaled_attention(q, k, v, mx.array(mask), scale),
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
    "convolve": lambda x, y, mode: mx.convolve(x, y, mode),
    "conv3d": conv3d,
    "conv_transpose1d": lambda x, weight, bias, stride, padding, dilation, output_padding, groups: transposed(
        mx.conv_transpose1d, x, weight, bias, groups, stride, padding, dilation, output_padding
    ),
    "conv_transpose2d": lambda x, weight, bias, stride, padding, dilation, output_padding, groups: transposed(
        mx.conv_transpose2d, x, weight, bias, groups, stride, padding, dilation, output_padding
    ),
    "conv_transpose3d": lambda x, weight, bias, stride, padding, dilation, output_padding, groups: transposed(
        mx.conv_transpose3d, x, weight, bias, groups, stride, padding, dilation, output_padding
    ),
    "max_pool1d": lambda x, kernel_size, stride, padding, dilation, ceil_mode: second(
        nn.MaxPool1d(kernel_size, stride, padding)(last(x))
    ),
    "max_pool3d": max_pool3d,
    "avg_pool1d": lambda x, kernel_size, stride, padding, ceil_mode, count_include_pad: average(
        nn.AvgPool1d(kernel_size, stride, padding), x, count_include_pad or not padding
    ),
    "avg_pool3d": avg_pool3d,
    "instance_norm": instance_norm,
    "group_norm": group_norm,
    # The floors beside which these two are exact are parameters of MLX's.
    "gaussian_nll": gaussian_nll,
    "cosine_similarity": lambda x, y, axis: nn.losses.cosine_similarity_loss(x, y, axis=axis, eps=0.0),
    "fft": lambda re, im, n, axis, norm: one_axis(mx.fft.fft, re, im, n, axis, norm),
    "ifft": lambda re, im, n, axis, norm: one_axis(mx.fft.ifft, re, im, n, axis, norm),
    "rfft": lambda x, n, axis, norm: in_parts(mx.fft.rfft, x, n, axis, norm),
    "irfft": lambda re, im, n, axis, norm: of_parts(mx.fft.irfft, re, im, n, axis, norm),
    "fftshift": lambda x, axes: mx.fft.fftshift(x, axes),
    "ifftshift": lambda x, axes: mx.fft.ifftshift(x, axes),
    "matrix_norm": lambda x, ord, keepdims: mx.linalg.norm(x, ord, axis=[-2, -1], keepdims=keepdims),
    "eigvalsh": mx.linalg.eigvalsh,
    "svdvals": lambda x: mx.linalg.svd(x, compute_uv=False),
    "pinv": mx.linalg.pinv,
    "solve_triangular": solve_triangular,
}
