"""Chapter E: values at special points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.backend import as_tuple
from conformance.case import Array
from conformance.checks.comparison import decides, tolerances
from conformance.checks.e_values.special_points import point_check
from conformance.checks.observation import plain
from conformance.checks.point_observation import PointObservation, brief, is_alike
from conformance.checks.registry import NotThisCase
from conformance.errors import Violation
from conformance.ops import find
from conformance.oracle.allowance import SAFETY_FACTOR, ULPS, extended
from conformance.points.point import Nature


def _reference(op: str, parameters: Mapping[str, Any]) -> Callable[..., Any]:
    return lambda *operands: find(op).reference(*operands, **parameters)


def _evaluated(observed: PointObservation, operands: Sequence[Array]) -> list[Array]:
    """What the reference, or the references of a composition one after the other, give."""
    point = observed.point
    with np.errstate(all="ignore"):
        if point.steps:
            return [np.asarray(observed.place.program().run(_reference, operands)[-1])]
        return [np.asarray(z) for z in as_tuple(_reference(point.op, point.parameters)(*operands))]


def _rounding(expected: Array, dtype: str) -> Any:
    """A few units in the last place of the largest entry, or of one."""
    size = np.abs(expected[np.isfinite(expected)]).max(initial=1)
    return SAFETY_FACTOR * ULPS * np.finfo(dtype).eps * size


@point_check("E22", Nature.VALUE)
def value_at_a_special_point_is_the_references(observed: PointObservation) -> None:
    """At a special point the value is the reference's, exactly or as its formula rounds; NaN and infinities included."""
    operands = [np.array(x) for x in observed.place.operands]
    try:
        in_its_precision = _evaluated(observed, operands)
    except np.linalg.LinAlgError as refusal:
        raise NotThisCase(f"the reference has no value there: {refusal}") from None
    exact = _evaluated(observed, [extended(x) for x in operands])
    found = [plain(observed.backend, z) for z in observed.backend.forward(observed.function(), operands)]
    for got, *values in zip(found, exact, in_its_precision, strict=True):
        decides(bool(got.size))
        pairs = [(z, _rounding(z, observed.place.dtype)) for z in values]

        def is_fair(
            altered: Callable[[Array], Array], given: Array = got, pairs: Sequence[tuple[Array, Any]] = pairs
        ) -> bool:
            return any(is_alike(altered(given), *pair) for pair in pairs)

        tolerances.put(is_fair)
        if not is_fair(np.asarray):
            raise Violation(
                f"the value at {observed.point.key} is {brief(got)}, not {brief(values[0])}",
                expected=values[0].astype(values[1].dtype),
                got=got,
            )
