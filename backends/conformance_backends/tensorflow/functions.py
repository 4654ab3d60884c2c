"""TensorFlow's functions, where a call of one line does not say what the catalogue means, or what TensorFlow refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from conformance.errors import Unsupported


def reduced(values: Any, reduction: str) -> Any:
    """A loss whose terms TensorFlow leaves to be reduced."""
    if reduction == "none":
        return values
    return tf.reduce_mean(values) if reduction == "mean" else tf.reduce_sum(values)


def of_its_shape(target: Any, x: Any) -> Any:
    """The targets of predictions, where TensorFlow broadcasts none."""
    if target.shape != x.shape:
        raise Unsupported("this loss of TensorFlow takes targets of the predictions' shape")
    return target


def batch_norm(x: Any, weight: Any, bias: Any, eps: float) -> Any:
    """tf.nn.batch_normalization with the moments of the batch; channels are the second axis."""
    axes = [i for i in range(x.ndim) if i != 1]
    mean, variance = tf.nn.moments(x, axes, keepdims=True)
    shape = [1, -1] + [1] * (x.ndim - 2)
    return tf.nn.batch_normalization(
        x, mean, variance, tf.reshape(bias, shape), tf.reshape(weight, shape), eps
    )


def clip(x: Any, min: Any, max: Any) -> Any:
    """tf.clip_by_value, which leaves open what it does where min > max."""
    if min > max:
        raise Unsupported("tf.clip_by_value has no value for min > max")
    return tf.clip_by_value(x, min, max)


def uncorrected(spread: Any, x: Any, axis: Any, keepdims: bool, correction: float) -> Any:
    """tf.math.reduce_variance or reduce_std, which divide by the count."""
    if correction != 0:
        raise Unsupported("TensorFlow's variance has no correction")
    return spread(x, axis=axis, keepdims=keepdims)


def var_mean(x: Any, axis: Any, keepdims: bool, correction: float) -> tuple[Any, Any]:
    """tf.nn.moments, the mean last."""
    if correction != 0:
        raise Unsupported("TensorFlow's variance has no correction")
    mean, variance = tf.nn.moments(x, list(range(x.ndim)) if axis is None else axis, keepdims=keepdims)
    return variance, mean


def stft(x: Any, window: Any, hop: int) -> tuple[Any, Any]:
    """tf.signal.stft, the frequencies before the frames."""
    size = window.shape[0]
    z = tf.signal.stft(x, size, hop, size, window_fn=lambda length, dtype: window)
    return tf.linalg.matrix_transpose(tf.math.real(z)), tf.linalg.matrix_transpose(tf.math.imag(z))


def trace(x: Any, offset: int) -> Any:
    """tf.linalg.trace, of the main diagonal."""
    if offset:
        raise Unsupported("tf.linalg.trace has no offset")
    return tf.linalg.trace(x)


def pad(x: Any, pad_width: Any, constant_values: float) -> Any:
    """tf.pad, which wants a pair for every axis."""
    if isinstance(pad_width, int) or len(pad_width) != x.ndim:
        raise Unsupported("tf.pad takes a pair for each axis")
    return tf.pad(x, pad_width, constant_values=constant_values)


def getitem(x: Any, index: Any) -> Any:
    """Basic indexing; tensors take no lists."""
    if any(isinstance(i, list) for i in index):
        raise Unsupported("tensors are not indexed by lists")
    return x[index]


def squeeze(x: Any, axis: Any) -> Any:
    """tf.squeeze, for which no axes are all."""
    if axis == ():
        raise Unsupported("tf.squeeze takes an empty list of axes for all")
    return tf.squeeze(x, axis)


def tile(x: Any, reps: Any) -> Any:
    """tf.tile, which wants a number for every axis."""
    if isinstance(reps, int) or len(reps) != x.ndim:
        raise Unsupported("tf.tile takes a number of repetitions for each axis, not more or fewer")
    return tf.tile(x, reps)


def take(x: Any, indices: Any, axis: int) -> Any:
    """tf.gather, which counts from the front only."""
    if np.min(indices, initial=0) < 0:
        raise Unsupported("tf.gather takes no negative indices")
    return tf.gather(x, indices, axis=axis)


def matmul(x: Any, y: Any) -> Any:
    """tf.matmul, which takes no vectors."""
    if x.ndim < 2 or y.ndim < 2:
        raise Unsupported("tf.matmul takes no vectors")
    return tf.matmul(x, y)


def linear(x: Any, weight: Any, bias: Any) -> Any:
    """A dense layer, of a batch."""
    if x.ndim < 2:
        raise Unsupported("tf.matmul takes no vectors")
    return tf.nn.bias_add(tf.matmul(x, weight, transpose_b=True), bias)


def einsum(*xs: Any, subscripts: str) -> Any:
    """tf.einsum, which stretches no axis that has a letter, and wants to be given the output's ellipsis."""
    if "..." in subscripts and "->" not in subscripts:
        raise Unsupported("tf.einsum takes an ellipsis only if it is in the output too")
    sizes: dict[str, int] = {}
    for labels, x in zip(subscripts.partition("->")[0].split(","), xs, strict=True):
        head, _, tail = labels.partition("...")
        named = [*zip(head, x.shape, strict=False), *zip(reversed(tail), reversed(x.shape), strict=False)]
        for label, size in named:
            if sizes.setdefault(label, size) != size:
                raise Unsupported("tf.einsum takes one size for each letter")
    return tf.einsum(subscripts, *xs)


