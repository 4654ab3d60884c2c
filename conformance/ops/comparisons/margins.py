"""Losses that ask of scores or distances to differ by a margin; what differs by more costs nothing.

A loss has a kink where the difference is the margin. Operands are drawn on both sides of it: in regions that a margin
parts, or without a margin and with no two entries equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import BOOLEAN, DISTINCT, REAL, Choose, Domain, Op, Shape, Signature, index_below
from conformance.ops import laws
from conformance.ops.activations import sigmoid, softplus
from conformance.ops.dispatch import dispatched
from conformance.ops.losses import REDUCTIONS, SHAPES, each_row, one_hot, pointwise, reduced, shared
from conformance.ops.reductions import vector_norm_vjp
from conformance.ops.rows import general, in_precision_of
from conformance.ops.traits import LOSS, PIECEWISE_LINEAR, QUADRATIC, Shift
from conformance.ops.weighted_losses import WEIGHTS, Weights, class_weights

# -- of each entry -----------------------------------------------------------------------------------


def positive_part(x: Any) -> Any:
    """max(0, x), which rounds nothing: of what costs nothing, zero times x might be the smallest number."""
    return np.maximum(x, np.zeros_like(x))


def margin_ranking(x: Any, y: Any, is_first: Any, *, margin: float) -> Any:
    """By how much the one that is to be larger is not larger than the other by the margin."""
    return positive_part(margin - np.where(is_first, x - y, y - x))


def ranking_slope(x: Any, y: Any, is_first: Any, margin: float) -> Any:
    """−1 where x is to be larger and is not, 1 where y is."""
    is_short = margin_ranking(x, y, is_first, margin=margin) > 0
    return np.where(is_short, np.where(is_first, -1, 1), 0)


def hinge_embedding(x: Any, is_similar: Any, *, margin: float) -> Any:
    """The distance of what is similar; of the rest, by how much it is less than the margin."""
    return np.where(is_similar, x, positive_part(margin - x))


def hinge_slope(x: Any, is_similar: Any, margin: float) -> Any:
    """1 where similar, else −1 below the margin."""
    return np.where(is_similar, 1, np.where(x < margin, -1, 0))


# -- of each row -------------------------------------------------------------------------------------


def triplet_sides(anchor: Any, near: Any, far: Any, eps: float) -> tuple[Any, Any]:
    """The differences from the anchor to both, plus ε."""
    return anchor - near + eps, anchor - far + eps


def triplet_losses(anchor: Any, near: Any, far: Any, margin: float, p: float, eps: float) -> Any:
    """By how much the second distance is not larger than the first by the margin."""
    first, second = (
        np.linalg.vector_norm(side, axis=-1, ord=p) for side in triplet_sides(anchor, near, far, eps)
    )
    return positive_part(first - second + margin)


@dispatched
def triplet_margin(
    anchor: Any, near: Any, far: Any, *, margin: float, p: float, eps: float, reduction: str
) -> Any:
    """The same, reduced."""
    return reduced(triplet_losses(anchor, near, far, margin, p, eps), reduction)


def triplet_vjp(signs: tuple[int, int]) -> Any:
    """The norm's rule on both differences where the loss is positive, with a sign for each that the operand enters by."""

    def vjp(
        g: Any, z: Any, anchor: Any, near: Any, far: Any, margin: float, p: float, eps: float, reduction: str
    ) -> Any:
        losses = triplet_losses(anchor, near, far, margin, p, eps)
        each = np.where(losses > 0, shared(g, np.size(losses), reduction), 0)
        sides = triplet_sides(anchor, near, far, eps)
        first, second = (vector_norm_vjp(each, None, side, axis=-1, ord=p) for side in sides)
        return signs[0] * first + signs[1] * second

    return vjp


def shortfalls(x: Any, target: Any, margin: float) -> Any:
    """By how much the target's score is not larger than each other by the margin; 0 of the target itself."""
    hot = one_hot(target, x)
    own = np.sum(hot * x, axis=-1, keepdims=True)
    return positive_part(np.where(hot > 0, np.zeros_like(x), margin - own + x))


def target_weights(x: Any, target: Any, weight: Weights) -> Any:
    """The weight of each row's target over the number of classes, as a column."""
    return np.expand_dims(class_weights(x, weight)[target], axis=-1) / np.shape(x)[-1]


@dispatched
def multi_margin(x: Any, target: Any, *, p: int, margin: float, weight: Weights, reduction: str) -> Any:
    """The mean over the classes of a power of these, times the weight of the target."""
    powers = shortfalls(x, target, margin)
    powers = powers if p == 1 else powers * powers
    return reduced(np.sum(powers * target_weights(x, target, weight), axis=-1), reduction)


def multi_margin_vjp(
    g: Any, z: Any, x: Any, target: Any, p: int, margin: float, weight: Weights, reduction: str
) -> Any:
    """The slope of each power at its class, and minus their sum at the target."""
    short = shortfalls(x, target, margin)
    slopes = in_precision_of(g, np.where(short > 0, 1, 0)) if p == 1 else 2 * short
    slopes = slopes * target_weights(x, target, weight) * each_row(g, target, reduction)
    return slopes - one_hot(target, x) * np.sum(slopes, axis=-1, keepdims=True)


