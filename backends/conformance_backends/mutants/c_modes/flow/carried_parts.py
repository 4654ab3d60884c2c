"""Mutants whose loops hand on what they overwrite, or take for a constant what they hand on."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, detach


def with_unread(step: Function, before: Any, after: Any, *given: Any) -> Any:
    """The carry after a step, whose parts that it did not read have the cotangents of those before it, too."""
    if not isinstance(before, tuple):
        return after
    constants = tuple(detach(x) for x in given)
    outputs, pullback = engine.vjp(lambda *carry: step(carry, *constants), *map(detach, before))
    pulled = pullback(*(np.zeros_like(detach(z)) for z in outputs))
    return tuple(
        new + (old - Tensor(detach(old))) if g is None and new.shape == old.shape else new
        for g, old, new in zip(pulled, before, after, strict=True)
    )


def unread_handed_on(self: Any, condition: Function, step: Function, carry: Any) -> Any:
    """What a step overwrites without reading it has the cotangent of what is written."""
    return engine.while_loop(condition, lambda state: with_unread(step, state, step(state)), carry)


def unread_handed_on_by_items(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """The same in a loop over items."""

    def handing_on(state: Any, item: Any) -> Any:
        after, output = step(state, item)
        alone = lambda parts, row: step(parts, row)[0]  # noqa: E731
        return with_unread(alone, state, after, item), output

    return engine.scan(handing_on, carry, items)


def with_constants(step: Function, state: Any, *item: Any) -> Any:
    """A step that reads what it hands on unchanged as a constant."""
    after = step(state, *item)
    carry = after[0] if item else after
    if not isinstance(state, tuple):
        return after
    are_kept = [new is old for new, old in zip(carry, state, strict=True)]
    parts = tuple(Tensor(detach(x)) if kept else x for x, kept in zip(state, are_kept, strict=True))
    again = step(parts, *item)
    carry = again[0] if item else again
    carry = tuple(old if kept else new for new, old, kept in zip(carry, state, are_kept, strict=True))
    return (carry, again[1]) if item else carry


def kept_is_a_constant(self: Any, condition: Function, step: Function, carry: Any) -> Any:
    """What each step hands on unchanged is read as a constant."""
    return engine.while_loop(condition, lambda state: with_constants(step, state), carry)


def kept_is_a_constant_by_items(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """The same in a loop over items."""
    return engine.scan(lambda state, item: with_constants(step, state, item), carry, items)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("while-hands-on-unread", "In a loop that goes on while a condition holds, what a step overwrites unread gets the cotangent of what is written.",
        ("contract/C11/while-overwritten",), while_loop=unread_handed_on),
    behaviour("loop-hands-on-unread", "In a loop over items, what a step overwrites unread gets the cotangent of what is written.",
        ("contract/C11/loop-overwritten",), scan=unread_handed_on_by_items),
    behaviour("while-reads-kept-as-constant", "In a loop that goes on while a condition holds, what each step hands on unchanged is read as a constant.",
        ("contract/C11/while-kept",), while_loop=kept_is_a_constant),
    behaviour("loop-reads-kept-as-constant", "In a loop over items, what each step hands on unchanged is read as a constant.",
        ("contract/C11/loop-kept",), scan=kept_is_a_constant_by_items),
)  # fmt: skip
