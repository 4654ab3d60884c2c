"""Systems whose matrix has three diagonals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.op import REAL, Domain, Op
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem
from conformance.ops.linear_algebra import solve
from conformance.ops.products import transposed
from conformance.ops.rows import general
from conformance.ops.shape import diag_embed
from conformance.ops.signals.curves import with_zero, without_first, without_last
from conformance.ops.traits import HOLOMORPHIC, Homogeneous


def whole(lower: Any, diagonal: Any, upper: Any) -> Any:
    """The matrix of the diagonals, each as long as the matrix: the lower one's first entry and the upper one's last do not count."""
    below = diag_embed(without_first(lower), offset=-1)
    above = diag_embed(without_last(upper), offset=1)
    return diag_embed(diagonal, offset=0) + below + above


@dispatched
def tridiagonal_solve(lower: Any, diagonal: Any, upper: Any, b: Any) -> Any:
    """The X with A X = B, A the matrix of the three diagonals."""
    return solve(whole(lower, diagonal, upper), b)


def right(g: Any, z: Any, lower: Any, diagonal: Any, upper: Any, b: Any) -> Any:
    """A⁻ᵀ g."""
    return solve(transposed(whole(lower, diagonal, upper)), g)


def on_diagonal(offset: int) -> Callable[..., Any]:
    """−Σ (A⁻ᵀ g) z over the columns, each row of the one with that of the other so many rows behind it."""

    def vjp(g: Any, z: Any, *operands: Any) -> Any:
        pulled = right(g, z, *operands)
        count = np.shape(z)[-2]
        rows, others = (
            slice(max(-offset, 0), count - max(offset, 0)),
            slice(max(offset, 0), count - max(-offset, 0)),
        )
        product = getitem(pulled, index=(..., rows, slice(None))) * getitem(
            z, index=(..., others, slice(None))
        )
        sums = -np.sum(product, axis=-1)
        return sums if offset == 0 else with_zero(sums, 1 if offset < 0 else 0)

    return vjp


# -- the law and the row -----------------------------------------------------------------------------

# Whose columns or rows the diagonal outweighs: every such matrix is well-conditioned.
BESIDE, OUTWEIGHING = Domain(low=-1.0, high=1.0), Domain(low=2.25, high=3.0)

SYSTEMS = laws.shapes_of(
    *(
        ((*batch, n), (*batch, n), (*batch, n), (*batch, n, columns))
        for batch, n, columns in (
            *(((), 3, 2), ((), 3, 3), ((), 4, 1), ((2,), 3, 2), ((2, 1), 3, 2), ((3,), 3, 3), ((0,), 3, 2)),
            *(((), 5, 1), ((), 9, 2), ((), 3, 17), ((), 17, 1)),
        )
    )
)  # fmt: skip

ROWS: tuple[Op, ...] = (
    general("tridiagonal_solve", tridiagonal_solve, on_diagonal(-1), on_diagonal(0), on_diagonal(1), right,
        formula="b̄ = A⁻ᵀ g; of each diagonal the entries of −b̄ zᵀ there, 0 of what does not count",
        source="Giles 2008, 2.3.1: solve's rule on the entries that are no zeros",
        domains=[BESIDE, OUTWEIGHING, BESIDE, REAL], law=SYSTEMS,
        traits={HOLOMORPHIC, Homogeneous(-1, of=(0, 1, 2)), Homogeneous(1, of=(3,))}),
)  # fmt: skip
