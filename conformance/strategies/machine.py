"""What the state machines share that draw histories.

They run no engine. They keep the definition of what they have drawn so far, so that only possible calls are
drawn, and every engine runs the same ones.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from conformance.case import Array
from conformance.history import Call, History, Verb
from conformance.ops.names import ADD, MULTIPLY, SUBTRACT

Data = Any  # what st.data() gives

SHAPES: tuple[tuple[int, ...], ...] = ((2,), (), (2, 2))
BINARY = (MULTIPLY, ADD, SUBTRACT)


def integers(shape: tuple[int, ...], dtype: str, seed: int) -> Array:
    """Small integers but zero, so that nothing is ever rounded."""
    rng = np.random.default_rng(seed)
    return np.array(rng.integers(1, 4, shape) * rng.choice((-1, 1), shape), dtype)


class Drawing(RuleBasedStateMachine):
    """The calls so far, and what they mean."""

    kind: ClassVar[str]
    per_program: ClassVar[float] = 2.0  # histories, where so many programs are drawn
    find: ClassVar[Any]
    dtype: ClassVar[str]
    visit: ClassVar[Any]
    definition: Any

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self.count = 0

    def teardown(self) -> None:
        """Hand the history over."""
        type(self).visit(History(type(self).kind, tuple(self.calls), type(self).dtype))

    def array(self, data: Data, shape: tuple[int, ...]) -> Array:
        """An array of that shape."""
        return integers(shape, type(self).dtype, data.draw(st.integers(0, 2**16)))

    def add(self, verb: Verb, *of: int, makes: bool = False, **more: Any) -> bool:
        """Add a call if it is allowed, and follow what it does; return whether it is."""
        call = Call(verb, of, self.count if makes else None, **more)
        if not self.definition.allows(call):
            return False
        self.calls.append(call)
        self.count += makes
        self.follow(call)
        return True

    def follow(self, call: Call) -> None:
        """What the call does, to an engine that is right."""
        self.definition.take(call)
