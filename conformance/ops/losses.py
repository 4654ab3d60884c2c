"""Losses: how far predictions are from their targets, each entry alone or added up.

`reduction` is "none" (the loss of every entry), "sum", or "mean". A row of the table gives the loss
of one entry and its partials; what the reduction does to the cotangent stands here once.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from conformance.op import DISTINCT, POSITIVE, REAL, Choose, Domain, Law, Op, Property, Signature, index_below
from conformance.ops import laws
from conformance.ops.activations import sigmoid, softplus
from conformance.ops.dispatch import dispatched
from conformance.ops.elementwise import xlogy
from conformance.ops.rows import general, in_precision_of, over, unbroadcast
from conformance.ops.softmax import log_softmax, softmax
from conformance.ops.specials.entropies import xlog1py
from conformance.ops.traits import LINEAR, LOSS, PIECEWISE_LINEAR, QUADRATIC, Homogeneous, Shift

REDUCTIONS = ("mean", "sum", "none")


# -- reductions, once ------------------------------------------------------------------------------


def reduced(losses: Any, reduction: str) -> Any:
    """The losses as `reduction` says."""
    if reduction == "none":
        return losses
    return np.mean(losses) if reduction == "mean" else np.sum(losses)


def shared(g: Any, count: int, reduction: str) -> Any:
    """The cotangent of each of `count` losses."""
    return over(g, count) if reduction == "mean" else g


# A mean of nothing is none.
SHAPES = tuple(shape for shape in laws.SHAPES if 0 not in shape)
PAIRS = tuple((shape, shape) for shape in SHAPES)
BROADCAST = tuple((x, t) for x, t in laws.BROADCAST_PAIRS if x != t and 0 not in (*x, *t))
ONE_LOSS_EACH = laws.shapes_of(*PAIRS, *BROADCAST, reduction=REDUCTIONS)
OF_EQUAL_SHAPES = laws.shapes_of(*PAIRS, reduction=REDUCTIONS)  # where engines refuse to broadcast
# The third may be one for each row.
FOR_ROWS = tuple((shape, shape, (*shape[:-1], 1)) for shape in ((2, 3), (3, 3), (2, 1, 3), (17, 2)))
THREE_EACH = laws.shapes_of(*((shape,) * 3 for shape in SHAPES), *FOR_ROWS, reduction=REDUCTIONS)


def _with_reduction(loss: Callable[..., Any]) -> inspect.Signature:
    """The signature of `loss` with the keyword `reduction`."""
    keyword = inspect.Parameter("reduction", inspect.Parameter.KEYWORD_ONLY, default="mean")
    return inspect.Signature([*inspect.signature(loss).parameters.values(), keyword])


def pointwise(
    name: str,
    loss: Callable[..., Any],
    *partials: Callable[..., Any] | None,
    source: str,
    formula: str,
    domains: Sequence[Domain] = (),
    law: Law = ONE_LOSS_EACH,
    aliases: tuple[str, ...] = (),
    traits: Iterable[Property] = (),
) -> Op:
    """A loss of each entry alone, of operands that broadcast: `partials[i](*operands, **parameters)` is ∂ℓ/∂xᵢ, None of truth values.

    A tuple is of the terms of ∂ℓ/∂xᵢ, one for each place of the formula in which xᵢ stands: each has its own sum over what
    was broadcast, as where the formula is differentiated term by term. What cancels between the sums is lost there.
    """

    @dispatched
    def reference(*operands: Any, reduction: str = "mean", **parameters: Any) -> Any:
        return reduced(loss(*operands, **parameters), reduction)

    def vjp(index: int, partial: Callable[..., Any]) -> Callable[..., Any]:
        def rule(g: Any, z: Any, *operands: Any, reduction: str = "mean", **parameters: Any) -> Any:
            whole = np.broadcast_shapes(*map(np.shape, operands))
            each = shared(g, math.prod(whole), reduction)
            slopes = partial(*operands, **parameters)
            pulled = []
            for slope in slopes if isinstance(slopes, tuple) else (slopes,):
                term = each * in_precision_of(g, slope)
                if term.shape != whole:  # the slope is of fewer operands
                    term = np.broadcast_to(term, whole)
                pulled.append(unbroadcast(term, np.shape(operands[index])))
            return functools.reduce(operator.add, pulled)

        return rule

    reference.__name__ = reference.__qualname__ = name
    reference.__signature__ = _with_reduction(loss)  # type: ignore[attr-defined]  # a function's, for inspect
    return general(
        name,
        reference,
        *(partial and vjp(index, partial) for index, partial in enumerate(partials)),
        law=law,
        source=source,
        formula=formula,
        domains=domains,
        traits={LOSS, *traits},
        aliases=aliases,
    )


# -- losses of classes -----------------------------------------------------------------------------


def one_hot(target: Any, like: Any) -> Any:
    """Rows of zeros with a one at each target, in the precision of `like`."""
    return (np.arange(np.shape(like)[-1]) == np.expand_dims(target, axis=-1)).astype(like.dtype)


def each_row(g: Any, target: Any, reduction: str) -> Any:
    """The cotangent of each row's loss, as a column (or as it is, where one is shared by all)."""
    each = shared(g, np.size(target), reduction)
    return np.expand_dims(each, axis=-1) if reduction == "none" else each