def cross(x: Any, y: Any, axis: int) -> Any:
    """tf.linalg.cross, which does not broadcast, of vectors along the last axis."""
    if axis not in (-1, x.ndim - 1):
        raise Unsupported("tf.linalg.cross takes vectors along the last axis")
    if x.shape != y.shape:
        raise Unsupported("tf.linalg.cross takes operands of one shape")
    return tf.linalg.cross(x, y)


def solve(matrix: Any, rhs: Any) -> Any:
    """tf.linalg.solve, of matrices in batches of one shape."""
    if matrix.shape[:-2] != rhs.shape[:-2] or matrix.ndim != rhs.ndim:
        raise Unsupported("tf.linalg.solve takes matrices on the right, in the same batches")
    return tf.linalg.solve(matrix, rhs)


def conv2d(x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """tf.nn.conv2d, with the channels last; on the CPU, of one group without dilation."""
    if groups > 1 or max(dilation) > 1:
        raise Unsupported("the gradients of grouped and of dilated convolutions are for the GPU")
    pads = [[0, 0], [padding[0]] * 2, [padding[1]] * 2, [0, 0]]
    z = tf.nn.conv2d(tf.transpose(x, [0, 2, 3, 1]), tf.transpose(weight, [2, 3, 1, 0]), stride, pads)
    return tf.transpose(tf.nn.bias_add(z, bias), [0, 3, 1, 2])


def avg_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> Any:
    """tf.nn.avg_pool2d, with the channels last; it takes no numbers for its padding."""
    if any(padding):
        raise Unsupported("tf.nn.avg_pool2d takes no padding but 'VALID' and 'SAME'")
    z = tf.nn.avg_pool2d(tf.transpose(x, [0, 2, 3, 1]), kernel_size, stride, "VALID")
    return tf.transpose(z, [0, 3, 1, 2])


def max_pool2d(x: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    """tf.nn.max_pool2d, with the channels last."""
    pads = [[0, 0], [padding[0]] * 2, [padding[1]] * 2, [0, 0]]
    z = tf.nn.max_pool2d(
        tf.transpose(x, [0, 2, 3, 1]), kernel_size, stride, pads if any(padding) else "VALID"
    )
    return tf.transpose(z, [0, 3, 1, 2])
