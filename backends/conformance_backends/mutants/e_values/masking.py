"""Mutants that are wrong where a mask hides an invalid value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_backend import NumpyTape


def nan_replaced_by_zero(self: Any, leaf: Any, arrived: Any) -> None:
    """NaN is replaced by zero."""
    SteppedTape.accumulate(self, leaf, np.nan_to_num(arrived, nan=0.0))


def declaring(**changed: str) -> Mapping[str, str]:
    """The reference engine's conventions, some of them changed."""
    return {**NumpyTape.conventions, **changed}


MUTANTS: tuple[Mutant, ...] = (
    behaviour("nan-replaced-by-zero", "A gradient that is NaN is replaced by zero.",
        ("contract/E16/masked-domain",), accumulate=nan_replaced_by_zero),
    behaviour("declares-safe-traps", "The adapter declares masks safe, and infinity times zero is NaN.",
        ("contract/E16/masked-domain",), conventions=declaring(E16="safe")),
)  # fmt: skip
