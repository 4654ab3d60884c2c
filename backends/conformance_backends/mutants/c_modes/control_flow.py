"""Mutants that do not follow the control flow of the current call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.backend import Backend, Trace
from conformance.ops import CATALOGUE
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, with_ops
from conformance_backends.numpy_engine.tensor import Tensor, detach


class ReusesTotals(SteppedTape):
    """Sums are computed in the first call of a function; later calls reuse them."""

    def __init__(self) -> None:
        super().__init__()
        self.totals: list[Any] = []
        self.position = 0
        self.ops = {**type(self).ops, "sum": self._total}  # type: ignore[misc]  # this backend's alone

    def trace(self, function: Any, operands: Sequence[Any], wrt: Sequence[int] | None = None) -> Trace:
        """A trace with the sums of the function's first call."""
        self.totals, self.position = self.kept.setdefault(function, []), 0
        return super().trace(function, operands, wrt)

    def _total(self, *operands: Any, **parameters: Any) -> Any:
        total = type(self).ops["sum"](*operands, **parameters)
        if self.position == len(self.totals):
            self.totals.append(total.value)
        total.value = self.totals[self.position]
        self.position += 1
        return total


def one_buffer_for_operands() -> Backend:
    """A product saves its operands in one buffer, which the next product overwrites."""
    right = CATALOGUE["multiply"]
    latest: list[Any] = []

    def latest_rule(i: int, g: Any, z: Any, /, *operands: Any) -> Any:
        return right.rule(i, g, z, *latest)

    def multiply(*operands: Any) -> Any:
        latest[:] = [np.asarray(detach(x)) for x in operands]
        return engine.apply(replace(right, rule=latest_rule), operands, {})

    return with_ops({"multiply": multiply})


class Compared(engine.Tensor):
    """A tensor that forgets its history where it is compared."""

    __slots__ = ()

    def __gt__(self, other: Any) -> Any:
        """Whether it is above another; it is a constant from now on."""
        self.edge = None
        return self.value > other


def sums_forget_where_they_are_compared() -> Backend:
    """A sum that is compared with a number is a constant from then on."""

    def total(*xs: Any, **parameters: Any) -> Any:
        z = SteppedTape.ops["sum"](*xs, **parameters)
        z.__class__ = Compared
        return z

    return with_ops({"sum": total}, SteppedTape)


def operands_forget_where_a_comparison_is_read() -> Backend:
    """What the engine's comparison compares is a constant from then on."""

    def greater(*xs: Any, **parameters: Any) -> Any:
        z = SteppedTape.ops["greater"](*xs, **parameters)
        for x in xs:
            if isinstance(x, Tensor) and x.node is not None:
                x.edge = None
        return z

    return with_ops({"greater": greater}, SteppedTape)


def broadcast_operands_forget_where_they_are_compared() -> Backend:
    """What broadcasting made is a constant from the engine's comparison on."""

    def greater(*xs: Any, **parameters: Any) -> Any:
        z = SteppedTape.ops["greater"](*xs, **parameters)
        for x in xs:
            if isinstance(x, Tensor) and len({np.shape(v) for v in getattr(x.node, "values", ())}) > 1:
                x.edge = None
        return z

    return with_ops({"greater": greater}, SteppedTape)


def read_again_is_cut(self: Any, array: Any) -> Any:
    """A result whose numbers were read before is a constant from then on."""
    if self.kept.setdefault(("read", id(array)), array) is array and ("again", id(array)) in self.kept:
        array.edge = None
    self.kept["again", id(array)] = True
    return SteppedTape.numpy(self, array)


def read_is_cut(self: Any, array: Any) -> Any:
    """A result whose numbers are read is a constant from then on."""
    if isinstance(array, Tensor) and array.node is not None:
        array.edge = None
    return SteppedTape.numpy(self, array)


CONTROL_FLOW = ("contract/C7/branch", "contract/C7/loop", "contract/C7/recursion")

MUTANTS: tuple[Mutant, ...] = (
    behaviour("branch-of-first-call", "A function takes the branches of its first call in every call.",
        CONTROL_FLOW, base=ReusesTotals),
    Mutant("compared-is-cut", "A sum that is compared with a number is a constant from then on.",
        ("contract/C7/compared",), sums_forget_where_they_are_compared, ("sum",)),
    Mutant("compared-by-the-op-is-cut", "A result that the engine's op compares with a number is a constant from then on.",
        ("contract/C7/compared",), operands_forget_where_a_comparison_is_read, ("greater",)),
    Mutant("compared-broadcast-is-cut", "A result of broadcasting that the engine's op compares is a constant from then on.",
        ("contract/C7/compared-results",), broadcast_operands_forget_where_they_are_compared, ("greater",)),
    behaviour("read-is-cut", "A result whose numbers are read is a constant from then on.", ("contract/C7/read-inside",), numpy=read_is_cut),
    behaviour("read-again-is-cut", "A result whose numbers are read a second time is a constant from then on.",
        ("contract/C7/read-inside",), numpy=read_again_is_cut),
    Mutant("operands-in-one-buffer", "The saved operands of a product are overwritten by the next product.",
        CONTROL_FLOW[1:], one_buffer_for_operands, ("multiply",)),
    behaviour("declares-refusal-follows", "The adapter declares refusal of control flow on values, and it is followed.",
        CONTROL_FLOW, conventions={**SteppedTape.conventions, "C7": "refused"}),
)  # fmt: skip
