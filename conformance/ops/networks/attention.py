"""Attention whose scores are scaled by a number, and changed by a bias or a mask; a head of keys may serve several of queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from conformance.op import Choose, Op, Shape, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.rows import general, unbroadcast
from conformance.ops.softmax import softmax
from conformance.ops.traits import Homogeneous

HEADS = -3  # the axis

# -- heads of keys that serve several of queries -----------------------------------------------------


def group_size(q: Any, k: Any) -> int:
    """How many heads of queries each head of keys serves."""
    return int(np.shape(q)[HEADS]) // int(np.shape(k)[HEADS]) if np.ndim(k) > 2 else 1


def served(k: Any, q: Any) -> Any:
    """Each head of keys or values as often as it serves heads of queries."""
    size = group_size(q, k)
    return k if size == 1 else np.repeat(k, repeats=size, axis=HEADS)


def gathered(g: Any, q: Any, k: Any) -> Any:
    """The sums of the cotangents of the copies of each head."""
    size = group_size(q, k)
    if size == 1:
        return g
    *batch, heads, count, width = np.shape(k)
    return np.sum(np.reshape(g, shape=(*batch, heads, size, count, width)), axis=-3)


# -- the op and its rule -----------------------------------------------------------------------------


class Attended(NamedTuple):
    """Keys and values for each head of queries, the weights of the values, and the factor of the scores."""

    k: Any
    v: Any
    weights: Any
    scale: float


def transposed(x: Any) -> Any:
    """Each matrix transposed."""
    return np.swapaxes(x, axis1=-1, axis2=-2)


def attended(q: Any, k: Any, v: Any, scale: float | None, changed: Callable[[Any], Any]) -> Attended:
    """The softmax of the changed scores; without a scale they are over the root of the width."""
    factor = np.shape(q)[-1] ** -0.5 if scale is None else scale
    keys, values = served(k, q), served(v, q)
    scores = np.matmul(q, transposed(keys)) * factor
    return Attended(keys, values, softmax(changed(scores), axis=-1), factor)


def score_cotangents(g: Any, at: Attended) -> Any:
    """softmax's rule on g vᵀ."""
    pulled = np.matmul(g, transposed(at.v))
    return at.weights * (pulled - np.sum(pulled * at.weights, axis=-1, keepdims=True))


def query_vjp(g: Any, at: Attended) -> Any:
    """s̄ k times the scale."""
    return np.matmul(score_cotangents(g, at), at.k) * at.scale


def key_vjp(g: Any, at: Attended, q: Any, k: Any) -> Any:
    """s̄ᵀ q times the scale."""
    return gathered(np.matmul(transposed(score_cotangents(g, at)), q) * at.scale, q, k)


def value_vjp(g: Any, at: Attended, q: Any, v: Any) -> Any:
    """wᵀ g."""
    return gathered(np.matmul(transposed(at.weights), g), q, v)


# -- a bias ------------------------------------------------------------------------------------------


def with_bias(q: Any, k: Any, v: Any, bias: Any, scale: float | None) -> Attended:
    """The bias is added to the scores."""
    return attended(q, k, v, scale, lambda scores: scores + bias)


@dispatched
def biased_attention(q: Any, k: Any, v: Any, bias: Any, *, scale: float | None) -> Any:
    """softmax(scale q kᵀ + bias) v."""
    at = with_bias(q, k, v, bias, scale)
    return np.matmul(at.weights, at.v)


# -- a mask ------------------------------------------------------------------------------------------


def with_mask(q: Any, k: Any, v: Any, mask: Any, scale: float | None) -> Attended:
    """A query sees the keys where the mask is true."""
    is_seen = np.asarray(mask, dtype=bool)
    return attended(q, k, v, scale, lambda scores: np.where(is_seen, scores, -np.inf))


@dispatched
def masked_attention(q: Any, k: Any, v: Any, *, mask: list[list[bool]], scale: float | None) -> Any:
    """softmax(scale q kᵀ) v over the keys that the mask lets each query see."""
    at = with_mask(q, k, v, mask, scale)
    return np.matmul(at.weights, at.v)


# -- laws and rows -----------------------------------------------------------------------------------


class Sizes(NamedTuple):
    """The sizes of a call: batches, heads of queries and of keys, how many of each, and their width."""

    batch: Shape
    heads: Shape
    key_heads: Shape
    queries: int
    keys: int
    width: int


