"""The catalogue's ops as users of MLX write them.

Each entry is read as source too, to print scripts: an attribute of MLX, or a lambda with the catalogue's operands by
position and its parameters by keyword. Where MLX has no such op the table has no entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from conformance_backends.mlx.functions import (
    attention,
    avg_pool2d,
    batch_norm,
    index_update,
    key,
    of_its_shape,
    signs,
    spectrum,
    split,
    tensordot,
    update,
    vector_norm,
)
from conformance_backends.mlx.further import FURTHER
from conformance_backends.mlx.layers import bilinear, gru_cell, lstm_cell, rnn_cell

ELEMENTWISE: Mapping[str, Callable[..., Any]] = {
    "abs": mx.abs,
    "negative": mx.negative,
    "positive": mx.positive,
    "real": mx.real,
    "imag": mx.imag,
    "conj": mx.conj,
    "deg2rad": mx.radians,
    "rad2deg": mx.degrees,
    "square": mx.square,
    "sqrt": mx.sqrt,
    "rsqrt": mx.rsqrt,
    "reciprocal": mx.reciprocal,
    "exp": mx.exp,
    "expm1": mx.expm1,
    "log": mx.log,
    "log2": mx.log2,
    "log10": mx.log10,
    "log1p": mx.log1p,
    "sin": mx.sin,
    "cos": mx.cos,
    "tan": mx.tan,
    "asin": mx.arcsin,
    "acos": mx.arccos,
    "atan": mx.arctan,
    "sinh": mx.sinh,
    "cosh": mx.cosh,
    "tanh": mx.tanh,
    "asinh": mx.arcsinh,
    "acosh": mx.arccosh,
    "atanh": mx.arctanh,
    "erfinv": mx.erfinv,
    "clip": lambda x, min, max: mx.clip(x, min, max),
    "add": mx.add,
    "subtract": mx.subtract,
    "multiply": mx.multiply,
    "divide": mx.divide,
    "pow": mx.power,
    "atan2": mx.arctan2,
    "logaddexp": mx.logaddexp,
    "maximum": mx.maximum,
    "minimum": mx.minimum,
    "where": mx.where,
}

REDUCTIONS: Mapping[str, Callable[..., Any]] = {
    "sum": lambda x, axis, keepdims: mx.sum(x, axis=axis, keepdims=keepdims),
    "mean": lambda x, axis, keepdims: mx.mean(x, axis=axis, keepdims=keepdims),
    "prod": lambda x, axis, keepdims: mx.prod(x, axis=axis, keepdims=keepdims),
    "logsumexp": lambda x, axis, keepdims: mx.logsumexp(x, axis=axis, keepdims=keepdims),
    "var": lambda x, axis, keepdims, correction: mx.var(x, axis=axis, keepdims=keepdims, ddof=correction),
    "std": lambda x, axis, keepdims, correction: mx.std(x, axis=axis, keepdims=keepdims, ddof=correction),
    "vector_norm": vector_norm,
    "max": lambda x, axis, keepdims: mx.max(x, axis=axis, keepdims=keepdims),
    "min": lambda x, axis, keepdims: mx.min(x, axis=axis, keepdims=keepdims),
    "median": lambda x, axis, keepdims: mx.median(x, axis=axis, keepdims=keepdims),
    "cumulative_sum": lambda x, axis: mx.cumsum(x, axis=axis),
    "cumulative_prod": lambda x, axis: mx.cumprod(x, axis=axis),
    "logcumsumexp": lambda x, axis: mx.logcumsumexp(x, axis=axis),
    "diff": lambda x, n, axis: mx.diff(x, n=n, axis=axis),
}

SHAPE: Mapping[str, Callable[..., Any]] = {
    "reshape": lambda x, shape: mx.reshape(x, shape),
    "ravel": mx.flatten,
    "expand_dims": lambda x, axis: mx.expand_dims(x, axis),
    "squeeze": lambda x, axis: mx.squeeze(x, axis),
    "permute_dims": lambda x, axes: mx.permute_dims(x, axes),
    "swapaxes": lambda x, axis1, axis2: mx.swapaxes(x, axis1, axis2),
    "moveaxis": lambda x, source, destination: mx.moveaxis(x, source, destination),
    "flip": lambda x, axis: mx.flip(x, axis),
    "roll": lambda x, shift, axis: mx.roll(x, shift, axis),
    "broadcast_to": lambda x, shape: mx.broadcast_to(x, shape),
    "tile": lambda x, reps: mx.tile(x, reps),
    "repeat": lambda x, repeats, axis: mx.repeat(x, repeats, axis=axis),
    "pad": lambda x, pad_width, constant_values: mx.pad(x, pad_width, constant_values=constant_values),
    "tril": lambda x, k: mx.tril(x, k),
    "triu": lambda x, k: mx.triu(x, k),
    "diagonal": lambda x, offset, axis1, axis2: mx.diagonal(x, offset, axis1, axis2),
    "diag": lambda x, k: mx.diag(x, k),
    "astype": lambda x, dtype: x.astype(getattr(mx, dtype)),
    "concat": lambda *xs, axis: mx.concat(xs, axis=axis),
    "stack": lambda *xs, axis: mx.stack(xs, axis=axis),
    "split": split,
    "unstack": lambda x, axis: mx.unstack(x, axis=axis),
}

INDEXING: Mapping[str, Callable[..., Any]] = {
    "getitem": lambda x, index: x[key(index)],
    "getitem_integer_array": lambda x, index: x[key(index)],
    "scatter_add": lambda values, index, shape: update(mx.zeros(shape, values.dtype), index).add(values),
    "index_add": lambda x, values, index: update(x, index).add(values),
    "index_update": index_update,
    "take": lambda x, indices, axis: mx.take(x, mx.array(indices), axis=axis),
    "take_along_axis": lambda x, indices, axis: mx.take_along_axis(x, indices, axis=axis),
    "masked_fill": lambda x, mask, value: mx.where(mask, value, x),
    "sort": lambda x, axis: mx.sort(x, axis=axis),
}

LINEAR_ALGEBRA: Mapping[str, Callable[..., Any]] = {
    "matmul": mx.matmul,
    "vecdot": lambda x, y, axis: mx.vecdot(x, y, axis=axis),
    "inner": mx.inner,
    "outer": mx.outer,
    "tensordot": tensordot,
    "einsum": lambda *xs, subscripts: mx.einsum(subscripts, *xs),
    "kron": mx.kron,
    "cross": mx.linalg.cross,
    "matrix_transpose": mx.matrix_transpose,
    "trace": lambda x, offset: mx.trace(x, offset, -2, -1),
    "solve": mx.linalg.solve,
    "inv": mx.linalg.inv,
    "det": mx.linalg.det,
    "slogdet": mx.linalg.slogdet,
    "cholesky": lambda x, upper=False: mx.linalg.cholesky(x, upper=upper),
    "addmm": lambda c, a, b, alpha, beta: mx.addmm(c, a, b, alpha, beta),
    "baddbmm": lambda c, a, b, alpha, beta: mx.addmm(c, a, b, alpha, beta),
    "fftn": lambda re, im, s, axes, norm: spectrum(mx.fft.fftn, re, im, s, axes, norm),
    "ifftn": lambda re, im, s, axes, norm: spectrum(mx.fft.ifftn, re, im, s, axes, norm),
}

ACTIVATIONS: Mapping[str, Callable[..., Any]] = {
    "relu": nn.relu,
    "relu6": nn.relu6,
    "leaky_relu": lambda x, negative_slope: nn.leaky_relu(x, negative_slope),
    "prelu": nn.prelu,
    "elu": lambda x, alpha: nn.elu(x, alpha),
    "celu": lambda x, alpha: nn.celu(x, alpha),
    "selu": nn.selu,
    "hard_tanh": nn.hard_tanh,
    "hard_swish": nn.hardswish,
    "hard_shrink": lambda x, threshold: nn.hard_shrink(x, threshold),
    "soft_shrink": lambda x, threshold: nn.softshrink(x, threshold),
    "sigmoid": mx.sigmoid,
    "log_sigmoid": nn.log_sigmoid,
    "softplus": nn.softplus,
    "softsign": nn.softsign,
    "silu": nn.silu,
    "mish": nn.mish,
    "gelu_tanh": nn.gelu_approx,
    "softmax": lambda x, axis: mx.softmax(x, axis=axis),
    "log_softmax": lambda x, axis: nn.log_softmax(x, axis=axis),
    "glu": lambda x, axis: nn.glu(x, axis=axis),
}

# MLX has the channels last.
LAYERS: Mapping[str, Callable[..., Any]] = {
    "linear": lambda x, weight, bias: mx.addmm(bias, x, weight.T),
    "embedding": lambda weight, indices: weight[indices],
    "scaled_dot_product_attention": attention,
    "layer_norm": lambda x, weight, bias, eps: mx.fast.layer_norm(x, weight, bias, eps),
    "standardize": lambda x, axis, eps: mx.fast.layer_norm(x, None, None, eps),
    "rms_norm": lambda x, weight, eps: mx.fast.rms_norm(x, weight, eps),
    "batch_norm": batch_norm,
    "conv1d": lambda x, weight, bias, stride, padding, dilation, groups: mx.moveaxis(
        mx.conv1d(mx.moveaxis(x, 1, -1), mx.moveaxis(weight, 1, -1), stride, padding, dilation, groups)
        + bias,
        -1,
        1,
    ),
    "conv2d": lambda x, weight, bias, stride, padding, dilation, groups: mx.moveaxis(
        mx.conv2d(mx.moveaxis(x, 1, -1), mx.moveaxis(weight, 1, -1), stride, padding, dilation, groups)
        + bias,
        -1,
        1,
    ),
    "avg_pool2d": avg_pool2d,
    "max_pool2d": lambda x, kernel_size, stride, padding, dilation, ceil_mode: mx.moveaxis(
        nn.MaxPool2d(kernel_size, stride, padding)(mx.moveaxis(x, 1, -1)), -1, 1
    ),
    "rnn_cell": rnn_cell,
    "gru_cell": gru_cell,
    "lstm_cell": lstm_cell,
    "bilinear": bilinear,
}

LOSSES: Mapping[str, Callable[..., Any]] = {
    "mse": lambda x, t, reduction: nn.losses.mse_loss(x, of_its_shape(t, x), reduction=reduction),
    "l1": lambda x, t, reduction: nn.losses.l1_loss(x, of_its_shape(t, x), reduction=reduction),
    "huber": lambda x, t, reduction, delta: nn.losses.huber_loss(x, t, delta=delta, reduction=reduction),
    "smooth_l1": lambda x, t, reduction, beta: nn.losses.smooth_l1_loss(
        x, of_its_shape(t, x), beta=beta, reduction=reduction
    ),
    "log_cosh": lambda x, t, reduction: nn.losses.log_cosh_loss(x, t, reduction=reduction),
    "binary_cross_entropy": lambda p, t, reduction: nn.losses.binary_cross_entropy(
        p, t, with_logits=False, reduction=reduction
    ),
    "binary_cross_entropy_with_logits": lambda x, t, reduction: nn.losses.binary_cross_entropy(
        x, t, reduction=reduction
    ),
    "nll": lambda x, t, reduction: nn.losses.nll_loss(x, t, reduction=reduction),
    "cross_entropy": lambda x, t, reduction: nn.losses.cross_entropy(x, t, reduction=reduction),
    "margin_ranking": lambda x, y, is_first, margin, reduction: nn.losses.margin_ranking_loss(
        x, y, signs(is_first, x), margin=margin, reduction=reduction
    ),
    # Its eps stands elsewhere: within the root.
    "triplet_margin": lambda anchor, near, far, margin, p, eps, reduction: nn.losses.triplet_loss(
        anchor, near, far, p=p, margin=margin, eps=eps, reduction=reduction
    ),
}

FLAT: Mapping[str, Callable[..., Any]] = {
    "ceil": mx.ceil,
    "floor": mx.floor,
    "trunc": mx.trunc,
    "rint": mx.round,
    "sign": mx.sign,
    "floor_divide": mx.floor_divide,
    "equal": mx.equal,
    "not_equal": mx.not_equal,
    "less": mx.less,
    "less_equal": mx.less_equal,
    "greater": mx.greater,
    "greater_equal": mx.greater_equal,
    "isnan": mx.isnan,
    "isinf": mx.isinf,
    "isfinite": mx.isfinite,
    "logical_not": mx.logical_not,
    "logical_and": mx.logical_and,
    "logical_or": mx.logical_or,
    "logical_xor": mx.logical_xor,
    "any": lambda x, axis, keepdims: mx.any(x, axis=axis, keepdims=keepdims),
    "all": lambda x, axis, keepdims: mx.all(x, axis=axis, keepdims=keepdims),
    "argmax": lambda x, axis, keepdims: mx.argmax(x, axis=axis, keepdims=keepdims),
    "argmin": lambda x, axis, keepdims: mx.argmin(x, axis=axis, keepdims=keepdims),
    "argsort": lambda x, axis: mx.argsort(x, axis=axis),
    "count_nonzero": lambda x, axis, keepdims: mx.count_nonzero(x, axis=axis, keepdims=keepdims),
}

OPS: Mapping[str, Callable[..., Any]] = {
    **ELEMENTWISE,
    **REDUCTIONS,
    **SHAPE,
    **INDEXING,
    **LINEAR_ALGEBRA,
    **ACTIVATIONS,
    **LAYERS,
    **LOSSES,
    **FLAT,
    **FURTHER,
}
