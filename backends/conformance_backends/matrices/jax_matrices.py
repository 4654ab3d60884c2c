"""The catalogue's linear algebra as users of jax write it.

The table is read as source too, like those of `jax_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from conformance.errors import Unsupported
from conformance_backends.matrices.signs import sign_weights

# ---- where one line is not enough ---------------------------------------------------------------


def signs(vectors: Any) -> Any:
    """For each column the sign of its weighted sum, by which the catalogue tells an eigenvector from its negative."""
    weights = jnp.array(sign_weights(vectors.shape[-2]), dtype=vectors.dtype)
    return jnp.sign((jax.lax.stop_gradient(vectors) * weights[:, None]).sum(-2, keepdims=True))


def eigh(x: Any) -> Any:
    """The eigenvalues and eigenvectors of a symmetric matrix, the vectors' signs fixed."""
    values, vectors = jnp.linalg.eigh(x)
    return values, vectors * signs(vectors)


def qr(x: Any) -> Any:
    """The factors Q and R, the signs of R's diagonal fixed."""
    q, r = jnp.linalg.qr(x)
    sign = jnp.sign(jax.lax.stop_gradient(jnp.diagonal(r, axis1=-2, axis2=-1)))
    return q * sign[..., None, :], r * sign[..., None]


def solve_triangular(a: Any, b: Any, lower: bool, unit_diagonal: bool) -> Any:
    """jax.scipy.linalg.solve_triangular, of operands in the same batches."""
    if a.shape[:-2] != b.shape[:-2]:
        raise Unsupported("jax.scipy.linalg.solve_triangular does not broadcast")
    return jax.scipy.linalg.solve_triangular(a, b, lower=lower, unit_diagonal=unit_diagonal)


# ---- the table ----------------------------------------------------------------------------------

# No svd: in float64 jax's does not return from a matrix with an infinite entry (3×3, on the CPU), so that each run would
# wait for its time limit.
LINEAR_ALGEBRA: Mapping[str, Callable[..., Any]] = {
    "matmul": jnp.matmul,
    "dot": jnp.dot,
    "vecdot": lambda x, y, axis: jnp.vecdot(x, y, axis=axis),
    "inner": jnp.inner,
    "outer": jnp.outer,
    "tensordot": lambda a, b, axes: jnp.tensordot(a, b, axes=axes),
    "einsum": lambda *xs, subscripts: jnp.einsum(subscripts, *xs),
    "kron": jnp.kron,
    "cross": jnp.cross,
    "matrix_transpose": jnp.matrix_transpose,
    "trace": lambda x, offset: jnp.linalg.trace(x, offset=offset),
    "solve": jnp.linalg.solve,
    "tensorsolve": lambda a, b, axes: jnp.linalg.tensorsolve(a, b, axes),
    "inv": jnp.linalg.inv,
    "det": jnp.linalg.det,
    "slogdet": lambda x: tuple(jnp.linalg.slogdet(x)),
    "matrix_power": lambda x, n: jnp.linalg.matrix_power(x, n),
    "cholesky": lambda x, upper=False: jnp.linalg.cholesky(x, upper=upper),
    "eigvalsh": jnp.linalg.eigvalsh,
    "eigh": eigh,
    "svdvals": jnp.linalg.svdvals,
    "pinv": jnp.linalg.pinv,
    "qr": qr,
    "solve_triangular": solve_triangular,
}
