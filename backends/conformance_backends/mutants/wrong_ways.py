"""Mutants that lose their way: in a scope, at a cut, in a rule by hand, or at a branch."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.backend import Backend, Trace
from conformance.ops import CATALOGUE
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, Scoped, Walking, behaviour, with_ops
from conformance_backends.mutants.wrong_modes import by_hand
from conformance_backends.numpy_engine.tensor import Tensor, detach

# ---- scopes without recording ------------------------------------------------------------------------


@contextlib.contextmanager
def ended_by_an_inner_exception(self: Any) -> Iterator[None]:
    """An exception switches recording on, whatever it was before."""
    before, self.is_stopped = self.is_stopped, True
    try:
        yield
    except BaseException:
        self.is_stopped = False
        raise
    self.is_stopped = before


def recording_after_a_walk(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A walk back ends with recording switched on, rather than as it was."""
    Walking.backward(self, output, gradient)
    self.is_stopped = False


class StoppedOnce(Scoped):
    """A scope without recording holds for one op."""

    def _in_scope(self, op: Callable[..., Any]) -> Callable[..., Any]:
        stopped = super()._in_scope(op)

        def call(*operands: Any, **parameters: Any) -> Any:
            output = stopped(*operands, **parameters)
            self.is_stopped = False
            return output

        return call


# ---- cutting -----------------------------------------------------------------------------------------


def cut_by_turns(self: Any, array: Any) -> Tensor:
    """What was detached, detached once more, is what it was before."""
    if id(array) in self.kept:
        return self.kept[id(array)][1]  # type: ignore[no-any-return]
    cut = array.detach()
    self.kept[id(cut)] = cut, array
    return cut  # type: ignore[no-any-return]


def leaves_are_not_cut(self: Any, array: Any) -> Tensor:
    """Only what an op made is cut."""
    return array if array.edge is None else array.detach()  # type: ignore[no-any-return]


# ---- rules written by hand ---------------------------------------------------------------------------


def other_dtype_is_dropped(rule: Any, g: Any, xs: Any) -> Any:
    """An answer of another dtype than its operand counts as None."""
    pulled = rule(g, *xs)
    if len(pulled) != len(xs):
        return pulled
    return [p if p is None or p.dtype == x.dtype else None for p, x in zip(pulled, xs, strict=True)]


def answers_move_up(rule: Any, g: Any, xs: Any) -> Any:
    """The answers that are None are taken out, and the others move up."""
    pulled = rule(g, *xs)
    return sorted(pulled, key=lambda p: p is None)


# ---- the way through a function ----------------------------------------------------------------------


class Replaying(Walking):
    """Totals are computed at the first call of a function; later calls see those of the first."""

    def __init__(self) -> None:
        super().__init__()
        self.totals: list[Any] = []
        self.asked = 0
        self.ops = {**type(self).ops, "sum": self._total}  # type: ignore[misc]  # this backend's alone

    def trace(self, function: Any, operands: Sequence[Any], wrt: Sequence[int] | None = None) -> Trace:
        """A trace in which totals are those of the function's first."""
        self.totals, self.asked = self.kept.setdefault(function, []), 0
        return super().trace(function, operands, wrt)

    def _total(self, *operands: Any, **parameters: Any) -> Any:
        total = type(self).ops["sum"](*operands, **parameters)
        if self.asked == len(self.totals):
            self.totals.append(total.value)
        total.value = self.totals[self.asked]
        self.asked += 1
        return total


def one_place_for_operands() -> Backend:
    """A product keeps its operands in one place, which the next product overwrites."""
    right = CATALOGUE["multiply"]
    latest: list[Any] = []

    def latest_rule(i: int, g: Any, z: Any, /, *operands: Any) -> Any:
        return right.rule(i, g, z, *latest)

    def multiply(*operands: Any) -> Any:
        latest[:] = [np.asarray(detach(x)) for x in operands]
        return engine.apply(replace(right, rule=latest_rule), operands, {})

    return with_ops({"multiply": multiply})


OUTLASTS, GENERATOR = "contract/C1/no-grad-outlasts", "contract/C1/no-grad-generator"
STORAGE = ("contract/C3/detached-storage",)
WAYS = ("contract/C7/branch", "contract/C7/loop", "contract/C7/recursion")

MUTANTS: tuple[Mutant, ...] = (
    behaviour("scope-ends-with-inner-exception", "An exception in an inner scope ends the outer one.",
        (OUTLASTS,), base=Scoped, scope=ended_by_an_inner_exception),
    behaviour("scope-ends-with-walk", "A walk back inside a scope ends it.",
        (OUTLASTS,), base=Scoped, backward=recording_after_a_walk),
    behaviour("scope-lasts-one-op", "A scope without recording holds for one op.",
        (OUTLASTS, GENERATOR), base=StoppedOnce),
    behaviour("detach-by-turns", "A detached value, detached again, has its history back.",
        ("contract/C2/detach-leaf",), detach=cut_by_turns),
    behaviour("detach-spares-leaves", "A leaf cannot be detached.",
        ("contract/C2/detach-leaf",), detach=leaves_are_not_cut),
    behaviour("detach-copies", "A detached value is a copy, though sharing is elected.",
        STORAGE, detach=lambda self, array: Tensor(array.value.copy())),
    behaviour("detach-copies-leaves", "A detached leaf is a copy; what an op made is shared, as elected.",
        STORAGE, detach=lambda self, array: Tensor(array.value.copy() if array.edge is None else array.value)),
    behaviour("elects-copy-shares", "A copy is elected, and a detached value shares its storage.",
        STORAGE, conventions={**Walking.conventions, "C3": "copies"}),
    behaviour("other-dtype-dropped", "A rule's answer of another dtype than its operand is dropped.",
        ("contract/C5/custom-dtype",), custom=by_hand(other_dtype_is_dropped)),
    behaviour("answers-move-up", "After a None the other answers of a rule by hand move up.",
        ("contract/C5/custom-constant",), custom=by_hand(answers_move_up)),
    behaviour("way-of-the-first-call", "A function goes the way that it went at its first call.",
        WAYS, base=Replaying),
    Mutant("operands-in-one-place", "A product's operands are overwritten by the next product.",
        WAYS[1:], one_place_for_operands, ("multiply",)),
    behaviour("elects-refusal-follows", "Refusing control flow on values is elected, and it is followed.",
        WAYS, conventions={**Walking.conventions, "C7": "refused"}),
)  # fmt: skip
