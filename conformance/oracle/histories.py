"""What a history means: every value, and every stored gradient, by the definition.

A graph of plain arrays that grows with the moves. The gradient of a walk is the reverse sweep over
the part of the graph behind it. Values are small integers, so that whatever order an engine
computes in, it must arrive at the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from conformance.case import Array
from conformance.history import Move, Verb
from conformance.op import Op
from conformance.oracle.sweep import gradient_bounds, reverse_sweep
from conformance.program import Program, Step

LARGEST_VALUE = 64.0
LARGEST_GRADIENT = 2.0**20  # single precision holds every integer up to 2**24
WALKS = (Verb.WALK, Verb.RETAIN, Verb.REFUSE)

Find = Callable[[str], Op]


@dataclass(frozen=True)
class Entry:
    """One node of the graph: a value, and how it was made."""

    value: Array
    op: str = ""  # none made a leaf, a constant, or what was cut or not recorded
    sources: tuple[int, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    has_gradient: bool = False
    is_broken: bool = False  # its rule raises


@dataclass(frozen=True)
class Walk:
    """What a walk back must do.

    Attributes:
        arrives: for each leaf that it reaches, what arrives there.
        spoiled: the leaves behind a rule that raises: what arrives there is never complete.
        may_fail: whether the engine may refuse: the graph was walked or written over before.
    """

    arrives: Mapping[int, Array]
    spoiled: frozenset[int]
    may_fail: bool
    nodes: frozenset[int]

    @property
    def must_fail(self) -> bool:
        """Whether the exception of a rule must come through."""
        return bool(self.spoiled)


class Definition:
    """The values and stored gradients that a history so far must have led to.

    Attributes:
        at: for the number of a value, the entry that it is now.
        stored: for the number of a leaf, what it keeps; None before anything arrived.
        scopes: how many scopes without recording are open.
        accumulates: whether a leaf adds what arrives to what it keeps.
    """

    def __init__(self, find: Find, *, accumulates: bool = True) -> None:
        self.find = find
        self.accumulates = accumulates
        self.entries: list[Entry] = []
        self.at: dict[int, int] = {}
        self.stored: dict[int, Array | None] = {}
        self.scopes = 0
        self._walked: set[int] = set()

    # ---- what is there -----------------------------------------------------------------------------

    def value(self, number: int) -> Array:
        """The value of that number, as it is now."""
        return self.entries[self.at[number]].value

    def has_gradient(self, number: int) -> bool:
        """Whether a leaf is behind it."""
        return self.entries[self.at[number]].has_gradient

    def allows(self, move: Move) -> bool:
        """Whether a move is possible, and what comes of it small enough to be exact."""
        if any(number not in self.at for number in move.of):
            return False
        if move.verb is Verb.CLOSE:
            return self.scopes > 0
        if move.verb is Verb.APPLY:
            return bool(np.abs(self._applied(move)).max(initial=0.0) <= LARGEST_VALUE)
        if move.verb is Verb.BREAK:
            return bool(np.abs(self.value(move.of[0])).max(initial=0.0) <= LARGEST_VALUE / 2)
        if move.verb in WALKS:
            return self.has_gradient(move.of[0]) and self._stays_exact(move)
        return True

    def _applied(self, move: Move) -> Array:
        values = [self.value(number) for number in move.of]
        return np.asarray(self.find(move.op).reference(*values, **move.parameters))

    def _stays_exact(self, move: Move) -> bool:
        """Whether no sum on the way back can outgrow the integers of single precision."""
        program, leaves = self._program(self.at[move.of[0]], self._seed(move))
        bounds = gradient_bounds(program, self.find, (*program.leaves, program.cotangent))
        kept = [self.stored.get(leaf) for leaf in leaves]
        return all(
            np.max(bound + (0 if before is None else np.abs(before)), initial=0.0) <= LARGEST_GRADIENT
            for bound, before in zip(bounds, kept, strict=False)
        )

    # ---- moves whose outcome is certain ------------------------------------------------------------

    def take(self, move: Move) -> None:
        """What a move does to values and scopes; walks are `walk` and `settle`."""
        if move.verb is Verb.OPEN:
            self.scopes += 1
        elif move.verb is Verb.CLOSE:
            self.scopes -= 1
        elif move.verb is Verb.CLEAR:
            self.stored[move.of[0]] = None
        elif move.made is not None:
            self.at[move.made] = len(self.entries)
            self.entries.append(self._made(move))
            if move.verb is Verb.LEAF:
                self.stored[move.made] = None

    def _made(self, move: Move) -> Entry:
        if move.verb in (Verb.LEAF, Verb.CONSTANT):
            assert move.array is not None
            return Entry(move.array, has_gradient=move.verb is Verb.LEAF)
        sources = tuple(self.at[number] for number in move.of)
        if move.verb is Verb.BREAK:
            value = self.value(move.of[0])
            made = Entry(value + value, "add", 2 * sources, is_broken=True)
        elif move.verb is Verb.APPLY:
            made = Entry(self._applied(move), move.op, sources, move.parameters)
        else:  # detached
            return Entry(self.value(move.of[0]))
        is_recorded = not self.scopes or move.is_elsewhere  # a scope is its own thread's
        if is_recorded and any(self.entries[source].has_gradient for source in sources):
            return replace(made, has_gradient=True)
        return Entry(made.value)

    # ---- walks ---------------------------------------------------------------------------------------

    def walk(self, move: Move) -> Walk:
        """What the walk of a move must do."""
        top = self.at[move.of[0]]
        program, leaves = self._program(top, self._seed(move))
        gradients = reverse_sweep(program, self.find, (*program.leaves, program.cotangent))
        nodes = frozenset(n for n in self._behind(top) if self.entries[n].op)
        spoiled = {behind for n in nodes if self.entries[n].is_broken for behind in self._behind(n)}
        return Walk(
            dict(zip(leaves, gradients, strict=False)),
            frozenset(leaf for leaf in leaves if self.at[leaf] in spoiled),
            bool(nodes & self._walked),
            nodes,
        )

    def outcomes(self, walk: Walk, leaf: int, *, has_failed: bool) -> tuple[Array, ...]:
        """What a leaf may keep after a walk: where that failed, all or nothing of what arrives."""
        before, arrives = self.stored[leaf], walk.arrives[leaf]
        whole = arrives if before is None or not self.accumulates else before + arrives
        if not has_failed:
            return (whole,)
        nothing = np.zeros_like(arrives) if before is None else before
        return (nothing,) if leaf in walk.spoiled else (nothing, whole)

    def settle(self, move: Move, walk: Walk, kept: Mapping[int, Array], *, has_failed: bool) -> None:
        """Note what the leaves keep after a walk, and that its nodes have been walked."""
        self.stored.update(kept)
        if has_failed or move.verb is Verb.WALK:
            self._walked |= walk.nodes

    def _seed(self, move: Move) -> Array:
        shape = self.value(move.of[0])
        return np.ones_like(shape) if move.array is None or move.verb is Verb.REFUSE else move.array

    def _behind(self, top: int) -> set[int]:
        """The entries from which a gradient's way leads to `top`."""
        found, waiting = {top}, [top]
        while waiting:
            for source in self.entries[waiting.pop()].sources:
                if self.entries[source].has_gradient and source not in found:
                    found.add(source)
                    waiting.append(source)
        return found

    def _program(self, top: int, cotangent: Array) -> tuple[Program, list[int]]:
        """The graph behind an entry as a program, its first leaves those of the numbers given with it."""
        behind = sorted(self._behind(top))
        steps = [n for n in behind if self.entries[n].op]
        number_of = {self.at[number]: number for number in self.stored}
        leaves = [n for n in behind if not self.entries[n].op]
        constants = {s for n in steps for s in self.entries[n].sources} - set(behind)
        inputs = [*leaves, *sorted(constants)]
        place = {n: i for i, n in enumerate([*inputs, *steps])}
        program = Program(
            tuple(self.entries[n].value for n in inputs),
            tuple(self._step(n, place) for n in steps),
            cotangent,
            cotangent.dtype.name,
        )
        return program, [number_of[n] for n in leaves]

    def _step(self, number: int, place: Mapping[int, int]) -> Step:
        entry = self.entries[number]
        return Step(entry.op, tuple(place[source] for source in entry.sources), entry.parameters)


def offered(moves: Sequence[Move], capabilities: frozenset[Any], ops: Mapping[str, Any]) -> Iterator[Move]:
    """The moves that an engine of these capabilities and ops offers."""
    for move in moves:
        if (move.needs is None or move.needs in capabilities) and all(op in ops for op in move.ops):
            yield move
