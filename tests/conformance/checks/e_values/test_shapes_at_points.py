"""A value, gradient or tangent of a wrong shape at a special point is the engine's, in every way that a point is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks import load_all
from conformance.checks.point_observation import PointObservation
from conformance.errors import ConformanceError, Violation
from conformance.points import SPECIAL_POINTS, find_point
from conformance.points.point import Place, SpecialPoint
from conformance.points.ways import WAYS
from conformance.run.attribution import is_defect, trail_of

SHAPED: dict[str, Callable[[Any], Any]] = {
    "an axis more": lambda z: np.expand_dims(z, 0),
    "an axis more at the end": lambda z: np.expand_dims(z, -1),
    "first of an axis": lambda z: z[:1] if z.ndim else z,
    "an axis less": lambda z: z[..., 0] if z.ndim else z,
    "a number": lambda z: np.sum(z, axis=None, keepdims=False),
    "without entries": lambda z: z[:0] if z.ndim else z,
}


class ShapesValues(NumpyTape):
    """Each op's value has another shape."""

    def __init__(self, shaped: Callable[[Any], Any]) -> None:
        super().__init__()
        self.shaped = shaped

    def op(self, name: str) -> Any:
        right = super().op(name)

        def call(*operands: Any, **parameters: Any) -> Any:
            found = right(*operands, **parameters)
            return tuple(map(self.shaped, found)) if isinstance(found, tuple) else self.shaped(found)

        return call


class ShapesGradients(NumpyTape):
    """Each gradient has another shape."""

    def __init__(self, shaped: Callable[[Any], Any]) -> None:
        super().__init__()
        self.shaped = shaped

    def grad(self, leaf: Any) -> Any:
        found = super().grad(leaf)
        return found if found is None else self.shaped(found)


class ShapesTangents(ShapesGradients):
    """Each tangent has another shape, in forward mode."""

    def grad(self, leaf: Any) -> Any:
        return NumpyTape.grad(self, leaf)

    def jvp(self, *given: Any) -> Any:
        outputs, tangents = super().jvp(*given)
        return outputs, tuple(map(self.shaped, tangents))


def asked() -> Iterator[tuple[SpecialPoint, str, str]]:
    """Points and ways to ask them: of each way and nature a few, those of a cotangent that has a shape first."""
    by_shape = sorted(SPECIAL_POINTS.values(), key=lambda p: -np.ndim(p.cotangent))
    ways = {way: lambda point, is_asked=is_asked: is_asked(point) for way, is_asked in WAYS.items()}
    for way, is_asked in ways.items():
        for point in [point for point in by_shape if is_asked(point)][::40][:8]:
            yield point, f"point/{way}", way
    for nature in {point.nature.value for point in by_shape}:
        for point in [point for point in by_shape if point.nature.value == nature][:6]:
            yield point, f"point/{nature}", ""


@pytest.mark.parametrize("kind", [ShapesValues, ShapesGradients, ShapesTangents])
@pytest.mark.parametrize("shaped", SHAPED)
def test_no_wrong_shape_at_a_point_is_a_defect_of_the_suite(kind: Any, shaped: str) -> None:
    engine = kind(SHAPED[shaped])
    seen, defects = set(), []
    for point, check, way in asked():
        try:
            load_all()[check].function(PointObservation(engine, Place(point, "float64", way)))
        except Exception as failure:
            seen.add(type(failure).__name__)
            of_the_check = failure.with_traceback(failure.__traceback__ and failure.__traceback__.tb_next)
            if is_defect(of_the_check) and not isinstance(failure, ConformanceError):
                defects.append(f"{check} at {point.key}: {failure!r}\n{trail_of(failure)}")
    assert not defects, "\n".join(defects)
    assert "Violation" in seen


def test_the_gradients_check_says_that_the_value_has_the_wrong_shape() -> None:
    place = Place(find_point("matmul/stretched-on-both-sides"), "float64")
    check = load_all()[f"point/{place.point.nature.value}"].function
    check(PointObservation(NumpyTape(), place))
    with pytest.raises(
        Violation, match=r"the value at matmul/\S+ has shape \(1, 2, 1, 1\), which its cotangent"
    ):
        check(
            PointObservation(ShapesValues(lambda z: np.sum(z, axis=1, keepdims=True)[None][:, :, 0]), place)
        )
