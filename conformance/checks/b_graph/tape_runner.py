"""Runs a history of a tape, whose results are compared with its definition (B19)."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from conformance.backend import Capability, TapeBackend
from conformance.case import Array
from conformance.checks.b_graph.history_runner import failure_of, in_other_thread
from conformance.checks.comparison import hold_equal
from conformance.checks.composed import composes_cotangents
from conformance.checks.engine_calls import raising_op
from conformance.checks.observation import plain
from conformance.checks.registry import declared_convention
from conformance.errors import Violation
from conformance.history import Call, Verb
from conformance.ops import find
from conformance.oracle.histories import BackwardPass, Definition


def _definition_for(tape: TapeBackend) -> Definition:
    """An empty definition that follows the conventions that the adapter declares."""
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
    """Runs calls on a tape, and compares it with the definition."""

    def __init__(self, tape: TapeBackend, scopes: contextlib.ExitStack) -> None:
        self.tape = tape
        self.definition = _definition_for(tape)
        self.arrays: dict[int, Any] = {}
        self.scopes = scopes
        self.open: list[Any] = []
        self.is_composed: bool | None = None  # the gradient argument, as far as it was looked at

    def run(self, call: Call) -> None:
        """Run one call, unless the definition does not allow it any more."""
        if not self.definition.allows(call):
            return
        if call.verb in (Verb.BACKWARD, Verb.BACKWARD_RETAINING):
            self._hold_backward(call)
        elif call.verb is Verb.BACKWARD_MISSHAPEN:
            self._refuse(call)
        elif call.verb is Verb.CLEAR:
            self._clear(call)
        elif call.verb is Verb.WRITE:
            self._write(call)
        else:
            self._run_other(call)

    def _run_other(self, call: Call) -> None:
        if call.verb is Verb.ENTER_NO_GRAD:
            if self.is_composed is None:
                self.is_composed = composes_cotangents(self.tape, "float64")
            self.open.append(self.scopes.enter_context(contextlib.ExitStack()))
            self.open[-1].enter_context(self.tape.no_grad())
        elif call.verb is Verb.EXIT_NO_GRAD:
            self.open.pop().close()
        elif call.made is not None:
            self.arrays[call.made] = self._made(call)
        self.definition.take(call)

    def _made(self, call: Call) -> Any:
        of = [self.arrays[number] for number in call.of]
        if call.verb is Verb.LEAF:
            return self.tape.leaf(np.array(call.array))
        if call.verb is Verb.CONSTANT:
            return self.tape.array(np.array(call.array))
        if call.verb is Verb.DETACH:
            return self.tape.detach(of[0])
        op = (
            raising_op(self.tape)
            if call.verb is Verb.APPLY_RAISING
            else self.tape.call(call.op, call.parameters)
        )
        return in_other_thread(lambda: op(*of)) if call.is_in_other_thread else op(*of)

    def _write(self, call: Call) -> None:
        target, source = (self.arrays[number] for number in call.of)
        failure = failure_of(lambda: self.tape.assign(target, call.parameters["index"], source))
        must_fail = self.definition.refuses(call)
        if failure is None and must_fail:
            raise Violation(f"{call.label}: a write that must be refused was not")
        # In a no_grad scope a write goes into memory, which engines that lock memory refuse (D4).
        may_fail = self.definition.scopes and self.tape.conventions.get("D4") == "locks"
        if failure is not None and not (must_fail or may_fail):
            raise failure
        if failure is None:
            self.definition.take(call)

    def _backward(self, call: Call) -> BaseException | None:
        g = None if call.array is None else self.tape.array(np.array(call.array))
        output, retain = self.arrays[call.of[0]], call.verb is Verb.BACKWARD_RETAINING

        def backward() -> None:
            self.tape.backward(output, g, retain=retain)

        return failure_of(lambda: in_other_thread(backward) if call.is_in_other_thread else backward())

    def _hold_backward(self, call: Call) -> None:
        expected = self.definition.backward_pass(call)
        failure = self._backward(call)
        if failure is None and self._is_without_history(call) and self._arrives_nowhere(expected):
            return
        if failure is None and expected.must_fail:
            raise Violation(f"{call.label}: the exception of a rule did not reach the caller")
        if failure is not None and not (expected.must_fail or expected.may_fail or self._may_refuse(call)):
            raise failure
        kept = {
            leaf: self._kept(call, expected, leaf, has_failed=failure is not None)
            for leaf in expected.arrives
        }
        self.definition.settle(call, expected, kept, has_failed=failure is not None)

    def _may_refuse(self, call: Call) -> bool:
        """Whether the adapter makes the gradient argument of ops, in a scope that does not record them."""
        return bool(self.definition.scopes) and call.array is not None and bool(self.is_composed)

    def _is_without_history(self, call: Call) -> bool:
        """The same, in a scope of this thread: an engine may do nothing then, of what the adapter made in it."""
        return self._may_refuse(call) and not call.is_in_other_thread

    def _arrives_nowhere(self, expected: BackwardPass) -> bool:
        """Whether every leaf of a pass keeps what it had."""
        before = {leaf: self.definition.stored[leaf] for leaf in expected.arrives}
        return all(
            np.array_equal(
                self._stored(leaf, due), np.zeros_like(due) if (old := before[leaf]) is None else old
            )
            for leaf, due in expected.arrives.items()
        )

    def _kept(self, call: Call, expected: BackwardPass, leaf: int, *, has_failed: bool) -> Array:
        """What a leaf keeps after a backward pass: one of the outcomes that the definition allows."""
        got = self._stored(leaf, expected.arrives[leaf])
        outcomes = self.definition.outcomes(expected, leaf, has_failed=has_failed)
        for outcome in outcomes:
            if np.array_equal(got, outcome):
                return outcome
        failed = ", which failed" if has_failed else ""
        hold_equal(got, outcomes[0], f"the gradient of v{leaf} after {call.label}{failed}")
        return outcomes[0]

    def _refuse(self, call: Call) -> None:
        if self._backward(call) is None:
            raise Violation(f"{call.label}: not refused")
        for leaf in self.definition.backward_pass(call).arrives:
            self._hold_stored(leaf, "after a cotangent was refused")

    def _clear(self, call: Call) -> None:
        self._hold_stored(call.of[0], "before it is cleared")
        self.tape.clear(self.arrays[call.of[0]])
        self.definition.take(call)
        self._hold_stored(call.of[0], "after it was cleared")

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
        """Claim that every stored gradient and every value is right at the end."""
        for leaf in self.definition.stored:
            self._hold_stored(leaf, "at the end")
        for number, array in self.arrays.items():
            hold_equal(
                plain(self.tape, array), self.definition.value(number), f"the value of v{number} at the end"
            )
