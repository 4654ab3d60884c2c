"""The compact plan: which items the quick profile asks of an engine that compiles each signature.

Such an engine costs a hundred times as much a question as any other, and nearly all of that is compilation. So its modes
share what is asked of it, and what compiles again is asked of some of the ops. Two rules, both by the place of an
op in its family plus the seed, so that every family has its share, and another seed asks other ops:

- the modes of an engine take turns: what is asked of an op in the first dtype in one of them is asked in the second
  dtype in the next; of the half precisions, and of the complex dtypes, an op has one, in one mode;
- what an engine compiles for one check alone is asked of one op in a few, in the first dtype, or where the check is of
  others alone in one of these; forward mode, second derivatives and one array as two operands also of every elementwise
  op, which cost little there: an engine that makes its reverse rules by transposing those of forward mode drops from
  them what does not depend on the tangent, so that no gradient shows it, what a rule takes for a constant shows in its
  derivative alone, and what a rule merges where two operands are one array in that call;
- elementwise ops are asked all over their domains, in every dtype in turns: hundreds of numbers cost as much as one, and
  every such op has the same shapes.

All that belongs to the engine as a whole, such as contracts, is asked of every mode.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from conformance.checks.registry import COMPLEX, FULL
from conformance.dtype import HALF
from conformance.load import modes_of, named
from conformance.op import Trait
from conformance.ops import ALL_OPS, FAMILIES, FAMILY
from conformance.points.ways import WAYS
from conformance.questions.kind import Item

ONE_IN = 4  # ops that are asked what is compiled for one check or one dtype alone
ONE_POINT_IN = 6  # ops whose special points are asked in other ways than by their gradients, each in one way
ORDERS = frozenset(
    f"{outer}-over-{inner}" for outer in ("forward", "reverse") for inner in ("forward", "reverse")
)
# Checks of an elementwise op: its orders are compiled together, and one array as two operands is one call more.
CHEAP = ORDERS | {"forward", "one-array"}
OF_FEW = frozenset({"flat-complex"})  # checks of two or three ops, of which a part would be none
SWEEPS = frozenset(
    {"value-swept", "complex-value-swept", "swept", "value-at-ends"}
)  # checks of all numbers at once
KINDS_OF_DTYPES = (FULL, frozenset(HALF), COMPLEX)


@dataclass(frozen=True)
class Compact:
    """What one mode of an engine is asked for a seed.

    Attributes:
        dtypes: of the mode, in the adapter's order.
        mode: its number among the modes of its engine.
        modes: how many there are.
        seed: of everything drawn.
    """

    dtypes: tuple[str, ...]
    mode: int
    modes: int
    seed: int

    @classmethod
    def of(cls, name: str, dtypes: Sequence[str], seed: int) -> Compact:
        """That of a backend: the other modes are those that the engine's name stands for; one that is run only by its own has no turns."""
        modes = sorted(modes_of(engine)) if (engine := name.partition(".")[0]) in named() else []
        return cls(tuple(dtypes), *((modes.index(name), len(modes)) if name in modes else (0, 1)), seed)

    def asks(self, item: Item) -> bool:
        """Whether an item is asked."""
        kind = item.definition.kind
        if kind not in ("op", "point"):
            return True
        place = _place(item.subject.partition("/")[0]) + self.seed
        if kind == "point" and item.definition.name in WAYS:
            way = list(WAYS).index(item.definition.name)
            return self._is_among(ONE_POINT_IN, place, way) and self._has_turn(place)
        if kind == "point":
            return self._has_turn(place) if item.dtype == self.dtypes[0] else self._is_among(ONE_IN, place, 0)
        check = item.definition
        if check.name in SWEEPS:
            return self._has_turn(place + self._number(item.dtype))
        if check.is_compiled_alone:
            is_chosen = self._is_among(ONE_IN, place, zlib.crc32(check.clause.encode()))
            return (
                (is_chosen or _is_cheap(item))
                and item.dtype == self._dtype_of(item, place)
                and self._has_turn(place)
            )
        return self._asks_in(item.dtype, place)

    def _dtype_of(self, item: Item, place: int) -> str:
        """The one dtype in which an op is asked what is compiled for one check: the first, or one of the check's in turns."""
        own = [dtype for dtype in self.dtypes if dtype in item.definition.dtypes]
        return (
            self.dtypes[0]
            if self.dtypes[0] in own or not own
            else own[place // self.modes // ONE_IN % len(own)]
        )

    def _has_turn(self, place: int) -> bool:
        return place % self.modes == self.mode

    def _is_among(self, one_in: int, place: int, what: int) -> bool:
        """Whether an op is one in so many, in whichever mode has its turn, others for each of what is asked."""
        return (place // self.modes + what) % one_in == 0

    def _asks_in(self, dtype: str, place: int) -> bool:
        """Whether an op at a place of its family is asked in a dtype."""
        if dtype in FULL:
            return self._has_turn(place + self._number(dtype))
        return self._is_among(ONE_IN, place, self._number(dtype)) and self._has_turn(place)

    def _number(self, dtype: str) -> int:
        """The place of a dtype among those of its kind."""
        alike = next((kind for kind in KINDS_OF_DTYPES if dtype in kind), frozenset({dtype}))
        return [other for other in self.dtypes if other in alike].index(dtype)


def _is_cheap(item: Item) -> bool:
    """Whether it is the forward mode, a second derivative, or one array as two operands, of an elementwise op, or of few ops at all."""
    name = item.definition.name
    return name in OF_FEW or (name in CHEAP and Trait.ELEMENTWISE in ALL_OPS[item.subject].traits)


@cache
def _place(op: str) -> int:
    """Where an op stands in its family; what is composed of several ops has a place of its own."""
    if op not in ALL_OPS:
        return zlib.crc32(op.encode())
    return [row.name for row in FAMILIES[FAMILY[op]]].index(op)
