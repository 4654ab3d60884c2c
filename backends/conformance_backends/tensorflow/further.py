"""Ops of TensorFlow beside the usual ones: special functions, transforms, factorings, and its NumPy API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow.experimental.numpy as tnp

from conformance.errors import Unsupported
from conformance_backends.matrices.signs import sign_weights
from conformance_backends.tensorflow.keras_ops import KERAS

# ---- where one line is not enough ---------------------------------------------------------------


def along_last(x: Any, axis: int, what: str) -> None:
    """TensorFlow's transforms, windows and orders are along the last axis."""
    if axis not in (-1, x.ndim - 1):
        raise Unsupported(f"{what} is along the last axis")


def top_k(x: Any, k: int, axis: int) -> Any:
    """tf.math.top_k, along the last axis."""
    along_last(x, axis, "tf.math.top_k")
    return tf.math.top_k(x, k)[0]


def fft(transform: Any, re: Any, im: Any, n: Any, axis: int, norm: str) -> tuple[Any, Any]:
    """A transform of complex numbers along the last axis, of as many entries as there are."""
    along_last(re, axis, "tf.signal.fft")
    if norm != "backward" or n is not None:
        raise Unsupported("tf.signal.fft has no other lengths and factors")
    z = transform(tf.complex(re, im))
    return tf.math.real(z), tf.math.imag(z)


def rfft(x: Any, n: Any, axis: int, norm: str) -> tuple[Any, Any]:
    """tf.signal.rfft, along the last axis."""
    along_last(x, axis, "tf.signal.rfft")
    if norm != "backward":
        raise Unsupported("tf.signal.rfft has no other factors")
    z = tf.signal.rfft(x, None if n is None else [n])
    return tf.math.real(z), tf.math.imag(z)


def irfft(re: Any, im: Any, n: Any, axis: int, norm: str) -> Any:
    """tf.signal.irfft, along the last axis."""
    along_last(re, axis, "tf.signal.irfft")
    if norm != "backward":
        raise Unsupported("tf.signal.irfft has no other factors")
    return tf.signal.irfft(tf.complex(re, im), None if n is None else [n])


def signs(vectors: Any) -> Any:
    """For each column the sign of its weighted sum, by which the catalogue tells an eigenvector from its negative."""
    weights = tf.constant(sign_weights(vectors.shape[-2]), vectors.dtype)
    return tf.sign(tf.reduce_sum(tf.stop_gradient(vectors) * weights[:, None], -2, keepdims=True))


def eigh(x: Any) -> tuple[Any, Any]:
    """The eigenvalues and eigenvectors of a symmetric matrix, the vectors' signs fixed."""
    values, vectors = tf.linalg.eigh(x)
    return values, vectors * signs(vectors)


def qr(x: Any) -> tuple[Any, Any]:
    """The factors Q and R, the signs of R's diagonal fixed."""
    q, r = tf.linalg.qr(x)
    sign = tf.sign(tf.stop_gradient(tf.linalg.diag_part(r)))
    return q * sign[..., None, :], r * sign[..., None]


def svd(x: Any) -> tuple[Any, Any, Any]:
    """The factors U, S and Vᵀ, the signs of V fixed."""
    s, u, v = tf.linalg.svd(x)
    return u * signs(v), s, tf.linalg.matrix_transpose(v * signs(v))


def in_one_batch(solve: Any, a: Any, b: Any, **options: Any) -> Any:
    """A solution of linear equations; TensorFlow wants both operands in the same batches."""
    if a.shape[:-2] != b.shape[:-2]:
        raise Unsupported("TensorFlow solves equations in the same batches")
    return solve(a, b, **options)


def solve_triangular(a: Any, b: Any, lower: bool, unit_diagonal: bool) -> Any:
    """tf.linalg.triangular_solve, which reads the diagonal."""
    if unit_diagonal:
        raise Unsupported("tf.linalg.triangular_solve reads the diagonal")
    return in_one_batch(tf.linalg.triangular_solve, a, b, lower=lower)


def cholesky_solve(b: Any, factor: Any, upper: bool) -> Any:
    """tf.linalg.cholesky_solve, of lower factors."""
    if upper:
        raise Unsupported("tf.linalg.cholesky_solve takes lower factors")
    return in_one_batch(tf.linalg.cholesky_solve, factor, b)


def pooled(pool: Any, x: Any, kernel_size: Any, stride: Any, padding: Any) -> Any:
    """A pooling without margins, with the channels last."""
    if np.any(padding):
        raise Unsupported("this pooling of TensorFlow takes no padding but 'VALID' and 'SAME'")
    return tnp.moveaxis(pool(tnp.moveaxis(x, 1, -1), kernel_size, stride, "VALID"), -1, 1)


