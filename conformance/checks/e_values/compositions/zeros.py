"""Second derivatives of products and powers where factors and bases are zero (E4), in one function of all of them.

An engine that compiles is asked of few ops what their second derivatives are where an operand is zero. Here a zero
stands in every operand, and one function has them all: a rule that divides by its operand, or takes a shorter way for
zeros, loses there what no first derivative shows.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.c_modes.special_numbers import hold_number
from conformance.checks.engine_calls import full_sum
from conformance.checks.observation import plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, CUMULATIVE_PROD, MULTIPLY, POW, POWER_OF, PROD, SQUARE

Hessian = Callable[[Array, Array], Array]  # of Σ wᵢ f(x)ᵢ, by x and w
EXPONENTS = (1, 2, 3, 4)
FACTORS = ((0.0, 2.0, -3.0), (-2.0, 0.0, 0.0, 3.0))


def _of_product(x: Array, w: Array) -> Array:
    """Two factors gone, the product of the others."""
    n = len(x)
    entries = [[np.prod(np.delete(x, [i, j])) if i != j else 0 for j in range(n)] for i in range(n)]
    hessian: Array = np.sum(w) * np.array(entries)
    return hessian


def _of_products(x: Array, w: Array) -> Array:
    total = np.zeros((len(x), len(x)))
    for k in range(2, len(x) + 1):
        total[:k, :k] += w[k - 1] * _of_product(x[:k], np.ones(1))
    return total


def _of_power(n: int) -> Hessian:
    return lambda x, w: np.diag(w * n * (n - 1) * x ** max(n - 2, 0))


def _functions(engine: Backend, dtype: str) -> Iterator[tuple[str, Function, Hessian]]:
    """What the engine has of it: a name, the function of one operand, its second derivatives."""
    along, multiply = {"axis": 0}, engine.op(MULTIPLY)
    for n in EXPONENTS:
        if POWER_OF in engine.ops:
            yield f"{POWER_OF} by {n}", engine.call(POWER_OF, {"exponent": n}), _of_power(n)
        if POW in engine.ops:
            power = lambda a, n=n: engine.op(POW)(a, engine.array(np.asarray(n, dtype)))  # noqa: E731
            yield f"{POW} to a constant {n}", power, _of_power(n)
    yield "x times x", lambda a: multiply(a, a), _of_power(2)
    for name, parameters, hessian in (
        (SQUARE, {}, _of_power(2)),
        (CUMULATIVE_PROD, along, _of_products),
        (PROD, along | {"keepdims": False}, _of_product),
    ):
        if name in engine.ops:
            yield name, engine.call(name, parameters), hessian


@contract("E4", "zeros", Capability.HIGHER_ORDER)
def second_derivatives_are_right_where_factors_and_bases_are_zero(engine: Backend, sample: Sample) -> None:
    """The second derivatives of products, running products and powers are right where one or two factors, or bases, are zero."""
    found = list(_functions(engine, sample.dtype))
    inner, outer = sample.array(()), sample.array(())
    x = sample.rng.permutation(FACTORS[sample.seed % len(FACTORS)]).astype(sample.dtype)
    directions = [sample.array(x.shape) for _ in found]
    weights = [sample.array(() if name == PROD else x.shape) for name, _, _ in found]

    def value(*arrays: Any) -> Any:
        return _weighed(engine, [f(a) for (_, f, _), a in zip(found, arrays, strict=True)], weights)

    def along(*arrays: Any) -> Any:
        gradients = engine.nested_vjp(value, arrays, [engine.array(np.array(inner))])
        return _weighed(engine, gradients, directions)

    _, pulled = engine.vjp(along, [np.array(x) for _ in found], [np.array(outer)])
    seconds, scale = [], float(inner) * float(outer)
    for (name, _, hessian), got, v, w in zip(found, pulled, directions, weights, strict=True):
        exact = scale * hessian(x.astype(np.float64), w.astype(np.float64)) @ v
        size = np.abs(hessian(np.abs(x).astype(np.float64), np.abs(w).astype(np.float64))) @ np.abs(v)
        size *= abs(scale)
        seconds.append((name, None if got is None else plain(engine, got), exact, x, size))
    _hold_all(seconds)


def _hold_all(seconds: Sequence[tuple[str, Array | None, Array, Array, Array]]) -> None:
    """Claim all; where some are wrong the first one's numbers are shown, and every one is named."""
    wrong = []
    for second in seconds:
        try:
            _hold(second[0], *second[1:])
        except Violation:
            wrong.append(second)
    if wrong:
        _hold(" and of ".join(name for name, *_ in wrong), *wrong[0][1:])


def _hold(names: str, got: Array | None, exact: Array, x: Array, size: Array) -> None:
    hold_number(got, exact, x, f"the second derivative of {names} at {x.tolist()}", size)


def _weighed(engine: Backend, arrays: Sequence[Any], weights: Sequence[Array]) -> Any:
    """The sum of all entries, each times its weight."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    terms = [total(multiply(a, engine.array(np.array(w)))) for a, w in zip(arrays, weights, strict=True)]
    return functools.reduce(engine.op(ADD), terms)
