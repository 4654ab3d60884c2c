"""Guarded mutants of bookkeeping: engines whose graph, tape or scopes are wrong only under a drawn condition."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from conformance.backend import Backend
from conformance.selfcheck.generated.subject import subject

PREFIX = "guarded/engine"
EACH = 20  # of every fault


class Event(Protocol):
    """What is known where the engine does something.

    Attributes:
        array: what it is about.
        number: how often the engine has done it, from 1.
        nodes: of the graph behind the array.
        is_main: whether this is the main thread.
        modes: the transforms that are at work.
        has_raised: whether a backward pass has raised before.
    """

    array: np.ndarray[Any, Any]
    number: int
    nodes: int
    is_main: bool
    modes: frozenset[str]
    has_raised: bool


@dataclass(frozen=True)
class Condition:
    """When the fault shows: in words, by what factor, and as a function."""

    text: str
    factor: str
    holds: Callable[[Event], bool]


def _size(rng: random.Random) -> Condition:
    n = round(2 ** rng.uniform(0, 8))
    if rng.random() < 0.3:
        return Condition("of one entry", "size", lambda e: e.array.size == 1)
    return Condition(f"of more than {n} entries", "size", lambda e: e.array.size > n)


def _rank(rng: random.Random) -> Condition:
    n = rng.randrange(4)
    return Condition(f"of rank {n}", "rank", lambda e: e.array.ndim == n)


def _dtype(rng: random.Random) -> Condition:
    name = rng.choice(("float32", "float64"))
    return Condition(f"in {name}", "dtype", lambda e: e.array.dtype.name == name)


def _layout(rng: random.Random) -> Condition:
    return Condition(
        "of a view that is not contiguous",
        "layout",
        lambda e: not e.array.flags.c_contiguous and e.array.size > 1,
    )


def _value(rng: random.Random) -> Condition:
    tests: list[tuple[str, Callable[[Any], Any]]] = [
        ("with a zero", lambda x: x == 0),
        ("with a negative number", lambda x: x < 0),
        ("with a number above 2", lambda x: x > 2),
        ("with equal neighbours", lambda x: np.diff(x.reshape(-1)) == 0),
    ]
    text, test = rng.choice(tests)
    return Condition(
        f"of an array {text}", "value", lambda e: e.array.dtype.kind == "f" and bool(np.any(test(e.array)))
    )


def _number(rng: random.Random) -> Condition:
    n = rng.choice((2, 3, 4, 5, 8, 13, 20, 50, 120, 300))
    if rng.random() < 0.3:
        return Condition(f"at every {n}th time", "number of the call", lambda e: e.number % n == 0)
    return Condition(f"from the {n}th time on", "number of the call", lambda e: e.number >= n)


def _graph(rng: random.Random) -> Condition:
    n = rng.choice((1, 2, 3, 5, 8, 12, 20, 40, 90, 200))
    if rng.random() < 0.3:
        return Condition(f"before a graph of {n} nodes", "graph size", lambda e: e.nodes == n)
    return Condition(f"before a graph of more than {n} nodes", "graph size", lambda e: e.nodes > n)


def _thread(rng: random.Random) -> Condition:
    return Condition("outside the main thread", "thread", lambda e: not e.is_main)


def _after_error(rng: random.Random) -> Condition:
    return Condition("after a backward pass that raised", "after an error", lambda e: e.has_raised)


def _mode(rng: random.Random) -> Condition:
    mode = rng.choice(("checkpoint", "vmap", "jit"))
    return Condition(f"inside {mode}", "mode", lambda e: mode in e.modes)


Grammar = Mapping[Callable[[random.Random], Condition], int]
GRAMMAR: Grammar = {
    _size: 5, _rank: 4, _dtype: 2, _layout: 2, _value: 4, _number: 6, _graph: 6, _thread: 2, _after_error: 2, _mode: 2,
}  # fmt: skip
OF_NO_ARRAY: Grammar = {_number: 6, _thread: 1}  # a scope is of no array
OF_LEAF: Grammar = {
    make: weight for make, weight in GRAMMAR.items() if make is not _graph
}  # no graph is behind a leaf


@dataclass(frozen=True, eq=False)
class BookkeepingMutant:
    """The engine with a fault of its bookkeeping under a condition.

    Attributes:
        fault: one of the subject's.
        number: of the draw; the same seed, fault and number are the same mutant.
        seed: of all draws.
    """

    fault: str
    number: int
    seed: int = 0

    @property
    def name(self) -> str:
        """Its name, by which it is found again."""
        return f"{PREFIX}/{self.fault}/{self.number}"

    @property
    def subject(self) -> str:
        """The fault."""
        return self.fault

    @property
    def how(self) -> str:
        """The factor of the condition."""
        return self.condition.factor

    @cached_property
    def condition(self) -> Condition:
        """When it shows."""
        rng = random.Random(f"{self.seed} {self.fault} {self.number}")
        grammar = GRAMMAR
        if self.fault in subject().faults_of_leaves:
            grammar = OF_LEAF
        elif self.fault in subject().faults_of_scopes:
            grammar = OF_NO_ARRAY
        return rng.choices(list(grammar), list(grammar.values()))[0](rng)

    @property
    def wrong(self) -> str:
        """What is wrong, and when."""
        return f"{subject().faults[self.fault]} {self.condition.text}."

    def backend(self) -> Backend:
        """A fresh engine with the fault."""
        return subject().with_fault(self.fault, self.condition.holds)


def bookkeeping_mutants(seed: int = 0, each: int = EACH) -> list[BookkeepingMutant]:
    """So many draws for every fault, without those that say the same."""
    found: dict[str, BookkeepingMutant] = {}
    for fault in subject().faults:
        for number in range(each):
            mutant = BookkeepingMutant(fault, number, seed)
            found.setdefault(mutant.wrong, mutant)
    return list(found.values())
