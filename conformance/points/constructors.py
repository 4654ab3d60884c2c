"""Constructors of special points, each from the shortest statement of the gradients allowed there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.points.point import COMPOSED, OPEN, Extremes, Given, Nature, SpecialPoint, Values
from conformance.program import Step

SHARED, FIRST, LAST, ALL = "shared equally", "first", "last", "all"
ZERO, LEFT, RIGHT, MIDDLE = "zero", "left", "right", "middle"
NAN, INF = float("nan"), float("inf")


def limit(
    op: str,
    name: str,
    operands: Given,
    gradients: Given,
    *,
    nature: Nature = Nature.LIMIT,
    cotangent: Any = None,
    **parameters: Any,
) -> SpecialPoint:
    """A point with one right gradient per operand; None for an operand without one."""
    return SpecialPoint(
        op, name, nature, operands, _exactly(gradients), parameters=parameters, cotangent=cotangent
    )


def finite(op: str, name: str, operands: Given, gradients: Given, **parameters: Any) -> SpecialPoint:
    """Extreme operands at which the true gradient is finite."""
    return limit(op, name, operands, gradients, nature=Nature.FINITE, **parameters)


def masked(op: str, name: str, operands: Given, gradients: Given, **parameters: Any) -> SpecialPoint:
    """A selection; entries that are not selected contribute zero, whatever their values."""
    return limit(op, name, operands, gradients, nature=Nature.MASK, **parameters)


def kink(
    op: str, name: str, operands: Values, *slopes: tuple[float, float] | float | None, **parameters: Any
) -> SpecialPoint:
    """A point with a slope on the left and another on the right, for each operand (or one slope, or None)."""
    sides = [s if isinstance(s, tuple) or s is None else (s, s) for s in slopes]

    def choose(at_kink: Any) -> Values:
        return tuple(s and (at_kink(*s) if s[0] != s[1] else s[0]) for s in sides)

    named: dict[str, Given] = {
        LEFT: choose(lambda left, right: left),
        RIGHT: choose(lambda left, right: right),
        MIDDLE: choose(lambda left, right: (left + right) / 2),
    }
    within = tuple(s and (min(s), max(s)) for s in sides)
    if all(s is None or s[0] == s[1] or min(s) <= 0 <= max(s) for s in sides):
        named = {ZERO: choose(lambda left, right: 0.0), **named}
    return SpecialPoint(op, name, Nature.KINK, operands, within, named, parameters=parameters)


def fair(
    op: str,
    name: str,
    operands: Given,
    within: Given,
    conventions: Mapping[str, Given],
    *,
    nature: Nature = Nature.KINK,
    total: float | None = None,
    cotangent: Any = None,
    **parameters: Any,
) -> SpecialPoint:
    """A point whose allowed gradients fill a range, with named conventions."""
    return SpecialPoint(op, name, nature, operands, within, conventions, total, parameters, cotangent)


def tie(op: str, name: str, x: Any, tied: Sequence[Any], **parameters: Any) -> SpecialPoint:
    """A reduction to one number that several equal entries of the only operand attain."""
    shape, count = np.shape(x), len(tied)
    alone = {place: _one_hot(shape, [place], 1.0) for place in tied}
    everywhere = _one_hot(shape, tied, 1.0)
    named: dict[str, Given] = {
        SHARED: (everywhere / count,),
        FIRST: (alone[tied[0]],),
        LAST: (alone[tied[-1]],),
        ALL: (everywhere,),
    }
    if count > 2:
        named[MIDDLE] = (alone[tied[(count - 1) // 2]],)
    return fair(
        op, name, (x,), ((0 * everywhere, everywhere),), named, nature=Nature.TIE, total=1.0, **parameters
    )


def tied_pair(op: str, name: str, operands: Values, **parameters: Any) -> SpecialPoint:
    """A tie of two operands."""
    named: dict[str, Given] = {
        SHARED: (0.5, 0.5),
        FIRST: (1.0, 0.0),
        LAST: (0.0, 1.0),
        ALL: (1.0, 1.0),
        "neither": (0.0, 0.0),
    }
    return fair(op, name, operands, ((0, 1), (0, 1)), named, nature=Nature.TIE, total=1.0, **parameters)


def border(
    op: str,
    name: str,
    operands: Given,
    conventions: Mapping[str, Given],
    within: Given = (),
    **parameters: Any,
) -> SpecialPoint:
    """A point at which the op jumps, or its domain ends: no convention is wrong, and the atlas reports it."""
    count = len(operands(Extremes("float64")) if callable(operands) else operands)
    return fair(
        op, name, operands, within or (OPEN,) * count, conventions, nature=Nature.BORDER, **parameters
    )


def valued(op: str, name: str, operands: Given, **parameters: Any) -> SpecialPoint:
    """A call whose value alone is claimed."""
    count = len(operands(Extremes("float64")) if callable(operands) else operands)
    return SpecialPoint(op, name, Nature.VALUE, operands, (OPEN,) * count, parameters=parameters)


def slopes(*words: str, **named: Any) -> dict[str, Given]:
    """Conventions of one slope each, for an op of one operand, by the name or by the value of the slope."""
    values = {
        "zero": 0.0,
        "infinite": INF,
        "minus infinite": -INF,
        "nan": NAN,
        "one": 1.0,
        "minus one": -1.0,
        "half": 0.5,
    }
    return {**{word: (values[word],) for word in words}, **{word: (value,) for word, value in named.items()}}


def composition(
    name: str, operands: Values, steps: Sequence[tuple[Any, ...]], gradients: Values
) -> SpecialPoint:
    """A smooth function of `operands` built from ops that are not: each step names an op and its values."""
    numbered = tuple(
        Step(
            op,
            tuple(i for i in rest if isinstance(i, int)),
            next((p for p in rest if isinstance(p, dict)), {}),
        )
        for op, *rest in steps
    )
    return SpecialPoint(COMPOSED, name, Nature.COMPOSITION, operands, _exactly(gradients), steps=numbered)


def _exactly(gradients: Given) -> Given:
    """Ranges of one value each."""
    if callable(gradients):
        return lambda extremes: tuple(g if g is None else (g, g) for g in gradients(extremes))
    return tuple(g if g is None else (g, g) for g in gradients)


def _one_hot(shape: tuple[int, ...], places: Sequence[Any], value: float) -> Any:
    result = np.zeros(shape)
    for place in places:
        result[place] = value
    return result
