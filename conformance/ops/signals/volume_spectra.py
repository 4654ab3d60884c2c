"""Fourier transforms along several axes: one after another, in the order given."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Choose, Law, Op, Shape, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import general, linear
from conformance.ops.signals.spectra import (
    NORMS,
    Pair,
    fitted,
    irfft,
    irfft_vjp,
    rfft,
    rfft_transposed,
    scale,
    transformed,
)
from conformance.ops.traits import PIECEWISE_LINEAR, SEVERAL_OUTPUTS, Homogeneous

Lengths = tuple[int, ...] | None

# -- transforms and their rules ----------------------------------------------------------------------


def steps(x: Any, s: Lengths, axes: tuple[int, ...] | None) -> list[tuple[int, int]]:
    """The axes that are transformed, and how many terms are summed along each: all of the last where only these are given."""
    ndim = np.ndim(x)
    places = (range(ndim) if s is None else range(ndim - len(s), ndim)) if axes is None else axes
    return [(axis, np.shape(x)[axis] if s is None else s[k]) for k, axis in enumerate(places)]


def along_axes(re: Any, im: Any, along: list[tuple[int, int]], norm: str, sign: int) -> Pair:
    """The transforms along the axes, one after another."""
    for axis, count in along:
        re, im = transformed(re, im, count, axis, sign, scale(count, norm, is_inverse=sign > 0))
    return re, im


@dispatched
def fftn(re: Any, im: Any, *, s: Lengths, axes: tuple[int, ...] | None, norm: str) -> Pair:
    """Σ xⱼ exp(−2πi Σ jk/n)."""
    return along_axes(re, im, steps(re, s, axes), norm, -1)


@dispatched
def ifftn(re: Any, im: Any, *, s: Lengths, axes: tuple[int, ...] | None, norm: str) -> Pair:
    """Σ xⱼ exp(2πi Σ jk/n) over the count of terms."""
    return along_axes(re, im, steps(re, s, axes), norm, 1)


def transforms_vjp(part: int, sign: int) -> Any:
    """The transforms with the other sign, the last axis first, of one part."""

    def vjp(g: Pair, z: Pair, re: Any, im: Any, s: Lengths, axes: tuple[int, ...] | None, norm: str) -> Any:
        return backwards(g, re, steps(re, s, axes), norm, sign)[part]

    return vjp


def backwards(g: Pair, x: Any, along: list[tuple[int, int]], norm: str, sign: int) -> Pair:
    """The conjugate transposes of the transforms along the axes, the last first, in the shape of `x` along them."""
    re, im = g
    for axis, count in reversed(along):
        factor = scale(count, norm, is_inverse=sign > 0)
        whole = transformed(re, im, count, axis, -sign, factor)
        re, im = (fitted(side, np.shape(x)[axis], axis) for side in whole)
    return re, im


# -- of real numbers, whose last axis has the first half alone ------------------------------------------


@dispatched
def rfftn(x: Any, *, s: Lengths, axes: tuple[int, ...] | None, norm: str) -> Pair:
    """The transform of real numbers along the last of the axes, and of what it gives along the others."""
    *others, (axis, count) = steps(x, s, axes)
    return along_axes(*rfft(x, n=count, axis=axis, norm=norm), others, norm, -1)


def rfftn_transposed(g: Pair, x: Any, s: Lengths, axes: tuple[int, ...] | None, norm: str) -> Any:
    """The transposes of both, the others first."""
    *others, (axis, count) = steps(x, s, axes)
    return rfft_transposed(backwards(g, x, others, norm, -1), x, count, axis, norm)


@dispatched
def irfftn(re: Any, im: Any, *, s: Lengths, axes: tuple[int, ...] | None, norm: str) -> Any:
    """The inverse transforms along the axes, of which the last one gives real numbers."""
    *others, (axis, count) = steps(re, s, axes)
    half = along_axes(re, im, others, norm, 1)
    return irfft(*half, n=None if s is None else count, axis=axis, norm=norm)


def irfftn_vjp(part: int) -> Any:
    """irfft's rule along the last axis, then ifft's along the others."""

    def vjp(g: Any, z: Any, re: Any, im: Any, s: Lengths, axes: tuple[int, ...] | None, norm: str) -> Any:
        *others, (axis, count) = steps(re, s, axes)
        n = None if s is None else count
        half = tuple(irfft_vjp(side)(g, z, re, im, n, axis, norm) for side in (0, 1))
        return backwards(half, re, others, norm, 1)[part]

    return vjp


# -- the law and the rows ----------------------------------------------------------------------------

# Shapes, axes in every form and order, and lengths: those of the operand, shorter and longer.
CALLS: tuple[tuple[Shape, tuple[int, ...] | None, tuple[Lengths, ...]], ...] = (
    *(((2, 3), None, (None, (3, 2), (4, 4))), ((3, 3), (0, 1), (None, (2, 5))), ((3, 3), (-1, 0), (None, (4, 2)))),
    *(((2, 3, 2), (-2, -1), (None, (2, 3))), ((2, 3, 2), (2, 0), (None, (1, 3))), ((2, 3, 2), None, (None,))),
    *(((4,), None, (None, (6,))), ((2, 3, 2), (1,), (None, (4,))), ((1, 3), (0, 1), (None, (2, 2)))),
    *(((2, 1, 3, 2), (1, -1), (None,)), ((2, 17), None, (None, (1, 16))), ((2, 3, 2), (-1, 0, 1), (None, (2, 2, 2)))),
    *(((33, 2), (0, 1), (None,)), ((0, 2, 3), (1, 2), (None, (3, 2))), ((3, 2, 1), (0, 1), (None,)), ((3, 1), (0, 1), ((3, 2),))),
)  # fmt: skip


def transforming(operands: int) -> Law:
    """Parts of so many operands, the axes, how many terms along each, and where the factor stands."""

    def law(choose: Choose) -> Signature:
        shape, axes, lengths = choose(CALLS)
        return Signature((shape,) * operands, {"s": choose(lengths), "axes": axes, "norm": choose(NORMS)})

    return law


ROWS: tuple[Op, ...] = (
    general("fftn", fftn, transforms_vjp(0, -1), transforms_vjp(1, -1),
        formula="x̄ⱼ = s Σₖ gₖ exp(2πi Σ jk/n)", source="fft's rule along each axis, the last first",
        law=transforming(2), aliases=("fft2",), traits={SEVERAL_OUTPUTS, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
    general("ifftn", ifftn, transforms_vjp(0, 1), transforms_vjp(1, 1),
        formula="x̄ⱼ = s Σₖ gₖ exp(−2πi Σ jk/n)", source="ifft's rule along each axis, the last first",
        law=transforming(2), aliases=("ifft2",), traits={SEVERAL_OUTPUTS, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
    linear("rfftn", rfftn, rfftn_transposed,
        formula="x̄ = rfft's rule along the last axis of fft's rule along the others", source="linear; the transpose of each transform, the last first",
        law=transforming(1), aliases=("rfft2",), traits={SEVERAL_OUTPUTS}),
    general("irfftn", irfftn, irfftn_vjp(0), irfftn_vjp(1),
        formula="x̄ = ifft's rule along the other axes of irfft's rule along the last", source="linear; the transpose of each transform, the last first",
        law=transforming(2), aliases=("irfft2",), traits={PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
)  # fmt: skip
