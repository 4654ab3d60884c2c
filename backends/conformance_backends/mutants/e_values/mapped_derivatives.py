"""Mutants whose gradients, or second derivatives alone, are wrong in a function that is mapped over a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.backend import Backend, Capability, Function
from conformance.ops import ALL_OPS
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, WithTransforms, behaviour

OPS = ("exp", "square", "multiply")


class Mapping(WithTransforms):
    """The reference engine, which knows whether it maps a function."""

    is_mapping = False

    def vectorized(self, function: Function) -> Function:
        """The loop, during which ops know of it."""
        right = super().vectorized(function)

        def mapped(*operands: Any) -> Any:
            self.is_mapping = True
            try:
                return right(*operands)
            finally:
                self.is_mapping = False

        return mapped


def second_doubled() -> Backend:
    """What a rule has computed counts twice where it is differentiated again, of calls that were mapped."""
    backend = Mapping()

    def altered(name: str) -> Callable[..., Any]:
        right = ALL_OPS[name]

        def doubled(index: int, g: Any, z: Any, /, *xs: Any, **parameters: Any) -> Any:
            pulled = right.rule(index, g, z, *xs, **parameters)
            return pulled + pulled - engine.detach(pulled)

        wrong = replace(right, rule=doubled)
        return lambda *xs, **parameters: engine.apply(wrong if backend.is_mapping else right, xs, parameters)

    backend.ops = {**backend.ops, **{name: altered(name) for name in OPS}}  # type: ignore[misc]
    return backend


def first_for_all(self: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The result of the first entry is used for every entry of the stack."""

    def mapped(*stacks: Any) -> Any:
        first = function(*(stack[0] for stack in stacks))
        return engine.apply(ALL_OPS["stack"], (first,) * len(stacks[0]), {"axis": 0})

    return mapped


MUTANTS: tuple[Mutant, ...] = (
    Mutant("mapped-second-doubled", "The second derivative of an op that is mapped over a batch is doubled.",
        ("op/mapped-second",), second_doubled, OPS),
    behaviour("first-for-all", "A function mapped over a stack gives the first entry's result for every entry.",
        ("contract/E3/stacked", "contract/E3/mapped"), vectorized=first_for_all,
        capabilities=SteppedTape.capabilities | {Capability.VECTORIZING}),
)  # fmt: skip
