"""Ops of tinygrad beside the usual ones: windows of one and three axes, and layers that hold their weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tinygrad import Tensor, nn

from conformance.errors import Unsupported

# ---- layers, called with the weights of a case ----------------------------------------------------


def layer_norm(x: Any, weight: Any, bias: Any, eps: float) -> Any:
    """nn.LayerNorm."""
    layer = nn.LayerNorm(x.shape[-1], eps)
    layer.weight, layer.bias = weight, bias
    return layer(x)


def rms_norm(x: Any, weight: Any, eps: float) -> Any:
    """nn.RMSNorm."""
    layer = nn.RMSNorm(x.shape[-1], eps)
    layer.weight = weight
    return layer(x)


def group_norm(x: Any, weight: Any, bias: Any, num_groups: int, eps: float) -> Any:
    """nn.GroupNorm."""
    layer = nn.GroupNorm(num_groups, x.shape[1], eps)
    layer.weight, layer.bias = weight, bias
    return layer(x)


def instance_norm(x: Any, weight: Any, bias: Any, eps: float) -> Any:
    """nn.InstanceNorm."""
    layer = nn.InstanceNorm(x.shape[1], eps)
    layer.weight, layer.bias = weight, bias
    return layer(x)


def batch_norm(x: Any, weight: Any, bias: Any, eps: float) -> Any:
    """nn.BatchNorm, by the statistics of the batch."""
    layer = nn.BatchNorm(x.shape[1], eps, track_running_stats=False)
    layer.weight, layer.bias = weight, bias
    return layer(x)


def lstm_cell(x: Any, h: Any, c: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> tuple[Any, Any]:
    """nn.LSTMCell."""
    layer = nn.LSTMCell(x.shape[-1], h.shape[-1])
    layer.weight_ih, layer.weight_hh, layer.bias_ih, layer.bias_hh = w_ih, w_hh, b_ih, b_hh
    hidden, cell = layer(x, (h, c))
    return hidden, cell


def soft_cross_entropy(x: Any, t: Any, weight: Any, reduction: Any, label_smoothing: float) -> Any:
    """Tensor.cross_entropy, which has no weights."""
    if weight is not None:
        raise Unsupported("tinygrad's cross_entropy has no weights")
    return x.cross_entropy(t, reduction, label_smoothing)


def avg_pool(
    x: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> Any:
    """Tensor.avg_pool2d, which takes any number of axes, and divides by the size of a window."""
    if divisor_override is not None:
        raise Unsupported("tinygrad's mean has no other divisor")
    return x.avg_pool2d(kernel_size, stride, 1, padding, ceil_mode, count_include_pad)


def first_of(scan: Any, x: Any, axis: Any) -> Any:
    """The values of a scan that has values and places; without an axis, of the flattened operand."""
    return scan(x.flatten() if axis is None else x, axis or 0)[0]


# ---- the table ------------------------------------------------------------------------------------


def attention(q: Any, k: Any, v: Any, mask: Any, scale: float | None, enable_gqa: bool = False) -> Any:
    """Tensor.scaled_dot_product_attention, whose scores are over the root of the width."""
    if scale is not None:
        raise Unsupported("tinygrad's attention has no scale")
    return q.scaled_dot_product_attention(k, v, mask, enable_gqa=enable_gqa)


FURTHER: Mapping[str, Callable[..., Any]] = {
    "max_unpool2d": lambda x, indices, kernel_size, output_size: x.max_unpool2d(
        Tensor(indices), kernel_size, output_size=output_size
    ),
    "biased_attention": attention,
    "masked_attention": lambda q, k, v, mask, scale: attention(q, k, v, Tensor(mask), scale, q.ndim > 2),
    "erf": Tensor.erf,
    "copysign": Tensor.copysign,
    "remainder": Tensor.mod,
    "fmod": Tensor.fmod,
    "power_of": lambda x, exponent: x.pow(exponent),
    "softmin": lambda x, axis: x.softmin(axis),
    "cummax": lambda x, axis: first_of(Tensor.cummax, x, axis),
    "cummin": lambda x, axis: first_of(Tensor.cummin, x, axis),
    "top_k": lambda x, k, axis: x.topk(k, axis)[0],
    "normalize": lambda x, p, axis, eps: x.normalize(p, axis, eps),
    "sliding_windows": lambda x, axis, size, step: x.unfold(axis, size, step),
    "conv_transpose1d": lambda x, weight, bias, stride, padding, dilation, output_padding, groups: (
        x.conv_transpose2d(weight, bias, groups, stride, dilation, padding, output_padding)
    ),
    "conv_transpose2d": lambda x, weight, bias, stride, padding, dilation, output_padding, groups: (
        x.conv_transpose2d(weight, bias, groups, stride, dilation, padding, output_padding)
    ),
    "conv_transpose3d": lambda x, weight, bias, stride, padding, dilation, output_padding, groups: (
        x.conv_transpose2d(weight, bias, groups, stride, dilation, padding, output_padding)
    ),
    "max_pool1d": lambda x, kernel_size, stride, padding, dilation, ceil_mode: x.max_pool2d(
        (kernel_size,), stride, dilation, padding, ceil_mode
    ),
    "max_pool3d": lambda x, kernel_size, stride, padding, dilation, ceil_mode: x.max_pool2d(
        kernel_size, stride, dilation, padding, ceil_mode
    ),
    "avg_pool1d": lambda x, kernel_size, stride, padding, ceil_mode, count_include_pad: x.avg_pool2d(
        (kernel_size,), stride, 1, padding, ceil_mode, count_include_pad
    ),
    "avg_pool3d": avg_pool,
    "layer_norm": layer_norm,
    "standardize": lambda x, axis, eps: x.layernorm(axis, eps),
    "gather": lambda x, indices, axis: x.gather(axis, indices),
    "soft_cross_entropy": soft_cross_entropy,
    "rms_norm": rms_norm,
    "group_norm": group_norm,
    "instance_norm": instance_norm,
    "batch_norm": batch_norm,
    "lstm_cell": lstm_cell,
}
