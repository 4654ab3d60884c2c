"""The graph of a history: plain values, how each was made of others, and which of them were leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from conformance.case import Array
from conformance.op import Op
from conformance.ops.names import ADD
from conformance.program import Program, Step

Find = Callable[[str], Op]


@dataclass(frozen=True)
class Entry:
    """One node of the graph: a value, and how it was made."""

    value: Array
    op: str = ""  # none made a leaf, a constant, or what was detached or not recorded
    sources: tuple[int, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    has_gradient: bool = False
    is_broken: bool = False  # its rule raises


class Graph:
    """Entries by their place, in the order in which they were made.

    Attributes:
        leaf_of: for the entry of a leaf, the leaf's number; a leaf that is written without recording has several.
    """

    def __init__(self, find: Find) -> None:
        self.find = find
        self.entries: list[Entry] = []
        self.leaf_of: dict[int, int] = {}

    def __getitem__(self, place: int) -> Entry:
        return self.entries[place]

    # ---- growing -------------------------------------------------------------------------------------

    def add(self, entry: Entry, *, leaf: int | None = None) -> int:
        """Add an entry, of the leaf of that number where one is given; returns its place."""
        place = len(self.entries)
        if leaf is not None:
            self.leaf_of[place], entry = leaf, replace(entry, has_gradient=True)
        self.entries.append(entry)
        return place

    def add_made(self, made: Entry) -> int:
        """Add what was made of others, as a constant where all of them are."""
        is_recorded = any(self[source].has_gradient for source in made.sources)
        return self.add(replace(made, has_gradient=True) if is_recorded else Entry(made.value))

    def apply(self, op: str, sources: tuple[int, ...], parameters: Mapping[str, Any]) -> int:
        """Add what an op makes of others."""
        values = [self[source].value for source in sources]
        value = np.asarray(self.find(op).reference(*values, **parameters))
        return self.add_made(Entry(value, op, sources, parameters))

    def add_changed(self, old: int, value: Array) -> int:
        """Add another value with the history of an old one, which is the old one plus a constant."""
        if old in self.leaf_of:
            return self.add(Entry(value), leaf=self.leaf_of[old])
        return self.apply(ADD, (old, self.add(Entry(value - self[old].value))), {})

    # ---- the backward pass ----------------------------------------------------------------------------------

    def behind(self, top: int) -> set[int]:
        """The entries that the gradient of `top` reaches, and `top` itself."""
        found, waiting = {top}, [top]
        while waiting:
            for source in self[waiting.pop()].sources:
                if self[source].has_gradient and source not in found:
                    found.add(source)
                    waiting.append(source)
        return found

    def program(self, top: int, cotangent: Array) -> tuple[Program, list[int]]:
        """The graph behind an entry as a program, its first leaves those of the numbers given with it."""
        behind = sorted(self.behind(top))
        steps = [n for n in behind if self[n].op]
        leaves = [n for n in behind if not self[n].op]
        constants = {s for n in steps for s in self[n].sources} - set(behind)
        inputs = [*leaves, *sorted(constants)]
        place = {n: i for i, n in enumerate([*inputs, *steps])}
        program = Program(
            tuple(self[n].value for n in inputs),
            tuple(self._step(n, place) for n in steps),
            cotangent,
            cotangent.dtype.name,
        )
        return program, [self.leaf_of[n] for n in leaves]

    def _step(self, number: int, place: Mapping[int, int]) -> Step:
        entry = self[number]
        return Step(entry.op, tuple(place[source] for source in entry.sources), entry.parameters)
