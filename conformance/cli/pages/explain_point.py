"""What `explain` says of special points: where they are, with the gradients that are fair there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.cli.console import MACRON, Page, names_of, number
from conformance.op import Op
from conformance.ops import find
from conformance.points import points_of
from conformance.points.point import Nature, Place, SpecialPoint

NATURES = {
    Nature.TIE: "the weights of the tied entries are not negative and sum to one; which entry gets how much is a convention",
    Nature.KINK: "every number between the slopes beside it (the Clarke subdifferential) is a fair answer; "
    "which one an engine gives is its convention",
    Nature.LIMIT: "only the rule is singular here, the gradient is not: the limit is right, and nothing else",
    Nature.FINITE: "the true gradient is finite at an extreme operand: NaN, infinity or another number is wrong",
    Nature.MASK: "what is not selected contributes zero, whatever its value",
    Nature.BORDER: "the domain ends here, or the op jumps: no answer is right or wrong; the atlas lists them",
    Nature.VALUE: "the value is claimed, NaN and infinities included; the gradient is not",
    Nature.TAIL: "the true gradient is far smaller than elsewhere, and not zero: it should be accurate relatively",
    Nature.COMPOSITION: "in a smooth function built from ops that are not smooth, a result other than the limit is an "
    "artefact of the ops' conventions, not a fault of an op",
}


def list_points(op: Op, page: Page) -> None:
    """The section of an op's page about its special points."""
    points = points_of(op.name)
    if not points:
        return
    page.heading("Special points")
    for point in points:
        page.line(in_a_line(point))
    for nature in dict.fromkeys(point.nature for point in points):
        page.text(f"{nature.value}: {NATURES[nature]}.")


def explain_point(point: SpecialPoint, page: Page) -> None:
    """The whole page of a point."""
    from conformance.checks import load_all

    check = load_all()[f"point/{point.nature.value}"]
    page.title(f"{point.key} · a special point")
    page.line(in_a_line(point))
    page.text(f"{point.nature.value}: {NATURES[point.nature]}.")
    page.heading(f"The check: {check.key}, of {check.clause}")
    page.text(f"{check.claim}.")
    if point.conventions:
        page.heading("What an engine's answer is called")
        for name, gradients in Place(point, "float64").conventions.items():
            page.line(f"{name}: {', '.join('any' if g is None else _numbers(g) for g in gradients)}")
    page.heading("Further")
    page.line(f"conformance run -q 'point/{point.key}'")
    page.line(f"conformance explain {check.clause}")


def in_a_line(point: SpecialPoint) -> str:
    """Where a point is, and what is fair there."""
    place = Place(point, "float64")
    count = len(place.operands)
    names = [f"v{i}" for i in range(count)] if point.steps else names_of(find(point.op), count)
    where = ", ".join(f"{name} = {_numbers(x)}" for name, x in zip(names, place.operands, strict=True))
    given = "".join(f", {k} = {v!r}" for k, v in point.parameters.items())
    fair = _fair(place, names)
    return f"{point.name} ({point.nature.value}): at {where}{given}" + (f": {fair}" if fair else "")


def _fair(place: Place, names: Sequence[str]) -> str:
    ranges = [(name, r) for name, r in zip(names, place.within, strict=True) if r is not None]
    if not ranges:
        return " | ".join(place.conventions)
    return ", ".join(_range(name, *r) for name, r in ranges)


def _range(name: str, low: Any, high: Any) -> str:
    if (low == high).all():
        return (
            f"{name}{MACRON} = {_numbers(low)} · g" if low.ndim == 0 else f"{name}{MACRON} = {_numbers(low)}"
        )
    if low.ndim == 0:
        return f"any slope from {_numbers(low)} to {_numbers(high)} with respect to {name}"
    return f"{name}{MACRON} between {_numbers(low)} and {_numbers(high)}"


def _numbers(array: Any) -> str:
    values = np.asarray(array, float) if np.asarray(array).dtype.kind == "f" else np.asarray(array)
    if not values.ndim:
        return number(float(values))
    return " ".join(np.array2string(values, separator=", ", precision=4, threshold=12).split())
