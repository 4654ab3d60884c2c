"""torch's own test of gradients, with which the suite's sensitivity is compared."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch

from conformance.backend import Function, NDArray


def gradcheck(function: Function, operands: Sequence[NDArray], *, fast_mode: bool) -> bool:
    """Whether torch.autograd.gradcheck, at its defaults, finds the gradients right."""
    leaves = [torch.tensor(x, requires_grad=True) for x in operands]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of single precision, which is intended here
        return bool(torch.autograd.gradcheck(function, leaves, fast_mode=fast_mode, raise_exception=False))


TESTERS: Mapping[str, Callable[[Function, Sequence[NDArray]], bool]] = {
    "gradcheck": partial(gradcheck, fast_mode=False),
    "gradcheck fast": partial(gradcheck, fast_mode=True),
}
