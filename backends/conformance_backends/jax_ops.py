"""The catalogue's ops as users of jax write them.

Each entry is read as source too, to print scripts: an attribute of jax, or a lambda with the
catalogue's operands by position and its parameters by keyword. Where jax has no such op the table
has no entry; an op put together from others would test those instead. So there are no losses: jax
leaves them to other libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from conformance.errors import Unsupported
from conformance_backends.families import jax_families, jax_further, jax_pools
from conformance_backends.matrices.jax_matrices import LINEAR_ALGEBRA

# ---- where one line is not enough ---------------------------------------------------------------


def split(x: Any, places: Any, axis: int) -> Any:
    """jax.numpy.split, which refuses places counted from the back, or beyond the end."""
    if isinstance(places, list) and not all(0 <= place <= x.shape[axis] for place in places):
        raise Unsupported("jax.numpy.split takes no places outside of the axis")
    return tuple(jnp.split(x, places, axis=axis))


def key(index: Any) -> Any:
    """An index in jax's types: it takes arrays of integers or of truth values, but no lists."""
    return tuple(np.array(i, dtype=None if i else int) if isinstance(i, list) else i for i in index)


def conv_transpose2d(
    x: Any, weight: Any, bias: Any, stride: Any, padding: Any, output_padding: Any, dilation: Any, groups: int
) -> Any:
    """jax.lax.conv_transpose, which has no groups, and counts the margins of what it computes."""
    if groups != 1:
        raise Unsupported("jax.lax.conv_transpose has no groups")
    reach = [d * (k - 1) - p for d, k, p in zip(dilation, weight.shape[2:], padding, strict=True)]
    pads = [(n, n + rest) for n, rest in zip(reach, output_padding, strict=True)]
    layout = ("NCHW", "OIHW", "NCHW")
    y = jax.lax.conv_transpose(x, weight, stride, pads, dilation, layout, transpose_kernel=True)
    return y + bias[:, None, None]


def counted(axis: int | None, ndim: int) -> int:
    """An axis counted from the front, as jax.lax wants it; None is the first, of a flattened operand."""
    return axis + ndim if axis is not None and axis < 0 else axis or 0


# ---- the tables ---------------------------------------------------------------------------------

ELEMENTWISE: Mapping[str, Callable[..., Any]] = {
    "abs": jnp.abs,
    "negative": jnp.negative,
    "positive": jnp.positive,
    "real": jnp.real,
    "imag": jnp.imag,
    "conj": jnp.conj,
    "deg2rad": jnp.deg2rad,
    "rad2deg": jnp.rad2deg,
    "square": jnp.square,
    "sqrt": jnp.sqrt,
    "cbrt": jnp.cbrt,
    "rsqrt": jax.lax.rsqrt,
    "reciprocal": jnp.reciprocal,
    "exp": jnp.exp,
    "exp2": jnp.exp2,
    "expm1": jnp.expm1,
    "log": jnp.log,
    "log2": jnp.log2,
    "log10": jnp.log10,
    "log1p": jnp.log1p,
    "sin": jnp.sin,
    "cos": jnp.cos,
    "tan": jnp.tan,
    "asin": jnp.asin,
    "acos": jnp.acos,
    "atan": jnp.atan,
    "sinc": jnp.sinc,
    "sinh": jnp.sinh,
    "cosh": jnp.cosh,
    "tanh": jnp.tanh,
    "asinh": jnp.asinh,
    "acosh": jnp.acosh,
    "atanh": jnp.atanh,
    "clip": lambda x, min, max: jnp.clip(x, min=min, max=max),
    "add": jnp.add,
    "subtract": jnp.subtract,
    "multiply": jnp.multiply,
    "divide": jnp.divide,
    "pow": jnp.pow,
    "hypot": jnp.hypot,
    "atan2": jnp.atan2,
    "logaddexp": jnp.logaddexp,
    "logaddexp2": jnp.logaddexp2,
    "xlogy": jax.scipy.special.xlogy,
    "maximum": jnp.maximum,
    "minimum": jnp.minimum,
    "where": jnp.where,
    "erf": jax.scipy.special.erf,
    "erfc": jax.scipy.special.erfc,
    "gammaln": jax.scipy.special.gammaln,
    "digamma": jax.scipy.special.digamma,
    "polygamma": lambda x, n: jax.scipy.special.polygamma(n, x),
    "nan_to_num": lambda x, nan, posinf, neginf: jnp.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf),
    "remainder": jnp.remainder,
    "fmod": jnp.fmod,
    "copysign": jnp.copysign,
}

