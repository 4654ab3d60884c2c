"""Second derivatives at special points: what the gradient's own gradient must be there.

Of each operand the derivative of its first entry's gradient by the same operand, the others being constants: a row of a
diagonal block of the Hessian. A pair is a range, where the slope has a kink. An operand with None has none that is stated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from conformance.points.activations import ASYMPTOTIC_SLOPES, SELU_ALPHA, SELU_SCALE
from conformance.points.point import Nature, SpecialPoint, Values
from conformance.points.tails import NEAR_1, SHOULDER

LN2, EULER = math.log(2), 0.5772156649015329
CORNER = [[0, 0], [0, 1]]  # the derivative of the last entry of a determinant of two rows
SLOW = ("squareplus", "softsign")  # whose curvature far out is small, but not as good as zero everywhere

# Where the slope is a constant on both sides, the second derivative is zero. Elsewhere:
KINKED: Mapping[str, Values | None] = {
    "hypot/at-0": None,
    "i0e/at-0": None,
    "elu/at-0": ((0, 0.5),),
    "selu/at-0": ((0, SELU_SCALE * SELU_ALPHA),),
    "hard_swish/at-minus-3": ((0, 1 / 3),),
    "hard_swish/at-3": ((0, 1 / 3),),
    "vector_norm/at-0-ord-2": None,
    "lp_pool1d/at-0": None,
    "vector_norm/at-0-ord-1": None,
    "vector_norm/at-0-ord-3": None,
    "pdist/equal-rows-p-2": None,
    "pdist/equal-rows-p-3": None,
    "std/equal-2-correction-0": None,
    "std/equal-3-correction-0": None,
    "std/equal-3-correction-1": None,
}

SMOOTH: Mapping[str, Values] = {
    "sinc/at-0": (-(math.pi**2) / 3,),
    "sinc/at-1": (2,),
    "square/at-0": (2,),
    "tan/at-0": (0,),
    "atan2/positive-axis": (0, 0),
    "atan2/upper-axis": (0, 0),
    "atan2/lower-axis": (0, 0),
    "hypot/on-an-axis": (0, 1 / 3),
    "pow/to-the-0": (0, LN2**2),
    "pow/0-to-the-0": (0, None),
    "pow/0-to-the-1": (0, 0),
    "pow/0-to-the-2": (2, 0),
    "pow/0-to-the-3": (0, 0),
    "pow/1-to-the-2": (2, 0),
    "pow/negative-base": (-12, None),
    "pow/negative-base-squared": (2, None),
    "xlogy/at-0": (0, 0),
    "divide/equal": (0, 2 / 9),
    "divide/0-over-x": (0, 0),
    "logaddexp/equal": (0.25, 0.25),
    "logaddexp2/equal": (LN2 / 4, LN2 / 4),
    "elu/smooth-at-0": ((0, 1),),
    "celu/smooth-at-0": ((0, 2),),
    "softsign/at-0": ((-2, 2),),
    "softsign/at-minus-0": ((-2, 2),),
    "sigmoid/at-0": (0,),
    "silu/at-0": (0.5,),
    "mish/at-0": (0.64,),
    "gelu_tanh/at-0": (math.sqrt(2 / math.pi),),
    "softplus/at-0": (0.25,),
    "softmax/single": ([0],),
    "log_softmax/equal": ([-0.25, 0.25],),
    "log_softmax/single": ([0],),
    "max/single": ([0],),
    "min/single": ([0],),
    "vector_norm/with-a-0": ([0.2, 0, 0],),
    "lp_pool1d/with-a-0": ([[[0.2, 0, 0]]],),
    "vector_norm/with-a-0-ord-3": ([0, 0],),
    "var/equal": ([2 / 3, -1 / 3, -1 / 3],),
    "var/single": ([0],),
    "prod/one-0": ([0, 3, 0],),
    "prod/two-0s": ([0, 0, 2],),
    "prod/two-entries-one-0": ([0, 1],),
    "prod/single-0": ([0],),
    "cumulative_prod/one-0": ([0, -1, 0],),
    "cumulative_prod/two-0s": ([0, -1, 0],),
    "cumulative_prod/0-first": ([0, -1, -2],),
    "cumulative_prod/0-last": ([0, 2, -3],),
    "logsumexp/equal": ([0.25, -0.25],),
    "logsumexp/single": ([0],),
    "det/singular": (CORNER,),
    "det/of-rank-1": ([[0, 0, 0], [0, 1, -1], [0, -1, 1]],),
    "det/of-rank-2": ([[0, 0, 0], [0, 0, 0], [0, 0, 1]],),
    "det/of-0": (CORNER,),
    "det/identity": (CORNER,),
    "det/one-entry": (0,),
    "det/one-entry-0": (0,),
    "inv/one-entry": ([[0.25]],),
    "solve/one-entry": ([[0.25]], 0),
    "tridiagonal_solve/diagonal-alone": ([0, 0, 0], [0.25, 0, 0], [0, 0.125, 0], 0),
    "gamma/at-1": (EULER**2 + math.pi**2 / 6,),
    "gamma/at-2": ((1 - EULER) ** 2 + math.pi**2 / 6 - 1,),
    "betainc/at-half": (0,),
    "betainc/at-0-order-1": (-3.75,),
    "betainc/at-0-order-2": (12,),
    "betainc/at-0-uniform": (0,),
    "betainc/at-1-uniform": (0,),
    "betainc/at-1-order-3": (0,),
    "spence/at-1": (0.5,),
    "spence/at-2": (LN2 - 0.5,),
    "tensorsolve/one-entry": ([[[0.25]]], 0),
    "cholesky/one-entry": ([[-1 / 32]],),
    "slogdet/one-entry": ([[-0.25]],),
    "logdet/one-entry": ([[-0.25]],),
    "logdet/not-symmetric": ([[-1, 0], [2, 0]],),
    "logdet/two-negative-eigenvalues": ([[-0.25, 0], [0, 0]],),
    "matrix_power/one-entry": ([[18]],),
    "inv/repeated-eigenvalue": ([[0.25, 0.125], [0.125, 0]],),
    "matrix_power/to-the-0": (0,),
    "matrix_power/singular-squared": ([[2, 2], [0, 0]],),
    "mse/hit": (2, 2),
    "huber/hit": (1, 1),
    "huber/at-delta": ((0, 1), (0, 1)),
    "huber/at-minus-delta": ((0, 1), (0, 1)),
    "smooth_l1/hit": (2, 2),
    "smooth_l1/at-beta": ((0, 2), (0, 2)),
    "log_cosh/hit": (1, 1),
    "binary_cross_entropy/certain-and-right-at-0": (1, None),
    "binary_cross_entropy/certain-and-right-at-1": (1, None),
    "erfcx/at-0": (2,),
    "ndtr/at-0": (0,),
    "log_ndtr/at-0": (-2 / math.pi,),
    "erfinv/at-0": (0,),
    "ndtri/at-half": (0,),
    "i0/at-0": (0.5,),
    "bessel_j0/at-0": (-0.5,),
    "bessel_j1/at-0": (0,),
    "multigammaln/of-dimension-1": (math.pi**2 / 6,),
    "multigammaln/of-dimension-2": (2 * math.pi**2 / 3 - 4,),
    "i1/at-0": (0,),
    "i1e/at-0": ((-1, 1),),
    "xlog1py/at-0": (0, 0),
    "betaln/equal": (13 / 36, 13 / 36),
    "gammainc/at-0-order-1": (-1,),
    "gammaincc/at-0-order-1": (1,),
    "cross_entropy/equal": ([[0.25, -0.25]], None),
    "cross_entropy/single-class": ([[0]], None),
}

CURVE = NEAR_1 * (1 - NEAR_1)
EXTREME: Mapping[str, Values] = {
    "softplus/on-the-shoulder": (CURVE,),
    "log_sigmoid/on-the-shoulder": (-CURVE,),
    "silu/on-the-shoulder": (CURVE * (2 + SHOULDER * (1 - 2 * NEAR_1)),),
    "logaddexp/on-the-shoulder": (CURVE, None),
    "binary_cross_entropy_with_logits/on-the-shoulder": (CURVE, None),
    "soft_margin/on-the-shoulder": (CURVE, None),
    "tanh/at-1000": (0,),
    "tanh/at-minus-huge": (0,),
    "tanh/at-infinity": (0,),
    "exp/at-minus-1000": (0,),
    "exp/at-minus-infinity": (0,),
    "expm1/at-least": (1,),
    "expm1/at-minus-huge": (0,),
    "log1p/at-least": (-1,),
    "sinh/at-least": (0,),
    "tanh/at-least": (0,),
    "sin/at-least": (0,),
    "asinh/at-least": (0,),
    "asinh/at-huge": (0,),
    "atan/at-huge": (0,),
    "reciprocal/at-huge": (0,),
    "sqrt/at-huge": (0,),
    "log/at-huge": (0,),
    "logaddexp/far-apart": (0, 0),
    "logaddexp/huge-and-equal": (0.25, 0.25),
    "logaddexp/with-minus-infinity": (0, 0),
    "logaddexp2/far-apart": (0, 0),
    "logaddexp2/huge-and-equal": (LN2 / 4, LN2 / 4),
    "logsumexp/at-1000": ([0, 0],),
    "logsumexp/at-minus-1000": ([0, 0],),
    "logsumexp/huge-and-equal": ([0.25, -0.25],),
    "logsumexp/with-minus-infinity": ([0, 0, 0],),
    "logcumsumexp/at-1000": ([0, 0],),
    "logcumsumexp/huge-and-equal": ([0.25, -0.25],),
    "logcumsumexp/first-minus-infinity": ([0, 0],),
    "softmax/at-1000": ([0, 0],),
    "softmax/with-minus-infinity": ([0, 0, 0],),
    "log_softmax/at-1000": ([0, 0],),
    "log_softmax/at-huge": ([-0.25, 0.25],),
    "log_softmax/with-minus-infinity": ([0, 0, 0],),
    "log_cosh/at-1000": (0, 0),
    "huber/huge": (0, 0),
    "binary_cross_entropy_with_logits/at-1000": (0, 0),
    "binary_cross_entropy_with_logits/at-minus-1000": (0, 0),
    "poisson_nll/at-minus-1000": (0, 0),
    "gaussian_nll/hit": (2, 2, -2),
    "soft_margin/at-1000": (0, None),
    "soft_margin/at-minus-1000": (0, None),
    "ndtr/at-1000": (0,),
    "log_ndtr/at-1000": (0,),
    "i0/at-least": (0.5,),
    "bessel_j0/at-least": (-0.5,),
    "bessel_j1/at-least": (0,),
    "cross_entropy/certain-and-right": ([[0, 0]], None),
    "cross_entropy/certain-and-wrong": ([[0, 0]], None),
    "cross_entropy/excluded-class": ([[0, 0, 0]], None),
    "tanh_shrink/at-0": (0,),
}


def second_derivatives(point: SpecialPoint) -> Values | None:
    """What is stated of each operand, a number, an array, a pair of bounds, or None; None where nothing is."""
    stated: Values | None = {**SMOOTH, **EXTREME}.get(point.key)
    if point.nature in (Nature.KINK, Nature.TIE):
        return KINKED.get(point.key, _zeros(point))
    is_far = point.nature is Nature.FINITE and point.op in ASYMPTOTIC_SLOPES and point.op not in SLOW
    return stated if stated is not None or not is_far or point.name == "at-least" else _zeros(point)


def _zeros(point: SpecialPoint) -> tuple[Any, ...]:
    given = point.operands
    return (0,) * (1 if callable(given) else len(given))
