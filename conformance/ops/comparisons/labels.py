"""A loss that asks of the scores of a row's labels to exceed those of the other classes by 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Choose, Domain, Op, Signature
from conformance.ops.comparisons.margins import positive_part
from conformance.ops.dispatch import dispatched
from conformance.ops.losses import REDUCTIONS, reduced, shared
from conformance.ops.rows import general
from conformance.ops.traits import LOSS, PIECEWISE_LINEAR, Shift

Targets = list[Any]  # for each row its labels, and −1 behind them


def are_labels(targets: Targets) -> Any:
    """Which classes are labels of their row: those before the first −1."""
    rows = np.asarray(targets, dtype=int)
    is_named = np.logical_and.accumulate(rows >= 0, axis=-1)
    return np.any((rows[..., None] == np.arange(rows.shape[-1])) & is_named[..., None], axis=-2)


def shortfalls(x: Any, targets: Targets) -> Any:
    """By how much the score of each label, along the last axis but one, exceeds each other class's by less than 1."""
    is_label = are_labels(targets)
    is_pair = is_label[..., :, None] & ~is_label[..., None, :]
    return positive_part(np.where(is_pair, 1 - np.expand_dims(x, axis=-1) + np.expand_dims(x, axis=-2), 0))


@dispatched
def multilabel_margin(x: Any, *, targets: Targets, reduction: str) -> Any:
    """The sum of these over the number of classes."""
    return reduced(np.sum(shortfalls(x, targets), axis=(-2, -1)) / np.shape(x)[-1], reduction)


def multilabel_margin_vjp(g: Any, z: Any, x: Any, targets: Targets, reduction: str) -> Any:
    """For each pair that is short minus the cotangent of its row at the label, and the cotangent at the other class."""
    *rows, classes = np.shape(x)
    each = shared(g, int(np.prod(rows)), reduction) / classes
    each = np.expand_dims(each, axis=(-2, -1)) if reduction == "none" else each
    slopes = np.where(shortfalls(x, targets) > 0, each, 0)
    return np.sum(slopes, axis=-2) - np.sum(slopes, axis=-1)


def numbered(count: int, classes: int, most: int) -> Targets:
    """For so many rows up to so many labels, from another one on in each row; where there are fewer, −1 and what does not count."""
    rows = []
    for row in range(count):
        labels = [
            (row + 2 * k) % classes if classes % 2 else (row + k) % classes for k in range(min(most, classes))
        ]
        rows.append((labels[: max(most - row % 3, 0)] + [-1] + [row % classes] * classes)[:classes])
    return rows


# Between which no two scores differ by 1: each pair is short.
NEAR = Domain(low=-0.5, high=0.5)


def labelling(choose: Choose) -> Signature:
    """Rows of scores, or one, and how many of the classes are labels."""
    shape = choose(((2, 3), (3, 3), (3,), (1, 4), (4, 2), (5, 7), (1,), (2, 17), (33, 2), (2, 33)))
    most = choose((1, 2, 0, shape[-1]))
    rows = numbered(shape[0] if len(shape) > 1 else 1, shape[-1], most)
    return Signature(
        (shape,), {"targets": rows if len(shape) > 1 else rows[0], "reduction": choose(REDUCTIONS)}
    )


ROWS: tuple[Op, ...] = (
    general("multilabel_margin", multilabel_margin, multilabel_margin_vjp,
        formula="x̄ᵢ = (g/C) · the labels that are short of i, less the others that i is short of, if it is a label",
        source="Crammer and Singer 2001, for several labels: the slope of each max(0, 1 − xⱼ + xᵢ)", domains=[NEAR],
        law=labelling, traits={LOSS, PIECEWISE_LINEAR, Shift(0)}),
)  # fmt: skip
