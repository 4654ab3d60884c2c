"""The catalogue's ops as users of tinygrad write them.

Each entry is read as source too, to print scripts: a method of Tensor, or a lambda with the catalogue's operands by
position and its parameters by keyword. Where tinygrad has no such op the table has no entry.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from tinygrad import Tensor, dtypes

from conformance.errors import Unsupported
from conformance_backends.tinygrad.further import FURTHER, avg_pool

# ---- where one line is not enough ---------------------------------------------------------------


def key(index: Any) -> Any:
    """An index in tinygrad's types: a list is a tensor of integers; what a mask selects would have a shape of its own."""
    if any(np.array(i).dtype == bool for i in index if isinstance(i, list)):
        raise Unsupported("tinygrad does not index with masks")
    return tuple(Tensor(i, dtype=dtypes.long) if isinstance(i, list) else i for i in index)


def index_update(x: Any, values: Any, index: Any) -> Any:
    """A copy of `x` with `values` written at `index`."""
    written = x.clone()
    written[key(index)] = values
    return written


def along(scan: Any, x: Any, axis: Any) -> Any:
    """A scan along one axis; without an axis, of the flattened operand."""
    return scan(x.flatten() if axis is None else x, axis or 0)


def squeeze(x: Any, axis: Any) -> Any:
    """`x` without axes of length 1; tinygrad drops one, or all."""
    if isinstance(axis, tuple):
        raise Unsupported("tinygrad squeezes one axis")
    return x.squeeze(axis)


def expand_dims(x: Any, axis: Any) -> Any:
    """`x` with a new axis; tinygrad inserts one."""
    if isinstance(axis, tuple):
        raise Unsupported("tinygrad inserts one axis")
    return x.unsqueeze(axis)


def repeat(x: Any, repeats: Any, axis: Any) -> Any:
    """Each entry several times; tinygrad repeats all equally often."""
    if not isinstance(repeats, int):
        raise Unsupported("tinygrad repeats all entries equally often")
    return x.repeat_interleave(repeats, dim=axis)


def pad(x: Any, pad_width: Any, constant_values: float) -> Any:
    """`x` between margins, given for each axis."""
    if isinstance(pad_width, int):
        pad_width = ((pad_width, pad_width),) * x.ndim
    if len(pad_width) != x.ndim:
        raise Unsupported("tinygrad wants a margin for each axis")
    return x.pad(pad_width, value=constant_values)


def tile(x: Any, reps: Any) -> Any:
    """`x` several times along each axis; tinygrad wants a count for each."""
    counts = (reps,) if isinstance(reps, int) else reps
    if len(counts) < x.ndim:
        raise Unsupported("tinygrad's repeat wants a count for each axis")
    return x.repeat(counts)


