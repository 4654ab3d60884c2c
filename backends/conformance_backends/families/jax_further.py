"""Powers, places, blocks, volumes, factors, halves of spectra and sums of numbers as users of jax write them.

The table is read as source too, like those of `jax_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from conformance.errors import Unsupported
from conformance_backends.families.jax_families import parts


def places(indices: Any, values: Any) -> Any:
    """The indices as an array in the shape of the values."""
    return np.array(indices, dtype=int).reshape(values.shape)


def conv_transpose3d(
    x: Any, weight: Any, bias: Any, stride: Any, padding: Any, output_padding: Any, dilation: Any, groups: int
) -> Any:
    """jax.lax.conv_transpose, which has no groups, and counts the margins of what it computes."""
    if groups != 1:
        raise Unsupported("jax.lax.conv_transpose has no groups")
    reach = [d * (k - 1) - p for d, k, p in zip(dilation, weight.shape[2:], padding, strict=True)]
    pads = [(n, n + rest) for n, rest in zip(reach, output_padding, strict=True)]
    layout = ("NCDHW", "OIDHW", "NCDHW")
    y = jax.lax.conv_transpose(x, weight, stride, pads, dilation, layout, transpose_kernel=True)
    return y + bias[:, None, None, None]


def kept(x: Any, k: int, axis: int, keepdims: bool) -> Any:
    """The k-th entry along an axis, counted from 1."""
    return jax.lax.index_in_dim(x, k - 1, axis, keepdims)


def fill_diagonal(x: Any, value: float, wrap: bool) -> Any:
    """jnp.fill_diagonal, which begins no second time."""
    if wrap:
        raise Unsupported("jnp.fill_diagonal has no wrap")
    return jnp.fill_diagonal(x, value, inplace=False)


def attention(q: Any, k: Any, v: Any, bias: Any = None, **options: Any) -> Any:
    """jax.nn.dot_product_attention, which wants heads behind the time, and a batch before it or none."""
    if q.ndim > 4:
        raise Unsupported("jax's attention takes one batch axis")
    more, last = (None,) * (4 - q.ndim), (..., slice(None), slice(None))
    queries, keys, values = (jnp.swapaxes(x[more + last], -3, -2) for x in (q, k, v))
    given = {} if bias is None else {"bias": bias[(None,) * (4 - bias.ndim) + last]}
    z = jax.nn.dot_product_attention(queries, keys, values, **given, **options)
    return jnp.swapaxes(z, -3, -2).reshape(q.shape)


def exp1(x: Any) -> Any:
    """Nothing: the gradient of jax.scipy.special.exp1 never ends, and a run would wait for it again and again."""
    raise Unsupported(
        "the gradient of jax's exp1 never ends at [1e-10, 1], see docs/findings/jax_exp1_gradient.py"
    )


OPS: Mapping[str, Callable[..., Any]] = {
    "clip_between": lambda x, lower, upper: jnp.clip(x, min=lower, max=upper),
    "frac": lambda x: jnp.modf(x)[0],
    "modf": lambda x: tuple(jnp.modf(x)),
    "exp1": exp1,
    "expi": jax.scipy.special.expi,
    "unwrap": lambda x, axis, period: jnp.unwrap(x, axis=axis, period=period),
    "interp": lambda x, fp, xp, left, right: jnp.interp(x, np.array(xp, x.dtype), fp, left=left, right=right),
    "biased_attention": lambda q, k, v, bias, scale: attention(q, k, v, bias, scale=scale),
    "masked_attention": lambda q, k, v, mask, scale: attention(
        q, k, v, mask=np.array(mask)[None, None], scale=scale
    ),
    "power_of": lambda x, exponent: jnp.power(x, exponent),
    "nanvar": lambda x, axis, keepdims, correction: jnp.nanvar(
        x, axis=axis, keepdims=keepdims, ddof=correction
    ),
    "nanstd": lambda x, axis, keepdims, correction: jnp.nanstd(
        x, axis=axis, keepdims=keepdims, ddof=correction
    ),
    "put_along_axis": lambda x, values, indices, axis: jnp.put_along_axis(
        x, places(indices, values), values, axis, inplace=False
    ),
    "block_diag": jax.scipy.linalg.block_diag,
    "conv_transpose3d": conv_transpose3d,
    "dynamic_slice": lambda x, start, sizes: jax.lax.dynamic_slice(x, start, sizes),
    "dynamic_update_slice": lambda x, update, start: jax.lax.dynamic_update_slice(x, update, start),
    "segment_max": lambda x, segment_ids, num_segments: jax.ops.segment_max(
        x, np.array(segment_ids, dtype=int), num_segments
    ),
    "segment_min": lambda x, segment_ids, num_segments: jax.ops.segment_min(
        x, np.array(segment_ids, dtype=int), num_segments
    ),
    # No segment_prod: its gradient is implemented for places of which none is named twice.
    "segment_sum": lambda x, segment_ids, num_segments: jax.ops.segment_sum(
        x, np.array(segment_ids, dtype=int), num_segments
    ),
    "lu": lambda x: tuple(jax.scipy.linalg.lu(x)[1:]),
    "lu_solve": lambda factors, b, pivots: jax.scipy.linalg.lu_solve(
        (factors, np.array(pivots, dtype=np.int32)), b
    ),
    "polyval": jnp.polyval,
    "polyder": lambda coefficients, m: jnp.polyder(coefficients, m),
    "angle": jnp.angle,
    "complex_abs": lambda re, im: jnp.abs(jax.lax.complex(*jnp.broadcast_arrays(re, im))),
    "complex_angle": lambda re, im: jnp.angle(jax.lax.complex(*jnp.broadcast_arrays(re, im))),
    "masked_scatter": lambda x, mask, values: jnp.place(x, mask, values, inplace=False),
    "index_fill": lambda x, indices, axis, value: x.at[
        (slice(None),) * (axis % x.ndim) + (np.array(indices, dtype=int),)
    ].set(value),
    "ediff1d": jnp.ediff1d,
    "linspace": lambda start, stop, num, endpoint, axis: jnp.linspace(start, stop, num, endpoint, axis=axis),
    "select": lambda first, second, x, y, default: jnp.select([first, second], [x, y], default),
    "choose": lambda index, *xs, mode: jnp.choose(index, xs, mode=mode),
    "fill_diagonal": fill_diagonal,
    "corrcoef": jnp.corrcoef,
    "tridiagonal_solve": jax.lax.linalg.tridiagonal_solve,
    "gamma": jax.scipy.special.gamma,
    "betainc": lambda x, a, b: jax.scipy.special.betainc(a, b, x),
    "spence": jax.scipy.special.spence,
    "toeplitz": jax.scipy.linalg.toeplitz,
    "average": lambda x, weights, axis, keepdims: jnp.average(x, axis, weights, keepdims=keepdims),
    "nanprod": lambda x, axis, keepdims: jnp.nanprod(x, axis=axis, keepdims=keepdims),
    "nancumsum": lambda x, axis: jnp.nancumsum(x, axis=axis),
    "weighted_logsumexp": lambda x, weights, axis, keepdims: jax.scipy.special.logsumexp(
        x, axis=axis, b=weights, keepdims=keepdims
    ),
    "sum_where": lambda x, axis, keepdims, where: jnp.sum(x, axis, keepdims=keepdims, where=np.array(where)),
    "mean_where": lambda x, axis, keepdims, where: jnp.mean(
        x, axis, keepdims=keepdims, where=np.array(where)
    ),
    "max_where": lambda x, axis, keepdims, where, initial: jnp.max(
        x, axis, keepdims=keepdims, initial=initial, where=np.array(where)
    ),
    "min_where": lambda x, axis, keepdims, where, initial: jnp.min(
        x, axis, keepdims=keepdims, initial=initial, where=np.array(where)
    ),
    "rfftn": lambda x, s, axes, norm: parts(jnp.fft.rfftn(x, s, axes, norm)),
    "irfftn": lambda re, im, s, axes, norm: jnp.fft.irfftn(jax.lax.complex(re, im), s, axes, norm),
    "hfft": lambda re, im, n, axis, norm: jnp.fft.hfft(jax.lax.complex(re, im), n, axis, norm),
    "ihfft": lambda x, n, axis, norm: parts(jnp.fft.ihfft(x, n, axis, norm)),
    # What partition leaves on either side of the place is in no order that an engine promises.
    "kthvalue": lambda x, k, axis, keepdims: kept(jnp.partition(x, k - 1, axis), k, axis, keepdims),
}
