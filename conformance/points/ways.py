"""What is asked at special points besides the gradient itself: the value, and further ways to differentiate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np

from conformance.design.rows import leaves
from conformance.op import Op, Trait
from conformance.ops import CATALOGUE
from conformance.points.point import Nature, Place, SpecialPoint
from conformance.points.second_order import second_derivatives


@lru_cache(maxsize=64)
def takes_several_axes(op: Op) -> bool:
    """Whether the `axis` of an op may be a tuple of them."""
    return any(isinstance(signature.parameters.get("axis"), tuple) for signature in leaves(op.law))


def _has_slope(point: SpecialPoint) -> bool:
    """Whether it is a point of one op at which a tangent is compared with something.

    What a composition gives depends on the conventions of several ops. At a border only numbers have slopes with names.
    """
    if point.nature is Nature.BORDER:
        return any(not np.ndim(x) for x in Place(point, "float64").operands)
    return _has_range(point)


def _has_range(point: SpecialPoint) -> bool:
    """Whether it is a point of one op at which not every gradient is allowed, and there is one."""
    has_entries = any(np.size(x) for x in Place(point, "float64").operands)
    return point.nature not in (Nature.COMPOSITION, Nature.BORDER, Nature.TAIL, Nature.VALUE) and has_entries


def _has_second_derivative(point: SpecialPoint) -> bool:
    """Whether a second derivative is stated there."""
    return second_derivatives(point) is not None


def _has_rows(point: SpecialPoint) -> bool:
    """Whether it can be an entry among others of an elementwise op, or a row of an op along an axis of vectors."""
    if not _has_range(point) or point.op not in CATALOGUE:
        return False
    ranks = {np.ndim(x) for x in Place(point, "float64").operands}
    if Trait.ELEMENTWISE in CATALOGUE[point.op].traits:
        return ranks == {0}
    return "axis" in point.parameters and ranks == {1} and point.parameters["axis"] in (None, 0, -1)


def _is_reduced(point: SpecialPoint) -> bool:
    """Whether it is a vector that an op reduces, along axes of which there may be several."""
    if not _has_range(point) or point.op not in CATALOGUE or "axis" not in point.parameters:
        return False
    op, operands = CATALOGUE[point.op], Place(point, "float64").operands
    has_lists = any(isinstance(value, list) for value in point.parameters.values())  # one for each entry
    is_vector = len(operands) == 1 and operands[0].ndim == 1
    return Trait.REDUCTION in op.traits and is_vector and not has_lists and takes_several_axes(op)


# By the name of its check, the points to which a way applies.
WAYS: Mapping[str, Callable[[SpecialPoint], bool]] = {
    "value": lambda point: point.nature is not Nature.VALUE,  # where it is asked in every dtype
    "forward": _has_slope,
    "mapped": _has_range,
    "among-others": _has_rows,
    "over-axes": _is_reduced,
    "second-order": _has_second_derivative,
    "second-order-forward": _has_second_derivative,
}