def split(x: Any, indices_or_sections: Any, axis: int) -> tuple[Any, ...]:
    """The parts; tinygrad names their sizes."""
    n = x.shape[axis]
    if isinstance(indices_or_sections, int):
        return tuple(x.split(n // indices_or_sections, dim=axis))
    places = [0, *(i + n if i < 0 else i for i in indices_or_sections), n]
    return tuple(x.split([b - a for a, b in itertools.pairwise(places)], dim=axis))


def take_along_axis(x: Any, indices: Any, axis: int) -> Any:
    """The entries at `indices`; of other axes that are shorter, tinygrad's gather takes a part, and repeats nothing."""
    if any(n != m for i, (n, m) in enumerate(zip(x.shape, indices.shape, strict=True)) if i != axis % x.ndim):
        raise Unsupported("tinygrad's gather repeats neither its operand nor its indices")
    if (indices.numpy() < 0).any():
        raise Unsupported("tinygrad's gather counts from the start alone")
    return x.gather(axis, indices)


def diag(x: Any, k: int) -> Any:
    """A matrix with this diagonal, or the diagonal of a matrix; tinygrad's has no offset for the former."""
    if x.ndim == 2:
        return x.diagonal(k)
    if k:
        raise Unsupported("tinygrad's diag has no offset")
    return x.diag()


# ---- the tables ---------------------------------------------------------------------------------

ELEMENTWISE: Mapping[str, Callable[..., Any]] = {
    "abs": Tensor.abs,
    "negative": Tensor.neg,
    "square": Tensor.square,
    "sqrt": Tensor.sqrt,
    "rsqrt": Tensor.rsqrt,
    "reciprocal": Tensor.reciprocal,
    "exp": Tensor.exp,
    "exp2": Tensor.exp2,
    "log": Tensor.log,
    "log2": Tensor.log2,
    "log10": Tensor.log10,
    "sin": Tensor.sin,
    "cos": Tensor.cos,
    "tan": Tensor.tan,
    "asin": Tensor.asin,
    "acos": Tensor.acos,
    "atan": Tensor.atan,
    "sinh": Tensor.sinh,
    "cosh": Tensor.cosh,
    "tanh": Tensor.tanh,
    "asinh": Tensor.asinh,
    "acosh": Tensor.acosh,
    "atanh": Tensor.atanh,
    "clip": lambda x, min, max: x.clip(min, max),
    "add": Tensor.add,
    "subtract": Tensor.sub,
    "multiply": Tensor.mul,
    "divide": Tensor.div,
    "pow": Tensor.pow,
    "logaddexp": Tensor.logaddexp,
    "maximum": Tensor.maximum,
    "minimum": Tensor.minimum,
    "where": lambda c, x, y: c.where(x, y),
    "lerp": Tensor.lerp,
}

REDUCTIONS: Mapping[str, Callable[..., Any]] = {
    "sum": lambda x, axis, keepdims: x.sum(axis=axis, keepdim=keepdims),
    "mean": lambda x, axis, keepdims: x.mean(axis=axis, keepdim=keepdims),
    "prod": lambda x, axis, keepdims: x.prod(axis=axis, keepdim=keepdims),
    "logsumexp": lambda x, axis, keepdims: x.logsumexp(axis=axis, keepdim=keepdims),
    "var_mean": lambda x, axis, keepdims, correction: x.var_mean(axis, keepdims, correction),
    "std_mean": lambda x, axis, keepdims, correction: x.std_mean(axis, keepdims, correction),
    "var": lambda x, axis, keepdims, correction: x.var(axis=axis, keepdim=keepdims, correction=correction),
    "std": lambda x, axis, keepdims, correction: x.std(axis=axis, keepdim=keepdims, correction=correction),
    "max": lambda x, axis, keepdims: x.max(axis=axis, keepdim=keepdims),
    "min": lambda x, axis, keepdims: x.min(axis=axis, keepdim=keepdims),
    "cumulative_sum": lambda x, axis: along(Tensor.cumsum, x, axis),
    "cumulative_prod": lambda x, axis: along(Tensor.cumprod, x, axis),
    "logcumsumexp": lambda x, axis: along(Tensor.logcumsumexp, x, axis),
}

SHAPE: Mapping[str, Callable[..., Any]] = {
    "reshape": lambda x, shape: x.reshape(shape),
    "ravel": Tensor.flatten,
    "expand_dims": expand_dims,
    "squeeze": squeeze,
    "permute_dims": lambda x, axes: x.permute(tuple(range(x.ndim))[::-1] if axes is None else axes),
    "swapaxes": lambda x, axis1, axis2: x.transpose(axis1, axis2),
    "flip": lambda x, axis: x.flip(tuple(range(x.ndim)) if axis is None else axis),
    "roll": lambda x, shift, axis: x.roll(shift, axis),
    "broadcast_to": lambda x, shape: x.expand(shape),
    "tile": tile,
    "repeat": repeat,
    "pad": pad,
    "tril": lambda x, k: x.tril(k),
    "triu": lambda x, k: x.triu(k),
    "diagonal": lambda x, offset, axis1, axis2: x.diagonal(offset, axis1, axis2),
    "diag": diag,
    "astype": lambda x, dtype: x.cast(dtype),
    "concat": lambda *xs, axis: (
        Tensor.cat(*(x.flatten() for x in xs)) if axis is None else Tensor.cat(*xs, dim=axis)
    ),
    "stack": lambda *xs, axis: Tensor.stack(*xs, dim=axis),
    "split": split,
}

INDEXING: Mapping[str, Callable[..., Any]] = {
    "getitem": lambda x, index: x[key(index)],
    "getitem_integer_array": lambda x, index: x[key(index)],
    "index_update": index_update,
    "take_along_axis": take_along_axis,
    "scatter_reduce": lambda x, index, values, axis, reduce, include_self: x.scatter_reduce(
        axis, index, values, reduce, include_self
    ),
    "masked_fill": lambda x, mask, value: x.masked_fill(mask, value),
    "sort": lambda x, axis: x.sort(axis)[0],
}

LINEAR_ALGEBRA: Mapping[str, Callable[..., Any]] = {
    "matmul": Tensor.matmul,
    "einsum": lambda *xs, subscripts: Tensor.einsum(subscripts, *xs),
    "matrix_transpose": lambda x: x.transpose(-1, -2),
}

ACTIVATIONS: Mapping[str, Callable[..., Any]] = {
    "relu": Tensor.relu,
    "relu6": Tensor.relu6,
    "leaky_relu": lambda x, negative_slope: x.leaky_relu(negative_slope),
    "elu": lambda x, alpha: x.elu(alpha),
    "celu": lambda x, alpha: x.celu(alpha),
    "selu": Tensor.selu,
    "hard_tanh": Tensor.hardtanh,
    "hard_sigmoid": Tensor.hardsigmoid,
    "hard_swish": Tensor.hardswish,
    "sigmoid": Tensor.sigmoid,
    "log_sigmoid": Tensor.logsigmoid,
    "softplus": Tensor.softplus,
    "softsign": Tensor.softsign,
    "silu": Tensor.silu,
    "mish": Tensor.mish,
    "gelu_tanh": Tensor.gelu,
    "softmax": lambda x, axis: x.softmax(axis),
    "log_softmax": lambda x, axis: x.log_softmax(axis),
}

# One convolution serves any number of axes; a padding is given for each.
LAYERS: Mapping[str, Callable[..., Any]] = {
    "linear": lambda x, weight, bias: x.linear(weight.transpose(), bias),
    "embedding": lambda weight, indices: weight[indices],
    "scaled_dot_product_attention": lambda q, k, v, is_causal: q.scaled_dot_product_attention(
        k, v, is_causal=is_causal
    ),
    "conv1d": lambda x, weight, bias, stride, padding, dilation, groups: x.conv2d(
        weight, bias, groups, stride, dilation, padding
    ),
    "conv2d": lambda x, weight, bias, stride, padding, dilation, groups: x.conv2d(
        weight, bias, groups, stride, dilation, padding
    ),
    "conv3d": lambda x, weight, bias, stride, padding, dilation, groups: x.conv2d(
        weight, bias, groups, stride, dilation, padding
    ),
    "interpolate": lambda x, size, mode, align_corners: x.interpolate(size, mode, bool(align_corners)),
    "avg_pool2d": avg_pool,
    "max_pool2d": lambda x, kernel_size, stride, padding, dilation, ceil_mode: x.max_pool2d(
        kernel_size, stride, dilation, padding, ceil_mode
    ),
}

LOSSES: Mapping[str, Callable[..., Any]] = {
    "binary_cross_entropy": lambda p, t, reduction: p.binary_crossentropy(t, reduction=reduction),
    "binary_cross_entropy_with_logits": lambda x, t, reduction: x.binary_crossentropy_logits(
        t, reduction=reduction
    ),
    "nll": lambda x, t, reduction: x.nll_loss(t, reduction=reduction),
    "cross_entropy": lambda x, t, reduction: x.cross_entropy(t, reduction=reduction),
}

FLAT: Mapping[str, Callable[..., Any]] = {
    "ceil": Tensor.ceil,
    "floor": Tensor.floor,
    "trunc": Tensor.trunc,
    "rint": Tensor.round,
    "sign": Tensor.sign,
    "equal": Tensor.eq,
    "not_equal": Tensor.ne,
    "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y,
    "greater": lambda x, y: x > y,
    "greater_equal": lambda x, y: x >= y,
    "isnan": Tensor.isnan,
    "isinf": Tensor.isinf,
    "isfinite": Tensor.isfinite,
    "logical_not": Tensor.logical_not,
    "any": lambda x, axis, keepdims: x.any(axis=axis, keepdim=keepdims),
    "all": lambda x, axis, keepdims: x.all(axis=axis, keepdim=keepdims),
    "argmax": lambda x, axis, keepdims: x.argmax(axis=axis, keepdim=keepdims),
    "argmin": lambda x, axis, keepdims: x.argmin(axis=axis, keepdim=keepdims),
    "argsort": lambda x, axis: x.argsort(axis),
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
