"""Mutants whose loops are wrong inside another transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.c_modes.flow.branches_in_modes import once_differentiable
from conformance_backends.mutants.mutant import Mutant, NotingForward, SteppedTape, WithTransforms, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of


def gradients_are_constants(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """What goes back through a loop that carries one array is a constant."""
    if isinstance(carry, tuple):
        return engine.scan(step, carry, items)
    return once_differentiable(lambda state, rows: engine.scan(step, state, rows))(carry, items)


class NoTangentOfTheCaptured(NotingForward):
    """In forward mode what a loop captures is a constant."""

    def scan(self, step: Function, carry: Any, items: Any) -> Any:
        """The engine's loop, or one whose items have no tangents."""
        return engine.scan(step, carry, Tensor(detach(items)) if self.kept.get("forward") else items)


def constant_carry_stays(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """Where the first carry is a constant, so is the last one."""
    last, outputs = engine.scan(step, carry, items)
    is_constant = not isinstance(carry, tuple) and edge_of(carry) is None
    return (Tensor(detach(last)) if is_constant else last), outputs


class ConstantCarryHasNoTangent(NotingForward):
    """In forward mode a carry that starts as a constant stays one."""

    def scan(self, step: Function, carry: Any, items: Any) -> Any:
        """The engine's loop, or the one that loses tangents."""
        if self.kept.get("forward"):
            return constant_carry_stays(self, step, carry, items)
        return engine.scan(step, carry, items)


class LengthOfTheFirstCall(WithTransforms):
    """A compiled loop has as many steps as in its first call."""

    def compiled(self, function: Function) -> Function:
        """The function, whose loops are counted."""
        counts: list[int] = []

        def call(*operands: Any) -> Any:
            self.kept["counts"] = counts
            try:
                return function(*operands)
            finally:
                self.kept["counts"] = None

        return call

    def scan(self, step: Function, carry: Any, items: Any) -> Any:
        """The engine's loop, over as many items as at first."""
        counts = self.kept.get("counts")
        if counts is None:
            return engine.scan(step, carry, items)
        if not counts:
            counts.append(len(items))
        padded = [items[min(n, len(items) - 1)] for n in range(counts[0])]
        return engine.scan(step, carry, np.stack(padded))


class ItemsOfTheFirstRow(WithTransforms):
    """A mapped loop goes over the items of the first row, for every row."""

    def vectorized(self, function: Function) -> Function:
        """The function row by row."""
        rows: list[Any] = []

        def noted(*operands: Any) -> Any:
            self.kept["rows"] = rows
            try:
                return function(*operands)
            finally:
                self.kept["rows"] = None

        return self.looped(noted)

    def scan(self, step: Function, carry: Any, items: Any) -> Any:
        """The engine's loop."""
        rows = self.kept.get("rows")
        if rows is not None:
            rows.append(items)
            items = rows[0]
        return engine.scan(step, carry, items)


class SlopeOfTheFirstStep(SteppedTape):
    """A gradient that a step computes is differentiated in the first step alone."""

    def nested_vjp(self, function: Any, arrays: Any, cotangents: Any) -> Any:
        """The engine's gradients, or constants."""
        pulled = super().nested_vjp(function, arrays, cotangents)
        is_later = self.kept.get("step", 0) > 1
        return tuple(Tensor(detach(g)) if is_later and g is not None else g for g in pulled)

    def scan(self, step: Function, carry: Any, items: Any) -> Any:
        """The engine's loop, its steps counted."""

        def counted(state: Any, item: Any) -> Any:
            self.kept["step"] += 1
            return step(state, item)

        self.kept["step"] = 0
        try:
            return engine.scan(counted, carry, items)
        finally:
            self.kept["step"] = 0


MUTANTS: tuple[Mutant, ...] = (
    behaviour("loop-once-differentiable", "What a loop sends back is a constant.", ("contract/C11/loop-second",), scan=gradients_are_constants),
    behaviour("loop-items-no-tangent", "In forward mode the items of a loop are constants.",
        ("contract/C11/loop-forward",), base=NoTangentOfTheCaptured),
    behaviour("loop-constant-carry-stays", "Where a loop's first carry is a constant, so is the last one.",
        ("contract/C11/loop-from-constants",), scan=constant_carry_stays),
    behaviour("loop-constant-carry-no-tangent", "In forward mode a carry that starts as a constant stays one.",
        ("contract/C11/loop-forward-from-constants",), base=ConstantCarryHasNoTangent),
    behaviour("loop-length-remembered", "A compiled loop has as many steps as in its first call.",
        ("contract/C11/loop-compiled",), base=LengthOfTheFirstCall),
    behaviour("loop-items-of-first-row", "A mapped loop goes over the items of the first row.",
        ("contract/C11/loop-mapped",), base=ItemsOfTheFirstRow),
    behaviour("loop-slope-once", "A gradient that a loop's step computes is differentiated in the first step.",
        ("contract/C11/gradient-in-a-loop",), base=SlopeOfTheFirstStep),
)  # fmt: skip