@dispatched
def multilabel_soft_margin(x: Any, target: Any, *, reduction: str) -> Any:
    """The mean over the classes of the logistic losses of the scores, each class a label of its own."""
    return reduced(np.mean(softplus(x) - target * x, axis=-1), reduction)


def label_vjp(slope: Any) -> Any:
    """A slope times the cotangent of its row, over the number of classes."""

    def vjp(g: Any, z: Any, x: Any, target: Any, reduction: str) -> Any:
        *batch, count = np.shape(x)
        each = shared(g, int(np.prod(batch)), reduction) / count
        return (np.expand_dims(each, axis=-1) if reduction == "none" else each) * slope(x, target)

    return vjp


# What is added to each sum of squares, so that a vector of zeros has a cosine: 1e-12 in single precision, whatever the operands'.
EPSILON = 9.999999960041972e-13


def cosines(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """The cosine of each pair of rows, as columns, and the sums of squares of both."""
    squares = [np.sum(v * v, axis=-1, keepdims=True) + EPSILON for v in (x, y)]
    return np.sum(x * y, axis=-1, keepdims=True) / np.sqrt(squares[0] * squares[1]), *squares


@dispatched
def cosine_embedding(x: Any, y: Any, is_similar: Any, *, margin: float, reduction: str) -> Any:
    """1 less the cosine of what is similar; of the rest, by how much it exceeds the margin."""
    cosine = cosines(x, y)[0][..., 0]
    return reduced(np.where(is_similar, 1 - cosine, positive_part(cosine - margin)), reduction)


def cosine_embedding_vjp(operand: int) -> Any:
    """The cosine's slope, y/√(ab) − c x/a, times that of the loss."""

    def vjp(g: Any, z: Any, x: Any, y: Any, is_similar: Any, margin: float, reduction: str) -> Any:
        cosine, *squares = cosines(x, y)
        own, other = (x, y) if operand == 0 else (y, x)
        each = shared(g, np.size(is_similar), reduction)
        column = np.expand_dims(each, axis=-1) if reduction == "none" else each
        similar = np.expand_dims(is_similar, axis=-1)
        slope = in_precision_of(g, np.where(similar, -1, np.where(cosine > margin, 1, 0)))
        along = other / np.sqrt(squares[0] * squares[1]) - cosine * own / squares[operand]
        return column * slope * along

    return vjp


# -- laws --------------------------------------------------------------------------------------------

# Margins, and domains of both operands: no two entries equal; the first above, or below; none apart by so much.
LOW, MIDDLE = Domain(low=-3.0, high=-2.0), Domain(low=-1.0, high=0.0)
RANKED = (
    (1.5, LOW, LOW),
    (0.0, DISTINCT, DISTINCT),
    (0.5, MIDDLE, LOW),
    (0.5, LOW, MIDDLE),
    (-0.5, MIDDLE, LOW),
)


def ranking(choose: Choose) -> Signature:
    """Two operands of one shape, which of them is to be larger, and the margin."""
    shape, (margin, first, second) = choose(SHAPES), choose(RANKED)
    parameters = {"margin": margin, "reduction": choose(REDUCTIONS)}
    return Signature((shape,) * 3, parameters, domains=(first, second, BOOLEAN))


def embedding(choose: Choose) -> Signature:
    """Distances, what is similar, and the margin, at which is a kink."""
    shape, margin = choose(SHAPES), choose((1.0, 0.5, 2.3, 0.0))
    parameters = {"margin": margin, "reduction": choose(REDUCTIONS)}
    return Signature((shape,) * 2, parameters, domains=(Domain(kinks=(margin,)), BOOLEAN))


VECTORS: tuple[Shape, ...] = (
    *((2, 3), (3, 3), (1, 2), (4, 1), (2, 33), (17, 2), (5, 7), (2, 129), (66, 2)),
)  # fmt: skip

# Of triplets: the anchors, and what is on either side of them, so that their two slopes do not cancel.
ANCHOR, BESIDE, FAR = Domain(low=-0.25, high=0.25), Domain(low=-1.0, high=-0.5), Domain(low=2.0, high=3.0)
ABOVE, BELOW = (
    Domain(low=0.5, high=3.0),
    Domain(low=-3.0, high=-0.5),
)  # of some triplets one is farther, of some the other


def triplets(choose: Choose) -> Signature:
    """Anchors, with what is alike far on one side, which costs, and what is not beside them; the same exchanged; and both."""
    shape, (alike, other) = (
        choose((*VECTORS, (3,), (2, 2, 3))),
        choose(((FAR, BESIDE), (BESIDE, FAR), (ABOVE, BELOW))),
    )
    parameters = {
        # Where some triplets cost and some do not, no difference of operands written in binary is the margin itself.
        "margin": choose((1.0, 0.5)) if alike is FAR else 0.5 if alike is BESIDE else 0.53,
        "p": choose((2.0, 1.0, 3.0)),
        "eps": choose((1e-6, 0.0)),
        "reduction": choose(("none",) if alike is ABOVE else REDUCTIONS),
    }
    return Signature((shape,) * 3, parameters, domains=(ANCHOR, alike, other))


# Margins between cosines: of vectors to the same side, to opposite ones, and of any, which all exceed -1.
SIDE, OPPOSITE = Domain(low=1.0, high=2.0), Domain(low=-2.0, high=-1.0)
COSINES = ((0.5, SIDE, SIDE), (0.0, SIDE, OPPOSITE), (-1.0, REAL, REAL), (0.0, OPPOSITE, OPPOSITE))


def pairs_of_rows(choose: Choose) -> Signature:
    """Two operands of one shape, which rows are similar, and the margin."""
    shape, (margin, first, second) = choose((*VECTORS[:3], (3,), *VECTORS[4:])), choose(COSINES)
    parameters = {"margin": margin, "reduction": choose(REDUCTIONS)}
    return Signature((shape, shape, shape[:-1]), parameters, domains=(first, second, BOOLEAN))


# The power, the margin, and the domain: the square has no kink.
POWERS = ((2, 1.0, REAL), (1, 0.0, DISTINCT), (1, 1.5, LOW), (2, 0.3, REAL))


def scoring(choose: Choose) -> Signature:
    """Rows of scores, or one, targets among the classes, and weights of few classes."""
    *n, c = choose(((2, 3), (3, 3), (1, 4), (4, 2), (5, 7), (2, 17), (33, 2), (2, 129), (66, 3), (3,)))
    p, margin, domain = choose(POWERS)
    parameters = {
        "p": p,
        "margin": margin,
        "weight": choose((None, WEIGHTS.get(c))),
        "reduction": choose(REDUCTIONS),
    }
    return Signature(((*n, c), tuple(n)), parameters, domains=(domain, index_below(c)))


LABELLED = laws.shapes_of(
    *((shape, shape) for shape in ((2, 3), (3, 3), (3,), (1, 4), (4, 1), (5, 7), (2, 17), (33, 2), (2, 129), (2, 3, 2))),
    reduction=REDUCTIONS,
)  # fmt: skip

# -- rows --------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    pointwise("margin_ranking", margin_ranking, ranking_slope,
        lambda x, y, is_first, margin: -ranking_slope(x, y, is_first, margin), None,
        formula="x̄ = ∓g where ±(x − y) < m, else 0, ȳ = −x̄", source="the slope of max(0, m ∓ (x − y))",
        domains=[DISTINCT, DISTINCT, BOOLEAN], law=ranking, traits={PIECEWISE_LINEAR, Shift(0, of=(0, 1))}),
    pointwise("hinge_embedding", hinge_embedding, hinge_slope, None,
        formula="x̄ = g where similar, else −g where x < m", source="the slope of x, or of max(0, m − x)",
        domains=[Domain(kinks=(1.0,)), BOOLEAN], law=embedding, traits={PIECEWISE_LINEAR}),
    general("triplet_margin", triplet_margin, triplet_vjp((1, -1)), triplet_vjp((-1, 0)), triplet_vjp((0, 1)),
        formula="p̄ = −g ∂|a − p|, n̄ = g ∂|a − n|, ā = −p̄ − n̄ where the loss is positive, else 0",
        source="Balntas and others 2016, section 3; vector_norm's rule", domains=[ANCHOR, FAR, BESIDE], law=triplets,
        traits={LOSS, Shift(0, of=(0, 1, 2))}),
    general("cosine_embedding", cosine_embedding, cosine_embedding_vjp(0), cosine_embedding_vjp(1), None,
        formula="x̄ = ∓g (y/√(ab) − c x/a), − where similar, + where c exceeds the margin, else 0; ȳ alike",
        source="cosine_similarity's rule, ε added to the squares a = Σx² + ε, b = Σy² + ε",
        domains=[REAL, REAL, BOOLEAN], law=pairs_of_rows, traits={LOSS}),
    general("multi_margin", multi_margin, multi_margin_vjp, None,
        formula="x̄ⱼ = g w p sⱼᵖ⁻¹/C, x̄ₜ = −Σⱼ x̄ⱼ, sⱼ = max(0, m − xₜ + xⱼ)",
        source="Crammer and Singer 2001; the slope of each power", domains=[REAL, index_below(1)], law=scoring,
        traits={QUADRATIC, LOSS, Shift(0)}),
    general("multilabel_soft_margin", multilabel_soft_margin, label_vjp(lambda x, t: sigmoid(x) - t),
        label_vjp(lambda x, t: -x),
        formula="x̄ = g (σ(x) − t)/C, t̄ = −g x/C", source="binary_cross_entropy_with_logits, its mean over the classes",
        domains=[REAL, Domain(low=0.0, high=1.0)], law=LABELLED, traits={LOSS}),
)  # fmt: skip
