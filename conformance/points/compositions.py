"""Smooth functions built from ops that are not smooth: the effect of the ops' conventions in the chain rule.

For example x = relu(x) − relu(−x) has slope 1 everywhere, but an engine whose relu has slope 0 at 0 gives 0 there.
No op is wrong then, and no other rule of a single op would be right in every composition.

Others are compositions that an engine may not simplify as it simplifies numbers: √(x²) is not x, and x − x is not 0
where x is infinite. Where the value is NaN, so is the gradient by every op's rule, and nothing else is right.
"""

from __future__ import annotations

import math

import numpy as np

from conformance.points.constructors import INF, NAN, composition
from conformance.points.point import SpecialPoint

CUBE = np.arange(27.0).reshape(3, 3, 3)
SQUARED = CUBE * CUBE - 5 * CUBE  # no plane of it is another's transpose
INNER, OUTER = {"min": -1.0, "max": 1.0}, {"min": 2.0, "max": 3.0}  # bounds that leave nothing between both


def softmax_slope(difference: float) -> float:
    """1 − 2 softmax of the smaller of two numbers that differ by so much; of the larger it is the opposite."""
    return 1 - 2 / (1 + math.exp(difference))


# Values are numbered: the operands first, from 0, then the result of every step.
CONVENTIONS: tuple[SpecialPoint, ...] = (
    composition("relu(x)-relu(-x)", (0.0,), [
        ("relu", 0), ("negative", 0), ("relu", 2), ("subtract", 1, 3)], (1,)),
    composition("maximum(x,x)", (2.0,), [("maximum", 0, 0)], (1,)),
    composition("minimum(x,x)", (2.0,), [("minimum", 0, 0)], (1,)),
    composition("maximum(x,-x)-abs(x)", (0.0,), [
        ("negative", 0), ("maximum", 0, 1), ("abs", 0), ("subtract", 2, 3)], (0,)),
    composition("maximum(x,y)+minimum(x,y)", (2.0, 2.0), [
        ("maximum", 0, 1), ("minimum", 0, 1), ("add", 2, 3)], (1, 1)),
    composition("x-x", (2.0,), [("subtract", 0, 0)], (0,)),
    composition("x-over-x", (2.0,), [("divide", 0, 0)], (0,)),
    composition("x-times-abs(x)", (0.0,), [("abs", 0), ("multiply", 0, 1)], (0,)),
    composition("square(sqrt(x))", (0.0,), [("sqrt", 0), ("square", 1)], (1,)),
    composition("exp(log(x))", (0.0,), [("log", 0), ("exp", 1)], (1,)),
    composition("sin(x)-over-x", (0.0,), [("sin", 0), ("divide", 1, 0)], (0,)),
    composition("square(hypot(x,y))", (0.0, 0.0), [("hypot", 0, 1), ("square", 2)], (0, 0)),
    composition("square(hypot(x,x-squared))", (0.0,), [("square", 0), ("hypot", 0, 1), ("square", 2)], (0,)),
    composition("log(sigmoid(x))", (-1000.0,), [("sigmoid", 0), ("log", 1)], (1,)),
    composition("log(exp(x))", (-1000.0,), [("exp", 0), ("log", 1)], (1,)),
    composition("clip(x)-clip(x)", (1.0,), [
        ("clip", 0, {"min": -1.0, "max": 1.0}), ("clip", 0, {"min": -1.0, "max": 1.0}), ("subtract", 1, 2)],
        (0,)),
    composition("square(relu(x))", (0.0,), [("relu", 0), ("square", 1)], (0,)),
)  # fmt: skip

