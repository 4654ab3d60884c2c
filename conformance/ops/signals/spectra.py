"""Discrete Fourier transforms along an axis.

A complex array is two real ones here, its real and its imaginary part, each an operand or an output of its own: so rules hold
whatever an engine means by the gradient of a complex number. What is shorter than `n` is padded with zeros, what is longer is cut.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from conformance.op import Choose, Law, Op, Shape, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import along, getitem
from conformance.ops.rows import general, linear
from conformance.ops.traits import PIECEWISE_LINEAR, SEVERAL_OUTPUTS, Homogeneous

PI = "3.14159265358979323846264338327950288"
Pair = tuple[Any, Any]

# -- cosines and sines -------------------------------------------------------------------------------


def cosine(m: int, n: int) -> Any:
    """cos(2πm/n) in extended precision; exactly 0, 1 and −1 at multiples of a quarter."""
    m = min(m % n, -m % n)
    if 4 * m > n:
        return -_cosine(n - 2 * m, 2 * n)
    return _cosine(m, n)


def _cosine(m: int, n: int) -> Any:
    """The same of an angle of at most a quarter."""
    turn = 2 * np.longdouble(PI) / (8 * n)
    return np.cos(8 * m * turn) if 8 * m <= n else np.sin((2 * n - 8 * m) * turn)


@functools.lru_cache(maxsize=64)
def waves(rows: int, columns: int, n: int) -> Pair:
    """The cosines and sines of 2πjk/n, in extended precision."""
    angles = np.arange(rows)[:, None] * np.arange(columns)
    cosines = np.array([[cosine(4 * int(a), 4 * n) for a in row] for row in angles], np.longdouble)
    sines = np.array([[cosine(4 * int(a) - n, 4 * n) for a in row] for row in angles], np.longdouble)
    shape = (rows, columns)
    return cosines.reshape(shape), sines.reshape(shape)


def scale(n: int, norm: str, *, is_inverse: bool) -> float:
    """The factor of a sum of n terms, which stands before one of the two directions, or its root before both."""
    if norm == "ortho":
        return 1 / math.sqrt(n)
    return 1 / n if is_inverse == (norm == "backward") else 1.0


# -- along an axis -----------------------------------------------------------------------------------


def fitted(x: Any, count: int, axis: int) -> Any:
    """`x` cut off or padded with zeros behind, so that it has so many entries along an axis."""
    have, place = np.shape(x)[axis], axis % np.ndim(x)
    if count <= have:
        return getitem(x, index=along(axis, np.ndim(x), slice(count)))
    return np.pad(x, pad_width=tuple((0, count - have) if a == place else (0, 0) for a in range(np.ndim(x))))


def summed(x: Any, matrix: Any, axis: int) -> Any:
    """Σ xⱼ matrix[j, k] along an axis."""
    rows = np.matmul(np.moveaxis(x, source=axis, destination=-1), matrix.astype(x.dtype))
    return np.moveaxis(rows, source=-1, destination=axis)


def transformed(re: Any, im: Any, n: int, axis: int, sign: int, factor: float) -> Pair:
    """Σ (re + i im)ⱼ exp(±2πi jk/n) times a factor, as two parts."""
    cosines, sines = waves(n, n, n)
    cosines, sines = factor * cosines, factor * sign * sines
    re, im = fitted(re, n, axis), fitted(im, n, axis)
    real = summed(re, cosines, axis) - summed(im, sines, axis)
    return real, summed(re, sines, axis) + summed(im, cosines, axis)


def length(x: Any, n: int | None, axis: int) -> int:
    """How many terms are summed."""
    return np.shape(x)[axis] if n is None else n


# -- transforms and their rules ----------------------------------------------------------------------


@dispatched
def fft(re: Any, im: Any, *, n: int | None, axis: int, norm: str) -> Pair:
    """Σⱼ xⱼ exp(−2πi jk/n)."""
    count = length(re, n, axis)
    return transformed(re, im, count, axis, -1, scale(count, norm, is_inverse=False))


@dispatched
def ifft(re: Any, im: Any, *, n: int | None, axis: int, norm: str) -> Pair:
    """Σⱼ xⱼ exp(2πi jk/n)/n."""
    count = length(re, n, axis)
    return transformed(re, im, count, axis, 1, scale(count, norm, is_inverse=True))


def transform_vjp(part: int, sign: int) -> Any:
    """The transform with the other sign, which is its conjugate transpose, of one part."""

    def vjp(g: Pair, z: Pair, re: Any, im: Any, n: int | None, axis: int, norm: str) -> Any:
        count = length(re, n, axis)
        factor = scale(count, norm, is_inverse=sign > 0)
        back = transformed(*g, count, axis, -sign, factor)[part]
        return fitted(back, np.shape(re)[axis], axis)

    return vjp


@dispatched
def rfft(x: Any, *, n: int | None, axis: int, norm: str) -> Pair:
    """The first half of the transform of real numbers; the second is its conjugate."""
    count = length(x, n, axis)
    cosines, sines = waves(count, count // 2 + 1, count)
    factor = scale(count, norm, is_inverse=False)
    fitting = fitted(x, count, axis)
    return summed(fitting, factor * cosines, axis), summed(fitting, -factor * sines, axis)


def rfft_transposed(g: Pair, x: Any, n: int | None, axis: int, norm: str) -> Any:
    """Σₖ re ḡₖ cos − im ḡₖ sin, over the first half alone."""
    count = length(x, n, axis)
    cosines, sines = waves(count, count // 2 + 1, count)
    factor = scale(count, norm, is_inverse=False)
    back = summed(g[0], factor * cosines.T, axis) - summed(g[1], factor * sines.T, axis)
    return fitted(back, np.shape(x)[axis], axis)


def halves(x: Any, n: int | None, axis: int, norm: str) -> tuple[int, Any, Any]:
    """How many real numbers there are, and what each part of the first half contributes: but for the ends twice."""
    count = 2 * (np.shape(x)[axis] - 1) if n is None else n
    cosines, sines = waves(count // 2 + 1, count, count)
    twice = np.array([1.0 if 2 * k in (0, count) else 2.0 for k in range(count // 2 + 1)])[:, None]
    factor = scale(count, norm, is_inverse=True) * twice
    return count, factor * cosines, -factor * sines


@dispatched
def irfft(re: Any, im: Any, *, n: int | None, axis: int, norm: str) -> Any:
    """The real numbers whose transform begins so: the imaginary parts at the ends of the half do not count."""
    count, cosines, sines = halves(re, n, axis, norm)
    parts = (fitted(part, count // 2 + 1, axis) for part in (re, im))
    return sum(summed(part, wave, axis) for part, wave in zip(parts, (cosines, sines), strict=True))


def irfft_vjp(part: int) -> Any:
    """The contributions of one part, transposed."""

    def vjp(g: Any, z: Any, re: Any, im: Any, n: int | None, axis: int, norm: str) -> Any:
        _, *waves_of = halves(re, n, axis, norm)
        return fitted(summed(g, waves_of[part].T, axis), np.shape(re)[axis], axis)

    return vjp


# -- laws --------------------------------------------------------------------------------------------

NORMS = ("backward", "ortho", "forward")
# Shapes, and an axis with lengths that its transform may have.
SPECTRA: tuple[tuple[Shape, int, tuple[int | None, ...]], ...] = (
    *(((4,), -1, (None, 3, 6, 1)), ((3,), 0, (None, 2, 5)), ((2, 3), -1, (None, 4)), ((3, 3), 0, (None, 2))),
    *(((3, 2), -2, (None, 5)), ((2, 3, 2), 1, (None, 4)), ((1,), -1, (None, 2))),
    *(((2, 1, 5, 2), 2, (None,)), ((2, 8), -1, (None, 7)), ((17,), 0, (None, 16)), ((33,), -1, (None,)), ((23,), -1, (None,))),
    *(((0, 3), -1, (None, 2)), ((3, 1), 0, (None, 4)), ((1, 4), -1, (None,))),
)  # fmt: skip


def transforming(operands: int, least: int = 1) -> Law:
    """Parts of so many operands, the axis, how many terms, and where the factor stands; `least` entries along the axis."""

    def law(choose: Choose) -> Signature:
        shape, axis, lengths = choose([call for call in SPECTRA if call[0][call[1]] >= least])
        parameters = {"n": choose(lengths), "axis": axis, "norm": choose(NORMS)}
        return Signature((shape,) * operands, parameters)

    return law


# -- rows --------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    general("fft", fft, transform_vjp(0, -1), transform_vjp(1, -1),
        formula="x̄ⱼ = s Σₖ gₖ exp(2πi jk/n)", source="linear and symmetric: its transpose has the conjugate exponentials",
        law=transforming(2), traits={SEVERAL_OUTPUTS, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
    general("ifft", ifft, transform_vjp(0, 1), transform_vjp(1, 1),
        formula="x̄ⱼ = s Σₖ gₖ exp(−2πi jk/n)", source="linear and symmetric: its transpose has the conjugate exponentials",
        law=transforming(2), traits={SEVERAL_OUTPUTS, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
    linear("rfft", rfft, rfft_transposed,
        formula="x̄ⱼ = s Σ_{k ≤ n/2} Re gₖ cos(2πjk/n) − Im gₖ sin(2πjk/n)", source="linear; the transpose of the half that is kept",
        law=transforming(1), traits={SEVERAL_OUTPUTS}),
    general("irfft", irfft, irfft_vjp(0), irfft_vjp(1),
        formula="x̄ₖ = s wₖ Σⱼ gⱼ exp(−2πi jk/n), w₀ = w_{n/2} = 1, else 2",
        source="linear; every term but those of the ends stands for two, and their imaginary parts for none",
        law=transforming(2, least=2), traits={PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
)  # fmt: skip
