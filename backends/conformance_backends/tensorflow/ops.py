"""The catalogue's ops as users of TensorFlow write them.

Each entry is read as source too, to print scripts: an attribute of TensorFlow, or a lambda with the catalogue's operands
by position and its parameters by keyword. Where TensorFlow has no such op the table has no entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from conformance_backends.tensorflow.functions import (
    avg_pool2d,
    batch_norm,
    clip,
    conv2d,
    cross,
    einsum,
    getitem,
    linear,
    matmul,
    max_pool2d,
    of_its_shape,
    pad,
    reduced,
    solve,
    squeeze,
    stft,
    take,
    tile,
    trace,
    uncorrected,
    var_mean,
)
from conformance_backends.tensorflow.further import FURTHER
from conformance_backends.tensorflow.segments import SEGMENTS

ELEMENTWISE: Mapping[str, Callable[..., Any]] = {
    "abs": tf.abs,
    "negative": tf.negative,
    "real": tf.math.real,
    "imag": tf.math.imag,
    "conj": tf.math.conj,
    "square": tf.square,
    "sqrt": tf.sqrt,
    "rsqrt": tf.math.rsqrt,
    "reciprocal": tf.math.reciprocal,
    "exp": tf.exp,
    "expm1": tf.math.expm1,
    "log": tf.math.log,
    "log1p": tf.math.log1p,
    "sin": tf.sin,
    "cos": tf.cos,
    "tan": tf.tan,
    "asin": tf.asin,
    "acos": tf.acos,
    "atan": tf.atan,
    "sinh": tf.sinh,
    "cosh": tf.cosh,
    "tanh": tf.tanh,
    "asinh": tf.asinh,
    "acosh": tf.acosh,
    "atanh": tf.atanh,
    "clip": clip,
    "add": tf.add,
    "subtract": tf.subtract,
    "multiply": tf.multiply,
    "divide": tf.divide,
    "pow": tf.pow,
    "atan2": tf.atan2,
    "xlogy": tf.math.xlogy,
    "maximum": tf.maximum,
    "minimum": tf.minimum,
    "where": tf.where,
}

REDUCTIONS: Mapping[str, Callable[..., Any]] = {
    "sum": lambda x, axis, keepdims: tf.reduce_sum(x, axis=axis, keepdims=keepdims),
    "mean": lambda x, axis, keepdims: tf.reduce_mean(x, axis=axis, keepdims=keepdims),
    "prod": lambda x, axis, keepdims: tf.reduce_prod(x, axis=axis, keepdims=keepdims),
    "logsumexp": lambda x, axis, keepdims: tf.reduce_logsumexp(x, axis=axis, keepdims=keepdims),
    "stft": stft,
    "var_mean": var_mean,
    "var": lambda x, axis, keepdims, correction: uncorrected(
        tf.math.reduce_variance, x, axis, keepdims, correction
    ),
    "std": lambda x, axis, keepdims, correction: uncorrected(
        tf.math.reduce_std, x, axis, keepdims, correction
    ),
    "vector_norm": lambda x, axis, keepdims, ord: tf.norm(x, ord, axis=axis, keepdims=keepdims),
    "max": lambda x, axis, keepdims: tf.reduce_max(x, axis=axis, keepdims=keepdims),
    "min": lambda x, axis, keepdims: tf.reduce_min(x, axis=axis, keepdims=keepdims),
    "cumulative_sum": lambda x, axis: tf.cumsum(x, axis=axis),
    "cumulative_prod": lambda x, axis: tf.math.cumprod(x, axis=axis),
    "logcumsumexp": lambda x, axis: tf.math.cumulative_logsumexp(x, axis=axis),
}

SHAPE: Mapping[str, Callable[..., Any]] = {
    "reshape": lambda x, shape: tf.reshape(x, shape),
    "ravel": lambda x: tf.reshape(x, [-1]),
    "expand_dims": lambda x, axis: tf.expand_dims(x, axis),
    "squeeze": squeeze,
    "permute_dims": lambda x, axes: tf.transpose(x, axes),
    "flip": lambda x, axis: tf.reverse(x, [axis] if isinstance(axis, int) else list(axis)),
    "roll": lambda x, shift, axis: tf.roll(x, shift, axis),
    "broadcast_to": lambda x, shape: tf.broadcast_to(x, shape),
    "tile": tile,
    "repeat": lambda x, repeats, axis: tf.repeat(x, repeats, axis=axis),
    "pad": pad,
    "astype": lambda x, dtype: tf.cast(x, dtype),
    "concat": lambda *xs, axis: tf.concat(xs, axis),
    "stack": lambda *xs, axis: tf.stack(xs, axis),
    "unstack": lambda x, axis: tuple(tf.unstack(x, axis=axis)),
}

INDEXING: Mapping[str, Callable[..., Any]] = {
    "getitem": getitem,
    "take": take,
    "masked_fill": lambda x, mask, value: tf.where(mask, tf.constant(value, x.dtype), x),
    "sort": lambda x, axis: tf.sort(x, axis),
}

LINEAR_ALGEBRA: Mapping[str, Callable[..., Any]] = {
    "matmul": matmul,
    "tensordot": lambda a, b, axes: tf.tensordot(a, b, axes),
    "einsum": einsum,
    "cross": cross,
    "matrix_transpose": tf.linalg.matrix_transpose,
    "trace": trace,
    "solve": solve,
    "inv": tf.linalg.inv,
    "det": tf.linalg.det,
    "slogdet": lambda x: tuple(tf.linalg.slogdet(x)),
    "cholesky": lambda x, upper=False: tf.linalg.cholesky(x),
}

ACTIVATIONS: Mapping[str, Callable[..., Any]] = {
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "leaky_relu": lambda x, negative_slope: tf.nn.leaky_relu(x, negative_slope),
    "elu": lambda x, alpha: tf.keras.activations.elu(x, alpha),
    "celu": lambda x, alpha: tf.keras.activations.celu(x, alpha),
    "selu": tf.nn.selu,
    "hard_tanh": tf.keras.activations.hard_tanh,
    "hard_sigmoid": tf.keras.activations.hard_sigmoid,
    "hard_swish": tf.keras.activations.hard_silu,
    "hard_shrink": lambda x, threshold: tf.keras.activations.hard_shrink(x, threshold),
    "soft_shrink": lambda x, threshold: tf.keras.activations.soft_shrink(x, threshold),
    "sigmoid": tf.sigmoid,
    "log_sigmoid": tf.math.log_sigmoid,
    "softplus": tf.math.softplus,
    "squareplus": lambda x, b: tf.keras.activations.squareplus(x, b),
    "softsign": tf.nn.softsign,
    "silu": tf.nn.silu,
    "mish": tf.keras.activations.mish,
    "gelu_tanh": lambda x: tf.nn.gelu(x, approximate=True),
    "tanh_shrink": tf.keras.activations.tanh_shrink,
    "softmax": lambda x, axis: tf.nn.softmax(x, axis),
    "log_softmax": lambda x, axis: tf.nn.log_softmax(x, axis),
    "glu": lambda x, axis: tf.keras.activations.glu(x, axis),
}

# TensorFlow has the channels last, on the CPU.
LAYERS: Mapping[str, Callable[..., Any]] = {
    "linear": linear,
    "embedding": lambda weight, indices: tf.nn.embedding_lookup(weight, indices),
    "batch_norm": batch_norm,
    "conv2d": conv2d,
    "avg_pool2d": avg_pool2d,
    "max_pool2d": max_pool2d,
}

LOSSES: Mapping[str, Callable[..., Any]] = {
    "binary_cross_entropy_with_logits": lambda x, t, reduction: reduced(
        tf.nn.sigmoid_cross_entropy_with_logits(labels=t, logits=x), reduction
    ),
    "poisson_nll": lambda x, t, reduction: reduced(tf.nn.log_poisson_loss(of_its_shape(t, x), x), reduction),
    "cross_entropy": lambda x, t, reduction: reduced(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=t, logits=x), reduction
    ),
}

FLAT: Mapping[str, Callable[..., Any]] = {
    "ceil": tf.math.ceil,
    "floor": tf.floor,
    "rint": tf.math.rint,
    "sign": tf.sign,
    "floor_divide": tf.math.floordiv,
    "equal": tf.equal,
    "not_equal": tf.not_equal,
    "less": tf.less,
    "less_equal": tf.less_equal,
    "greater": tf.greater,
    "greater_equal": tf.greater_equal,
    "isnan": tf.math.is_nan,
    "isinf": tf.math.is_inf,
    "isfinite": tf.math.is_finite,
    "logical_not": lambda x: tf.logical_not(tf.cast(x, bool)),
    "logical_and": lambda x, y: tf.logical_and(tf.cast(x, bool), tf.cast(y, bool)),
    "logical_or": lambda x, y: tf.logical_or(tf.cast(x, bool), tf.cast(y, bool)),
    "logical_xor": lambda x, y: tf.math.logical_xor(tf.cast(x, bool), tf.cast(y, bool)),
    "any": lambda x, axis, keepdims: tf.reduce_any(tf.cast(x, bool), axis=axis, keepdims=keepdims),
    "all": lambda x, axis, keepdims: tf.reduce_all(tf.cast(x, bool), axis=axis, keepdims=keepdims),
    "argmax": lambda x, axis, keepdims: tf.argmax(x, axis),
    "argmin": lambda x, axis, keepdims: tf.argmin(x, axis),
    "argsort": lambda x, axis: tf.argsort(x, axis),
    "count_nonzero": lambda x, axis, keepdims: tf.math.count_nonzero(x, axis, keepdims),
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
    **SEGMENTS,
}
