"""Mutants that are wrong at special points where there are ordinary operands beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, rule

AMONG = ("point/among-others",)


def divided_by_each_norm(right: Any, i: int, g: Any, z: Any, x: Any, **parameters: Any) -> Any:
    """Only a norm of everything is looked at for zeros before it is divided by."""
    pulled = right(i, g, z, x, **parameters)
    axis = parameters["axis"]
    if axis is None:
        return pulled
    norms = z if parameters["keepdims"] else np.expand_dims(z, axis)
    return pulled * np.where(norms == 0, np.nan, 1).astype(pulled.dtype)


def zeros_only_alone(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The singularity is seen where all entries are zero."""
    pulled = right(i, g, z, x)
    return np.where((x == 0) & (x.size > 1) & np.any(x != 0), g, pulled)


def nan_over_several_axes(right: Any, i: int, g: Any, z: Any, x: Any, **parameters: Any) -> Any:
    """Along several axes an entry at minus infinity has a gradient of NaN."""
    pulled = right(i, g, z, x, **parameters)
    is_several = isinstance(parameters["axis"], tuple) and len(parameters["axis"]) > 1
    return np.where(np.isneginf(x) & is_several, np.nan, pulled)


MUTANTS: tuple[Mutant, ...] = (
    rule("divided-by-each-norm", "A row of zeros among others has a gradient of NaN.",
        AMONG, ("vector_norm",), divided_by_each_norm),
    rule("infinite-entry-over-several-axes", "Over several axes an entry at minus infinity has a gradient of NaN.",
        ("point/over-axes",), ("logsumexp",), nan_over_several_axes),
    rule("zeros-only-alone", "Among other entries the slope of sinc at 0 is 1.", AMONG, ("sinc",), zeros_only_alone),
)  # fmt: skip
