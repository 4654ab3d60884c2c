"""Fourier transforms along several axes: one after another, in the order given."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Choose, Op, Shape, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import general
from conformance.ops.signals.spectra import NORMS, Pair, fitted, scale, transformed
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
        back = g
        for axis, count in reversed(steps(re, s, axes)):
            factor = scale(count, norm, is_inverse=sign > 0)
            whole = transformed(*back, count, axis, -sign, factor)
            back = tuple(fitted(side, np.shape(re)[axis], axis) for side in whole)
        return back[part]

    return vjp


# -- the law and the rows ----------------------------------------------------------------------------

# Shapes, axes in every form and order, and lengths: those of the operand, shorter and longer.
CALLS: tuple[tuple[Shape, tuple[int, ...] | None, tuple[Lengths, ...]], ...] = (
    *(((2, 3), None, (None, (3, 2), (4, 4))), ((3, 3), (0, 1), (None, (2, 5))), ((3, 3), (-1, 0), (None, (4, 2)))),
    *(((2, 3, 2), (-2, -1), (None, (2, 3))), ((2, 3, 2), (2, 0), (None, (1, 3))), ((2, 3, 2), None, (None,))),
    *(((4,), None, (None, (6,))), ((2, 3, 2), (1,), (None, (4,))), ((1, 3), (0, 1), (None, (2, 2)))),
    *(((2, 1, 3, 2), (1, -1), (None,)), ((2, 17), None, (None, (1, 16))), ((2, 3, 2), (-1, 0, 1), (None, (2, 2, 2)))),
    *(((33, 2), (0, 1), (None,)), ((0, 2, 3), (1, 2), (None, (3, 2)))),
)  # fmt: skip


def transforming(choose: Choose) -> Signature:
    """Both parts, the axes, how many terms along each, and where the factor stands."""
    shape, axes, lengths = choose(CALLS)
    return Signature((shape,) * 2, {"s": choose(lengths), "axes": axes, "norm": choose(NORMS)})


ROWS: tuple[Op, ...] = (
    general("fftn", fftn, transforms_vjp(0, -1), transforms_vjp(1, -1),
        formula="x̄ⱼ = s Σₖ gₖ exp(2πi Σ jk/n)", source="fft's rule along each axis, the last first",
        law=transforming, aliases=("fft2",), traits={SEVERAL_OUTPUTS, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
    general("ifftn", ifftn, transforms_vjp(0, 1), transforms_vjp(1, 1),
        formula="x̄ⱼ = s Σₖ gₖ exp(−2πi Σ jk/n)", source="ifft's rule along each axis, the last first",
        law=transforming, aliases=("ifft2",), traits={SEVERAL_OUTPUTS, PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
)  # fmt: skip
