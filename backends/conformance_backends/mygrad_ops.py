"""The catalogue's ops as users of MyGrad write them.

Each entry is read as source too, to print scripts: an attribute of MyGrad, or a lambda with the
catalogue's operands by position and its parameters by keyword. Where MyGrad has no such op the table
has no entry. Its astype is a copy that is not recorded, and so is not here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mygrad as mg
import mygrad.linalg
import mygrad.nnet
import numpy as np

from conformance.errors import Unsupported

# ---- where one line is not enough ---------------------------------------------------------------


def vector_norm(x: Any, axis: Any, keepdims: Any, ord: Any) -> Any:
    """The norm of vectors; over several axes MyGrad has none."""
    if not isinstance(axis, int) and (axis is not None or x.ndim > 1):
        raise Unsupported("MyGrad's norm goes over one axis")
    return mg.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)


def index_update(x: Any, values: Any, index: Any) -> Any:
    """A copy of `x` with `values` written at `index`, which MyGrad records unless the copy is a constant."""
    written = mg.positive(x, constant=False)
    written[index] = values
    return written


def convolution(x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """MyGrad's convolution, with its bias added as a user would."""
    if groups != 1:
        raise Unsupported("MyGrad's convolution has no groups")
    require_whole_steps(x.shape[2:], weight.shape[2:], stride, padding, dilation)
    y = mg.nnet.conv_nd(x, weight, stride=stride, padding=padding, dilation=dilation)
    return y + mg.reshape(bias, (-1,) + (1,) * (y.ndim - 2))


def require_whole_steps(lengths: Any, sizes: Any, stride: Any, padding: Any = 0, dilation: Any = 1) -> None:
    """Raise Unsupported where windows would leave a remainder behind their last step: MyGrad refuses those."""
    way = np.asarray(lengths) + 2 * np.asarray(padding) - (np.asarray(sizes) - 1) * np.asarray(dilation) - 1
    if (way % np.asarray(stride)).any():
        raise Unsupported("MyGrad's windows must cover their operand in whole steps")


