"""Layers: dense, embedding, attention and normalisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import REAL, Choose, Op, Shape, Signature, index_below
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import scatter_add
from conformance.ops.rows import general, unbroadcast
from conformance.ops.softmax import softmax
from conformance.ops.traits import HOLOMORPHIC, LINEAR, QUADRATIC, Homogeneous, Shift

# -- linear, embedding, attention ------------------------------------------------------------------


@dispatched
def linear_layer(x: Any, weight: Any, bias: Any) -> Any:
    """x Wᵀ + b, the weight being (out, in)."""
    return np.matmul(x, np.swapaxes(weight, -1, -2)) + bias


def linear_weight(g: Any, z: Any, x: Any, weight: Any, bias: Any) -> Any:
    """gᵀ x, summed over the batch."""
    batch = list(range(np.ndim(x) - 1))
    return np.tensordot(g, x, axes=(batch, batch))


@dispatched
def embedding(weight: Any, indices: Any) -> Any:
    """The rows of the table that the indices name."""
    return weight[indices]


def attention_weights(q: Any, k: Any, is_causal: bool) -> Any:
    """softmax(q kᵀ/√d), nothing from later keys where causal."""
    scores = np.matmul(q, np.swapaxes(k, axis1=-1, axis2=-2)) / np.shape(q)[-1] ** 0.5
    if is_causal:
        is_seen = np.tri(*np.shape(scores)[-2:]) > 0
        scores = np.where(is_seen, scores, -np.inf)
    return softmax(scores, axis=-1)


@dispatched
def scaled_dot_product_attention(q: Any, k: Any, v: Any, *, is_causal: bool) -> Any:
    """softmax(q kᵀ/√d) v."""
    return np.matmul(attention_weights(q, k, is_causal), v)


def score_cotangents(g: Any, q: Any, k: Any, v: Any, is_causal: bool) -> Any:
    """softmax's rule on g vᵀ, over √d."""
    weights = attention_weights(q, k, is_causal)
    pulled = np.matmul(g, np.swapaxes(v, axis1=-1, axis2=-2))
    return weights * (pulled - np.sum(pulled * weights, axis=-1, keepdims=True)) / np.shape(q)[-1] ** 0.5


def attention_query(g: Any, z: Any, q: Any, k: Any, v: Any, is_causal: bool) -> Any:
    """s̄ k."""
    return np.matmul(score_cotangents(g, q, k, v, is_causal), k)


def attention_key(g: Any, z: Any, q: Any, k: Any, v: Any, is_causal: bool) -> Any:
    """s̄ᵀ q."""
    return np.matmul(np.swapaxes(score_cotangents(g, q, k, v, is_causal), axis1=-1, axis2=-2), q)


def attention_value(g: Any, z: Any, q: Any, k: Any, v: Any, is_causal: bool) -> Any:
    """wᵀ g."""
    return np.matmul(np.swapaxes(attention_weights(q, k, is_causal), axis1=-1, axis2=-2), g)


# -- normalisation ---------------------------------------------------------------------------------
# Over axes that are -1 (layer norm) or all but the channels (batch norm): the same three lines.


def standardised(x: Any, axis: Any, eps: float) -> tuple[Any, Any]:
    """(x − μ)/σ and 1/σ, where σ² = variance + eps."""
    centred = x - np.mean(x, axis=axis, keepdims=True)
    scale = 1 / np.sqrt(np.mean(centred * centred, axis=axis, keepdims=True) + eps)
    return centred * scale, scale


def standardised_vjp(g: Any, x: Any, axis: Any, eps: float) -> Any:
    """(g − mean g − x̂ mean(g x̂))/σ."""
    unit, scale = standardised(x, axis, eps)
    projection = unit * np.mean(g * unit, axis=axis, keepdims=True)
    return scale * (g - np.mean(g, axis=axis, keepdims=True) - projection)


@dispatched
def layer_norm(x: Any, weight: Any, bias: Any, *, eps: float) -> Any:
    """The last axis at mean 0 and variance 1, times weight plus bias."""
    return standardised(x, -1, eps)[0] * weight + bias


@dispatched
def rms_norm(x: Any, weight: Any, *, eps: float) -> Any:
    """The last axis over its root mean square, times weight."""
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps) * weight


def rms_norm_vjp(g: Any, z: Any, x: Any, weight: Any, eps: float) -> Any:
    """(g w − x̂ mean(g w x̂))/r."""
    scale = 1 / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps)
    unit = x * scale
    return scale * (g * weight - unit * np.mean(g * weight * unit, axis=-1, keepdims=True))


