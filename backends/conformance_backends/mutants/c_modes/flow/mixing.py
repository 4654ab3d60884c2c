"""Mutants whose loops pull their steps back in the wrong order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.backend import Function, as_tuple
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, behaviour
from conformance_backends.numpy_engine.graph import Node
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of, wrap


def scan_of_commuting_steps(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """The derivatives of the last carry are those of the steps in the opposite order."""
    last, outputs = engine.scan(step, carry, items)
    if isinstance(carry, tuple):
        return last, outputs
    turned, _ = engine.scan(step, carry, items[::-1])
    return turned + (detach(last) - detach(turned)), outputs


def while_pulled_from_the_first(self: Any, condition: Function, step: Function, carry: Any) -> Any:
    """The steps of a loop are pulled back from the first one on; what they capture is a constant."""
    if not isinstance(carry, tuple):
        return engine.while_loop(condition, step, carry)
    states: list[tuple[Any, ...]] = [tuple(Tensor(detach(x)) for x in carry)]
    while condition(states[-1]):
        states.append(tuple(Tensor(detach(x)) for x in step(states[-1])))

    def pullback(cotangents: Sequence[Any]) -> Sequence[Any]:
        for state in states[:-1]:
            _, pulled = engine.vjp(lambda *xs: as_tuple(step(xs)), *state)
            cotangents = [None if g is None else g.value for g in pulled(*cotangents)]
        return cotangents

    count = len(carry)
    node = Node("loop", [edge_of(x) for x in carry], lambda g: pullback([*g, *[None] * (count - len(g))]))
    return wrap(tuple(x.value for x in states[-1]), node)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("loop-of-commuting-steps", "The steps of a loop are differentiated in the opposite order.",
        ("contract/C11/loop-mixing",), scan=scan_of_commuting_steps),
    behaviour("while-pulled-from-the-first", "The steps of a loop that goes on while a condition holds are pulled back from the first one on.",
        ("contract/C11/while-mixing",), while_loop=while_pulled_from_the_first),
)  # fmt: skip
