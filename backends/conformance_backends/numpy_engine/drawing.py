"""Random numbers.

A backward pass that computes a function again must draw the same numbers again, or the gradient is that of another
function. So a checkpoint notes where the generator stood, goes back there while it computes again, and then to
where it was: else the next numbers would be old ones.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance_backends.numpy_engine.tensor import Tensor


class _Source(threading.local):
    """A generator for each thread."""

    def __init__(self) -> None:
        self.generator = np.random.default_rng()


_source = _Source()


def bernoulli(like: Any) -> Tensor:
    """Zeros and ones of equal probability, as a constant of the shape and dtype of `like`."""
    return Tensor(_source.generator.integers(0, 2, like.shape).astype(like.dtype))


def dropout(x: Any, rate: float) -> Any:
    """`x` with entries set to zero with the probability `rate`, and the others divided by `1 - rate`, so that the mean stays."""
    is_kept = _source.generator.random(x.shape) >= rate
    return x * Tensor(np.where(is_kept, 1 / (1 - rate) if rate < 1 else 0, 0).astype(x.dtype))


def drawn_so_far() -> Any:
    """Where the generator stands."""
    return _source.generator.bit_generator.state


@contextlib.contextmanager
def drawing_again(from_there: Any) -> Iterator[None]:
    """In this scope the numbers come that were drawn after `drawn_so_far()` gave this."""
    here = drawn_so_far()
    _source.generator.bit_generator.state = from_there
    try:
        yield
    finally:
        _source.generator.bit_generator.state = here
