"""Random histories: Hypothesis interleaves the calls of a tape, or of pullbacks.

The state machines ask no engine. They keep the definition of what they have drawn so far, so that only moves
that are possible are drawn, and every engine is asked the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from conformance.case import Array
from conformance.history import History, Move, Verb
from conformance.op import Op
from conformance.oracle.histories import Definition
from conformance.oracle.pullbacks import Pullbacks
from conformance.strategies import explore

Find = Callable[[str], Op]
Data = Any  # what st.data() gives
Visit = Callable[[History], None]

SHAPES: tuple[tuple[int, ...], ...] = ((2,), (), (2, 2))
BINARY = ("multiply", "add", "subtract")
UNARY: tuple[tuple[str, dict[str, Any], tuple[int, ...]], ...] = (
    ("negative", {}, (0, 1, 2)),
    ("sum", {"axis": None, "keepdims": False}, (1, 2)),
    ("permute_dims", {"axes": (1, 0)}, (2,)),
    ("reshape", {"shape": (4,)}, (2,)),
)
SCOPES = (Verb.OPEN, Verb.CLOSE)
LONGEST = 30
MOST_VALUES = 10
MOST_PULLBACKS = 4  # a compiler compiles each anew


def integers(shape: tuple[int, ...], dtype: str, seed: int) -> Array:
    """Small integers but zero, so that nothing is ever rounded."""
    rng = np.random.default_rng(seed)
    return np.array(rng.integers(1, 4, shape) * rng.choice((-1, 1), shape), dtype)


class _Drawing(RuleBasedStateMachine):
    """What tape and pullbacks share: the moves so far, and what they mean."""

    kind: ClassVar[str]
    per_program: ClassVar[float] = 2.0  # histories, where so many programs are drawn
    find: ClassVar[Any]
    dtype: ClassVar[str]
    visit: ClassVar[Any]
    definition: Any

    def __init__(self) -> None:
        super().__init__()
        self.moves: list[Move] = []
        self.count = 0

    def teardown(self) -> None:
        """Hand the history over."""
        type(self).visit(History(type(self).kind, tuple(self.moves), type(self).dtype))

    def array(self, data: Data, shape: tuple[int, ...]) -> Array:
        """An array of that shape."""
        return integers(shape, type(self).dtype, data.draw(st.integers(0, 2**16)))

    def add(self, verb: Verb, *of: int, makes: bool = False, **more: Any) -> bool:
        """Add a move if it is allowed, and follow what it does; tell whether it is."""
        move = Move(verb, of, self.count if makes else None, **more)
        if not self.definition.allows(move):
            return False
        self.moves.append(move)
        self.count += makes
        self.follow(move)
        return True

    def follow(self, move: Move) -> None:
        """What the move does, to an engine that is right."""
        self.definition.take(move)


class Tape(_Drawing):
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


class PullbackCalls(_Drawing):
    """Pullbacks taken and called in any order, with what raises, is refused or is traced in between."""

    per_program = 0.5  # a compiler compiles each function anew

    def __init__(self) -> None:
        super().__init__()
        self.definition = Pullbacks(type(self).find)

    @initialize(data=st.data())
    def constants(self, data: Data) -> None:
        """Three to choose from."""
        for shape in (*SHAPES[:2], data.draw(st.sampled_from(SHAPES[:2]))):
            self.add(Verb.CONSTANT, makes=True, array=self.array(data, shape))

    @precondition(lambda self: len(self.definition.programs) < MOST_PULLBACKS)
    @rule(data=st.data())
    def take(self, data: Data) -> None:
        """A pullback, of every fourth a rule raises."""
        self._take(data, Verb.PULLBACK, (), is_broken=data.draw(st.integers(0, 3)) == 3)

    @precondition(lambda self: self.moves[-1].verb is not Verb.RAISE)
    @rule(data=st.data())
    def raise_(self, data: Data) -> None:
        """A function that raises while it is traced."""
        self._take(data, Verb.RAISE, (), is_broken=False)

    @precondition(lambda self: self._whole() and len(self.definition.programs) < MOST_PULLBACKS)
    @rule(data=st.data())
    def pull_within(self, data: Data) -> None:
        """A pullback of a function in which another one is called."""
        within = data.draw(st.sampled_from(sorted(self._whole())))
        cotangent = self.array(data, self._shape(within))
        self._take(data, Verb.PULL_WITHIN, (within,), is_broken=False, array=cotangent)

    @precondition(lambda self: self.definition.programs)
    @rule(data=st.data())
    def pull(self, data: Data) -> None:
        """A call of a pullback."""
        of = data.draw(st.sampled_from(sorted(self.definition.programs)))
        self.add(Verb.PULL, of, array=self.array(data, self._shape(of)))

    @precondition(lambda self: len(self.definition.programs) > 1)
    @rule(data=st.data())
    def pull_each(self, data: Data) -> None:
        """A call of every pullback."""
        for of in sorted(self.definition.programs):
            self.add(Verb.PULL, of, array=self.array(data, self._shape(of)))

    @precondition(lambda self: self.definition.programs)
    @rule(data=st.data())
    def refuse(self, data: Data) -> None:
        """A cotangent of another shape, which does not broadcast to the right one."""
        of = data.draw(st.sampled_from(sorted(self.definition.programs, reverse=True)))
        self.add(Verb.REFUSE_PULL, of, array=self.array(data, (3, *self._shape(of))))

    def _take(
        self, data: Data, verb: Verb, within: tuple[int, ...], *, is_broken: bool, array: Array | None = None
    ) -> None:
        """A function of one or two constants, which depends on all of them."""
        of = data.draw(st.lists(st.sampled_from(sorted(self.definition.constants)), min_size=1, max_size=2))
        count, steps = len(of) + len(within), []
        for number in range(max(1, count - 1) + data.draw(st.integers(0, 2))):
            latest = count + number - 1 if number else 0
            other = number + 1 if number < count - 1 else data.draw(st.integers(0, latest))
            steps.append((data.draw(st.sampled_from(BINARY)), (latest, other)))
        makes = verb is not Verb.RAISE
        parameters = {"steps": tuple(steps), "is_broken": is_broken}
        self.add(verb, *within, *of, makes=makes, array=array, parameters=parameters)

    def _whole(self) -> set[int]:
        whole: set[int] = set(self.definition.programs) - self.definition.broken
        return whole

    def _shape(self, number: int) -> tuple[int, ...]:
        return tuple(self.definition.shape(number))


MACHINES: dict[str, type[_Drawing]] = {"tape": Tape, "threads": Threads, "pullbacks": PullbackCalls}


def _machine(kind: str, find: Find, dtype: str, visit: Visit) -> type[_Drawing]:
    bound = {"kind": kind, "find": staticmethod(find), "dtype": dtype, "visit": staticmethod(visit)}
    return type(MACHINES[kind].__name__, (MACHINES[kind],), bound)


@lru_cache(maxsize=8)
def draw_histories(kind: str, find: Find, dtype: str, seed: int, count: int) -> tuple[History, ...]:
    """The histories of a kind for a seed."""
    drawn: list[History] = []
    count = max(1, int(count * MACHINES[kind].per_program))
    explore.run_machine(_machine(kind, find, dtype, drawn.append), seed=seed, examples=count, steps=LONGEST)
    return tuple(drawn)


def smallest_history(
    find: Find, seed: int, count: int, failed: History, is_failing: Callable[[History], bool]
) -> History:
    """The smallest failing history among those drawn for the same seed and around them, no move of it needless."""
    smallest = explore.shrink_machine(
        lambda visit: _machine(failed.kind, find, failed.dtype, visit),
        is_failing,
        seed=seed,
        examples=count,
        steps=LONGEST,
    )
    return _without_needless(smallest or failed, is_failing)


def _without_needless(history: History, is_failing: Callable[[History], bool]) -> History:
    """The history without the moves that the failure does not need: Hypothesis is slow with long ones."""
    for number in reversed(range(len(history.moves))):
        shorter = replace(history, moves=history.moves[:number] + history.moves[number + 1 :])
        if is_failing(shorter):
            history = shorter
    return history
