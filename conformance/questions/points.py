"""Questions about special points: one call each, at a tie, a kink, a singularity, a border, an extreme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from conformance.backend import Backend
from conformance.case import listed
from conformance.checks import Check, load_all
from conformance.checks.point_observation import RAISES, PointObservation, Standing
from conformance.checks.registry import FULL
from conformance.errors import Unsupported
from conformance.points import SPECIAL_POINTS, find_point
from conformance.points.point import COMPOSED, PREFIX, Place
from conformance.questions.kind import Arguments, Item, Kind, Question, first_few, register
from conformance.runfile.atlas_cell import AtlasCell
from conformance.strategies import Effort


class PointQuestion(Question[Place]):
    """A special point in a dtype."""

    @property
    def subject(self) -> str:
        """The point's key."""
        return self.input.point.key

    def on(self, backend: Backend) -> Arguments:
        """The point observed on the backend."""
        return (PointObservation(backend, self.input),)


@register
class PointKind(Kind):
    """Checks of special points, one question each."""

    name = "point"
    prefix = PREFIX
    has_upstreams = False

    def items(self, checks: Sequence[Check], backend: str, dtypes: Sequence[str]) -> Iterator[Item]:
        """Every point in the full precisions, for the check of its nature."""
        keys = {check.name: check.key for check in checks}
        for dtype in dtypes:
            for point in SPECIAL_POINTS.values() if dtype in FULL else ():
                if point.nature.value in keys:
                    yield Item(backend, keys[point.nature.value], point.key, dtype)

    def path(self, item: Item) -> tuple[str, ...]:
        """Point, dtype."""
        return item.subject, item.dtype

    def scope(self, item: Item) -> str:
        """The op and the dtype: the points of an op share what an engine compiles."""
        return f"point/{item.subject.partition('/')[0]}/{item.dtype}"

    def coverage(self, check: Check) -> str:
        """The points of the check's nature."""
        points = [point.key for point in SPECIAL_POINTS.values() if point.nature.value == check.name]
        return f"{len(points)} special points ({first_few(points)}), in every dtype that the engine has."

    def query(self, check: Check) -> str:
        """All points: an id names a point, not its nature."""
        return self.name

    def concerns(self, item: Item, ops: Sequence[str]) -> bool:
        """Whether it is a point of one of the ops, or of several ops."""
        return item.subject.partition("/")[0] in (*ops, COMPOSED)

    def rounds(
        self, items: Sequence[Item], backend: Backend, seed: int, effort: Effort
    ) -> Iterator[tuple[Question[Any], Sequence[Item]]]:
        """The point of each item."""
        for item in items:
            yield PointQuestion(Place(SPECIAL_POINTS[item.subject], item.dtype)), [item]

    def read(self, token: str, key: str) -> Iterator[tuple[Check, Question[Any]]]:
        """The point, for the check of its nature."""
        named, dtype = Place.from_token(token)
        point = find_point(named)
        yield load_all()[f"{self.name}/{point.nature.value}"], PointQuestion(Place(point, dtype))

    def atlas_cell(self, arguments: Arguments, failure: BaseException | None) -> AtlasCell | None:
        """What the engine gives there; None where the backend does not have the op."""
        (visit,) = cast("tuple[PointObservation]", arguments)
        declared = visit.backend.points.get(visit.point.key, "")
        among = tuple(visit.point.conventions)
        try:
            gradients = [
                None if i not in visit.wrt else listed(visit.gradients[i])
                for i in range(len(visit.place.operands))
            ]
            return AtlasCell(visit.found, visit.standing.value, declared, among, gradients)
        except Unsupported:
            return None
        except Exception:  # the engine raises there, which is what the atlas shows
            return AtlasCell(RAISES, Standing.OPEN.value, declared, among)
