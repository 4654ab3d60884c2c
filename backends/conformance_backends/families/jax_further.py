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
}
