"""Careful formulas of ops that combine entries, and of losses."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.ops.activations import sigmoid, softplus
from conformance.ops.elementwise import nonzero
from conformance_backends.mutants.controls.formulas_of_entries import Slopes, decay, log_cosh, logit

# -- general rules ----------------------------------------------------------------------------------------


def kept_axes(x: Any, axis: Any) -> tuple[int, ...]:
    """The axes from the front."""
    named = range(np.ndim(x)) if axis is None else (axis,) if isinstance(axis, int) else axis
    return tuple(a % np.ndim(x) for a in named)


def put_back(reduced: Any, x: Any, axis: Any) -> Any:
    """A reduction with its axes at size 1."""
    axes = kept_axes(x, axis)
    return np.reshape(reduced, shape=tuple(1 if a in axes else n for a, n in enumerate(np.shape(x))))


def softmax(x: Any, axis: Any) -> Any:
    """The shares of the exponentials."""
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def logsumexp(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest plus log1p of the other exponentials, one of the largest being left out of their sum."""
    top = np.max(x, axis=axis, keepdims=True)
    others = np.where(x == top, 0, np.exp(x - top))
    ties = np.sum(x == top, axis=axis, keepdims=True)
    result = top + np.log1p(np.sum(others, axis=axis, keepdims=True) + (ties - 1))
    return result if keepdims else np.squeeze(result, axis=kept_axes(x, axis))


def softmax_vjp(index: int, g: Any, z: Any, x: Any, *, axis: Any) -> Any:
    """z (g − Σ g z), the differences of g taken first: equal cotangents cancel exactly."""
    shares = softmax(x, axis)
    base = np.take(g, np.asarray([0]), axis=axis)
    relative = g - base
    return shares * (relative - np.sum(relative * shares, axis=axis, keepdims=True))


def deviations(x: Any, axis: Any) -> Any:
    """x − mean, corrected by the mean of what is left: two passes."""
    once = x - np.mean(x, axis=axis, keepdims=True)
    return once - np.mean(once, axis=axis, keepdims=True)


def counted(x: Any, axis: Any) -> int:
    """How many entries each result sees."""
    return math.prod(np.shape(x)[a] for a in kept_axes(x, axis))


def var(x: Any, *, axis: Any = None, keepdims: bool = False, correction: float = 0) -> Any:
    """By two passes, corrected."""
    d = deviations(x, axis)
    return np.sum(d * d, axis=axis, keepdims=keepdims) / (counted(x, axis) - correction)


def var_vjp(index: int, g: Any, z: Any, x: Any, *, axis: Any = None, keepdims: bool = False,
            correction: float = 0) -> Any:  # fmt: skip
    """2(x − μ)/(n − c), by two passes."""
    return put_back(g, x, axis) * (deviations(x, axis) * 2 / (counted(x, axis) - correction))


def std(x: Any, *, axis: Any = None, keepdims: bool = False, correction: float = 0) -> Any:
    """By two passes, corrected, at a scale at which no square overflows or vanishes."""
    d = deviations(x, axis)
    scale = nonzero(np.max(np.abs(d), axis=axis, keepdims=True))
    unit = d / scale
    root = np.sqrt(np.sum(unit * unit, axis=axis, keepdims=True) / (counted(x, axis) - correction)) * scale
    return root if keepdims else np.squeeze(root, axis=kept_axes(x, axis))


def std_vjp(index: int, g: Any, z: Any, x: Any, *, axis: Any = None, keepdims: bool = False,
            correction: float = 0) -> Any:  # fmt: skip
    """(x − μ)/(z (n − c)), by two passes."""
    again = std(x, axis=axis, keepdims=True, correction=correction)
    return put_back(g, x, axis) * deviations(x, axis) / nonzero(again) / (counted(x, axis) - correction)


def cross_entropy_vjp(index: int, g: Any, z: Any, x: Any, target: Any, *, reduction: str = "mean") -> Any:
    """softmax, at the target minus the sum of the other shares instead of a share minus 1."""
    hot = np.arange(np.shape(x)[-1]) == np.expand_dims(target, axis=-1)
    others = np.where(hot, 0, softmax(x, -1))
    slope = np.where(hot, -np.sum(others, axis=-1, keepdims=True), others)
    each = g / np.size(target) if reduction == "mean" else g
    return (np.expand_dims(each, axis=-1) if reduction == "none" else each) * slope


RULES: Mapping[str, tuple[Callable[..., Any] | None, Callable[..., Any] | None]] = {
    "softmax": (lambda x, axis: softmax(x, axis), softmax_vjp),
    "logsumexp": (logsumexp, None),
    "var": (var, var_vjp),
    "std": (std, std_vjp),
    "cross_entropy": (None, cross_entropy_vjp),
}


# -- losses: of one entry, and its slopes -----------------------------------------------------------------


def confident(p: Any, t: Any) -> Any:
    """(p − t)/(p(1 − p)), one quotient by one."""
    is_certain = (t == 0) | (t == 1)
    uncertain = (p - t) / np.where(is_certain, 1, p) / np.where(is_certain, 1, 1 - p)
    impossible, sure = 1 / np.where(t == 0, 1 - p, 1), -1 / np.where(t == 1, p, 1)
    return np.where(t == 0, impossible, np.where(t == 1, sure, uncertain))


def surprised(x: Any, t: Any) -> Any:
    """σ(x) − t; beside 1 as (1 − t) − σ(−x)."""
    return np.where(x > 0, (1 - t) - sigmoid(-x), sigmoid(x) - t)


LOSSES: Mapping[str, tuple[Callable[..., Any] | None, Slopes]] = {
    "log_cosh": (lambda x, t: log_cosh(x - t), (lambda x, t: np.tanh(x - t), lambda x, t: np.tanh(t - x))),
    "binary_cross_entropy": (
        None,
        (confident, lambda p, t: -logit(p)),
    ),
    "binary_cross_entropy_with_logits": (
        lambda x, t: np.maximum(x, 0) - t * x + np.log1p(decay(x)),
        (surprised, lambda x, t: -x),
    ),
    "gaussian_nll": (
        None,
        (lambda x, t, v: (x - t) / v, lambda x, t, v: (t - x) / v,
         lambda x, t, v: 0.5 * (1 - (x - t) * ((x - t) / v)) / v),
    ),
    "soft_margin": (
        lambda x, t: softplus(-(t * x)),
        (lambda x, t: -t * sigmoid(-(t * x)), lambda x, t: -x * sigmoid(-(t * x))),
    ),
}  # fmt: skip
