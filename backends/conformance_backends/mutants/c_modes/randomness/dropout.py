"""Mutants whose own dropout has another mask, scale or end than its value."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import NDArray
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.capabilities import missing
from conformance_backends.mutants.mutant import Mutant, behaviour
from conformance_backends.numpy_engine import drawing
from conformance_backends.numpy_engine.tensor import Tensor


def _kept(x: Any, rate: float) -> NDArray:
    """Where a dropout keeps entries."""
    kept: NDArray = drawing._source.generator.random(x.shape) >= rate
    return kept


def _scaled(kept: NDArray, x: Any, rate: float) -> NDArray:
    return np.where(kept, 1 / (1 - rate) if rate < 1 else 0, 0).astype(x.dtype)


def unscaled_gradient(self: Any, x: Any, rate: float) -> Any:
    """The gradient is the cotangent where entries are kept, as it is."""
    kept = _kept(x, rate)
    operation = engine.custom(lambda a: a * _scaled(kept, a, rate), lambda g, a: (g * kept.astype(a.dtype),))
    return operation(x)


def other_mask(self: Any, x: Any, rate: float) -> Any:
    """The gradient is dropped anew."""
    operation = engine.custom(
        lambda a: a * _scaled(_kept(a, rate), a, rate), lambda g, a: (g * _scaled(_kept(a, rate), a, rate),)
    )
    return operation(x)


def complement(self: Any, x: Any, rate: float) -> Any:
    """The rate is the share that is kept."""
    return engine.dropout(x, 1 - rate)


def wide_in_half(self: Any, x: Any, rate: float) -> Any:
    """In half precision the scale is a Python number rounded to two digits."""
    if x.dtype.itemsize > 2:
        return engine.dropout(x, rate)
    scale = round(1 / (1 - rate), 1)
    return x * Tensor(np.where(_kept(x, rate), scale, 0).astype(x.dtype))


def divided_by_zero(self: Any, x: Any, rate: float) -> Any:
    """What is dropped is multiplied by zero, after it was divided by one less the rate."""
    with np.errstate(all="ignore"):
        scale = np.divide(_kept(x, rate), np.float64(1 - rate)).astype(x.dtype)
    return x * Tensor(scale)


def default_rate(self: Any, x: Any, rate: float) -> Any:
    """A rate of 0 is taken for none, for which a half stands."""
    return engine.dropout(x, rate or 0.5)


def one_draw(self: Any, x: Any, rate: float) -> Any:
    """Dropouts of one array share the numbers that are compared with their rates."""
    key, drawn = id(getattr(x, "value", x)), drawing._source.generator.random(x.shape)
    _, drawn = self.kept.setdefault(key, (x, drawn))
    return x * Tensor(_scaled(drawn >= rate, x, rate))


def unscaled(self: Any, x: Any, rate: float) -> Any:
    """What is kept stays as it is."""
    return x * Tensor(_kept(x, rate).astype(x.dtype))


MUTANTS: tuple[Mutant, ...] = (
    behaviour("dropout-only-declared", "A dropout is declared, but there is none.",
        ("capability/dropout",), dropout=missing("dropout")),
    behaviour("dropout-gradient-unscaled", "A dropout's gradient is not divided by one less the rate.",
        ("contract/C12/dropout",), dropout=unscaled_gradient),
    behaviour("dropout-unscaled", "What a dropout keeps stays as it is.",
        ("contract/C12/dropout", "capability/dropout"), dropout=unscaled),
    behaviour("dropout-of-another-mask", "A dropout's gradient is dropped anew.",
        ("contract/C12/dropout",), dropout=other_mask),
    behaviour("dropout-keeps-the-rate", "A dropout keeps the share that it should drop.",
        ("contract/C12/dropout", "capability/dropout"), dropout=complement),
    behaviour("dropout-coarse-in-half", "In half precision a dropout's scale has two digits.",
        ("contract/C12/dropout",), dropout=wide_in_half),
    behaviour("dropout-of-all-is-nan", "A dropout at a rate of 1 divides by zero.",
        ("contract/C12/dropout-ends",), dropout=divided_by_zero),
    behaviour("dropout-of-nothing-drops", "A dropout at a rate of 0 drops half of the entries.",
        ("contract/C12/dropout-ends",), dropout=default_rate),
    behaviour("dropouts-share-a-draw", "Two dropouts of one array compare the same numbers with their rates.",
        ("contract/C12/dropout-beside",), dropout=one_draw),
)  # fmt: skip
