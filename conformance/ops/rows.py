"""Row constructors: an op from the shortest statement of its rule.

An elementwise row gives its partials, a linear row its transpose, a general row one rule per
operand, a variadic row one rule for all. Unbroadcasting stands here once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from conformance.op import REAL, Domain, Law, Op, Property, Shape, Trait
from conformance.ops import laws

PYTHON_NUMBERS = frozenset({bool, int, float, complex})


def over(g: Any, count: float) -> Any:
    """A cotangent divided by a count, in single precision where half has no number as large."""
    if g.dtype == np.float16 and count > float(np.finfo(np.float16).max):
        return (g.astype(np.float32) / count).astype(np.float16)
    return g / count


def unbroadcast(g: Any, shape: Shape) -> Any:
    """Sum `g` over the axes along which an operand of `shape` was broadcast.

    Broadcasting copies an entry along an axis; the transpose of copying is summing.
    """
    if g.shape == shape:
        return g
    extra = g.ndim - len(shape)
    stretched = [axis for axis, size in enumerate(shape, extra) if size == 1 and g.shape[axis] != 1]
    axes = (*range(extra), *stretched)
    return g.sum(axis=axes).reshape(shape) if axes else g


def in_precision_of(g: Any, slope: Any) -> Any:
    """A slope chosen among plain numbers (`x > 0`, `np.where(x > 0, 1, a)`) in the precision of `g`."""
    if not isinstance(slope, (np.ndarray, np.generic)) or slope.dtype == g.dtype:
        return slope
    return slope.astype(g.dtype) if slope.dtype.kind in "bif" else slope


def times(g: Any, slope: Any) -> Any:
    """g · slope.

    A plain array is not multiplied by 1. The oracle's arrays are: they show how every product may be rounded.
    """
    if type(slope) in PYTHON_NUMBERS:
        return g if slope == 1 and type(g) is np.ndarray else g * slope
    return g * (slope if slope.dtype is g.dtype else in_precision_of(g, slope))


# -- sizes and signs, which a complex step goes through ------------------------------------------------


def size_of(x: Any) -> Any:
    """|x|; of a number with a tangent as its imaginary part both, with the sign that makes the number positive."""
    return x * np.sign(np.real(x)) if x.dtype.kind == "c" else np.abs(x)


def sign_of(x: Any) -> Any:
    """The sign of x; of a number with a tangent, the number's, which has no slope."""
    return np.sign(np.real(x)) if x.dtype.kind == "c" else np.sign(x)


# -- slopes that several rows share ------------------------------------------------------------------


def inverse_root(u: Any) -> Any:
    """1/√(1 + u²), beyond 1 as |1/u|/√(1 + 1/u²): no square overflows."""
    is_far, small, side = _folded(u)
    return np.where(is_far, side * small, 1) / np.sqrt(1 + small * small)


def over_root(u: Any) -> Any:
    """u/√(1 + u²), beyond 1 as ±1/√(1 + 1/u²)."""
    is_far, small, side = _folded(u)
    return np.where(is_far, side, small) / np.sqrt(1 + small * small)


def _folded(u: Any) -> tuple[Any, Any, Any]:
    """Whether a number is beyond 1; the number or there its inverse; and its sign."""
    is_far = np.abs(u) > 1
    small = np.where(is_far, 1 / np.where(is_far, u, 1), u)
    return is_far, small, np.sign(np.real(u)).astype(u.dtype)


# -- constructors ------------------------------------------------------------------------------------


def elementwise(
    name: str,
    reference: Callable[..., Any],
    *partials: Callable[..., Any],
    source: str,
    formula: str = "",
    domains: Sequence[Domain] = (),
    law: Law | None = None,
    aliases: tuple[str, ...] = (),
    traits: Iterable[Property] = (),
) -> Op:
    """A row that acts on every element alone: `partials[i](z, *operands, **parameters)` is ∂z/∂xᵢ.

    Its VJP multiplies the upstream cotangent by the partial and sums over the broadcast axes.
    An operand that is not differentiable has a partial all the same: None.
    """

    def rule(index: int, g: Any, z: Any, /, *operands: Any, **parameters: Any) -> Any:
        slope, shape = partials[index](z, *operands, **parameters), operands[index].shape
        pulled = times(g, slope)
        return pulled if pulled.shape == shape else unbroadcast(pulled, shape)

    return Op(
        name=name,
        reference=reference,
        rule=rule,
        domains=tuple(domains) or (REAL,) * len(partials),
        law=law or (laws.one_array if len(partials) == 1 else laws.broadcast(len(partials))),
        source=source,
        formula=formula,
        traits=frozenset((Trait.ELEMENTWISE, *traits)),
        aliases=aliases,
    )


def linear(
    name: str,
    reference: Callable[..., Any],
    transpose: Callable[..., Any],
    *,
    law: Law,
    source: str,
    formula: str = "",
    traits: Iterable[Property] = (),
    aliases: tuple[str, ...] = (),
    domain: Domain = REAL,
) -> Op:
    """A row linear in its only operand: `transpose(g, x, **parameters)` is the whole rule."""

    def rule(index: int, g: Any, z: Any, x: Any, /, **parameters: Any) -> Any:
        return transpose(g, x, **parameters)

    return Op(
        name=name,
        reference=reference,
        rule=rule,
        domains=(domain,),
        law=law,
        source=source,
        formula=formula,
        traits=frozenset((Trait.LINEAR, *traits)),
        aliases=aliases,
    )


def general(
    name: str,
    reference: Callable[..., Any],
    *rules: Callable[..., Any] | None,
    law: Law,
    source: str,
    formula: str = "",
    domains: Sequence[Domain] = (),
    traits: Iterable[Property] = (),
    aliases: tuple[str, ...] = (),
) -> Op:
    """A row with one rule per operand: `rules[i](g, z, *operands, **parameters)`."""

    def rule(index: int, g: Any, z: Any, /, *operands: Any, **parameters: Any) -> Any:
        chosen = rules[index]
        if chosen is None:
            raise ValueError(f"{name}: operand {index} is not differentiable")
        return chosen(g, z, *operands, **parameters)

    return Op(
        name=name,
        reference=reference,
        rule=rule,
        domains=tuple(domains) or (REAL,) * len(rules),
        law=law,
        source=source,
        formula=formula,
        traits=frozenset(traits),
        aliases=aliases,
    )


def variadic(
    name: str,
    reference: Callable[..., Any],
    rule: Callable[..., Any],
    *,
    law: Law,
    source: str,
    formula: str = "",
    domain: Domain = REAL,
    aliases: tuple[str, ...] = (),
    traits: Iterable[Property] = (),
) -> Op:
    """A row with any number of operands: `rule(index, g, z, *operands, **parameters)`.

    The reference takes the operands one by one, also where NumPy wants a list of them.
    """
    return Op(
        name=name,
        reference=reference,
        rule=rule,
        domains=(domain,),
        law=law,
        source=source,
        formula=formula,
        traits=frozenset((Trait.VARIADIC, *traits)),
        aliases=aliases,
    )
