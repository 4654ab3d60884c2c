"""Mutants that change what is not theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, SteppedTape, with_ops


def calling(name: str, change: Callable[[], Any]) -> Callable[[], Any]:
    """An op whose every call changes something of NumPy's."""

    def call(*operands: Any, **parameters: Any) -> Any:
        change()
        return SteppedTape.ops[name](*operands, **parameters)

    return lambda: with_ops({name: call}, SteppedTape)


MUTANTS: tuple[Mutant, ...] = (
    Mutant("error-state-changed", "A logarithm sets NumPy's error state for the whole process.",
        ("contract/D12/surroundings",), calling("log", lambda: np.seterr(divide="warn")), ("log",)),
    Mutant("random-state-changed", "A softmax draws from NumPy's shared random numbers.",
        ("contract/D12/surroundings",), calling("softmax", lambda: np.random.random()), ("softmax",)),
)  # fmt: skip