def rms_norm_weight(g: Any, z: Any, x: Any, weight: Any, eps: float) -> Any:
    """g x̂."""
    return unbroadcast(g * x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps), np.shape(weight))


def but_channels(x: Any) -> tuple[int, ...]:
    """Every axis but the channels'."""
    return tuple(axis for axis in range(np.ndim(x)) if axis != 1)


def per_channel(v: Any, x: Any) -> Any:
    """A vector with an entry for each channel, against `x`."""
    return np.reshape(v, shape=tuple(n if axis == 1 else 1 for axis, n in enumerate(np.shape(x))))


@dispatched
def batch_norm(x: Any, weight: Any, bias: Any, *, eps: float) -> Any:
    """Each channel at mean 0 and variance 1 over the batch, times weight plus bias (training)."""
    return standardised(x, but_channels(x), eps)[0] * per_channel(weight, x) + per_channel(bias, x)


def batch_norm_vjp(g: Any, z: Any, x: Any, weight: Any, bias: Any, eps: float) -> Any:
    """The standardisation's rule on g w."""
    return standardised_vjp(g * per_channel(weight, x), x, but_channels(x), eps)


def batch_norm_weight(g: Any, z: Any, x: Any, weight: Any, bias: Any, eps: float) -> Any:
    """Σ g x̂ over all but the channels."""
    return np.sum(g * standardised(x, but_channels(x), eps)[0], axis=but_channels(x))


def grouped(x: Any, num_groups: int) -> Any:
    """The entries of each group of channels as a row: (N, groups, entries)."""
    return np.reshape(x, shape=(np.shape(x)[0], num_groups, -1))


@dispatched
def group_norm(x: Any, weight: Any, bias: Any, *, num_groups: int, eps: float) -> Any:
    """Each group of channels at mean 0 and variance 1 in each example, times weight plus bias."""
    unit = np.reshape(standardised(grouped(x, num_groups), -1, eps)[0], shape=np.shape(x))
    return unit * per_channel(weight, x) + per_channel(bias, x)


def group_norm_vjp(g: Any, z: Any, x: Any, weight: Any, bias: Any, num_groups: int, eps: float) -> Any:
    """The standardisation's rule on g w, group by group."""
    weighted = grouped(g * per_channel(weight, x), num_groups)
    return np.reshape(standardised_vjp(weighted, grouped(x, num_groups), -1, eps), shape=np.shape(x))


def group_norm_weight(g: Any, z: Any, x: Any, weight: Any, bias: Any, num_groups: int, eps: float) -> Any:
    """Σ g x̂ over all but the channels."""
    unit = np.reshape(standardised(grouped(x, num_groups), -1, eps)[0], shape=np.shape(x))
    return np.sum(g * unit, axis=but_channels(x))


@dispatched
def instance_norm(x: Any, weight: Any, bias: Any, *, eps: float) -> Any:
    """Each channel of each example at mean 0 and variance 1, times weight plus bias."""
    return group_norm(x, weight, bias, num_groups=np.shape(x)[1], eps=eps)


def by_instance(rule: Any) -> Any:
    """Group norm's rule, with as many groups as channels."""
    return lambda g, z, x, weight, bias, eps: rule(g, z, x, weight, bias, np.shape(x)[1], eps)


# -- laws ------------------------------------------------------------------------------------------

