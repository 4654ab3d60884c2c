"""Mutants whose backward pass is spoilt by another one inside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour


def noted(self: Any, *args: Any, **named: Any) -> Any:
    """A gradient is computed, and noted for the pass around it."""
    self.kept["inner"] = True
    return SteppedTape.vjp(self, *args, **named)


def lost_in_hooks(self: Any, array: Any, seen: Callable[[Any], Any]) -> Callable[[], None]:
    """The cotangent at a hook is lost where the hook computes a gradient."""

    def lost(cotangent: Any) -> Any:
        self.kept["inner"] = False
        replacement = seen(cotangent)
        return cotangent * 0 if self.kept["inner"] else replacement

    return engine.hook(array, lost)


def lost_in_rules(self: Any, forward: Any, backward: Any) -> Any:
    """What a rule returns is lost where it computes a gradient."""

    def lost(g: Any, *operands: Any) -> Any:
        self.kept["inner"] = False
        pulled = backward(g, *operands)
        return tuple(part * 0 for part in pulled) if self.kept["inner"] else pulled

    return engine.custom(forward, lost)


def unrecorded_after_gradients(self: Any, forward: Any, backward: Any) -> Any:
    """An op whose forward computes a gradient is a constant."""
    right = engine.custom(forward, backward)

    def operation(*operands: Any) -> Any:
        self.kept["inner"] = False
        output = right(*operands)
        return output.detach() if self.kept["inner"] else output

    return operation


MUTANTS: tuple[Mutant, ...] = (
    behaviour("lost-by-gradients-in-hooks", "A gradient that a hook computes ends the pass that called the hook.",
        ("contract/C9/gradient-inside",), hook=lost_in_hooks, vjp=noted),
    behaviour("lost-by-gradients-in-rules", "A gradient that a custom rule computes ends the pass that called the rule.",
        ("contract/C5/gradient-inside",), custom=lost_in_rules, vjp=noted),
    behaviour("lost-by-gradients-in-forward", "An op with a custom rule whose forward computes a gradient is a constant.",
        ("contract/C5/gradient-in-forward",), custom=unrecorded_after_gradients, vjp=noted),
)  # fmt: skip
