"""jax's own test of gradients, with which the suite's sensitivity is compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import jax.numpy as jnp
from jax.test_util import check_grads

from conformance.backend import Function, NDArray


def check_reverse(function: Function, operands: Sequence[NDArray]) -> bool:
    """Whether jax.test_util.check_grads of first order in reverse mode, at its defaults, finds no fault."""
    try:
        check_grads(function, tuple(map(jnp.array, operands)), order=1, modes=("rev",))
    except AssertionError:
        return False
    return True


TESTERS: Mapping[str, Callable[[Function, Sequence[NDArray]], bool]] = {"check_grads": check_reverse}
