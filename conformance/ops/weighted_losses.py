"""Losses of classes with a weight for each class, with targets that are left out, and with smoothed labels.

They are rows of their own beside `nll` and `cross_entropy`, since many engines have those alone. The terms of a mean
are weighted: it divides by the sum of the weights of the targets that are not left out. Scores of classes have these on
axis 1, and may have further axes behind it, such as those of pictures, with a target for each place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import REAL, Choose, Op, Shape, Signature, index_below
from conformance.ops.dispatch import dispatched
from conformance.ops.losses import PROBABILITY, REDUCTIONS, each_row, one_hot, reduced
from conformance.ops.rows import general
from conformance.ops.softmax import log_softmax, softmax
from conformance.ops.traits import LINEAR, LOSS, Shift

Weights = tuple[float, ...] | None

# -- references ------------------------------------------------------------------------------------


def rows_of(scores: Any) -> Any:
    """Scores of classes with these on the last axis, not on axis 1."""
    return np.moveaxis(scores, 1, -1)


def class_weights(scores: Any, weight: Weights) -> Any:
    """A weight for each class in the precision of the scores; ones where none are given."""
    count, dtype = np.shape(scores)[-1], np.real(scores).dtype
    return np.ones(count, dtype) if weight is None else np.asarray(weight, dtype)


@dispatched
def weighted_nll(
    log_probabilities: Any, target: Any, *, weight: Weights, ignore_index: int, reduction: str
) -> Any:
    """Minus the weighted log-probability of each target; 0 of those that are left out. The classes are on axis 1."""
    return smoothed(rows_of(log_probabilities), target, weight, ignore_index, reduction, 0.0)


@dispatched
def weighted_cross_entropy(
    logits: Any,
    target: Any,
    *,
    weight: Weights,
    ignore_index: int,
    reduction: str,
    label_smoothing: float,
) -> Any:
    """The same of the log-softmax of the logits, mixed with the weighted mean over the classes."""
    scores = log_softmax(rows_of(logits), axis=-1)
    return smoothed(scores, target, weight, ignore_index, reduction, label_smoothing)


def smoothed(
    scores: Any, target: Any, weight: Weights, ignore_index: int, reduction: str, label_smoothing: float
) -> Any:
    """The losses at smoothed labels, reduced."""
    weights, is_counted = class_weights(scores, weight), target != ignore_index
    chosen = np.where(is_counted, target, 0)
    losses = -weights[chosen] * np.take_along_axis(scores, np.expand_dims(chosen, -1), axis=-1)[..., 0]
    if label_smoothing:
        others = np.sum(weights * scores, axis=-1) / len(weights)
        losses = (1 - label_smoothing) * losses - label_smoothing * others
    losses = np.where(is_counted, losses, 0)
    if reduction == "none":
        return losses
    return np.sum(losses) / (np.sum(weights[chosen[is_counted]]) if reduction == "mean" else 1)


# -- rules -----------------------------------------------------------------------------------------


def coefficients(
    g: Any,
    scores: Any,
    target: Any,
    weight: Weights,
    ignore_index: int,
    reduction: str,
    label_smoothing: float = 0.0,
) -> Any:
    """What the cotangent of each log-probability is minus: (1 − ε) w at the target, ε w / C at every class.

    The classes are on the last axis.
    """
    weights, is_counted = class_weights(scores, weight), np.expand_dims(target != ignore_index, axis=-1)
    hot = np.where(is_counted, one_hot(target, scores), 0) * weights
    each = np.expand_dims(g, axis=-1) if reduction == "none" else g
    each = each / np.sum(hot) if reduction == "mean" else each
    if not label_smoothing:
        return each * hot
    others = np.where(is_counted, weights / len(weights), 0)
    return each * ((1 - label_smoothing) * hot + label_smoothing * others)


def weighted_nll_vjp(g: Any, z: Any, x: Any, target: Any, **parameters: Any) -> Any:
    """−g w at each target that counts."""
    return np.moveaxis(-coefficients(g, rows_of(x), target, **parameters), -1, 1)


def weighted_cross_entropy_vjp(g: Any, z: Any, x: Any, target: Any, **parameters: Any) -> Any:
    """log_softmax's rule on the coefficients k: softmax · Σ k − k."""
    k = coefficients(g, rows_of(x), target, **parameters)
    return np.moveaxis(softmax(rows_of(x), axis=-1) * np.sum(k, axis=-1, keepdims=True) - k, -1, 1)


# -- probabilities for targets ---------------------------------------------------------------------


def weighted_labels(t: Any, weight: Weights, label_smoothing: float) -> Any:
    """The weight of each class times its probability, some of which is given to all classes."""
    return class_weights(t, weight) * ((1 - label_smoothing) * t + label_smoothing / np.shape(t)[-1])


@dispatched
def soft_cross_entropy(
    logits: Any, target: Any, *, weight: Weights, reduction: str, label_smoothing: float
) -> Any:
    """Minus the sum over the classes, axis 1, of their weighted probability times the log-softmax; a mean is over the rows and places."""
    labels = weighted_labels(rows_of(target), weight, label_smoothing)
    return reduced(-np.sum(labels * log_softmax(rows_of(logits), axis=-1), axis=-1), reduction)