REDUCTIONS: Mapping[str, Callable[..., Any]] = {
    "sum": lambda x, axis, keepdims: jnp.sum(x, axis=axis, keepdims=keepdims),
    "mean": lambda x, axis, keepdims: jnp.mean(x, axis=axis, keepdims=keepdims),
    "prod": lambda x, axis, keepdims: jnp.prod(x, axis=axis, keepdims=keepdims),
    "logsumexp": lambda x, axis, keepdims: jax.nn.logsumexp(x, axis=axis, keepdims=keepdims),
    "var": lambda x, axis, keepdims, correction: jnp.var(
        x, axis=axis, keepdims=keepdims, correction=correction
    ),
    "std": lambda x, axis, keepdims, correction: jnp.std(
        x, axis=axis, keepdims=keepdims, correction=correction
    ),
    "vector_norm": lambda x, axis, keepdims, ord: jnp.linalg.vector_norm(
        x, axis=axis, keepdims=keepdims, ord=ord
    ),
    "max": lambda x, axis, keepdims: jnp.max(x, axis=axis, keepdims=keepdims),
    "min": lambda x, axis, keepdims: jnp.min(x, axis=axis, keepdims=keepdims),
    "ptp": lambda x, axis, keepdims: jnp.ptp(x, axis=axis, keepdims=keepdims),
    "median": lambda x, axis, keepdims: jnp.median(x, axis=axis, keepdims=keepdims),
    "cumulative_sum": lambda x, axis: jnp.cumsum(x, axis=axis),
    "cumulative_prod": lambda x, axis: jnp.cumprod(x, axis=axis),
    "logcumsumexp": lambda x, axis: jax.lax.cumlogsumexp(
        x.ravel() if axis is None else x,
        axis=counted(axis, x.ndim),
    ),
    "diff": lambda x, n, axis: jnp.diff(x, n=n, axis=axis),
    "cummax": lambda x, axis: jax.lax.cummax(x.ravel() if axis is None else x, axis=counted(axis, x.ndim)),
    "cummin": lambda x, axis: jax.lax.cummin(x.ravel() if axis is None else x, axis=counted(axis, x.ndim)),
    "top_k": lambda x, k, axis: jnp.moveaxis(jax.lax.top_k(jnp.moveaxis(x, axis, -1), k)[0], -1, axis),
    "quantile": lambda x, q, axis, keepdims, method="linear": jnp.quantile(
        x, q, axis=axis, keepdims=keepdims, method=method
    ),
}

SHAPE: Mapping[str, Callable[..., Any]] = {
    "reshape": lambda x, shape: jnp.reshape(x, shape),
    "ravel": jnp.ravel,
    "expand_dims": lambda x, axis: jnp.expand_dims(x, axis),
    "squeeze": lambda x, axis: jnp.squeeze(x, axis),
    "permute_dims": lambda x, axes: jnp.transpose(x, axes),
    "swapaxes": lambda x, axis1, axis2: jnp.swapaxes(x, axis1, axis2),
    "moveaxis": lambda x, source, destination: jnp.moveaxis(x, source, destination),
    "flip": lambda x, axis: jnp.flip(x, axis),
    "roll": lambda x, shift, axis: jnp.roll(x, shift, axis),
    "broadcast_to": lambda x, shape: jnp.broadcast_to(x, shape),
    "tile": lambda x, reps: jnp.tile(x, reps),
    "repeat": lambda x, repeats, axis: jnp.repeat(x, np.array(repeats), axis=axis),
    "pad": lambda x, pad_width, constant_values: jnp.pad(x, pad_width, constant_values=constant_values),
    "pad_by_mode": lambda x, pad_width, mode: jnp.pad(x, pad_width, mode=mode),
    "tril": lambda x, k: jnp.tril(x, k),
    "triu": lambda x, k: jnp.triu(x, k),
    "diagonal": lambda x, offset, axis1, axis2: jnp.diagonal(x, offset, axis1, axis2),
    "diag": lambda x, k: jnp.diag(x, k),
    "astype": lambda x, dtype: x.astype(dtype),
    "concat": lambda *xs, axis: jnp.concat(xs, axis=axis),
    "stack": lambda *xs, axis: jnp.stack(xs, axis=axis),
    "split": lambda x, indices_or_sections, axis: split(x, indices_or_sections, axis),
    "unstack": lambda x, axis: jnp.unstack(x, axis=axis),
}

