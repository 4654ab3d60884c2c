"""Ops of the catalogue for which one call of MLX is not enough."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from conformance.errors import Unsupported


def key(index: Any) -> Any:
    """An index in MLX's types: it takes arrays of integers, but no lists; what a mask selects would have a shape of its own."""
    positions = {i: np.array(part) for i, part in enumerate(index) if isinstance(part, list)}
    if any(part.dtype == bool for part in positions.values()):
        raise Unsupported("MLX does not index with masks")
    return tuple(
        mx.array(positions[i].astype(np.int32)) if i in positions else part for i, part in enumerate(index)
    )


def update(x: Any, index: Any) -> Any:
    """The updater of the entries at `index`; MLX's has no negative steps."""
    if any(isinstance(i, slice) and (i.step or 1) < 0 for i in index):
        raise Unsupported("MLX does not update slices with a negative step")
    return x.at[key(index)]


def index_update(x: Any, values: Any, index: Any) -> Any:
    """A copy of `x` with `values` written at `index`."""
    written = mx.array(x)
    written[key(index)] = values
    return written


def split(x: Any, indices_or_sections: Any, axis: int) -> tuple[Any, ...]:
    """The parts as a tuple."""
    return tuple(mx.split(x, indices_or_sections, axis=axis))


def of_its_shape(target: Any, x: Any) -> Any:
    """The targets of predictions; most losses of MLX broadcast none."""
    if target.shape != x.shape:
        raise Unsupported("this loss of MLX takes targets of the predictions' shape")
    return target


def batch_norm(x: Any, weight: Any, bias: Any, eps: float) -> Any:
    """nn.BatchNorm in training, whose channels are last."""
    if not 2 <= x.ndim <= 4:
        raise Unsupported("MLX's batch norm takes two to four axes")
    layer = nn.BatchNorm(x.shape[1], eps=eps)
    layer.weight, layer.bias = weight, bias
    return mx.moveaxis(layer(mx.moveaxis(x, 1, -1)), -1, 1)


def vector_norm(x: Any, axis: Any, keepdims: bool, ord: float) -> Any:
    """mx.linalg.norm, which takes a matrix without an axis for one, not for its entries."""
    if axis is None and x.ndim != 1:
        if keepdims:
            raise Unsupported("MLX keeps no axes of the norm of all entries")
        return mx.linalg.norm(mx.flatten(x), ord)
    return mx.linalg.norm(x, ord, axis=axis, keepdims=keepdims)


def tensordot(a: Any, b: Any, axes: Any) -> Any:
    """mx.tensordot, which wants lists of axes, also of one."""
    lists = axes if isinstance(axes, int) else [[i] if isinstance(i, int) else list(i) for i in axes]
    return mx.tensordot(a, b, lists)


def causal(q: Any, k: Any) -> Any:
    """Which keys a query sees: those not after it, counted from the first of each.

    MLX's own "causal" lines up the last query with the last key.
    """
    return mx.tri(q.shape[-2], k.shape[-2]) > 0


def attention(q: Any, k: Any, v: Any, is_causal: bool) -> Any:
    """MLX's attention, which wants a batch and heads before the time."""
    if q.ndim > 4 or q.shape[:-2] != k.shape[:-2] or k.shape[:-2] != v.shape[:-2]:
        raise Unsupported("MLX's attention takes up to two batch axes, which are those of all operands")
    more = (None,) * (4 - q.ndim)
    z = mx.fast.scaled_dot_product_attention(
        q[more], k[more], v[more], scale=q.shape[-1] ** -0.5, mask=causal(q, k) if is_causal else None
    )
    return z.reshape(*q.shape[:-1], v.shape[-1])


def scaled_attention(q: Any, k: Any, v: Any, mask: Any, scale: float | None) -> Any:
    """MLX's attention with a bias or a mask."""
    more = (None,) * (4 - q.ndim)
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    z = mx.fast.scaled_dot_product_attention(q[more], k[more], v[more], scale=factor, mask=mask)
    return z.reshape(*q.shape[:-1], v.shape[-1])


def avg_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> Any:
    """MLX's pooling, whose channels are last."""
    if any(padding) and not count_include_pad:
        raise Unsupported("MLX's mean counts the zeros of the margin")
    return mx.moveaxis(nn.AvgPool2d(kernel_size, stride, padding)(mx.moveaxis(x, 1, -1)), -1, 1)


def signs(is_positive: Any, x: Any) -> Any:
    """Truth values as the targets 1 and -1, of the scores' type."""
    return mx.where(is_positive, 1, -1).astype(x.dtype)


def spectrum(transform: Any, re: Any, im: Any, s: Any, axes: Any, norm: str) -> tuple[Any, Any]:
    """The real and the imaginary part of a transform along several axes; MLX's complex numbers have single precision."""
    if re.dtype != mx.float32 or im.dtype != mx.float32:
        raise Unsupported("MLX has complex numbers of single precision only")
    if s is not None and axes is None:
        raise Unsupported("MLX wants the axes where it is given their lengths")
    z = transform(re + 1j * im, s, axes, norm)
    return mx.real(z), mx.imag(z)
