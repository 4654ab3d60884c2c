"""Questions about special points: one call each, at a tie, a kink, a singularity, a border, an extreme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from conformance.backend import Backend
from conformance.case import listed
from conformance.checks import Check, load_all
from conformance.checks.engine_calls import decline_if_declared
from conformance.checks.point_observation import RAISES, PointObservation, Standing
from conformance.checks.registry import FULL
from conformance.errors import Unsupported, is_ctrl_c
from conformance.points import SPECIAL_POINTS, find_point
from conformance.points.point import COMPOSED, PREFIX, Place
from conformance.points.ways import WAYS
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

    def run(self, check: Check, arguments: Arguments) -> Any:
        """Run a check at the point; an op without a gradient is not offered here either."""
        (seen,) = cast("tuple[PointObservation]", arguments)
        try:
            return check.function(seen)
        except Exception as refusal:
            steps = self.input.point.steps  # of a composition, any of whose ops may have none
            for op in [step.op for step in steps] or [self.subject.partition("/")[0]]:
                decline_if_declared(refusal, seen.backend, op, self.input.dtype)
            raise


@register
class PointKind(Kind):
    """Checks of special points, one question each."""

    name = "point"
    prefix = PREFIX
    has_upstreams = False

    def items(self, checks: Sequence[Check], backend: str, dtypes: Sequence[str]) -> Iterator[Item]:
        """Every point in the full precisions, for the check of its nature; in the first of them in the other ways."""
        keys = {check.name: check.key for check in checks}
        first = next((dtype for dtype in dtypes if dtype in FULL), "")
        for dtype in dtypes:
            for point in SPECIAL_POINTS.values() if dtype in FULL else ():
                if point.nature.value in keys:
                    yield Item(backend, keys[point.nature.value], point.key, dtype)
                for way, is_asked in WAYS.items() if dtype == first else ():
                    if way in keys and is_asked(point):
                        yield Item(backend, keys[way], point.key, dtype)

    def path(self, item: Item) -> tuple[str, ...]:
        """Point, dtype; between them the way, where it is not the gradient itself."""
        way = item.definition.name
        return (item.subject, way, item.dtype) if way in WAYS else (item.subject, item.dtype)

    def scope(self, item: Item) -> str:
        """The op and the dtype: the points of an op share what an engine compiles."""
        return f"point/{item.subject.partition('/')[0]}/{item.dtype}"

    def coverage(self, check: Check) -> str:
        """The points of the check's nature, or those to which its way applies."""
        is_asked = WAYS.get(check.name)
        points = [
            point.key
            for point in SPECIAL_POINTS.values()
            if (is_asked(point) if is_asked else point.nature.value == check.name)
        ]
        dtypes = "the widest dtype" if check.name in WAYS else "every dtype"
        return f"{len(points)} special points ({first_few(points)}), in {dtypes} that the engine has."

    def query(self, check: Check) -> str:
        """All points, or all in one way: an id names a point, not its nature."""
        return f"{self.name}/*/*/{check.name}" if check.name in WAYS else self.name

    def concerns(self, item: Item, ops: Sequence[str]) -> bool:
        """Whether it is a point of one of the ops, or of several ops."""
        return item.subject.partition("/")[0] in (*ops, COMPOSED)

    def op_of(self, item: Item) -> str:
        """The op that the point is one of."""
        op = item.subject.partition("/")[0]
        return "" if op == COMPOSED else op

    def require(self, item: Item, backend: Backend) -> None:
        """Raise Unsupported also where the point names a dtype that the adapter does not declare."""
        named = SPECIAL_POINTS[item.subject].parameters.get("dtype")
        if named is not None and named not in backend.dtypes:
            raise Unsupported(f"{backend.engine} does not declare {named}")
        super().require(item, backend)

    def rounds(
        self, items: Sequence[Item], backend: Backend, seed: int, effort: Effort
    ) -> Iterator[tuple[Question[Any], Sequence[Item]]]:
        """The point of each item."""
        for item in items:
            way = item.definition.name if item.definition.name in WAYS else ""
            yield PointQuestion(Place(SPECIAL_POINTS[item.subject], item.dtype, way)), [item]

    def read(self, token: str, key: str) -> Iterator[tuple[Check, Question[Any]]]:
        """The point, for the check of its nature, or of the way that the token names."""
        named, dtype, way = Place.from_token(token)
        point = find_point(named)
        yield load_all()[f"{self.name}/{way or point.nature.value}"], PointQuestion(Place(point, dtype, way))

    def atlas_cell(self, arguments: Arguments, failure: BaseException | None) -> AtlasCell | None:
        """What the engine gives there; None where the backend does not have the op."""
        (visit,) = cast("tuple[PointObservation]", arguments)
        if visit.place.way:  # the convention is that of the gradient itself
            return None
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
        except BaseException as error:  # the engine raises there, which is what the atlas shows
            if is_ctrl_c(error):
                raise
            return AtlasCell(RAISES, Standing.OPEN.value, declared, among)
