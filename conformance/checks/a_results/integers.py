"""Integers and truth values: as operands (A16), as gradient arguments (A5)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import (
    form_of_no_gradient,
    full_sum,
    gradients_of,
    hold_no_gradient,
    product_dtype,
    unless_refused,
)
from conformance.checks.observation import plain
from conformance.checks.registry import NotThisCase, contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import MULTIPLY

COUNTABLE = ("int64", "int32", "bool")


def _counts(sample: Sample, dtype: str) -> Array:
    """Integers or truth values in the sample's shape, zero among them."""
    return (np.arange(np.prod(sample.shape)).reshape(sample.shape) % 3).astype(dtype)


@contract("A5", "countable-cotangent")
def integer_gradient_argument_is_refused_or_cast(engine: Backend, sample: Sample) -> None:
    """A gradient argument of integers or truth values is refused, or cast to the same numbers."""
    x, w = sample.array(), sample.array()
    for dtype in COUNTABLE:
        g = _counts(sample, dtype)
        gradients = unless_refused(partial(gradients_of, engine, engine.op(MULTIPLY), [x, w], g))
        if gradients is None:
            continue
        for got, partner in zip(gradients, (w, x), strict=True):
            if got is not None and got.dtype != partner.dtype:
                raise Violation(f"a gradient argument of {dtype} makes a gradient of {got.dtype}", got=got)
            hold_equal(got, g.astype(x.dtype) * partner, f"the gradient for a gradient argument of {dtype}")


@contract("A16", "integer-operand")
def integers_and_truth_values_have_no_gradient(engine: Backend, sample: Sample) -> None:
    """The gradient of integers or truth values is refused, None or zeros, as declared; never integers."""
    convention = declared_convention(engine, "A16")
    w, multiply = sample.array(), engine.op(MULTIPLY)
    for dtype in COUNTABLE:
        n = _counts(sample, dtype)
        g = sample.array().astype(product_dtype(engine, n, w))

        def pulled(n: Array = n, g: Array = g) -> Sequence[Any]:
            return engine.vjp(multiply, [np.array(n), np.array(w)], [np.array(g)])[1]

        gradients = hold_no_gradient(engine, convention, pulled, n, 0, f"an operand of {dtype}")
        if gradients is not None:
            hold_equal(plain(engine, gradients[1]), (g * n).astype(w.dtype), f"its partner's, beside {dtype}")
        _hold_no_gradient_of_square(engine, convention, n)


def _hold_no_gradient_of_square(engine: Backend, convention: str, n: Array) -> None:
    """Claim that n * n has no gradient, with a gradient argument or summed without one."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    for call in (
        lambda: engine.vjp(multiply, [np.array(n), np.array(n)], [np.array(n)])[1],
        lambda: engine.gradient(lambda a: total(multiply(a, a)), [np.array(n)]),
    ):
        gradients = unless_refused(call)
        if gradients is None:
            continue  # an engine that accepts integers beside a real number may still refuse them alone
        found = form_of_no_gradient(engine, gradients[0], n, f"a product of {n.dtype} with itself")
        if found != convention:
            raise Violation(
                f"the gradient of a product of {n.dtype} is {found}; the adapter declares {convention!r}"
            )


@contract("A16", "integer-partner")
def integers_and_truth_values_are_constants(engine: Backend, sample: Sample) -> None:
    """Integers and truth values are constants of the gradients of others."""
    w = sample.array()
    multiply, undecided = engine.op(MULTIPLY), []
    for dtype in COUNTABLE:
        n = _counts(sample, dtype)
        try:
            g = sample.array().astype(product_dtype(engine, n, w))
        except NotThisCase as reason:
            undecided.append(reason)
            continue
        _, (gradient,) = engine.vjp(multiply, [np.array(n), np.array(w)], [np.array(g)], [1])
        hold_equal(plain(engine, gradient), (g * n).astype(w.dtype), f"the gradient of a factor of {dtype}")
    if len(undecided) == len(COUNTABLE):
        raise undecided[0]