LINEAR_LAYER = laws.shapes_of(
    *(((2, 3), (2, 3), (2,)), ((3, 3), (3, 3), (3,)), ((3,), (2, 3), (2,)), ((2, 1, 3), (2, 3), (2,))),
    *(((3, 3, 3), (3, 3), (3,)), ((0, 3), (2, 3), (2,)), ((2, 1), (3, 1), (3,)), ((2, 3), (1, 3), (1,))),
    *(((2, 1, 2, 3), (2, 3), (2,)), ((1, 2, 1, 2, 3), (2, 3), (2,)), ((2, 1, 2, 1, 1, 3), (2, 3), (2,)), ((2, 3, 1, 3), (2, 3), (2,))),
    *(((2, 0), (3, 0), (3,)), ((7, 8), (9, 8), (9,)), ((17, 2), (33, 2), (33,)), ((2, 65), (3, 65), (3,))),
    *(((129, 2), (1, 2), (1,)), ((1, 1025), (2, 1025), (2,)), ((7, 2, 3), (2, 3), (2,)), ((66, 3), (2, 3), (2,))),
    ((1, 1), (1, 1), (1,)),
)  # fmt: skip
# The last axis is normalised, in batch norm all but the second. One entry alone deviates by nothing.
NORMED: tuple[Shape, ...] = (
    *((2, 3), (3, 3), (3,), (2, 2, 3), (3, 3, 3), (0, 3), (2, 1, 2, 3), (1, 2, 1, 3, 2), (2, 1, 2, 1, 1, 3)),
    *((5, 7), (2, 8), (3, 17), (33,), (2, 64), (129,), (1025,), (66, 3), (7, 2, 3)),
)  # fmt: skip
LAYER_NORM = laws.shapes_of(*((s, s[-1:], s[-1:]) for s in NORMED), eps=(1e-5, 0.1, 1.0))
RMS_NORM = laws.shapes_of(*((s, s[-1:]) for s in (*NORMED, (3, 1), (1,))), eps=(1e-5, 0.1, 1.0))
BATCH_NORMED: tuple[Shape, ...] = (
    *((4, 3), (3, 3), (2, 2, 3), (2, 3, 3, 2), (1, 2, 3), (3, 1), (1, 1, 3, 2), (2, 2, 3, 1, 1)),
    *((7, 8), (33, 2), (2, 17), (129, 1), (2, 1, 64), (7, 2, 3), (2, 66, 2), (2, 3, 3), (1, 2, 3, 2)),
)  # fmt: skip
BATCH_NORM = laws.shapes_of(*((s, s[1:2], s[1:2]) for s in BATCH_NORMED), eps=(1e-5, 0.1, 1.0))
GROUPED: tuple[tuple[Shape, int], ...] = (
    *(((2, 4), 2), ((2, 4), 1), ((2, 3, 2), 3), ((2, 3, 2), 1), ((1, 6, 2, 2), 3), ((2, 4, 3), 4)),
    *(((3, 4, 4), 2), ((2, 2, 1, 3, 1), 1), ((1, 1, 2, 2), 1), ((2, 8, 1), 2), ((1, 2, 33), 2), ((2, 17, 2), 1)),
    *(((1, 16, 4), 4), ((2, 129), 1), ((1, 64, 2), 8), ((7, 2, 3), 1), ((66, 2, 3), 2)),
)  # fmt: skip


def group_normed(choose: Choose) -> Signature:
    """Examples with channels, in groups that have several entries, and eps."""
    shape, groups = choose(GROUPED)
    return Signature((shape, shape[1:2], shape[1:2]), {"num_groups": groups, "eps": choose((1e-5, 0.1, 1.0))})


INSTANCES: tuple[Shape, ...] = (
    *((2, 3, 2), (2, 2, 3), (1, 1, 2), (3, 3, 3), (2, 3, 2, 2), (1, 2, 3, 1), (2, 1, 2, 2, 2), (2, 1, 1, 2, 1)),
    *((2, 2, 17), (1, 3, 33), (1, 17, 2), (33, 1, 2), (1, 2, 129), (7, 2, 3), (66, 1, 2)),
)  # fmt: skip
INSTANCE_NORM = laws.shapes_of(*((s, s[1:2], s[1:2]) for s in INSTANCES), eps=(1e-5, 0.1, 1.0))

# Fewer queries than keys, as many, and more; values of another width than keys; sizes of blocks.
ATTENTION = laws.shapes_of(
    *(((2, 3), (4, 3), (4, 2)), ((3, 3), (3, 3), (3, 3)), ((2, 2, 3), (2, 3, 3), (2, 3, 2))),
    *(((2, 1, 2, 2), (2, 1, 2, 2), (2, 1, 2, 2)), ((5, 3), (2, 3), (2, 3)), ((1, 2), (3, 2), (3, 1))),
    *(((3, 2), (1, 2), (1, 3)), ((1, 1), (1, 1), (1, 1)), ((2, 4, 1), (2, 3, 1), (2, 3, 2))),
    *(((1, 2, 1, 2, 2), (1, 2, 1, 3, 2), (1, 2, 1, 3, 2)), ((2, 7, 8), (2, 9, 8), (2, 9, 3))),
    *(((1, 1, 17, 2), (1, 1, 16, 2), (1, 1, 16, 2)), ((2, 2, 33, 4), (2, 2, 33, 4), (2, 2, 33, 4))),
    *(((65, 2), (64, 2), (64, 1)), ((2, 3), (129, 3), (129, 1)), ((7, 2, 3), (7, 3, 3), (7, 3, 2))),
    *(((66, 2, 2), (66, 2, 2), (66, 2, 2)), ((2, 17), (3, 17), (3, 2)), ((2, 3), (3, 3), (3, 18))),
    is_causal=(False, True),
)  # fmt: skip