SIZES = (
    Sizes((), (), (), 2, 4, 3), Sizes((2,), (2,), (2,), 2, 3, 2), Sizes((1,), (4,), (2,), 3, 3, 3),
    Sizes((2,), (3,), (1,), 2, 3, 2), Sizes((), (2,), (2,), 3, 2, 1), Sizes((), (), (), 3, 3, 3),
    Sizes((1,), (1,), (1,), 1, 1, 2), Sizes((2,), (4,), (4,), 4, 4, 4), Sizes((1,), (6,), (2,), 1, 2, 2),
    Sizes((1,), (2,), (1,), 17, 2, 2), Sizes((1,), (2,), (2,), 2, 33, 1), Sizes((1,), (1,), (1,), 2, 3, 17),
    Sizes((7,), (1,), (1,), 2, 2, 3), Sizes((1,), (2,), (2,), 9, 8, 8), Sizes((1,), (17,), (17,), 2, 2, 1),
)  # fmt: skip


def operands(sizes: Sizes) -> tuple[Shape, Shape, Shape]:
    """The shapes of queries, keys and values."""
    key = (*sizes.batch, *sizes.key_heads, sizes.keys, sizes.width)
    return (*sizes.batch, *sizes.heads, sizes.queries, sizes.width), key, key


SCALES = (0.3, None, 2.0)


def biasing(choose: Choose) -> Signature:
    """Queries, keys, values, and a bias for each score, for all heads, for each query alone or for each key."""
    sizes = choose([s for s in SIZES if s.heads == s.key_heads])
    scores = (sizes.queries, sizes.keys)
    whole = (*sizes.batch, *sizes.heads, *scores)
    fewer = (whole, scores, (*(1 for _ in whole[:-2]), *scores), (*whole[:-2], 1, sizes.keys))
    return Signature((*operands(sizes), choose([*dict.fromkeys(fewer)])), {"scale": choose(SCALES)})


def pattern(sizes: Sizes, kind: str) -> list[list[bool]]:
    """Which keys each query sees: always the first, so that no part of a head is computed apart by one product of matrices."""
    query, key = np.indices((sizes.queries, sizes.keys))
    first = key == 0
    seen = {
        "all": first | True,
        "earlier": key <= query,
        "one more": first | (key == (query + 1) % sizes.keys),
        "every second": first | ((query + key) % 2 == 0),
    }
    return [[bool(entry) for entry in row] for row in seen[kind]]


def masking(choose: Choose) -> Signature:
    """Queries, keys, values, and which keys each query sees."""
    sizes = choose(SIZES)
    mask = pattern(sizes, choose(("every second", "earlier", "one more", "all")))
    return Signature(operands(sizes), {"mask": mask, "scale": choose(SCALES)})


ROWS: tuple[Op, ...] = (
    general("biased_attention", biased_attention,
        lambda g, z, q, k, v, bias, scale: query_vjp(g, with_bias(q, k, v, bias, scale)),
        lambda g, z, q, k, v, bias, scale: key_vjp(g, with_bias(q, k, v, bias, scale), q, k),
        lambda g, z, q, k, v, bias, scale: value_vjp(g, with_bias(q, k, v, bias, scale), q, v),
        lambda g, z, q, k, v, bias, scale: unbroadcast(score_cotangents(g, with_bias(q, k, v, bias, scale)), np.shape(bias)),
        formula="v̄ = wᵀg, s̄ = w · (g vᵀ − Σ w · g vᵀ), b̄ = Σ s̄, q̄ = c s̄ k, k̄ = c s̄ᵀ q, c the scale",
        source="Vaswani et al. 2017, eq. 1; matmul's, softmax's and the sum's rules", law=biasing,
        traits={Homogeneous(1, of=(2,))}),
    general("masked_attention", masked_attention,
        lambda g, z, q, k, v, mask, scale: query_vjp(g, with_mask(q, k, v, mask, scale)),
        lambda g, z, q, k, v, mask, scale: key_vjp(g, with_mask(q, k, v, mask, scale), q, k),
        lambda g, z, q, k, v, mask, scale: value_vjp(g, with_mask(q, k, v, mask, scale), q, v),
        formula="v̄ = wᵀg, s̄ = w · (g vᵀ − Σ w · g vᵀ), q̄ = c s̄ k, k̄ = c s̄ᵀ q, c the scale; summed over the heads that a key serves",
        source="Vaswani et al. 2017, eq. 1; Ainslie et al. 2023, section 2.2: heads that share keys", law=masking,
        traits={Homogeneous(1, of=(2,))}),
)  # fmt: skip
