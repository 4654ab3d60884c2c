"""Fourier transforms of sequences that are their own conjugates reversed, given by their first half, and back.

They are the transforms of real numbers with the other sign in the exponent, whose factor stands at the other transform.
"""

from __future__ import annotations

from typing import Any

from conformance.op import Op
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import general, linear
from conformance.ops.signals.spectra import Pair, irfft, irfft_vjp, rfft, rfft_transposed, transforming
from conformance.ops.traits import PIECEWISE_LINEAR, SEVERAL_OUTPUTS, Homogeneous

OTHER = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


@dispatched
def hfft(re: Any, im: Any, *, n: int | None, axis: int, norm: str) -> Any:
    """The real numbers that a sequence transforms to whose first half this is."""
    return irfft(re, -im, n=n, axis=axis, norm=OTHER[norm])


def hfft_vjp(part: int) -> Any:
    """irfft's rule, the imaginary part negated."""

    def vjp(g: Any, z: Any, re: Any, im: Any, n: int | None, axis: int, norm: str) -> Any:
        pulled = irfft_vjp(part)(g, z, re, im, n, axis, OTHER[norm])
        return -pulled if part else pulled

    return vjp


@dispatched
def ihfft(x: Any, *, n: int | None, axis: int, norm: str) -> Pair:
    """The first half of what transforms to real numbers."""
    re, im = rfft(x, n=n, axis=axis, norm=OTHER[norm])
    return re, -im


def ihfft_transposed(g: Pair, x: Any, n: int | None, axis: int, norm: str) -> Any:
    """rfft's transpose, the imaginary part negated."""
    return rfft_transposed((g[0], -g[1]), x, n, axis, OTHER[norm])


ROWS: tuple[Op, ...] = (
    general("hfft", hfft, hfft_vjp(0), hfft_vjp(1),
        formula="x̄ₖ = s wₖ Σⱼ gⱼ exp(2πi jk/n), w₀ = w_{n/2} = 1, else 2",
        source="irfft's rule at the conjugate", law=transforming(2, least=2),
        traits={PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1))}),
    linear("ihfft", ihfft, ihfft_transposed,
        formula="x̄ⱼ = s Σ_{k ≤ n/2} Re gₖ cos(2πjk/n) + Im gₖ sin(2πjk/n)", source="rfft's rule at the conjugate",
        law=transforming(1), traits={SEVERAL_OUTPUTS}),
)  # fmt: skip