def looking_up(choose: Choose) -> Signature:
    """A table, and indices of its rows, which may repeat."""
    rows, columns = choose(((3, 2), (3, 3), (1, 3), (4, 1), (1, 1), (17, 16), (33, 2), (2, 65), (129, 1)))
    indices = choose(
        ((3,), (), (2, 3), (3, 3), (0,), (1,), (2, 1, 3), (2, 1, 2, 1), (1, 2, 1, 2, 1), (17,), (65,), (300,))
    )
    return Signature(((rows, columns), indices), domains=(REAL, index_below(rows)))


# -- dense -----------------------------------------------------------------------------------------

DENSE = (
    general("linear", linear_layer, lambda g, z, x, weight, bias: np.matmul(g, weight), linear_weight,
        lambda g, z, x, weight, bias: unbroadcast(g, np.shape(bias)),
        formula="x̄ = g W, W̄ = gᵀ x, b̄ = Σ g",
        source="matmul's rule at Wᵀ, the bias broadcast over the batch", law=LINEAR_LAYER,
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1, of=(0, 2)), Homogeneous(1, of=(1, 2))}),
    general("embedding", embedding,
        lambda g, z, weight, indices: scatter_add(g, index=(indices,), shape=np.shape(weight)), None,
        formula="W̄[indices] += g, 0 elsewhere",
        source="linear in the table; rows named twice receive both cotangents",
        domains=[REAL, index_below(1)], law=looking_up, traits={HOLOMORPHIC, LINEAR}),
    general("scaled_dot_product_attention", scaled_dot_product_attention, attention_query, attention_key,
        attention_value,
        formula="v̄ = wᵀg, s̄ = w · (g vᵀ − Σ w · g vᵀ)/√d, q̄ = s̄ k, k̄ = s̄ᵀ q",
        source="Vaswani et al. 2017, eq. 1; matmul's and softmax's rules", law=ATTENTION,
        traits={Homogeneous(1, of=(2,))}),
)  # fmt: skip


# -- normalisation ---------------------------------------------------------------------------------

NORMALISATION = (
    general("layer_norm", layer_norm,
        lambda g, z, x, weight, bias, eps: standardised_vjp(g * weight, x, -1, eps),
        lambda g, z, x, weight, bias, eps: unbroadcast(g * standardised(x, -1, eps)[0], np.shape(weight)),
        lambda g, z, x, weight, bias, eps: unbroadcast(g, np.shape(bias)),
        formula="x̄ = (gw − mean gw − x̂ mean(gw x̂))/σ, w̄ = Σ g x̂, b̄ = Σ g",
        source="Ba, Kiros and Hinton 2016, eq. 4; chain rule through μ and σ", law=LAYER_NORM,
        traits={Homogeneous(1, of=(1, 2)), Shift(0)}),
    general("rms_norm", rms_norm, rms_norm_vjp, rms_norm_weight,
        formula="x̄ = (gw − x̂ mean(gw x̂))/r, w̄ = Σ g x̂",
        source="Zhang and Sennrich 2019, eq. 4; chain rule through r", law=RMS_NORM,
        traits={Homogeneous(1, of=(1,))}),
    general("batch_norm", batch_norm, batch_norm_vjp, batch_norm_weight,
        lambda g, z, x, weight, bias, eps: np.sum(g, axis=but_channels(x)),
        formula="x̄ = (gw − mean gw − x̂ mean(gw x̂))/σ, w̄ = Σ g x̂, b̄ = Σ g",
        source="Ioffe and Szegedy 2015, section 3; chain rule through μ and σ", law=BATCH_NORM,
        traits={Homogeneous(1, of=(1, 2))}),
    general("group_norm", group_norm, group_norm_vjp, group_norm_weight,
        lambda g, z, x, weight, bias, **_: np.sum(g, axis=but_channels(x)),
        formula="x̄ = (gw − mean gw − x̂ mean(gw x̂))/σ, w̄ = Σ g x̂, b̄ = Σ g",
        source="Wu and He 2018, eq. 1 to 7; chain rule through μ and σ of each group", law=group_normed,
        traits={Homogeneous(1, of=(1, 2))}),
    general("instance_norm", instance_norm, by_instance(group_norm_vjp), by_instance(group_norm_weight),
        lambda g, z, x, weight, bias, **_: np.sum(g, axis=but_channels(x)),
        formula="x̄ = (gw − mean gw − x̂ mean(gw x̂))/σ, w̄ = Σ g x̂, b̄ = Σ g",
        source="Ulyanov and others 2016, eq. 2; group norm with a group for each channel", law=INSTANCE_NORM,
        traits={Homogeneous(1, of=(1, 2))}),
)  # fmt: skip

ROWS: tuple[Op, ...] = DENSE + NORMALISATION
