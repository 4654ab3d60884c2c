"""A history played on pullbacks, beside its definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import FunctionalBackend
from conformance.case import Array
from conformance.checks.b_graph.history_runner import broken, failure_of
from conformance.checks.engine_calls import IntentionalError
from conformance.checks.observation import hold_equal, plain
from conformance.errors import Violation
from conformance.history import Move, Verb
from conformance.ops import find
from conformance.oracle.pullbacks import Pullbacks, operands_of


class PullbackRunner:
    """Takes pullbacks and calls them, beside their definition."""

    def __init__(self, engine: FunctionalBackend) -> None:
        self.engine = engine
        self.definition = Pullbacks(find)
        self.arrays: dict[int, Any] = {}
        self.pulls: dict[int, Callable[[Any], Any]] = {}

    def play(self, move: Move) -> None:
        """One move, where it is still possible."""
        if not self.definition.allows(move):
            return
        if move.verb is Verb.CONSTANT:
            assert move.made is not None
            self.arrays[move.made] = self.engine.array(np.array(move.array))
        elif move.verb in (Verb.PULLBACK, Verb.PULL_WITHIN):
            self._take(move)
        elif move.verb is Verb.PULLBACK_RAISING:
            self._raise(move)
        elif move.verb is Verb.PULL:
            self._pull(move)
        else:
            self._refuse(move)
        self.definition.take(move)

    def _function(self, move: Move) -> Callable[..., Any]:
        """The function of a move, on the engine's arrays."""

        def function(*operands: Any) -> Any:
            values = list(operands)
            if move.verb is Verb.PULL_WITHIN:
                values.append(self._pulled(move.of[0], move.array)[0])
            for op, inputs in move.parameters["steps"]:
                values.append(self.engine.op(op)(*(values[i] for i in inputs)))
            if move.verb is Verb.PULLBACK_RAISING:
                raise IntentionalError("a function that raises on purpose")
            return broken(self.engine)(values[-1]) if move.parameters["is_broken"] else values[-1]

        return function

    def _take(self, move: Move) -> None:
        assert move.made is not None
        operands = [self.arrays[n] for n in operands_of(move)]
        output, self.pulls[move.made] = self.engine.pullback(self._function(move), operands)
        hold_equal(
            plain(self.engine, output), self.definition.output(move), f"the value of v{move.made}'s function"
        )

    def _raise(self, move: Move) -> None:
        operands = [self.arrays[n] for n in operands_of(move)]
        if failure_of(lambda: self.engine.pullback(self._function(move), operands)) is None:
            raise Violation(f"{move.label}: the exception of a function did not come through")

    def _pulled(self, number: int, cotangent: Array | None) -> Any:
        return self.pulls[number](self.engine.array(np.array(cotangent)))

    def _pull(self, move: Move) -> None:
        gradients: list[Any] = []
        failure = failure_of(lambda: gradients.extend(self._pulled(move.of[0], move.array)))
        if move.of[0] in self.definition.broken:
            if failure is None:
                raise Violation(f"{move.label}: the exception of a rule did not come through")
            return
        if failure is not None:
            raise failure
        assert move.array is not None
        exact = self.definition.pulled(move.of[0], move.array)
        for position, (got, expected) in enumerate(zip(gradients, exact, strict=True)):
            hold_equal(
                None if got is None else plain(self.engine, got),
                expected,
                f"gradient {position} of {move.label}",
            )

    def _refuse(self, move: Move) -> None:
        if failure_of(lambda: self._pulled(move.of[0], move.array)) is None:
            raise Violation(f"{move.label}: not refused")
