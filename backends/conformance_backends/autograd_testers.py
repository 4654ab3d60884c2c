"""autograd's own test of gradients, with which the suite's sensitivity is compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from autograd.test_util import check_grads

from conformance.backend import Function, NDArray


def check_reverse(function: Function, operands: Sequence[NDArray]) -> bool:
    """Whether autograd.test_util.check_grads of first order in reverse mode finds no fault.

    It draws its directions from NumPy's global generator, which is seeded here, so that a figure can be repeated.
    """
    state = np.random.get_state()
    np.random.seed(0)
    try:
        check_grads(function, tuple(range(len(operands))), modes=["rev"], order=1)(*map(np.array, operands))
    except AssertionError:
        return False
    finally:
        np.random.set_state(state)
    return True


TESTERS: Mapping[str, Callable[[Function, Sequence[NDArray]], bool]] = {"check_grads": check_reverse}
