"""Random histories of a tape: graphs built, walked, cut and cleared in any order."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from conformance.history import Move, Verb
from conformance.oracle.histories import Definition
from conformance.strategies.machine import BINARY, SHAPES, Data, Drawing

UNARY: tuple[tuple[str, dict[str, Any], tuple[int, ...]], ...] = (
    ("negative", {}, (0, 1, 2)),
    ("sum", {"axis": None, "keepdims": False}, (1, 2)),
    ("permute_dims", {"axes": (1, 0)}, (2,)),
    ("reshape", {"shape": (4,)}, (2,)),
)
SCOPES = (Verb.OPEN, Verb.CLOSE)
MOST_VALUES = 10


class Tape(Drawing):
    """Moves of one thread on a tape: graphs built, walked, cut and cleared in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.definition = Definition(type(self).find)

    @initialize(data=st.data())
    def begin(self, data: Data) -> None:
        """There is always a graph, if a small one."""
        self.leaf(data)
        self.leaf(data)
        self.combine(data)

    @precondition(lambda self: len(self.definition.stored) < 4)
    @rule(data=st.data())
    def leaf(self, data: Data) -> None:
        """A leaf."""
        self.add(Verb.LEAF, makes=True, array=self.array(data, data.draw(st.sampled_from(SHAPES))))

    @precondition(lambda self: self.count < MOST_VALUES)
    @rule(data=st.data())
    def constant(self, data: Data) -> None:
        """A constant."""
        shape = data.draw(st.sampled_from(SHAPES))
        self.add(Verb.CONSTANT, makes=True, array=self.array(data, shape))

    @rule(data=st.data())
    def combine(self, data: Data, *, is_elsewhere: bool = False) -> None:
        """An op of two values that fit."""
        first = self._latest(data)
        shape = self.definition.value(first).shape
        fitting = [
            n for n in self._values() if {self.definition.value(n).shape, shape} <= {shape, ()} or shape == ()
        ]
        second = data.draw(st.sampled_from(fitting))
        op = data.draw(st.sampled_from(BINARY))
        if len(shape) == self.definition.value(second).ndim == 2:
            op = data.draw(st.sampled_from((*BINARY, "matmul")))
        self.add(Verb.APPLY, first, second, makes=True, op=op, is_elsewhere=is_elsewhere)

    @rule(data=st.data())
    def combine_more(self, data: Data) -> None:
        """Graphs are built more often than walked."""
        self.combine(data)

    @rule(data=st.data())
    def change(self, data: Data) -> None:
        """An op of one value."""
        of = self._latest(data)
        ndim = self.definition.value(of).ndim
        op, parameters = data.draw(st.sampled_from([(o, p) for o, p, ndims in UNARY if ndim in ndims]))
        self.add(Verb.APPLY, of, makes=True, op=op, parameters=parameters)

    @rule(data=st.data())
    def detach(self, data: Data) -> None:
        """A value cut from its history."""
        self.add(Verb.DETACH, self._latest(data), makes=True)

    @rule(data=st.data())
    def break_(self, data: Data) -> None:
        """A rule that raises on the way back, beside a way past it; and the walk that it fails."""
        of = self._recorded(data)
        op = data.draw(st.sampled_from(BINARY))
        if self.add(Verb.BREAK, of, makes=True):
            self.add(Verb.APPLY, self.count - 1, of, makes=True, op=op)
            self.walk_latest(data)

    @precondition(lambda self: self.definition.scopes < 2 and self.moves[-1].verb not in SCOPES)
    @rule()
    def open(self) -> None:
        """A scope without recording."""
        self.add(Verb.OPEN)

    @precondition(lambda self: self.definition.scopes and self.moves[-1].verb not in SCOPES)
    @rule()
    def close(self) -> None:
        """Its end."""
        self.add(Verb.CLOSE)

    @rule(data=st.data(), verb=st.sampled_from((Verb.WALK, Verb.RETAIN)))
    def walk(self, data: Data, verb: Verb, *, is_elsewhere: bool = False) -> None:
        """A walk back, with a cotangent or from a scalar without."""
        of = self._recorded(data)
        shape = self.definition.value(of).shape
        is_seeded = shape == () and data.draw(st.booleans())
        self.add(verb, of, array=None if is_seeded else self.array(data, shape), is_elsewhere=is_elsewhere)

    @rule(data=st.data())
    def walk_latest(self, data: Data, *, is_elsewhere: bool = False) -> None:
        """A walk back from what was made last."""
        latest = max(n for n in self.definition.at if self.definition.has_gradient(n))
        array = self.array(data, self.definition.value(latest).shape)
        self.add(Verb.WALK, latest, array=array, is_elsewhere=is_elsewhere)

    @rule(data=st.data())
    def walk_again(self, data: Data) -> None:
        """The value that was walked last, once more."""
        walked = [move for move in self.moves if move.verb in (Verb.WALK, Verb.RETAIN)]
        if walked:
            self.add(walked[-1].verb, *walked[-1].of, array=walked[-1].array)

    @rule(data=st.data())
    def refuse(self, data: Data) -> None:
        """A cotangent of another shape, which does not broadcast to the right one."""
        of = self._recorded(data)
        self.add(Verb.REFUSE, of, array=self.array(data, (3, *self.definition.value(of).shape)))

    @rule(data=st.data())
    def clear(self, data: Data) -> None:
        """A gradient forgotten, once or twice: one that is there, if there is any."""
        stored = self.definition.stored
        held = [leaf for leaf, gradient in stored.items() if gradient is not None]
        leaf = data.draw(st.sampled_from(sorted(held or stored)))
        for _ in range(data.draw(st.integers(1, 2))):
            self.add(Verb.CLEAR, leaf)

    def follow(self, move: Move) -> None:
        """Of a walk, that it succeeds unless a rule raises."""
        super().follow(move)
        if move.verb in (Verb.WALK, Verb.RETAIN):
            walk = self.definition.walk(move)
            kept = {
                leaf: self.definition.outcomes(walk, leaf, has_failed=walk.must_fail)[-1]
                for leaf in walk.arrives
            }
            self.definition.settle(move, walk, kept, has_failed=walk.must_fail)

    def _values(self) -> list[int]:
        return sorted(self.definition.at, reverse=True)

    def _latest(self, data: Data) -> int:
        return int(data.draw(st.sampled_from(self._values())))

    def _recorded(self, data: Data) -> int:
        recorded = [n for n in self._values() if self.definition.has_gradient(n)]
        return int(data.draw(st.sampled_from(recorded)))


class Threads(Tape):
    """The same, some of them in threads of their own, one after the other."""

    @rule(data=st.data())
    def combine_elsewhere(self, data: Data) -> None:
        """An op in another thread, where no scope is open."""
        self.combine(data, is_elsewhere=True)

    @precondition(lambda self: self.definition.scopes)
    @rule(data=st.data())
    def record_elsewhere(self, data: Data) -> None:
        """While a scope is open here, another thread records, and what it recorded is walked."""
        of = self._recorded(data)
        self.add(Verb.APPLY, of, of, makes=True, op=data.draw(st.sampled_from(BINARY)), is_elsewhere=True)
        self.walk_latest(data)

    @rule(data=st.data())
    def walk_elsewhere(self, data: Data) -> None:
        """A walk back in another thread."""
        self.walk(data, Verb.WALK, is_elsewhere=True)

    @rule(data=st.data())
    def walk_latest_elsewhere(self, data: Data) -> None:
        """A walk back from what was made last, in another thread."""
        self.walk_latest(data, is_elsewhere=True)
