"""The catalogue's linear algebra as users of torch write it.

The table is read as source too, like those of `torch_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from conformance_backends.matrices.signs import sign_weights

# ---- where one line is not enough ---------------------------------------------------------------


def signs(vectors: Any) -> Any:
    """For each column the sign of its weighted sum, by which the catalogue tells an eigenvector from its negative."""
    weights = torch.tensor(sign_weights(vectors.shape[-2]), dtype=vectors.dtype)
    return torch.sign((vectors.detach() * weights[:, None]).sum(-2, keepdim=True))


def eigh(x: Any) -> Any:
    """The eigenvalues and eigenvectors of a symmetric matrix, the vectors' signs fixed."""
    values, vectors = torch.linalg.eigh(x)
    return values, vectors * signs(vectors)


def svd(x: Any) -> Any:
    """The singular values and vectors, the vectors' signs fixed."""
    u, s, vt = torch.linalg.svd(x, full_matrices=False)
    sign = signs(vt.mT)
    return u * sign, s, vt * sign.mT


def qr(x: Any) -> Any:
    """The factors Q and R, the signs of R's diagonal fixed."""
    q, r = torch.linalg.qr(x)
    sign = torch.sign(torch.diagonal(r.detach(), dim1=-2, dim2=-1))
    return q * sign[..., None, :], r * sign[..., None]


# ---- the table ----------------------------------------------------------------------------------

# No dot: torch's takes vectors only.
LINEAR_ALGEBRA: Mapping[str, Callable[..., Any]] = {
    "matmul": torch.matmul,
    "vecdot": lambda x, y, axis: torch.linalg.vecdot(x, y, dim=axis),
    "inner": torch.inner,
    "outer": torch.outer,
    "tensordot": lambda a, b, axes: torch.tensordot(
        a, b, axes if isinstance(axes, int) else [[i] if isinstance(i, int) else list(i) for i in axes]
    ),
    "einsum": lambda *xs, subscripts: torch.einsum(subscripts, *xs),
    "kron": torch.kron,
    "cross": lambda x, y, axis: torch.linalg.cross(*torch.broadcast_tensors(x, y), dim=axis),
    "matrix_transpose": lambda x: x.mT,
    "trace": lambda x, offset: (
        torch.trace(x) if x.ndim == 2 and offset == 0 else torch.diagonal(x, offset, -2, -1).sum(-1)
    ),
    # torch reads a right-hand side with one axis less than a stack as a stack of vectors, if it fits.
    "solve": lambda a, b: torch.linalg.solve(a, b[None] if 1 < b.ndim < a.ndim else b),
    "tensorsolve": lambda a, b, axes: torch.linalg.tensorsolve(a, b, axes),
    "inv": torch.linalg.inv,
    "det": torch.linalg.det,
    "slogdet": lambda x: tuple(torch.linalg.slogdet(x)),
    "logdet": torch.logdet,
    "matrix_power": lambda x, n: torch.linalg.matrix_power(x, n),
    "cholesky": lambda x, upper=False: torch.linalg.cholesky(x, upper=upper),
    "eigvalsh": torch.linalg.eigvalsh,
    "eigh": eigh,
    "svdvals": torch.linalg.svdvals,
    "svd": svd,
    "pinv": torch.linalg.pinv,
    "qr": qr,
    "solve_triangular": lambda a, b, lower, unit_diagonal: torch.linalg.solve_triangular(
        a, b, upper=not lower, unitriangular=unit_diagonal
    ),
    "cdist": lambda x, y, p: torch.cdist(x, y, p),
    "cosine_similarity": lambda x, y, axis: torch.cosine_similarity(x, y, axis, eps=0.0),
}
