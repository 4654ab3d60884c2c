"""Special functions, signals, volumes, resampling, spectra, norms of matrices and gathered reductions as users of jax write them.

The table is read as source too, like those of `jax_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from conformance.errors import Unsupported

# ---- where one line is not enough ---------------------------------------------------------------


def interpolate(x: Any, size: Any, mode: Any, align_corners: Any) -> Any:
    """jax.image.resize, whose samples are in the middle of their intervals."""
    if mode in ("nearest", "cubic") or align_corners:
        raise Unsupported(
            "jax.image.resize places samples in the middle of their intervals, its cubic is another"
        )
    method = "linear" if mode == "linear" else "nearest"
    return jax.image.resize(x, (*x.shape[:2], *size), method, antialias=False)


def scatter_reduce(x: Any, index: Any, values: Any, axis: Any, reduce: Any, include_self: Any) -> Any:
    """The methods of `x.at`, which reduce into what stands there."""
    if not include_self or reduce in ("mean", "prod") or values.shape != index.shape:
        raise Unsupported("x.at reduces into what stands there, has no mean, and no gradient of a product")
    places = [*jnp.indices(index.shape, sparse=True)]
    places[axis] = index
    at = x.at[tuple(places)]
    return {"sum": at.add, "amax": at.max, "amin": at.min}[reduce](values)


def convolution(x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """Of images or volumes: jax.lax.conv_general_dilated, and a bias for each channel."""
    pads = [(p, p) for p in padding]
    y = jax.lax.conv_general_dilated(
        x, weight, stride, pads, rhs_dilation=dilation, feature_group_count=groups
    )
    return y + jnp.expand_dims(bias, range(1, y.ndim - 1))


def lstsq(a: Any, b: Any) -> Any:
    """jnp.linalg.lstsq, of one matrix."""
    if a.ndim > 2:
        raise Unsupported("jnp.linalg.lstsq takes one matrix")
    return jnp.linalg.lstsq(a, b)[0]


def cholesky_solve(b: Any, factor: Any, upper: Any) -> Any:
    """jax.scipy.linalg.cho_solve, of operands in the same batches."""
    if b.shape[:-2] != factor.shape[:-2]:
        raise Unsupported("jax.scipy.linalg.cho_solve does not broadcast")
    return jax.scipy.linalg.cho_solve((factor, not upper), b)


def gradient(x: Any, spacing: Any, axis: Any, edge_order: Any) -> Any:
    """jnp.gradient, which has one order at the ends."""
    if edge_order != 1:
        raise Unsupported("jnp.gradient has no edge_order")
    return jnp.gradient(x, spacing, axis=axis)


def parts(z: Any) -> Any:
    """The real and the imaginary part."""
    return z.real, z.imag


# ---- the tables ---------------------------------------------------------------------------------

SPECIAL: Mapping[str, Callable[..., Any]] = {
    "erfcx": jax.scipy.special.erfcx,
    "ndtr": jax.scipy.special.ndtr,
    "log_ndtr": jax.scipy.special.log_ndtr,
    "erfinv": jax.scipy.special.erfinv,
    "ndtri": jax.scipy.special.ndtri,
    "i0": jax.scipy.special.i0,
    "i1": jax.scipy.special.i1,
    "i0e": jax.scipy.special.i0e,
    "i1e": jax.scipy.special.i1e,
    "entr": jax.scipy.special.entr,
    "rel_entr": jax.scipy.special.rel_entr,
    "xlog1py": jax.scipy.special.xlog1py,
    "betaln": jax.scipy.special.betaln,
    "gammainc": lambda x, a: jax.scipy.special.gammainc(a, x),
    "gammaincc": lambda x, a: jax.scipy.special.gammaincc(a, x),
    "zeta": lambda q, s: jax.scipy.special.zeta(s, q),
    "multigammaln": lambda x, p: jax.scipy.special.multigammaln(x, p),
    "ldexp": jnp.ldexp,
}

OPS: Mapping[str, Callable[..., Any]] = {
    **SPECIAL,
    "fmax": jnp.fmax,
    "fmin": jnp.fmin,
    "nanmax": lambda x, axis, keepdims: jnp.nanmax(x, axis=axis, keepdims=keepdims),
    "nanmin": lambda x, axis, keepdims: jnp.nanmin(x, axis=axis, keepdims=keepdims),
    "nanmedian": lambda x, axis, keepdims: jnp.nanmedian(x, axis=axis, keepdims=keepdims),
    "nanquantile": lambda x, q, axis, keepdims: jnp.nanquantile(x, q, axis=axis, keepdims=keepdims),
    "nansum": lambda x, axis, keepdims: jnp.nansum(x, axis=axis, keepdims=keepdims),
    "nanmean": lambda x, axis, keepdims: jnp.nanmean(x, axis=axis, keepdims=keepdims),
    "scatter_reduce": scatter_reduce,
    "standardize": lambda x, axis, eps: jax.nn.standardize(x, axis, epsilon=eps),
    "conv1d": lambda x, weight, bias, stride, padding, dilation, groups: (
        jax.lax.conv_general_dilated(
            x,
            weight,
            (stride,),
            [(padding, padding)],
            rhs_dilation=(dilation,),
            feature_group_count=groups,
        )
        + bias[:, None]
    ),
    "conv2d": convolution,
    "conv3d": convolution,
    "fft": lambda re, im, n, axis, norm: parts(jnp.fft.fft(jax.lax.complex(re, im), n, axis, norm)),
    "ifft": lambda re, im, n, axis, norm: parts(jnp.fft.ifft(jax.lax.complex(re, im), n, axis, norm)),
    "rfft": lambda x, n, axis, norm: parts(jnp.fft.rfft(x, n, axis, norm)),
    "irfft": lambda re, im, n, axis, norm: jnp.fft.irfft(jax.lax.complex(re, im), n, axis, norm),
    "matrix_norm": lambda x, ord, keepdims: jnp.linalg.matrix_norm(x, ord=ord, keepdims=keepdims),
    "matrix_exp": jax.scipy.linalg.expm,
    "interpolate": interpolate,
    "lstsq": lstsq,
    "cholesky_solve": cholesky_solve,
    "multi_dot": lambda *xs: jnp.linalg.multi_dot(xs),
    "fftn": lambda re, im, s, axes, norm: parts(jnp.fft.fftn(jax.lax.complex(re, im), s, axes, norm)),
    "ifftn": lambda re, im, s, axes, norm: parts(jnp.fft.ifftn(jax.lax.complex(re, im), s, axes, norm)),
    "trapezoid": lambda y, x, axis: jnp.trapezoid(y, x, axis=axis),
    "central_diff": gradient,
    "vander": lambda x, n, increasing: jnp.vander(x, n, increasing),
    "convolve": lambda x, y, mode: jnp.convolve(x, y, mode),
    "rot90": lambda x, k, axes: jnp.rot90(x, k, axes),
    "fftshift": lambda x, axes: jnp.fft.fftshift(x, axes),
    "ifftshift": lambda x, axes: jnp.fft.ifftshift(x, axes),
    "cov": lambda x, correction: jnp.cov(x, ddof=correction),
    "cond": lambda x, p: jnp.linalg.cond(x, p),
}