def max_pool2d(x: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    """MyGrad's pooling of the last two axes."""
    if any(padding) or max(dilation) > 1 or ceil_mode:
        raise Unsupported("MyGrad's pooling has no padding, and its windows have no gaps")
    require_whole_steps(x.shape[2:], kernel_size, stride)
    return mg.nnet.max_pool(x, kernel_size, stride)


def over_the_batch(loss: Any, reduction: str) -> Any:
    """A loss; MyGrad's are means."""
    if reduction != "mean":
        raise Unsupported("MyGrad's losses are means over the batch")
    return loss


def without_the_axis(position: Any, keepdims: Any) -> Any:
    """A position along an axis, which MyGrad drops."""
    if keepdims:
        raise Unsupported("MyGrad's argmax and argmin keep no axes")
    return position


# ---- the tables ---------------------------------------------------------------------------------

ELEMENTWISE: Mapping[str, Callable[..., Any]] = {
    "abs": mg.abs,
    "negative": mg.negative,
    "positive": mg.positive,
    "power_of": lambda x, exponent: x**exponent,
    "square": mg.square,
    "sqrt": mg.sqrt,
    "cbrt": mg.cbrt,
    "reciprocal": mg.reciprocal,
    "exp": mg.exp,
    "exp2": mg.exp2,
    "expm1": mg.expm1,
    "log": mg.log,
    "log2": mg.log2,
    "log10": mg.log10,
    "log1p": mg.log1p,
    "sin": mg.sin,
    "cos": mg.cos,
    "tan": mg.tan,
    "asin": mg.arcsin,
    "acos": mg.arccos,
    "atan": mg.arctan,
    "sinc": mg.sinc,
    "sinh": mg.sinh,
    "cosh": mg.cosh,
    "tanh": mg.tanh,
    "asinh": mg.arcsinh,
    "acosh": mg.arccosh,
    "atanh": mg.arctanh,
    "clip": lambda x, min, max: mg.clip(x, min, max),
    "clip_between": lambda x, lower, upper: mg.clip(x, lower, upper),
    "add": mg.add,
    "subtract": mg.subtract,
    "multiply": mg.multiply,
    "divide": mg.divide,
    "pow": mg.power,
    "atan2": mg.arctan2,
    "logaddexp": mg.logaddexp,
    "logaddexp2": mg.logaddexp2,
    "maximum": mg.maximum,
    "minimum": mg.minimum,
    "where": lambda c, x, y: mg.where(c.data, x, y),
}

REDUCTIONS: Mapping[str, Callable[..., Any]] = {
    "sum": lambda x, axis, keepdims: mg.sum(x, axis=axis, keepdims=keepdims),
    "mean": lambda x, axis, keepdims: mg.mean(x, axis=axis, keepdims=keepdims),
    "prod": lambda x, axis, keepdims: mg.prod(x, axis=axis, keepdims=keepdims),
    "var": lambda x, axis, keepdims, correction: mg.var(x, axis=axis, keepdims=keepdims, ddof=correction),
    "std": lambda x, axis, keepdims, correction: mg.std(x, axis=axis, keepdims=keepdims, ddof=correction),
    "vector_norm": vector_norm,
    "max": lambda x, axis, keepdims: mg.max(x, axis=axis, keepdims=keepdims),
    "min": lambda x, axis, keepdims: mg.min(x, axis=axis, keepdims=keepdims),
    "cumulative_sum": lambda x, axis: mg.cumsum(x, axis=axis),
    "cumulative_prod": lambda x, axis: mg.cumprod(x, axis=axis),
}

SHAPE: Mapping[str, Callable[..., Any]] = {
    "reshape": lambda x, shape: mg.reshape(x, shape),
    "ravel": mg.ravel,
    "expand_dims": lambda x, axis: mg.expand_dims(x, axis),
    "squeeze": lambda x, axis: mg.squeeze(x, axis),
    "permute_dims": lambda x, axes: mg.transpose(x) if axes is None else mg.transpose(x, axes),
    "swapaxes": lambda x, axis1, axis2: mg.swapaxes(x, axis1, axis2),
    "moveaxis": lambda x, source, destination: mg.moveaxis(x, source, destination),
    "roll": lambda x, shift, axis: mg.roll(x, shift, axis),
    "broadcast_to": lambda x, shape: mg.broadcast_to(x, shape),
    "repeat": lambda x, repeats, axis: mg.repeat(x, repeats, axis=axis),
    "concat": lambda *xs, axis: mg.concatenate(xs, axis=axis),
    "stack": lambda *xs, axis: mg.stack(xs, axis=axis),
}

INDEXING: Mapping[str, Callable[..., Any]] = {
    "getitem": lambda x, index: x[index],
    "getitem_integer_array": lambda x, index: x[index],
    "index_update": index_update,
    "masked_fill": lambda x, mask, value: mg.where(mask.data, value, x),
}

LINEAR_ALGEBRA: Mapping[str, Callable[..., Any]] = {
    "matmul": mg.matmul,
    "multi_dot": lambda *xs: mg.multi_matmul(xs),
    "einsum": lambda *xs, subscripts: mg.einsum(subscripts, *xs),
}

ACTIVATIONS: Mapping[str, Callable[..., Any]] = {
    "relu": mg.nnet.relu,
    "leaky_relu": lambda x, negative_slope: mg.nnet.leaky_relu(x, negative_slope),
    "elu": lambda x, alpha: mg.nnet.elu(x, alpha),
    "selu": mg.nnet.selu,
    "hard_tanh": mg.nnet.hard_tanh,
    "sigmoid": mg.nnet.sigmoid,
    "softsign": mg.nnet.soft_sign,
    "softmax": lambda x, axis: mg.nnet.softmax(x, axis=axis),
    "log_softmax": lambda x, axis: mg.nnet.logsoftmax(x, axis=axis),
    "glu": lambda x, axis: mg.nnet.glu(x, axis=axis),
}

LAYERS: Mapping[str, Callable[..., Any]] = {
    "batch_norm": lambda x, weight, bias, eps: mg.nnet.batchnorm(x, gamma=weight, beta=bias, eps=eps),
    "conv1d": convolution,
    "conv2d": convolution,
    "max_pool2d": max_pool2d,
}

LOSSES: Mapping[str, Callable[..., Any]] = {
    "nll": lambda x, t, reduction: over_the_batch(mg.nnet.negative_log_likelihood(x, t), reduction),
    "cross_entropy": lambda x, t, reduction: over_the_batch(mg.nnet.softmax_crossentropy(x, t), reduction),
}

# Rounding and signs MyGrad computes of constants alone; truth values and positions it gives as plain arrays.
FLAT: Mapping[str, Callable[..., Any]] = {
    "ceil": mg.ceil,
    "floor": mg.floor,
    "trunc": mg.trunc,
    "rint": mg.rint,
    "sign": mg.sign,
    "floor_divide": mg.floor_divide,
    "equal": mg.equal,
    "not_equal": mg.not_equal,
    "less": mg.less,
    "less_equal": mg.less_equal,
    "greater": mg.greater,
    "greater_equal": mg.greater_equal,
    "isnan": mg.isnan,
    "isinf": mg.isinf,
    "isfinite": mg.isfinite,
    "signbit": mg.signbit,
    "logical_not": mg.logical_not,
    "logical_and": mg.logical_and,
    "logical_or": mg.logical_or,
    "logical_xor": mg.logical_xor,
    "any": lambda x, axis, keepdims: mg.any(x, axis=axis, keepdims=keepdims),
    "argmax": lambda x, axis, keepdims: without_the_axis(mg.argmax(x, axis=axis), keepdims),
    "argmin": lambda x, axis, keepdims: without_the_axis(mg.argmin(x, axis=axis), keepdims),
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
}