@dispatched
def nll(log_probabilities: Any, target: Any, *, reduction: str = "mean") -> Any:
    """Minus the log-probability of each target."""
    return reduced(-log_probabilities[np.arange(len(target)), target], reduction)


@dispatched
def cross_entropy(logits: Any, target: Any, *, reduction: str = "mean") -> Any:
    """Minus the log-softmax of the logits at each target."""
    return nll(log_softmax(logits, axis=-1), target, reduction=reduction)


def cross_entropy_vjp(g: Any, z: Any, x: Any, target: Any, reduction: str = "mean") -> Any:
    """g · (softmax x − onehot)."""
    return each_row(g, target, reduction) * (softmax(x, axis=-1) - one_hot(target, x))


def classes(choose: Choose) -> Signature:
    """N rows of scores of C classes, and N targets among them."""
    n, c = choose(
        ((2, 3), (3, 3), (1, 4), (4, 2), (3, 1), (5, 7), (2, 17), (33, 2), (2, 129), (65, 3), (1, 1025))
    )
    return Signature(((n, c), (n,)), {"reduction": choose(REDUCTIONS)}, domains=(REAL, index_below(c)))


# -- distances -------------------------------------------------------------------------------------


def difference_clipped(x: Any, t: Any, bound: float) -> Any:
    """x − t, at most `bound` away from 0."""
    return np.clip(x - t, min=-bound, max=bound)


def huber_loss(x: Any, t: Any, *, delta: float) -> Any:
    """½d² up to |d| = δ, then a line."""
    d = np.abs(x - t)
    return np.where(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta))


DISTANCES = (
    pointwise("mse", lambda x, t: (x - t) * (x - t), lambda x, t: 2 * (x - t), lambda x, t: 2 * (t - x),
        formula="x̄ = g · 2(x − t), t̄ = −x̄", source="power rule", aliases=("mse_loss",),
        traits={QUADRATIC, Homogeneous(2, of=(0, 1)), Shift(0, of=(0, 1))}),
    pointwise("l1", lambda x, t: np.abs(x - t), lambda x, t: np.sign(x - t), lambda x, t: np.sign(t - x),
        formula="x̄ = g · sign(x − t), t̄ = −x̄", source="|d| = d sign d",
        domains=[DISTINCT, DISTINCT], aliases=("l1_loss", "mae"),
        traits={PIECEWISE_LINEAR, Homogeneous(1, of=(0, 1)), Shift(0, of=(0, 1))}),
    pointwise("huber", huber_loss, lambda x, t, delta: difference_clipped(x, t, delta),
        lambda x, t, delta: difference_clipped(t, x, delta),
        formula="x̄ = g · clip(x − t, −δ, δ), t̄ = −x̄",
        source="Huber 1964: the slope of ½d², held where |d| reaches δ",
        domains=[DISTINCT, DISTINCT], law=laws.with_parameters(ONE_LOSS_EACH, delta=(0.7, 1.3, 0.01, 7.3)),
        aliases=("huber_loss",), traits={QUADRATIC, Shift(0, of=(0, 1))}),
    pointwise("smooth_l1", lambda x, t, beta: huber_loss(x, t, delta=beta) / beta,
        lambda x, t, beta: difference_clipped(x, t, beta) / beta,
        lambda x, t, beta: difference_clipped(t, x, beta) / beta,
        formula="x̄ = g · clip((x − t)/β, −1, 1), t̄ = −x̄", source="huber over its bound",
        domains=[DISTINCT, DISTINCT], law=laws.with_parameters(ONE_LOSS_EACH, beta=(0.7, 1.3, 0.01, 7.3)),
        aliases=("smooth_l1_loss",), traits={QUADRATIC, Shift(0, of=(0, 1))}),
    pointwise("log_cosh", lambda x, t: softplus(2 * (x - t)) - (x - t) - math.log(2),
        lambda x, t: np.tanh(x - t), lambda x, t: np.tanh(t - x),
        formula="x̄ = g · tanh(x − t), t̄ = −x̄", source="sinh/cosh", traits={Shift(0, of=(0, 1))}),
)  # fmt: skip


