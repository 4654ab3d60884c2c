"""The catalogue's neural-network ops as users of torch write them.

The tables are read as source too, like those of `torch_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its customary name

from conformance.errors import Unsupported


def least(dtype: torch.dtype) -> float:
    """The smallest number above 0: a floor that an engine insists on, and that raises nothing."""
    limits = torch.finfo(dtype)
    return float(limits.smallest_normal * limits.eps)


def of_classes(weight: Any, x: Any) -> Any:
    """The weights of classes as a tensor of the scores' type."""
    return None if weight is None else torch.tensor(weight, dtype=x.dtype)


def statistics(mean: Any, variance: Any, x: Any) -> tuple[Any, Any]:
    """The mean and the variance of each channel as tensors of the operand's type."""
    return torch.tensor(mean, dtype=x.dtype), torch.tensor(variance, dtype=x.dtype)


def pad_by_mode(x: Any, pad_width: Any, mode: Any) -> Any:
    """Margins of the operand's own entries; torch has them along the last axes, behind one or two others."""
    axes = [axis for axis, width in enumerate(pad_width) if any(width)]
    count = x.ndim - min(axes, default=x.ndim)
    if mode == "symmetric" or x.ndim - count not in (1, 2) or count > 3:
        raise Unsupported("torch pads so along the last axes, reflecting without the edge")
    most = {"reflect": -1, "wrap": 0}.get(mode, max(max(width) for width in pad_width))
    if any(max(width) > n + most for width, n in zip(pad_width, x.shape, strict=True)):
        raise Unsupported("torch takes each entry for a margin once")
    margins = [n for width in reversed(pad_width[-count:]) for n in width]
    return F.pad(x, margins, mode={"reflect": "reflect", "edge": "replicate", "wrap": "circular"}[mode])


# ---- the tables ---------------------------------------------------------------------------------

# No prelu: torch's has one slope per channel, where the catalogue's slopes broadcast.
ACTIVATIONS: Mapping[str, Callable[..., Any]] = {
    "relu": F.relu,
    "relu6": F.relu6,
    "leaky_relu": lambda x, negative_slope: F.leaky_relu(x, negative_slope=negative_slope),
    "elu": lambda x, alpha: F.elu(x, alpha=alpha),
    "celu": lambda x, alpha: F.celu(x, alpha=alpha),
    "selu": F.selu,
    "hard_tanh": F.hardtanh,
    "hard_sigmoid": F.hardsigmoid,
    "hard_swish": F.hardswish,
    "hard_shrink": lambda x, threshold: F.hardshrink(x, lambd=threshold),
    "soft_shrink": lambda x, threshold: F.softshrink(x, lambd=threshold),
    "sigmoid": torch.sigmoid,
    "log_sigmoid": F.logsigmoid,
    "logit": torch.logit,
    "softplus": F.softplus,
    "softsign": F.softsign,
    "silu": F.silu,
    "mish": F.mish,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "tanh_shrink": F.tanhshrink,
    "softmax": lambda x, axis: F.softmax(x, dim=axis),
    "log_softmax": lambda x, axis: F.log_softmax(x, dim=axis),
    "glu": lambda x, axis: F.glu(x, dim=axis),
}

LAYERS: Mapping[str, Callable[..., Any]] = {
    "linear": F.linear,
    "embedding": lambda weight, indices: F.embedding(indices, weight),
    "scaled_dot_product_attention": lambda q, k, v, is_causal: F.scaled_dot_product_attention(
        q, k, v, is_causal=is_causal
    ),
    "layer_norm": lambda x, weight, bias, eps: F.layer_norm(x, weight.shape, weight, bias, eps=eps),
    "rms_norm": lambda x, weight, eps: F.rms_norm(x, weight.shape, weight, eps=eps),
    "batch_norm": lambda x, weight, bias, eps: F.batch_norm(
        x, None, None, weight, bias, training=True, eps=eps
    ),
    "batch_norm_with_statistics": lambda x, weight, bias, mean, variance, eps: F.batch_norm(
        x, *statistics(mean, variance, x), weight, bias, training=False, eps=eps
    ),
    "group_norm": lambda x, weight, bias, num_groups, eps: F.group_norm(x, num_groups, weight, bias, eps),
    "instance_norm": lambda x, weight, bias, eps: F.instance_norm(x, weight=weight, bias=bias, eps=eps),
    "pad_by_mode": pad_by_mode,
    "unfold": lambda x, kernel_size, stride, padding, dilation: F.unfold(
        x, kernel_size, stride=stride, padding=padding, dilation=dilation
    ),
    "fold": lambda x, output_size, kernel_size, stride, padding, dilation: F.fold(
        x, output_size, kernel_size, stride=stride, padding=padding, dilation=dilation
    ),
    "conv1d": lambda x, weight, bias, stride, padding, dilation, groups: F.conv1d(
        x, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups
    ),
    "conv2d": lambda x, weight, bias, stride, padding, dilation, groups: F.conv2d(
        x, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups
    ),
    "conv_transpose1d": lambda x, weight, bias, stride, padding, output_padding, dilation, groups: (
        F.conv_transpose1d(
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
    "conv_transpose2d": lambda x, weight, bias, stride, padding, output_padding, dilation, groups: (
        F.conv_transpose2d(
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
    "avg_pool2d": lambda x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: (
        F.avg_pool2d(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    ),
    "max_pool2d": lambda x, kernel_size, stride, padding, dilation, ceil_mode: F.max_pool2d(
        x, kernel_size, stride, padding, dilation, ceil_mode
    ),
}

# No soft_margin_loss: torch has no gradient with respect to the target.
LOSSES: Mapping[str, Callable[..., Any]] = {
    "mse": lambda x, t, reduction: F.mse_loss(x, t, reduction=reduction),
    "l1": lambda x, t, reduction: F.l1_loss(x, t, reduction=reduction),
    "huber": lambda x, t, reduction, delta: F.huber_loss(x, t, reduction=reduction, delta=delta),
    "smooth_l1": lambda x, t, reduction, beta: F.smooth_l1_loss(x, t, reduction=reduction, beta=beta),
    "binary_cross_entropy": lambda p, t, reduction: F.binary_cross_entropy(p, t, reduction=reduction),
    "binary_cross_entropy_with_logits": lambda x, t, reduction: F.binary_cross_entropy_with_logits(
        x, t, reduction=reduction
    ),
    "kl_div": lambda x, t, reduction, log_target=False: F.kl_div(
        x, t, reduction=reduction, log_target=log_target
    ),
    "poisson_nll": lambda x, t, reduction: F.poisson_nll_loss(x, t, reduction=reduction),
    "gaussian_nll": lambda x, t, v, reduction: F.gaussian_nll_loss(
        x, t, v, eps=least(v.dtype), reduction=reduction
    ),
    "nll": lambda x, t, reduction: F.nll_loss(x, t, reduction=reduction),
    "cross_entropy": lambda x, t, reduction: F.cross_entropy(x, t, reduction=reduction),
    "weighted_nll": lambda x, t, weight, ignore_index, reduction: F.nll_loss(
        x, t, of_classes(weight, x), ignore_index=ignore_index, reduction=reduction
    ),
    "weighted_cross_entropy": lambda x, t, weight, ignore_index, reduction, label_smoothing: F.cross_entropy(
        x,
        t,
        of_classes(weight, x),
        ignore_index=ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    ),
}

NEURAL_NETWORKS: Mapping[str, Callable[..., Any]] = {**ACTIVATIONS, **LAYERS, **LOSSES}
