"""A history played on a tape, beside its definition."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from conformance.backend import Capability, TapeBackend
from conformance.case import Array
from conformance.checks.b_graph.history_runner import broken, elsewhere, failure_of
from conformance.checks.observation import hold_equal, plain
from conformance.checks.registry import declared_convention
from conformance.errors import Violation
from conformance.history import Move, Verb
from conformance.ops import find
from conformance.oracle.histories import BackwardPass, Definition


def _definition_for(tape: TapeBackend) -> Definition:
    """An empty definition that follows what the engine elects."""
    accumulates = declared_convention(tape, "B3") == "accumulates"
    if Capability.RECORDED_WRITES not in tape.capabilities:
        return Definition(find, accumulates=accumulates)
    return Definition(
        find,
        accumulates=accumulates,
        has_views=declared_convention(tape, "D6") == "views",
        leaf_writes=declared_convention(tape, "D5"),
        constant_writes=declared_convention(tape, "D11"),
    )


class TapeRunner:
    """Plays moves on a tape, beside their definition."""

    def __init__(self, tape: TapeBackend, scopes: contextlib.ExitStack) -> None:
        self.tape = tape
        self.definition = _definition_for(tape)
        self.arrays: dict[int, Any] = {}
        self.scopes = scopes
        self.open: list[Any] = []

    def play(self, move: Move) -> None:
        """One move, where it is still possible."""
        if not self.definition.allows(move):
            return
        if move.verb in (Verb.BACKWARD, Verb.BACKWARD_RETAINING):
            self._walk(move)
        elif move.verb is Verb.BACKWARD_MISSHAPEN:
            self._refuse(move)
        elif move.verb is Verb.CLEAR:
            self._clear(move)
        elif move.verb is Verb.WRITE:
            self._write(move)
        else:
            self._certain(move)

    def _certain(self, move: Move) -> None:
        if move.verb is Verb.ENTER_NO_GRAD:
            self.open.append(self.scopes.enter_context(contextlib.ExitStack()))
            self.open[-1].enter_context(self.tape.no_grad())
        elif move.verb is Verb.EXIT_NO_GRAD:
            self.open.pop().close()
        elif move.made is not None:
            self.arrays[move.made] = self._made(move)
        self.definition.take(move)

    def _made(self, move: Move) -> Any:
        of = [self.arrays[number] for number in move.of]
        if move.verb is Verb.LEAF:
            return self.tape.leaf(np.array(move.array))
        if move.verb is Verb.CONSTANT:
            return self.tape.array(np.array(move.array))
        if move.verb is Verb.DETACH:
            return self.tape.detach(of[0])
        call = (
            broken(self.tape) if move.verb is Verb.APPLY_RAISING else self.tape.call(move.op, move.parameters)
        )
        return elsewhere(lambda: call(*of)) if move.is_in_other_thread else call(*of)

    def _write(self, move: Move) -> None:
        target, source = (self.arrays[number] for number in move.of)
        failure = failure_of(lambda: self.tape.assign(target, move.parameters["index"], source))
        must_fail = self.definition.refuses(move)
        if failure is None and must_fail:
            raise Violation(f"{move.label}: a write that is to be refused was not")
        # Where nothing is recorded a write is one into memory, which engines that lock it refuse (D4).
        may_fail = self.definition.scopes and self.tape.conventions.get("D4") == "locks"
        if failure is not None and not (must_fail or may_fail):
            raise failure
        if failure is None:
            self.definition.take(move)

    def _backward(self, move: Move) -> BaseException | None:
        g = None if move.array is None else self.tape.array(np.array(move.array))
        output, retain = self.arrays[move.of[0]], move.verb is Verb.BACKWARD_RETAINING

        def walk() -> None:
            self.tape.backward(output, g, retain=retain)

        return failure_of(lambda: elsewhere(walk) if move.is_in_other_thread else walk())

    def _walk(self, move: Move) -> None:
        walk = self.definition.backward_pass(move)
        failure = self._backward(move)
        if failure is None and walk.must_fail:
            raise Violation(f"{move.label}: the exception of a rule did not come through")
        if failure is not None and not (walk.must_fail or walk.may_fail):
            raise failure
        kept = {leaf: self._kept(move, walk, leaf, has_failed=failure is not None) for leaf in walk.arrives}
        self.definition.settle(move, walk, kept, has_failed=failure is not None)

    def _kept(self, move: Move, walk: BackwardPass, leaf: int, *, has_failed: bool) -> Array:
        """What a leaf keeps after a walk: one of the outcomes that the definition knows."""
        got = self._stored(leaf, walk.arrives[leaf])
        outcomes = self.definition.outcomes(walk, leaf, has_failed=has_failed)
        for outcome in outcomes:
            if np.array_equal(got, outcome):
                return outcome
        failed = ", which failed" if has_failed else ""
        hold_equal(got, outcomes[0], f"the gradient of v{leaf} after {move.label}{failed}")
        return outcomes[0]

    def _refuse(self, move: Move) -> None:
        if self._backward(move) is None:
            raise Violation(f"{move.label}: not refused")
        for leaf in self.definition.backward_pass(move).arrives:
            self._hold_stored(leaf, "after a cotangent was refused")

    def _clear(self, move: Move) -> None:
        self._hold_stored(move.of[0], "before it is cleared")
        self.tape.clear(self.arrays[move.of[0]])
        self.definition.take(move)
        self._hold_stored(move.of[0], "after it was cleared")

    def _stored(self, leaf: int, like: Array) -> Array:
        gradient = self.tape.grad(self.arrays[leaf])
        return np.zeros_like(like) if gradient is None else plain(self.tape, gradient)

    def _hold_stored(self, leaf: int, when: str) -> None:
        expected, value = self.definition.stored[leaf], self.definition.value(leaf)
        zeros = np.zeros_like(value)
        hold_equal(
            self._stored(leaf, zeros),
            zeros if expected is None else expected,
            f"the gradient of v{leaf} {when}",
        )

    def hold_everything(self) -> None:
        """Every stored gradient and every value, at the end."""
        for leaf in self.definition.stored:
            self._hold_stored(leaf, "at the end")
        for number, array in self.arrays.items():
            hold_equal(
                plain(self.tape, array), self.definition.value(number), f"the value of v{number} at the end"
            )
