"""Mutants whose loops go on for another number of steps, or forget a part of the carry."""

from __future__ import annotations

from typing import Any

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, NotingForward, SteppedTape, WithTransforms, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, detach


def asked_afterwards(self: Any, condition: Function, step: Function, carry: Any) -> Any:
    """A first step is made whether or not the condition holds."""
    return engine.while_loop(condition, step, step(carry))


def counted(condition: Function, step: Function, carry: Any) -> tuple[Any, int]:
    """What the engine's loop returns, and how many steps it made."""
    rounds = 0

    def counting(state: Any) -> Any:
        nonlocal rounds
        rounds += 1
        return step(state)

    return engine.while_loop(condition, counting, carry), rounds


class CountOfTheFirstLoop(NotingForward):
    """In forward mode a loop has as many steps as the first one that this engine made."""

    def while_loop(self, condition: Function, step: Function, carry: Any) -> Any:
        """The engine's loop, or one of so many steps."""
        if self.kept.get("forward") and "rounds" in self.kept:
            for _ in range(self.kept["rounds"]):
                carry = step(carry)
            return carry
        last, rounds = counted(condition, step, carry)
        self.kept.setdefault("rounds", rounds)
        return last


def second_array_is_a_constant(self: Any, condition: Function, step: Function, carry: Any) -> Any:
    """Of a carry of several arrays the first one has a gradient."""

    def cut(state: Any) -> Any:
        after = step(state)
        return (after[0], *(Tensor(detach(x)) for x in after[1:])) if isinstance(after, tuple) else after

    return engine.while_loop(condition, cut, carry)


def cut_after_32(self: Any, condition: Function, step: Function, carry: Any) -> Any:
    """The carry of a loop is a constant after every 32 steps."""
    count = 0

    def cut(state: Any) -> Any:
        nonlocal count
        count += 1
        return step(state if count % 32 else Tensor(detach(state)))

    return engine.while_loop(condition, cut, carry)


class RoundsOfTheFirstRow(WithTransforms):
    """In a mapped function a loop has for every row as many steps as for the first one."""

    def vectorized(self, function: Function) -> Function:
        """The function row by row."""

        def call(*rows: Any) -> Any:
            self.kept["rounds"] = []
            try:
                return self.looped(function)(*rows)
            finally:
                del self.kept["rounds"]

        return call

    def while_loop(self, condition: Function, step: Function, carry: Any) -> Any:
        """The engine's loop, or one of so many steps."""
        known = self.kept.get("rounds")
        if not known:
            last, rounds = counted(condition, step, carry)
            if known is not None:
                known.append(rounds)
            return last
        for _ in range(known[0]):
            carry = step(carry)
        return carry


MUTANTS: tuple[Mutant, ...] = (
    behaviour("while-asks-afterwards", "A loop that goes on while a condition holds makes a step before it asks.",
        ("contract/C11/while", "contract/C11/while-forward"), while_loop=asked_afterwards),
    behaviour("while-counts-once", "In forward mode a loop that goes on while a condition holds has as many steps as the first one.",
        ("contract/C11/while-forward",), base=CountOfTheFirstLoop),
    behaviour("while-of-first-row", "In a mapped function such a loop has for every row as many steps as for the first.",
        ("contract/C11/while-mapped",), base=RoundsOfTheFirstRow),
    behaviour("while-cut-every-32", "The carry of such a loop is a constant after every 32 steps.",
        ("contract/C11/while",), while_loop=cut_after_32),
    behaviour("while-second-constant", "Of the arrays that such a loop carries the first one has a gradient.",
        ("contract/C11/while-carries",), while_loop=second_array_is_a_constant),
    behaviour("declares-while-refused", "The adapter declares that loops whose number of steps depends on values have no gradients.",
        ("contract/C11/while", "contract/C11/while-carries"), conventions={**SteppedTape.conventions, "C11": "refused"}),
)  # fmt: skip
