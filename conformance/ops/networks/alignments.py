"""CTC: the loss of a sequence that any of its alignments with the time steps may spell.

An alignment names a class for each step. It spells the target if the target is left when repeated classes are merged,
and then the blanks, which are the class 0, are dropped. The row adds up all alignments one by one, as the definition
does: engines add them up by a recursion along the steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from conformance.op import REAL, Choose, Domain, Law, Op, OperandKind, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem, scatter_add
from conformance.ops.losses import REDUCTIONS, reduced
from conformance.ops.reductions import logsumexp
from conformance.ops.rows import general
from conformance.ops.softmax import log_softmax, softmax
from conformance.ops.traits import Shift

BLANK = 0

# -- alignments --------------------------------------------------------------------------------------


def _spelling(steps: int, target: tuple[int, ...], last: int) -> Iterator[tuple[int, ...]]:
    """What so many steps may name after a step that named `last`, the target being what is left to spell."""
    if steps == 0:
        if not target:
            yield ()
        return
    going_on = [(BLANK, target), *([(last, target)] if last != BLANK else [])]
    if target and target[0] != last:
        going_on.append((target[0], target[1:]))
    for name, left in going_on:
        if len(left) < steps:
            for rest in _spelling(steps - 1, left, name):
                yield (name, *rest)


@lru_cache(maxsize=256)
def alignments(steps: int, target: tuple[int, ...]) -> Any:
    """The classes that each alignment names: an array of shape (alignments, steps)."""
    return np.array([*_spelling(steps, target, BLANK)], dtype=np.intp).reshape(-1, steps)


def places(targets: Any, example: int, input_lengths: list[int], target_lengths: list[int]) -> Any:
    """The index of what the alignments of an example name in the log-probabilities."""
    steps = input_lengths[example]
    target = tuple(int(label) for label in np.asarray(targets)[example, : target_lengths[example]])
    return np.arange(steps), example, alignments(steps, target)


# -- the op and its rule -----------------------------------------------------------------------------


def divisors(target_lengths: list[int], reduction: str) -> list[float]:
    """What the loss of each example is divided by: the length of its target, in a mean alone."""
    return [float(max(length, 1)) if reduction == "mean" else 1.0 for length in target_lengths]


@dispatched
def ctc(
    log_probabilities: Any,
    targets: Any,
    *,
    input_lengths: list[int],
    target_lengths: list[int],
    reduction: str,
) -> Any:
    """−log Σ exp Σₜ l[t, n, aₜ] over the alignments a of each example; a mean is first over the target's length."""
    lengths = (input_lengths, target_lengths)
    each = [
        -logsumexp(np.sum(log_probabilities[places(targets, n, *lengths)], axis=-1), axis=-1) / divisor
        for n, divisor in enumerate(divisors(target_lengths, reduction))
    ]
    return reduced(np.stack(each), reduction)


def ctc_vjp(
    g: Any,
    z: Any,
    log_probabilities: Any,
    targets: Any,
    input_lengths: list[int],
    target_lengths: list[int],
    reduction: str,
) -> Any:
    """Each alignment's share of its example's sum, taken from what it names."""
    each: Any = 0
    count = len(input_lengths) if reduction == "mean" else 1
    for n, divisor in enumerate(divisors(target_lengths, reduction)):
        index = places(targets, n, input_lengths, target_lengths)
        scores = np.sum(getitem(log_probabilities, index=index), axis=-1)
        share = np.exp(scores - logsumexp(scores, axis=-1, keepdims=True))
        own = getitem(g, index=(n,)) if reduction == "none" else g
        spread = np.broadcast_to(np.expand_dims(share * own, axis=-1), shape=np.shape(index[-1]))
        each = each - scatter_add(spread, index=index, shape=np.shape(log_probabilities)) / (divisor * count)
    return each


@dispatched
def ctc_with_logits(
    logits: Any, targets: Any, *, input_lengths: list[int], target_lengths: list[int], reduction: str
) -> Any:
    """CTC of the log-softmax along the classes."""
    log_probabilities = log_softmax(logits, axis=-1)
    return ctc(
        log_probabilities,
        targets,
        input_lengths=input_lengths,
        target_lengths=target_lengths,
        reduction=reduction,
    )


def ctc_with_logits_vjp(g: Any, z: Any, logits: Any, targets: Any, **given: Any) -> Any:
    """log_softmax's rule on CTC's."""
    pulled = ctc_vjp(g, z, log_softmax(logits, axis=-1), targets, **given)
    return pulled - softmax(logits, axis=-1) * np.sum(pulled, axis=-1, keepdims=True)


# -- the law and the rows ----------------------------------------------------------------------------

LOG_PROBABILITY = Domain(high=0.0)
# Steps, classes, and the lengths of each example: the steps suffice for a target whose labels are all the same.
Lengths = tuple[tuple[int, int], ...]
CALLS: tuple[tuple[int, int, Lengths], ...] = (
    *((4, 3, ((4, 2),)), (5, 4, ((5, 2), (4, 1))), (3, 3, ((3, 1), (3, 2), (2, 1))), (5, 2, ((5, 3), (5, 0)))),
    *((1, 3, ((1, 1),)), (2, 5, ((2, 0), (1, 1))), (6, 3, ((5, 3), (6, 3))), (7, 2, ((7, 4),)), (2, 1025, ((2, 1),))),
    *((17, 2, ((17, 1),)), (3, 33, ((3, 2), (3, 1))), (3, 3, ((3, 1),) * 7), (33, 3, ((33, 1),))),
)  # fmt: skip


def aligning(domain: Domain) -> Law:
    """Log-probabilities or logits (T, N, C), targets (N, S) none of which is the blank, and how much of each counts."""

    def law(choose: Choose) -> Signature:
        steps, classes, lengths = choose(CALLS)
        inputs, targets = ([*part] for part in zip(*lengths, strict=True))
        shapes = ((steps, len(lengths), classes), (len(lengths), max(targets)))
        labels = Domain(low=BLANK + 1, high=classes, kind=OperandKind.INDEX)
        parameters = {"input_lengths": inputs, "target_lengths": targets, "reduction": choose(REDUCTIONS)}
        return Signature(shapes, parameters, domains=(domain, labels))

    return law


LABELS = Domain(low=BLANK + 1, high=BLANK + 2, kind=OperandKind.INDEX)

ROWS: tuple[Op, ...] = (
    general("ctc", ctc, ctc_vjp, None,
        formula="l̄[t, n, c] = −gₙ Σ softmax(Σₜ l[t, n, aₜ]) over the alignments a with aₜ = c",
        source="Graves and others 2006, eq. 3 and 15: logsumexp's rule over all alignments",
        domains=[LOG_PROBABILITY, LABELS], law=aligning(LOG_PROBABILITY), aliases=("ctc_loss",)),
    general("ctc_with_logits", ctc_with_logits, ctc_with_logits_vjp, None,
        formula="x̄ = l̄ − softmax(x) Σ l̄ over the classes, l̄ of ctc at log_softmax(x)",
        source="Graves and others 2006, eq. 16; log_softmax's rule on ctc's",
        domains=[REAL, LABELS], law=aligning(REAL), traits={Shift(0)}),
)  # fmt: skip
