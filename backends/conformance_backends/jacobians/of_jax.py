"""Whole Jacobians and Hessians by jax's own functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from conformance.backend import Function, NDArray


class JaxJacobians:
    """jax.jacrev, jax.jacfwd and jax.hessian, compiled where whole functions are."""

    compiles_functions: ClassVar[bool]

    def jacobian(self, function: Function, operands: Sequence[NDArray], kind: str = "rows") -> Sequence[Any]:
        """The Jacobian by every operand."""
        arrays = [jnp.array(x) for x in operands]
        every = tuple(range(len(arrays)))
        whole = jax.hessian if kind == "hessian" else jax.jacrev if kind == "rows" else jax.jacfwd
        derivative = whole(function, argnums=0 if kind == "hessian" else every)
        found = (jax.jit(derivative) if self.compiles_functions else derivative)(*arrays)
        return (found,) if kind == "hessian" else tuple(found)