# Identities that hold on a part of the numbers only, at a point beside it.
BESIDE: tuple[SpecialPoint, ...] = (
    composition("sqrt(square(x))", (-2.0,), [("square", 0), ("sqrt", 1)], (-1,)),
    composition("pow(pow(x,2),half)", (-2.0, 2.0, 0.5), [("pow", 0, 1), ("pow", 3, 2)], (-1, None, None)),
    composition("sqrt(x-times-y)", (-2.0, -8.0), [("multiply", 0, 1), ("sqrt", 2)], (-1, -0.25)),
    composition("asin(sin(x))", (2.0,), [("sin", 0), ("asin", 1)], (-1,)),
    composition("acos(cos(x))", (-1.0,), [("cos", 0), ("acos", 1)], (-1,)),
    composition("clip(clip(x)),inside-the-inner", (0.5,), [("clip", 0, INNER), ("clip", 1, OUTER)], (0,)),
    composition("clip(clip(x)),inside-the-outer", (2.5,), [("clip", 0, INNER), ("clip", 1, OUTER)], (0,)),
    composition("clip(clip(x)),between", (1.5,), [("clip", 0, INNER), ("clip", 1, OUTER)], (0,)),
)  # fmt: skip

# Identities of numbers, where a value on the way is none.
UNDEFINED: tuple[SpecialPoint, ...] = (
    composition("exp(log(x)),negative", (-1.0,), [("log", 0), ("exp", 1)], (NAN,)),
    composition("square(sqrt(x)),negative", (-1.0,), [("sqrt", 0), ("square", 1)], (NAN,)),
    composition("square(x-x),infinite", (INF,), [("subtract", 0, 0), ("square", 1)], (NAN,)),
    composition("square(0-times-x),infinite", (0.0, INF), [("multiply", 0, 1), ("square", 2)], (NAN, NAN)),
    composition("square(0-times-x),nan", (0.0, NAN), [("multiply", 0, 1), ("square", 2)], (NAN, NAN)),
    # the function is constant, or has a limit: its slope is right, and so is what the ops' slopes give
    composition("exp(x)-times-exp(-x),large", (800.0,), [
        ("exp", 0), ("negative", 0), ("exp", 2), ("multiply", 1, 3)], (0,)),
    composition("exp(x)-times-exp(-x),small", (-800.0,), [
        ("exp", 0), ("negative", 0), ("exp", 2), ("multiply", 1, 3)], (0,)),
    composition("log(exp(x)),large", (800.0,), [("exp", 0), ("log", 1)], (1,)),
    composition("x-over-x,at-0", (0.0,), [("divide", 0, 0)], (0,)),
    composition("x-over-x-times-y", (0.0, 2.0), [("multiply", 0, 1), ("divide", 0, 2)], (0, -0.25)),
    composition("reciprocal(reciprocal(x))", (0.0,), [("reciprocal", 0), ("reciprocal", 1)], (1,)),
    composition("log(softmax(x)),far", ([0.0, -1000.0],), [("softmax", 0, {"axis": -1}), ("log", 1)], ([-1, 1],)),
)  # fmt: skip

# Ops along axes that can be taken for each other, since all are of one size.
AXES: tuple[SpecialPoint, ...] = (
    composition("log(softmax(x)),columns", ([[0.0, 1.0], [2.0, 4.0]],), [("softmax", 0, {"axis": 0}), ("log", 1)],
        ([[softmax_slope(2), softmax_slope(3)], [-softmax_slope(2), -softmax_slope(3)]],)),
    composition("permute_dims(permute_dims(x))-times-y", (CUBE, SQUARED), [
        ("permute_dims", 0, {"axes": (1, 2, 0)}), ("permute_dims", 2, {"axes": (1, 0, 2)}), ("multiply", 3, 1)],
        (SQUARED.transpose(2, 1, 0), CUBE.transpose(2, 1, 0))),
    composition("sum(sum(x))-times-y", (CUBE, SQUARED), [
        ("sum", 0, {"axis": 0, "keepdims": False}), ("sum", 2, {"axis": 1, "keepdims": False}), ("multiply", 3, 1)],
        (SQUARED.sum(axis=(0, 1))[None, :, None], CUBE.sum(axis=(0, 2)))),
)  # fmt: skip

POINTS: tuple[SpecialPoint, ...] = CONVENTIONS + BESIDE + UNDEFINED + AXES
