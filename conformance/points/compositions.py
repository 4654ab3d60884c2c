"""Smooth functions built from ops that are not smooth: the effect of the ops' conventions in the chain rule.

For example x = relu(x) − relu(−x) has slope 1 everywhere, but an engine whose relu has slope 0 at 0 gives 0 there.
No op is wrong then, and no other rule of a single op would be right in every composition.
"""

from __future__ import annotations

from conformance.points.constructors import composition
from conformance.points.point import SpecialPoint

# Values are numbered: the operands first, from 0, then the result of every step.
POINTS: tuple[SpecialPoint, ...] = (
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