def certain_or(p: Any, t: Any) -> Any:
    """(p − t)/(p(1 − p)), of which a target of 0 or 1 cancels a factor."""
    # A denominator that is not used may be 0, which would make the derivative of this a NaN.
    uncertain = (p - t) / np.where((t == 0) | (t == 1), 1, p * (1 - p))
    impossible, sure = 1 / np.where(t == 0, 1 - p, 1), -1 / np.where(t == 1, p, 1)
    return np.where(t == 0, impossible, np.where(t == 1, sure, uncertain))


# -- likelihoods -----------------------------------------------------------------------------------


def divergence(x: Any, t: Any, *, log_target: bool = False) -> Any:
    """t (ln t − x), where t is given, or its logarithm."""
    return np.exp(t) * (t - x) if log_target else xlogy(t, t) - t * x


def divergences(choose: Choose) -> Signature:
    """Log-probabilities and targets that broadcast, these as logarithms or not."""
    signature, log_target = ONE_LOSS_EACH(choose), choose((False, True))
    parameters = {**signature.parameters, "log_target": log_target}
    return Signature(signature.shapes, parameters, domains=(REAL, REAL if log_target else POSITIVE))


PROBABILITY = Domain(low=0.0, high=1.0)
LIKELIHOODS = (
    pointwise("binary_cross_entropy", lambda p, t: -xlogy(t, p) - xlog1py(1 - t, -p),
        certain_or, lambda p, t: np.log1p(-p) - np.log(p),
        formula="p̄ = g · (p − t)/(p(1 − p)), t̄ = −g · logit p",
        source="−t/p + (1 − t)/(1 − p), over one denominator", domains=[PROBABILITY, PROBABILITY],
        law=OF_EQUAL_SHAPES),
    pointwise("binary_cross_entropy_with_logits", lambda x, t: softplus(x) - t * x,
        lambda x, t: sigmoid(x) - t, lambda x, t: -x,
        formula="x̄ = g · (σ(x) − t), t̄ = −g · x",
        source="−t log σ(x) − (1 − t) log σ(−x) = softplus(x) − tx", domains=[REAL, PROBABILITY],
        law=OF_EQUAL_SHAPES, aliases=("bce_with_logits",)),
    pointwise("kl_div", divergence, lambda x, t, log_target=False: -np.exp(t) if log_target else -t,
        lambda x, t, log_target=False: np.exp(t) * (t + 1 - x) if log_target else (np.log(t) - x, 1.0),
        formula="x̄ = −g · t, t̄ = g · (ln t + 1 − x); of ln t: x̄ = −g · eᵗ, t̄ = g · eᵗ (t + 1 − x)",
        source="product rule; x is a log-probability, t one too with log_target", domains=[REAL, POSITIVE], law=divergences),
    pointwise("poisson_nll", lambda x, t: np.exp(x) - t * x, lambda x, t: (np.exp(x), -t), lambda x, t: -x,
        formula="x̄ = g · (eˣ − t), t̄ = −g · x",
        source="minus the log-likelihood at rate eˣ, without log t!"),
    pointwise("gaussian_nll", lambda x, t, v: 0.5 * (np.log(v) + (x - t) * (x - t) / v),
        lambda x, t, v: (x - t) / v, lambda x, t, v: (t - x) / v,
        lambda x, t, v: (0.5 / v, -0.5 * (x - t) * (x - t) / (v * v)),
        formula="x̄ = g · (x − t)/v, t̄ = −x̄, v̄ = g · ½(1/v − (x − t)²/v²)",
        source="minus the log-density of N(x, v) at t, without ½ log 2π",
        domains=[REAL, REAL, POSITIVE], law=THREE_EACH, traits={Shift(0, of=(0, 1))}),
    pointwise("soft_margin", lambda x, t: softplus(-t * x), lambda x, t: -t * sigmoid(-t * x),
        lambda x, t: -x * sigmoid(-t * x),
        formula="x̄ = −g · t σ(−tx), t̄ = −g · x σ(−tx)", source="chain rule on softplus"),
    general("nll", nll,
        lambda g, z, x, target, reduction="mean": -each_row(g, target, reduction) * one_hot(target, x), None,
        formula="x̄[n, tₙ] = −gₙ, 0 elsewhere", source="picks minus one entry of each row",
        domains=[REAL, index_below(1)], law=classes, traits={LOSS, LINEAR}, aliases=("nll_loss",)),
    general("cross_entropy", cross_entropy, cross_entropy_vjp, None,
        formula="x̄ₙ = gₙ · (softmax xₙ − onehot tₙ)", source="log_softmax's rule at one entry",
        domains=[REAL, index_below(1)], law=classes, traits={LOSS, Shift(0)}),
)  # fmt: skip

ROWS: tuple[Op, ...] = DISTANCES + LIKELIHOODS