INDEXING: Mapping[str, Callable[..., Any]] = {
    "getitem": lambda x, index: x[key(index)],
    "getitem_integer_array": lambda x, index: x[key(index)],
    "scatter_add": lambda values, index, shape: jnp.zeros(shape, values.dtype).at[key(index)].add(values),
    "index_add": lambda x, values, index: x.at[key(index)].add(values),
    "index_update": lambda x, values, index: x.at[key(index)].set(values),
    "take": lambda x, indices, axis: jnp.take(x, np.array(indices), axis=axis),
    "take_along_axis": lambda x, indices, axis: jnp.take_along_axis(x, indices, axis=axis),
    "masked_fill": lambda x, mask, value: jnp.where(mask, value, x),
    "sort": lambda x, axis: jnp.sort(x, axis=axis),
}

ACTIVATIONS: Mapping[str, Callable[..., Any]] = {
    "relu": jax.nn.relu,
    "relu6": jax.nn.relu6,
    "leaky_relu": lambda x, negative_slope: jax.nn.leaky_relu(x, negative_slope=negative_slope),
    "prelu": jax.nn.leaky_relu,
    "elu": lambda x, alpha: jax.nn.elu(x, alpha=alpha),
    "celu": lambda x, alpha: jax.nn.celu(x, alpha=alpha),
    "selu": jax.nn.selu,
    "hard_tanh": jax.nn.hard_tanh,
    "hard_sigmoid": jax.nn.hard_sigmoid,
    "hard_swish": jax.nn.hard_swish,
    "sigmoid": jax.nn.sigmoid,
    "log_sigmoid": jax.nn.log_sigmoid,
    "logit": jax.scipy.special.logit,
    "softplus": jax.nn.softplus,
    "squareplus": lambda x, b: jax.nn.squareplus(x, b),
    "softsign": jax.nn.soft_sign,
    "silu": jax.nn.silu,
    "mish": jax.nn.mish,
    "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True),
    "softmax": lambda x, axis: jax.nn.softmax(x, axis=axis),
    "log_softmax": lambda x, axis: jax.nn.log_softmax(x, axis=axis),
    "glu": lambda x, axis: jax.nn.glu(x, axis=axis),
}

# jax has convolution as a primitive; the layers made of it are other libraries'. Its
# attention wants (time, heads, width) and values as wide as the keys, which the row's need not be.
LAYERS: Mapping[str, Callable[..., Any]] = {
    "unfold": lambda x, kernel_size, stride, padding, dilation: jax.lax.conv_general_dilated_patches(
        x, kernel_size, stride, [(p, p) for p in padding], rhs_dilation=dilation
    ).reshape(x.shape[0], x.shape[1] * kernel_size[0] * kernel_size[1], -1),
    "conv_transpose2d": conv_transpose2d,
}

FLAT: Mapping[str, Callable[..., Any]] = {
    "ceil": jnp.ceil,
    "floor": jnp.floor,
    "trunc": jnp.trunc,
    "rint": jnp.rint,
    "sign": jnp.sign,
    "heaviside": jnp.heaviside,
    "floor_divide": jnp.floor_divide,
    "equal": jnp.equal,
    "not_equal": jnp.not_equal,
    "less": jnp.less,
    "less_equal": jnp.less_equal,
    "greater": jnp.greater,
    "greater_equal": jnp.greater_equal,
    "isnan": jnp.isnan,
    "isinf": jnp.isinf,
    "isfinite": jnp.isfinite,
    "signbit": jnp.signbit,
    "logical_not": jnp.logical_not,
    "logical_and": jnp.logical_and,
    "logical_or": jnp.logical_or,
    "logical_xor": jnp.logical_xor,
    "any": lambda x, axis, keepdims: jnp.any(x, axis=axis, keepdims=keepdims),
    "all": lambda x, axis, keepdims: jnp.all(x, axis=axis, keepdims=keepdims),
    "argmax": lambda x, axis, keepdims: jnp.argmax(x, axis=axis, keepdims=keepdims),
    "argmin": lambda x, axis, keepdims: jnp.argmin(x, axis=axis, keepdims=keepdims),
    "count_nonzero": lambda x, axis, keepdims: jnp.count_nonzero(x, axis=axis, keepdims=keepdims),
    "argsort": lambda x, axis: jnp.argsort(x, axis=axis),
}

OPS: Mapping[str, Callable[..., Any]] = {
    **ELEMENTWISE,
    **REDUCTIONS,
    **SHAPE,
    **INDEXING,
    **LINEAR_ALGEBRA,
    **ACTIVATIONS,
    **LAYERS,
    **jax_families.OPS,
    **jax_further.OPS,
    **jax_pools.OPS,
    **FLAT,
}
