"""Normalisation by statistics that are given: those of a layer that is evaluated, not trained."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Choose, Op, Shape, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.layers import BATCH_NORMED, but_channels, per_channel
from conformance.ops.rows import general
from conformance.ops.traits import QUADRATIC, Homogeneous

Statistics = tuple[float, ...]


def centred(x: Any, mean: Statistics) -> Any:
    """`x` less the mean of its channel."""
    return x - per_channel(np.asarray(mean, x.dtype), x)


def deviations(x: Any, variance: Statistics, eps: float) -> Any:
    """The root of each channel's variance and eps, against `x`."""
    return per_channel(np.sqrt(np.asarray(variance, x.dtype) + eps), x)


@dispatched
def batch_norm_with_statistics(
    x: Any, weight: Any, bias: Any, *, mean: Statistics, variance: Statistics, eps: float
) -> Any:
    """Each channel less its mean, over the root of its variance and eps, times weight plus bias (evaluation)."""
    unit = centred(x, mean) / deviations(x, variance, eps)
    return unit * per_channel(weight, x) + per_channel(bias, x)


def of_entries(
    g: Any, z: Any, x: Any, weight: Any, bias: Any, mean: Statistics, variance: Statistics, eps: float
) -> Any:
    """g w/σ: the statistics do not depend on the entries."""
    return g * per_channel(weight, x) / deviations(x, variance, eps)


def of_weight(
    g: Any, z: Any, x: Any, weight: Any, bias: Any, mean: Statistics, variance: Statistics, eps: float
) -> Any:
    """Σ g (x − μ)/σ over all but the channels."""
    return np.sum(g * centred(x, mean) / deviations(x, variance, eps), axis=but_channels(x))


# Beside the shapes of a batch that is trained: one entry of a channel, and none.
NORMED: tuple[Shape, ...] = (*BATCH_NORMED, (1, 3), (1, 2, 1), (0, 3), (0, 2, 2))
# Numbers that every precision has, of channels in turn.
MEANS, VARIANCES = (0.5, -1.25, 0.0, 2.0), (1.0, 0.25, 4.0, 2.5, 0.0625)


def evaluating(choose: Choose) -> Signature:
    """A batch, weight and bias, and the statistics of each channel: of unlike channels, or those that change nothing."""
    shape = choose(NORMED)
    means, variances = choose(((MEANS, VARIANCES), ((0.0,), (1.0,))))
    mean, variance = (tuple(v[c % len(v)] for c in range(shape[1])) for v in (means, variances))
    parameters = {"mean": mean, "variance": variance, "eps": choose((1e-5, 0.1, 1.0))}
    return Signature((shape, shape[1:2], shape[1:2]), parameters)


ROWS: tuple[Op, ...] = (
    general("batch_norm_with_statistics", batch_norm_with_statistics, of_entries, of_weight,
        lambda g, z, x, weight, bias, **_: np.sum(g, axis=but_channels(x)),
        formula="x̄ = gw/σ, w̄ = Σ g (x − μ)/σ, b̄ = Σ g, where σ² = variance + eps",
        source="Ioffe and Szegedy 2015, algorithm 2, line 11: the statistics are constants", law=evaluating,
        traits={QUADRATIC, Homogeneous(1, of=(1, 2))}),
)  # fmt: skip
