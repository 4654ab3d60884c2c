"""Arithmetic that rounds at random: what every single rounding of a computation amounts to.

An array whose NumPy operations each move their result by at most one unit in the last place (Monte
Carlo arithmetic, Parker 1997). Evaluated on such arrays, a rule shows how it amplifies the rounding
of its own steps: a slope `1 - tanh(x)**2` in the tail, where moving x itself changes nothing.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_source = contextvars.ContextVar[np.random.Generator]("source")


@contextlib.contextmanager
def rounding_by(rng: np.random.Generator) -> Iterator[None]:
    """Within the block, rounded arrays move their results by what `rng` says."""
    token = _source.set(rng)
    try:
        yield
    finally:
        _source.reset(token)


def moved(array: Array, rng: np.random.Generator) -> Array:
    """Every entry moved by one unit in the last place, up, down, or not at all."""
    steps = rng.integers(-1, 2, array.shape).astype(array.dtype)
    return np.asarray(array + steps * np.spacing(array), dtype=array.dtype)


def rounded(array: Array, rng: np.random.Generator) -> Array:
    """The array moved, and rounding from here on; integers and truth values as they are."""
    return moved(array, rng).view(Rounded) if array.dtype.kind == "f" else array


class Rounded(np.ndarray[Any, Any]):
    """An array whose every operation rounds at random, for use within `rounding_by`."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *operands: Any, **keywords: Any) -> Any:
        """Compute plainly, then move the results."""
        into = keywords.pop("out", None)
        plain = [x.view(np.ndarray) if isinstance(x, Rounded) else x for x in operands]
        results = getattr(ufunc, method)(*plain, **keywords)
        if method == "at":
            return None
        several = isinstance(results, tuple)
        outputs = tuple(map(_rounded_result, results if several else (results,)))
        for target, output in zip(into or (), outputs, strict=False):
            if target is not None:
                target.view(np.ndarray)[...] = output
        outputs = into if into is not None else outputs
        return outputs if several else outputs[0]


def _rounded_result(result: Any) -> Any:
    value = np.asarray(result)
    return moved(value, _source.get()).view(Rounded) if value.dtype.kind == "f" else result