def soft_cross_entropy_logits(
    g: Any, z: Any, x: Any, target: Any, weight: Weights, reduction: str, label_smoothing: float
) -> Any:
    """log_softmax's rule on the labels k: softmax · Σ k − k."""
    k = weighted_labels(rows_of(target), weight, label_smoothing)
    pulled = softmax(rows_of(x), axis=-1) * np.sum(k, axis=-1, keepdims=True) - k
    return np.moveaxis(each_row(g, k[..., 0], reduction) * pulled, -1, 1)


def soft_cross_entropy_target(
    g: Any, z: Any, x: Any, target: Any, weight: Weights, reduction: str, label_smoothing: float
) -> Any:
    """−(1 − ε) w log_softmax."""
    scores = rows_of(x)
    slopes = (label_smoothing - 1) * class_weights(scores, weight) * log_softmax(scores, axis=-1)
    return np.moveaxis(each_row(g, slopes[..., 0], reduction) * slopes, -1, 1)


# -- laws ------------------------------------------------------------------------------------------

# Several targets, so that not all of them are left out: a mean of none is 0/0, and a special point.
CLASSES: tuple[Shape, ...] = (
    *((2, 3), (3, 3), (4, 2), (3, 1), (2, 4), (5, 7), (2, 17), (33, 2), (2, 129), (65, 3), (2, 1025)),
)  # fmt: skip
ALONE = (1, 3)  # one row, whose target is left out nowhere
PLACES: tuple[Shape, ...] = ((), (2,), (2, 3), (1, 4), (3, 1, 2))  # the axes behind that of the classes
SMALL = 40  # scores of which there may be some for each of several places
WEIGHTS: dict[int, tuple[float, ...]] = {1: (2.0,), 2: (0.5, 3.0), 3: (0.5, 1, 3), 4: (1, 2, 0.5, 3)}
# A class of weight 0; where no class is left out besides, since the targets are of two classes at least.
WITH_ZERO: dict[int, tuple[float, ...]] = {2: (0.5, 0), 3: (0.5, 0, 3), 4: (0, 2, 0.5, 3)}


def weighted_classes(choose: Choose) -> Signature:
    """Scores, a target for each row or place, weights of few classes, and a class that is left out."""
    n, c = choose((*CLASSES, ALONE))
    places = choose(PLACES) if n * c < SMALL else ()
    tables = (WEIGHTS, WITH_ZERO)[: min(n, 2)]
    weight = choose((None, *(table[c] for table in tables if c in table)))
    may_be_left_out = min(n, c) > 1 and (weight is None or all(weight))
    parameters = {
        "weight": weight,
        "ignore_index": choose((-100, 0, 1) if may_be_left_out else (-100,)),
        "reduction": choose(REDUCTIONS),
    }
    return Signature(((n, c, *places), (n, *places)), parameters, domains=(REAL, index_below(c)))


def smoothed_classes(choose: Choose) -> Signature:
    """The same, with some of each label given to all classes."""
    signature = weighted_classes(choose)
    smoothed = {**signature.parameters, "label_smoothing": choose((0.0, 0.1, 1.0))}
    return Signature(signature.shapes, smoothed, domains=signature.domains)


def probable_classes(choose: Choose) -> Signature:
    """Scores and probabilities, weights of few classes, and how much of each label is given to all classes."""
    n, c = choose((*CLASSES, ALONE))
    shape = (n, c, *(choose(PLACES) if n * c < SMALL else ()))
    parameters = {
        "weight": choose((None, *(table[c] for table in (WEIGHTS, WITH_ZERO) if c in table))),
        "reduction": choose(REDUCTIONS),
        "label_smoothing": choose((0.0, 0.1, 1.0)),
    }
    return Signature((shape, shape), parameters)


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    general("weighted_nll", weighted_nll, weighted_nll_vjp, None,
        formula="x̄[n, tₙ] = −gₙ w[tₙ] where tₙ counts, 0 elsewhere; under mean over Σ w[tₙ]",
        source="picks minus one weighted entry of each row that counts",
        domains=[REAL, index_below(1)], law=weighted_classes, traits={LINEAR}),
    general("weighted_cross_entropy", weighted_cross_entropy, weighted_cross_entropy_vjp, None,
        formula="x̄ₙ = softmax xₙ · Σ kₙ − kₙ, kₙ = gₙ ((1 − ε) w onehot tₙ + ε w / C) where tₙ counts",
        source="log_softmax's rule on weighted_nll's; label smoothing as in Szegedy et al. 2016, section 7",
        domains=[REAL, index_below(1)], law=smoothed_classes, traits={Shift(0, axis=1)}),
    general("soft_cross_entropy", soft_cross_entropy, soft_cross_entropy_logits, soft_cross_entropy_target,
        formula="x̄ = g (softmax x · Σ k − k), k = w ((1 − ε) t + ε/C); t̄ = −g (1 − ε) w log softmax x",
        source="log_softmax's rule on weighted labels; label smoothing as in Szegedy et al. 2016, section 7",
        domains=[REAL, PROBABILITY], law=probable_classes, traits={LOSS, Shift(0, axis=1)}),
)  # fmt: skip
