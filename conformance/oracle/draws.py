"""The random numbers of trials, drawn once and kept: every evaluation of an allowance begins with the same ones.

`numpy.random.Generator.integers` takes ten times as long to draw a dozen numbers as the arithmetic that they perturb.
The numbers are its own, those of `default_rng(0)`: words of 32 bits, brought to a range by a product (Lemire 2019)
without his rejections, which happen once in 2³⁰ times.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

SEED = 0
BLOCK = 1 << 16  # numbers that are kept together
KEPT_BLOCKS = 64
KEPT_ORDERS = 4096
AWKWARD = (1.1, 1.3, 1.7, 1.9)  # no sum of two multiples is exact


class Draws:
    """Random numbers from the beginning of the one sequence."""

    def __init__(self) -> None:
        self._place = 0

    def steps(self, shape: tuple[int, ...], furthest: int, dtype: np.dtype[Any]) -> Array:
        """Whole numbers from -furthest to furthest, as `Generator.integers` draws them, in a type of numbers."""
        count, place = math.prod(shape), self._place
        self._place += count
        return _taken(_steps, place, count, furthest, dtype).reshape(shape)

    def permutation(self, count: int) -> Array:
        """The numbers below `count` in an order drawn at random, as `Generator.permutation` draws it."""
        order, used = _order(self._place, count)
        self._place += used
        return order

    def total(self, terms: Array) -> Array:
        """The sum along the first axis, added up one by one in an order that is drawn."""
        return np.asarray(np.add.accumulate(terms[self.permutation(len(terms))])[-1])


class InPlace(Draws):
    """In place of random numbers none, and the order as it is: every result is rounded to nearest, every sum a plain loop."""

    def steps(self, shape: tuple[int, ...], furthest: int, dtype: np.dtype[Any]) -> Array:
        """Zeros."""
        return np.zeros(shape, dtype)

    def permutation(self, count: int) -> Array:
        """The numbers below `count`, ascending."""
        return np.arange(count)

    def total(self, terms: Array) -> Array:
        """The sum along the first axis by a plain loop; of equal terms that of such multiples as is furthest from their number times one.

        An engine's terms are multiples of a rule's that divides by the largest: the partial sums of ones are exact, theirs
        are all rounded to one side. So it is with values that carry derivatives along, which are not equal, as imaginary parts.
        """
        if np.iscomplexobj(terms):
            return np.asarray(self.total(np.real(terms)) + 1j * self.total(np.imag(terms)))
        if not (terms == terms[:1]).all():
            return super().total(terms)
        scales = [terms.dtype.type(scale) for scale in AWKWARD]
        sums = [super(InPlace, self).total(terms * scale) / scale for scale in scales]
        error = [np.abs(total - len(terms) * terms[0]) for total in sums]
        return np.asarray(np.choose(np.argmax(error, axis=0), sums))


def _taken(kept: Callable[..., Array], place: int, count: int, *of: Any) -> Array:
    """So many numbers from a place on, out of the blocks in which they are kept."""
    first, start = divmod(place, BLOCK)
    if start + count <= BLOCK:
        return kept(first, *of)[start : start + count]
    blocks = range(first, (place + count - 1) // BLOCK + 1)
    return np.concatenate([kept(n, *of) for n in blocks])[start : start + count]


@lru_cache(KEPT_BLOCKS)
def _words(block: int) -> Array:
    """A block of 32-bit words: a generator gives out the lower half of each of its 64-bit ones first."""
    source = np.random.PCG64(SEED)
    source.advance(block * BLOCK // 2)
    raw = source.random_raw(BLOCK // 2)
    return _kept(np.stack([raw & np.uint64(2**32 - 1), raw >> np.uint64(32)], axis=-1).ravel())


@lru_cache(KEPT_BLOCKS)
def _steps(block: int, furthest: int, dtype: np.dtype[Any]) -> Array:
    choices = np.uint64(2 * furthest + 1)
    steps = (_words(block) * choices >> np.uint64(32)).astype(np.int8) - np.int8(furthest)
    return _kept(steps.astype(dtype))


@lru_cache(KEPT_ORDERS)
def _order(place: int, count: int) -> tuple[Array, int]:
    """What the generator draws at a place, and how many words it uses, which is seen by the word that comes next."""
    source = np.random.PCG64(SEED)
    source.advance(place // 2)
    generator = np.random.Generator(source)
    if place % 2:  # the lower half of a word is used; the generator has kept the upper one
        generator.integers(2**32, dtype=np.uint32)
    order = generator.permutation(count)
    has_half, following = source.state["has_uint32"], source.random_raw()
    words = _taken(_words, place - place % 2, 4 * count + 64).reshape(-1, 2)
    found = np.flatnonzero((words[:, 0] | words[:, 1] << np.uint64(32)) == following)[0]
    return _kept(order), int(2 * found - has_half - place % 2)


def _kept(array: Array) -> Array:
    """The array, not to be written: every evaluation is given the same one."""
    array.setflags(write=False)
    return array
