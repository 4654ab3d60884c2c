"""Arithmetic that rounds at random: what every single rounding of a computation amounts to.

An array whose NumPy operations each move their result by at most one unit in the last place (Monte
Carlo arithmetic, Parker 1997). Evaluated on such arrays, a rule shows how it amplifies the rounding
of its own steps: a slope `1 - tanh(x)**2` in the tail, where moving x itself changes nothing.

Complex numbers come in two roles. In a rule of real numbers one is a number and its tangent, each rounded
as what it is; in a rule of complex operands it is one number, which arithmetic rounds in its modulus.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

PRODUCT = 3  # roundings in the imaginary part of a product, ad + bc: those of two products and a sum

_source = contextvars.ContextVar[np.random.Generator]("source")


@contextlib.contextmanager
def rounding_by(rng: np.random.Generator) -> Iterator[None]:
    """Within the block, rounded arrays move their results by what `rng` says."""
    token = _source.set(rng)
    try:
        yield
    finally:
        _source.reset(token)


def moved(array: Array, rng: np.random.Generator, least: Any = 0) -> Array:
    """Every entry moved by one unit in the last place, up, down, or not at all.

    Of a complex entry both parts are moved, the imaginary one by as many units as a product rounds, each of
    at least the size `least`.
    """
    if array.dtype.kind == "c":
        parts = np.empty_like(array)
        parts.real = moved(array.real, rng)
        parts.imag = _step(array.imag, np.maximum(np.abs(array.imag), least), rng, furthest=PRODUCT)
        return parts
    return _step(array, array, rng, furthest=1)


def _step(array: Array, size: Array, rng: np.random.Generator, *, furthest: int) -> Array:
    steps = rng.integers(-furthest, furthest + 1, array.shape).astype(array.dtype)
    return np.asarray(array + steps * np.spacing(size), dtype=array.dtype)


def moved_whole(array: Array, rng: np.random.Generator) -> Array:
    """Every number moved by at most one unit in the last place of its modulus, in both of its parts."""
    if array.dtype.kind != "c":
        return moved(array, rng)
    size, parts = np.abs(array), np.empty_like(array)
    parts.real, parts.imag = (_step(part, size, rng, furthest=1) for part in (array.real, array.imag))
    return parts


def rounded(array: Array, rng: np.random.Generator) -> Array:
    """The array moved, and rounding from here on; integers and truth values as they are."""
    return rounding_on(moved_whole(array, rng)) if array.dtype.kind in "fc" else array


def rounding_on(array: Array) -> Array:
    """The array as it is, and rounding from here on; integers and truth values round nothing."""
    if array.dtype.kind == "c":
        return array.view(RoundedWhole)
    return array.view(Rounded) if array.dtype.kind == "f" else array


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
        outputs = tuple(self._rounded(z, plain) for z in (results if several else (results,)))
        for target, output in zip(into or (), outputs, strict=False):
            if target is not None:
                target.view(np.ndarray)[...] = output
        outputs = into if into is not None else outputs
        return outputs if several else outputs[0]

    def __array_function__(self, function: Any, types: Any, operands: Any, keywords: Any) -> Any:
        """What only arranges entries (`np.where`) rounds nothing, and must not end the rounding that follows."""
        result = super().__array_function__(function, types, operands, keywords)
        if type(result) is np.ndarray and result.dtype.kind in "fc":
            return result.view(type(self))
        return result

    def _rounded(self, result: Any, operands: Sequence[Any]) -> Any:
        value = np.asarray(result)
        if value.dtype.kind not in "fc":
            return result
        return self._moved(value, operands).view(type(self))

    def _moved(self, value: Array, operands: Sequence[Any]) -> Array:
        """The result of an operation on these operands, moved; a complex one is a number and its tangent."""
        least = _tangent(operands)
        return moved(value, _source.get(), least if np.shape(least) == value.shape else 0)


class RoundedWhole(Rounded):
    """The same of a complex number as one number."""

    def _moved(self, value: Array, operands: Sequence[Any]) -> Array:
        """The result moved by its modulus."""
        return moved_whole(value, _source.get())


def _tangent(operands: Sequence[Any]) -> Any:
    """The size of a function's tangent, where a complex step carries one through a single operand.

    Who differentiates tanh takes 1 - z², which rounds as a number of size 1 does, however small it is. A
    complex tanh has no such step, so that its tangent is moved by what enters it.
    """
    is_complex = len(operands) == 1 and np.iscomplexobj(operands[0])
    return np.abs(np.imag(operands[0])) if is_complex else 0
