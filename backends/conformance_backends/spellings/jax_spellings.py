"""jax's other functions for the same ops: its operators, jax.lax and jax.scipy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from conformance.errors import Unsupported
from conformance_backends.dialects.of_jax import EAGER
from conformance_backends.jax_backend import JaxEager
from conformance_backends.jax_ops import OPS, counted, key
from conformance_backends.jax_points import DEPARTURES
from conformance_backends.spellings.jax_methods import CUSTOM_RULE, RESPELLED, WORDS, JaxMethods
from conformance_backends.usual_points import declared_points


def scanned(combine: Any, x: Any, axis: Any) -> Any:
    """All partial results along an axis, combined in pairs."""
    flat = x.ravel() if axis is None else x
    return jax.lax.associative_scan(combine, flat, axis=counted(axis, flat.ndim))


def clamped(x: Any, min: Any, max: Any) -> Any:
    """jax.lax.clamp, which takes both bounds."""
    if min is None or max is None:
        raise Unsupported("jax.lax.clamp takes both bounds")
    return jax.lax.clamp(jnp.asarray(min, x.dtype), x, jnp.asarray(max, x.dtype))


def same_shapes(function: Any, *operands: Any) -> Any:
    """A function of jax.lax, which broadcasts nothing."""
    if len({x.shape for x in operands}) > 1:
        raise Unsupported("functions of jax.lax broadcast nothing")
    return function(*operands)


SPELLED: Mapping[str, Callable[..., Any]] = {
    "power_of": lambda x, exponent: x**exponent,
    "square": lambda x: x**2,
    "reciprocal": lambda x: 1 / x,
    "sqrt": lambda x: x**0.5,
    "rsqrt": lambda x: x**-0.5,
    "pow": lambda x, y: same_shapes(jax.lax.pow, x, y),
    "divide": lambda x, y: same_shapes(jax.lax.div, x, y),
    "maximum": lambda x, y: same_shapes(jax.lax.max, x, y),
    "minimum": lambda x, y: same_shapes(jax.lax.min, x, y),
    "clip": clamped,
    "cumulative_sum": lambda x, axis: scanned(jnp.add, x, axis),
    "cumulative_prod": lambda x, axis: scanned(jnp.multiply, x, axis),
    "cummax": lambda x, axis: scanned(jnp.maximum, x, axis),
    "getitem": lambda x, index: x.at[key(index)].get(),
    "logsumexp": lambda x, axis, keepdims: jax.scipy.special.logsumexp(x, axis=axis, keepdims=keepdims),
    "inv": jax.scipy.linalg.inv,
    "det": jax.scipy.linalg.det,
    "cholesky": lambda x, upper=False: jax.scipy.linalg.cholesky(x, lower=not upper),
}


class JaxSpelled(JaxMethods, JaxEager):
    """jax's operators, and its functions outside jax.numpy; jax.linearize, reversed scans, switches."""

    mode = "spelled"
    is_spelling = True
    respells = RESPELLED
    dialect = replace(EAGER, custom=CUSTOM_RULE, further={**EAGER.further, **WORDS})
    ops: ClassVar[Mapping[str, Callable[..., Any]]] = {**OPS, **SPELLED}
    spells = frozenset(SPELLED)
    # jax.lax.clamp gives a bound no gradient; x**0.5 has the sign of x**-0.5 at -0.
    points = declared_points(SPELLED, {**DEPARTURES, "clip": "zero", "sqrt/at-minus-0": "infinite"})
