"""The ways in which special points are differentiated, besides the gradient itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.points.point import Nature, SpecialPoint
from conformance.points.second_order import second_derivatives


def _has_one_op(point: SpecialPoint) -> bool:
    """Whether it is a point of one op; what a composition gives depends on the conventions of several."""
    return point.nature not in (Nature.COMPOSITION, Nature.TAIL)


def _has_range(point: SpecialPoint) -> bool:
    """Whether it is a point of one op at which not every gradient is allowed."""
    return point.nature not in (Nature.COMPOSITION, Nature.BORDER, Nature.TAIL)


def _has_second_derivative(point: SpecialPoint) -> bool:
    """Whether a second derivative is stated there."""
    return second_derivatives(point) is not None


# By the name of its check, the points to which a way applies.
WAYS: Mapping[str, Callable[[SpecialPoint], bool]] = {
    "forward": _has_one_op,
    "mapped": _has_range,
    "second-order": _has_second_derivative,
    "second-order-forward": _has_second_derivative,
}