def max_pool3d(x: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    """tf.nn.max_pool3d, whose windows have no gaps."""
    if x.dtype != tf.float32:
        raise Unsupported("tf.nn.max_pool3d is in single precision")
    return pooled(tf.nn.max_pool3d, x, kernel_size, stride, padding)


def avg_pool3d(
    x: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> Any:
    """tf.nn.avg_pool3d, which divides by the size of a window."""
    if x.dtype != tf.float32:
        raise Unsupported("tf.nn.avg_pool3d is in single precision")
    return pooled(tf.nn.avg_pool3d, x, kernel_size, stride, padding)


def conv(
    convolution: Any, x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """A convolution without margins, with the channels last; on the CPU, of one group without dilation."""
    if groups > 1 or np.max(dilation) > 1:
        raise Unsupported("the gradients of grouped and of dilated convolutions are for the GPU")
    if np.any(padding):
        raise Unsupported("this convolution of TensorFlow takes no padding but 'VALID' and 'SAME'")
    kernels = tnp.moveaxis(weight, (0, 1), (-1, -2))
    z = convolution(tnp.moveaxis(x, 1, -1), kernels, stride, "VALID")
    return tnp.moveaxis(tf.nn.bias_add(z, bias), -1, 1)


def local_response_norm(x: Any, size: int, alpha: float, beta: float, k: float) -> Any:
    """tf.nn.local_response_normalization, of images, as many channels on either side, in single precision."""
    if x.ndim != 4 or size % 2 == 0 or x.dtype != tf.float32:
        raise Unsupported("tf.nn.local_response_normalization takes images of float32, and an odd size")
    z = tf.nn.local_response_normalization(tf.transpose(x, [0, 2, 3, 1]), size // 2, k, alpha / size, beta)
    return tf.transpose(z, [0, 3, 1, 2])


def dynamic_slice(x: Any, start: Any, sizes: Any) -> Any:
    """tf.slice, which moves no block that does not fit, and counts from the front."""
    if any(i < 0 or i + size > n for i, size, n in zip(start, sizes, x.shape, strict=True)):
        raise Unsupported("tf.slice takes only blocks that lie within the tensor")
    return tf.slice(x, tf.constant(start, tf.int32, [x.ndim]), tf.constant(sizes, tf.int32, [x.ndim]))


def split(x: Any, indices_or_sections: Any, axis: int) -> tuple[Any, ...]:
    """tnp.split, which counts from the front."""
    if np.min(indices_or_sections, initial=0) < 0:
        raise Unsupported("tnp.split takes no negative places")
    return tuple(tnp.split(x, indices_or_sections, axis))


# ---- the tables ---------------------------------------------------------------------------------

SPECIAL: Mapping[str, Callable[..., Any]] = {
    "erf": tf.math.erf,
    "erfc": tf.math.erfc,
    "erfinv": tf.math.erfinv,
    "ndtri": tf.math.ndtri,
    "gammaln": tf.math.lgamma,
    "digamma": tf.math.digamma,
    "polygamma": lambda x, n: tf.math.polygamma(tf.constant(n, x.dtype), x),
    "zeta": lambda q, s: tf.math.zeta(tf.constant(s, q.dtype), q),
    "gammainc": lambda x, a: tf.math.igamma(tf.constant(a, x.dtype), x),
    "gammaincc": lambda x, a: tf.math.igammac(tf.constant(a, x.dtype), x),
    "betaln": lambda a, b: tf.math.lbeta(tf.stack(tnp.broadcast_arrays(a, b), -1)),
    "bessel_j0": tf.math.special.bessel_j0,
    "bessel_j1": tf.math.special.bessel_j1,
    "i0": tf.math.bessel_i0,
    "i0e": tf.math.bessel_i0e,
    "i1": tf.math.bessel_i1,
    "i1e": tf.math.bessel_i1e,
    "xlog1py": tf.math.xlog1py,
    "remainder": tf.math.floormod,
    "power_of": lambda x, exponent: tf.pow(x, exponent),
    "gelu": tf.nn.gelu,
    "threshold": lambda x, threshold, value: tf.keras.activations.threshold(x, threshold, value),
}

NUMPY_API: Mapping[str, Callable[..., Any]] = {
    "positive": tnp.positive,
    "cbrt": tnp.cbrt,
    "exp2": tnp.exp2,
    "log2": tnp.log2,
    "log10": tnp.log10,
    "sinc": tnp.sinc,
    "hypot": tnp.hypot,
    "logaddexp": tnp.logaddexp,
    "logaddexp2": tnp.logaddexp2,
    "heaviside": tnp.heaviside,
    "signbit": tnp.signbit,
    "deg2rad": tnp.deg2rad,
    "rad2deg": tnp.rad2deg,
    "trunc": tnp.fix,
    "nansum": lambda x, axis, keepdims: tnp.nansum(x, axis, keepdims=keepdims),
    "nanprod": lambda x, axis, keepdims: tnp.nanprod(x, axis, keepdims=keepdims),
    "nanmean": lambda x, axis, keepdims: tnp.nanmean(x, axis, keepdims=keepdims),
    "ptp": lambda x, axis, keepdims: tnp.ptp(x, axis, keepdims=keepdims),
    "diff": lambda x, n, axis: tnp.diff(x, n, axis),
    "swapaxes": lambda x, axis1, axis2: tnp.swapaxes(x, axis1, axis2),
    "moveaxis": lambda x, source, destination: tnp.moveaxis(x, source, destination),
    "split": split,
    "rot90": lambda x, k, axes: tnp.rot90(x, k, axes),
    "tril": lambda x, k: tnp.tril(x, k),
    "triu": lambda x, k: tnp.triu(x, k),
    "diag": lambda x, k: tnp.diag(x, k),
    "diagonal": lambda x, offset, axis1, axis2: tnp.diagonal(x, offset, axis1, axis2),
    "take_along_axis": lambda x, indices, axis: tnp.take_along_axis(x, indices, axis),
    "dot": tnp.dot,
    "inner": tnp.inner,
    "outer": tnp.outer,
    "kron": tnp.kron,
    "vander": lambda x, n, increasing: tnp.vander(x, n, increasing),
    "polyval": lambda coefficients, x: tnp.polyval(coefficients, x),
}


FURTHER: Mapping[str, Callable[..., Any]] = {
    "complex_abs": lambda re, im: tf.abs(tf.complex(re, im)),
    "complex_angle": lambda re, im: tf.math.angle(tf.complex(re, im)),
    **SPECIAL,
    **NUMPY_API,
    **KERAS,
    "top_k": top_k,
    "dynamic_slice": dynamic_slice,
    "sliding_windows": lambda x, axis, size, step: tnp.moveaxis(
        tf.signal.frame(x, size, step, axis=axis), axis % x.ndim + 1, -1
    ),
    "fft": lambda re, im, n, axis, norm: fft(tf.signal.fft, re, im, n, axis, norm),
    "ifft": lambda re, im, n, axis, norm: fft(tf.signal.ifft, re, im, n, axis, norm),
    "rfft": rfft,
    "irfft": irfft,
    "fftshift": lambda x, axes: tf.signal.fftshift(x, axes),
    "ifftshift": lambda x, axes: tf.signal.ifftshift(x, axes),
    "diag_embed": lambda x, offset: tf.linalg.diag(x, k=offset),
    "matrix_norm": lambda x, ord, keepdims: tf.norm(x, ord, axis=(-2, -1), keepdims=keepdims),
    "matrix_exp": tf.linalg.expm,
    "eigh": eigh,
    "eigvalsh": tf.linalg.eigvalsh,
    "qr": qr,
    "svd": svd,
    "svdvals": lambda x: tf.linalg.svd(x, compute_uv=False),
    "pinv": tf.linalg.pinv,
    "lstsq": lambda a, b: in_one_batch(tf.linalg.lstsq, a, b),
    "solve_triangular": solve_triangular,
    "cholesky_solve": cholesky_solve,
    "max_pool1d": lambda x, kernel_size, stride, padding, dilation, ceil_mode: pooled(
        tf.nn.max_pool1d, x, kernel_size, stride, padding
    ),
    "avg_pool1d": lambda x, kernel_size, stride, padding, ceil_mode, count_include_pad: pooled(
        tf.nn.avg_pool1d, x, kernel_size, stride, padding
    ),
    "max_pool3d": max_pool3d,
    "avg_pool3d": avg_pool3d,
    "conv1d": lambda x, weight, bias, stride, padding, dilation, groups: conv(
        tf.nn.conv1d, x, weight, bias, stride, padding, dilation, groups
    ),
    "conv3d": lambda x, weight, bias, stride, padding, dilation, groups: conv(
        tf.nn.conv3d, x, weight, bias, (1, *stride, 1), padding, dilation, groups
    ),
    "local_response_norm": local_response_norm,
    # What is less than a bound is a sum of squares there, a root here.
    "normalize": lambda x, p, axis, eps: tf.math.l2_normalize(x, axis, eps**2),
}
