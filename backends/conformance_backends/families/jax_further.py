"""Powers, places, blocks and variances of numbers as users of jax write them.

The table is read as source too, like those of `jax_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def places(indices: Any, values: Any) -> Any:
    """The indices as an array in the shape of the values."""
    return np.array(indices, dtype=int).reshape(values.shape)


OPS: Mapping[str, Callable[..., Any]] = {
    "power_of": lambda x, exponent: jnp.power(x, exponent),
    "ldexp": jnp.ldexp,
    "multigammaln": lambda x, p: jax.scipy.special.multigammaln(x, p),
    "nanvar": lambda x, axis, keepdims, correction: jnp.nanvar(
        x, axis=axis, keepdims=keepdims, ddof=correction
    ),
    "nanstd": lambda x, axis, keepdims, correction: jnp.nanstd(
        x, axis=axis, keepdims=keepdims, ddof=correction
    ),
    "put_along_axis": lambda x, values, indices, axis: jnp.put_along_axis(
        x, places(indices, values), values, axis, inplace=False
    ),
    "dynamic_slice": lambda x, start, sizes: jax.lax.dynamic_slice(x, start, sizes),
    "dynamic_update_slice": lambda x, update, start: jax.lax.dynamic_update_slice(x, update, start),
    "block_diag": jax.scipy.linalg.block_diag,
    "meshgrid": lambda *xs, indexing: tuple(jnp.meshgrid(*xs, indexing=indexing)),
    "interp": lambda x, fp, xp: jnp.interp(x, jnp.array(xp, x.dtype), fp),
}
