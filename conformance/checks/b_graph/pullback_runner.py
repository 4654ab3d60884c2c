"""Runs a history of pullbacks, whose results are compared with its definition (B19)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import FunctionalBackend
from conformance.case import Array
from conformance.checks.b_graph.history_runner import failure_of
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import IntentionalError, raising_op
from conformance.checks.observation import plain
from conformance.errors import Violation
from conformance.history import Call, Verb
from conformance.ops import find
from conformance.oracle.pullbacks import Pullbacks, operands_of


class PullbackRunner:
    """Makes pullbacks on an engine, calls them, and compares both with the definition."""

    def __init__(self, engine: FunctionalBackend) -> None:
        self.engine = engine
        self.definition = Pullbacks(find)
        self.arrays: dict[int, Any] = {}
        self.pulls: dict[int, Callable[[Any], Any]] = {}

    def run(self, call: Call) -> None:
        """Run one call, unless the definition does not allow it any more."""
        if not self.definition.allows(call):
            return
        if call.verb is Verb.CONSTANT:
            assert call.made is not None
            self.arrays[call.made] = self.engine.array(np.array(call.array))
        elif call.verb in (Verb.PULLBACK, Verb.PULL_WITHIN):
            self._take(call)
        elif call.verb is Verb.PULLBACK_RAISING:
            self._raise(call)
        elif call.verb is Verb.PULL:
            self._pull(call)
        else:
            self._refuse(call)
        self.definition.take(call)

    def _function(self, call: Call) -> Callable[..., Any]:
        """The function of a call, on the engine's arrays."""

        def function(*operands: Any) -> Any:
            values = list(operands)
            if call.verb is Verb.PULL_WITHIN:
                values.append(self._pulled(call.of[0], call.array)[0])
            for op, inputs in call.parameters["steps"]:
                values.append(self.engine.op(op)(*(values[i] for i in inputs)))
            if call.verb is Verb.PULLBACK_RAISING:
                raise IntentionalError("a function")
            return raising_op(self.engine)(values[-1]) if call.parameters["is_broken"] else values[-1]

        return function

    def _take(self, call: Call) -> None:
        assert call.made is not None
        operands = [self.arrays[n] for n in operands_of(call)]
        output, self.pulls[call.made] = self.engine.pullback(self._function(call), operands)
        hold_equal(
            plain(self.engine, output), self.definition.output(call), f"the value of v{call.made}'s function"
        )

    def _raise(self, call: Call) -> None:
        operands = [self.arrays[n] for n in operands_of(call)]
        if failure_of(lambda: self.engine.pullback(self._function(call), operands)) is None:
            raise Violation(f"{call.label}: the exception of the function did not reach the caller")

    def _pulled(self, number: int, cotangent: Array | None) -> Any:
        return self.pulls[number](self.engine.array(np.array(cotangent)))

    def _pull(self, call: Call) -> None:
        gradients: list[Any] = []
        failure = failure_of(lambda: gradients.extend(self._pulled(call.of[0], call.array)))
        if call.of[0] in self.definition.broken:
            if failure is None:
                raise Violation(f"{call.label}: the exception of a rule did not reach the caller")
            return
        if failure is not None:
            raise failure
        assert call.array is not None
        exact = self.definition.pulled(call.of[0], call.array)
        for position, (got, expected) in enumerate(zip(gradients, exact, strict=True)):
            hold_equal(
                None if got is None else plain(self.engine, got),
                expected,
                f"{call.label}: gradient {position}",
            )

    def _refuse(self, call: Call) -> None:
        if failure_of(lambda: self._pulled(call.of[0], call.array)) is None:
            raise Violation(f"{call.label}: not refused")
