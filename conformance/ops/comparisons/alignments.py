"""The loss of a sequence of labels whose places in a longer sequence of scores are not known.

An alignment has a label for each step, and blanks between: without repetitions and blanks it is the sequence. The loss
is minus the logarithm of the sum of the probabilities of all alignments; here they are listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance.op import Choose, Op, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem, scatter_add
from conformance.ops.joining import stack
from conformance.ops.losses import REDUCTIONS
from conformance.ops.reductions import logsumexp
from conformance.ops.rows import general
from conformance.ops.softmax import log_softmax, softmax
from conformance.ops.traits import LOSS, Shift

Labels = tuple[int, ...]


def alignments(target: Labels, steps: int, blank: int) -> Any:
    """All alignments of a sequence of labels with so many steps, a row for each."""
    every = list(_continued((blank,), target, steps, blank))
    return np.array(every, dtype=np.intp).reshape(len(every), steps)


def _continued(last: Labels, rest: Labels, steps: int, blank: int) -> Iterator[Labels]:
    """The ways to go on after a label, with so many steps left."""
    if len(rest) > steps:
        return
    if not steps:
        yield ()
        return
    repeated = last[-1:]
    onwards = [(label, rest) for label in dict.fromkeys((blank, *repeated))]
    if rest and rest[:1] != repeated:
        onwards.append((rest[0], rest[1:]))
    for label, left in onwards:
        for others in _continued((label,), left, steps - 1, blank):
            yield (label, *others)


def aligned_scores(x: Any, example: int, paths: Any) -> Any:
    """The logarithm of the probability of each alignment of an example."""
    log_probabilities = log_softmax(getitem(x, index=(slice(0, paths.shape[1]), example)), axis=-1)
    return np.sum(getitem(log_probabilities, index=(np.arange(paths.shape[1]), paths)), axis=-1)


def listed(targets: tuple[Labels, ...], input_lengths: tuple[int, ...], blank: int) -> list[Any]:
    """The alignments of each example."""
    return [alignments(target, steps, blank) for target, steps in zip(targets, input_lengths, strict=True)]


def divided(targets: tuple[Labels, ...], reduction: str) -> list[int]:
    """What the loss of each example is divided by: a mean is one of the losses over the lengths of their sequences."""
    return [len(targets) * max(len(target), 1) if reduction == "mean" else 1 for target in targets]


@dispatched
def ctc(
    x: Any,
    *,
    targets: tuple[Labels, ...],
    input_lengths: tuple[int, ...],
    blank: int,
    reduction: str,
    zero_infinity: bool,
) -> Any:
    """Minus the logarithm of the probability of each sequence; of one with no alignment 0, which is infinite otherwise."""
    every = listed(targets, input_lengths, blank)
    none = np.zeros((), x.dtype) if zero_infinity else np.full((), np.inf, x.dtype)
    losses = np.stack(
        [
            -logsumexp(aligned_scores(x, example, paths), axis=None, keepdims=False) if len(paths) else none
            for example, paths in enumerate(every)
        ]
    )
    losses = losses / np.array(divided(targets, reduction)).astype(np.real(x).dtype)
    return losses if reduction == "none" else np.sum(losses)


def ctc_vjp(
    g: Any,
    z: Any,
    x: Any,
    targets: tuple[Labels, ...],
    input_lengths: tuple[int, ...],
    blank: int,
    reduction: str,
    zero_infinity: bool,
) -> Any:
    """softmax x less the share of the alignments that pass each label at each step; 0 behind the end of an example."""
    every, counts = listed(targets, input_lengths, blank), divided(targets, reduction)
    pulled = []
    for example, paths in enumerate(every):
        steps, shape = paths.shape[1], (np.shape(x)[0], np.shape(x)[2])
        if not len(paths):
            pulled.append(np.zeros(shape, x.dtype))
            continue
        shares = np.expand_dims(softmax(aligned_scores(x, example, paths), axis=0), axis=1)
        passed = scatter_add(
            np.broadcast_to(shares, shape=paths.shape),
            index=(np.arange(steps), paths),
            shape=(steps, shape[1]),
        )
        slope = softmax(getitem(x, index=(slice(0, steps), example)), axis=-1) - passed
        own = getitem(g, index=(example,)) if reduction == "none" else g
        pulled.append(np.pad(own * slope / counts[example], pad_width=((0, shape[0] - steps), (0, 0))))
    return stack(*pulled, axis=1)


# Steps, labels with the blank, and the sequence and the steps of each example: shorter ones, labels that repeat, none.
ALIGNED: tuple[tuple[int, int, tuple[Labels, ...], tuple[int, ...]], ...] = (
    *((3, 3, ((1, 2),), (3,)), (4, 3, ((1,), (2, 1)), (4, 3)), (5, 4, ((1, 1), (3, 2), (2,)), (5, 4, 5))),
    *((3, 3, ((), (1,)), (3, 3)), (2, 2, ((1, 1),), (2,)), (3, 3, ((1, 1), (2,)), (2, 3)), (1, 2, ((1,), (1,)), (1, 1))),
    *((6, 3, ((1, 2, 1),), (6,)), (4, 17, ((16, 1), (5, 5)), (4, 4)), (17, 3, ((2,),), (17,)), (33, 2, ((1,),), (33,))),
    *((3, 3, ((1,),) * 7, (3, 2, 1, 3, 2, 1, 3)), (2, 5, ((4, 3), (1,)), (2, 0))),
)  # fmt: skip


def aligning(choose: Choose) -> Signature:
    """Scores of every label at each step of each example, the sequences, and which label is the blank."""
    steps, classes, targets, lengths = choose(ALIGNED)
    blank = choose((0, classes - 1))
    if blank:  # the labels below the last one, which is the blank
        targets = tuple(tuple(label - 1 for label in target) for target in targets)
    parameters = {"targets": targets, "input_lengths": lengths, "blank": blank}
    parameters |= {"reduction": choose(REDUCTIONS), "zero_infinity": True}
    return Signature(((steps, len(targets), classes),), parameters)


ROWS: tuple[Op, ...] = (
    general("ctc", ctc, ctc_vjp,
        formula="x̄ₜₖ = g (softmax xₜₖ − the share of the alignments with label k at step t)",
        source="Graves and others 2006, eq. 3 and 16: alignments listed instead of added up forwards and backwards",
        law=aligning, traits={LOSS, Shift(0)}),
)  # fmt: skip
