"""Mutants whose branches are wrong inside another transform."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.c_modes.flow.branches import listed
from conformance_backends.mutants.mutant import Mutant, SteppedTape, WithTransforms, behaviour
from conformance_backends.numpy_engine.tensor import detach


def once_differentiable(function: Function) -> Function:
    """A function, as one node whose gradients are constants, by what it captures too."""
    right = engine.checkpoint(function)

    def operation(*operands: Any) -> Any:
        outputs = right(*operands)
        node = listed(outputs)[0].node
        if node is not None:
            pullback = node.pullback
            node.pullback = lambda cotangents: [
                g if g is None else engine.detach(g) for g in pullback(cotangents)
            ]
        return outputs

    return operation


def gradients_are_constants(
    self: Any, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]
) -> Any:
    """What goes back through a branch is a constant."""
    chosen = lambda *xs: engine.branch(condition, then, otherwise, xs)  # noqa: E731
    return once_differentiable(chosen)(*operands)


class OtherTangent(SteppedTape):
    """In forward mode the other function of a branch is called."""

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        """The engine's forward mode; its value is right."""
        outputs, _ = super().jvp(function, operands, tangents)
        self.kept["forward"] = True
        try:
            return outputs, super().jvp(function, operands, tangents)[1]
        finally:
            self.kept["forward"] = False

    def branch(self, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]) -> Any:
        """The engine's branch."""
        return engine.branch(
            bool(detach(condition)) != self.kept.get("forward", False), then, otherwise, operands
        )


class BranchOfTheFirst(WithTransforms):
    """A compiled function takes the branches of its first call, a mapped one those of its first row."""

    is_mapped = False

    def compiled(self, function: Function) -> Function:
        """The function, or with the branches of the first call."""
        return function if self.is_mapped else self._remembering(function)

    def vectorized(self, function: Function) -> Function:
        """The function row by row."""
        return self.looped(self._remembering(function) if self.is_mapped else function)

    def _remembering(self, function: Function) -> Function:
        flags: list[bool] = []

        def call(*operands: Any) -> Any:
            self.kept["flags"] = flags
            try:
                return function(*operands)
            finally:
                self.kept["flags"] = None

        return call

    def branch(self, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]) -> Any:
        """The engine's branch."""
        flags = self.kept.get("flags")
        if flags is not None:
            flags.append(bool(detach(condition)))
            condition = flags[0]
        return engine.branch(condition, then, otherwise, operands)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("branch-once-differentiable", "What a branch sends back is a constant.", ("contract/C11/branch-second", "contract/C11/branch-second-beside"), branch=gradients_are_constants),
    behaviour("branch-other-tangent", "In forward mode a branch has the tangent of the other function.",
        ("contract/C11/branch-forward",), base=OtherTangent),
    behaviour("branch-compiled-once", "A compiled function takes the branches of its first call.",
        ("contract/C11/branch-compiled",), base=BranchOfTheFirst),
    behaviour("branch-of-first-row", "A mapped function takes the branches of its first row for every row.",
        ("contract/C11/branch-mapped",), base=BranchOfTheFirst, is_mapped=True),
)  # fmt: skip
