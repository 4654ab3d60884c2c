"""Chapter B on calls in any order."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, FunctionalBackend, TapeBackend
from conformance.case import Array
from conformance.checks.graph import tape_of
from conformance.checks.observation import hold_equal, plain
from conformance.checks.registry import Kind, check, elected
from conformance.errors import ConformanceError, Unsupported, Violation, is_ctrl_c
from conformance.history import History, Move, Verb
from conformance.ops import find
from conformance.oracle.histories import Definition, Walk, offered
from conformance.oracle.pullbacks import Pullbacks, operands_of


@check(Kind.HISTORY, "B19", "tape", Capability.TAPE)
def tape_keeps_to_the_definition(engine: Backend, history: History) -> None:
    """Whatever order calls come in, values and stored gradients are those of the definition.

    Graphs are built, walked, walked again, cut, cleared and built in scopes without recording; rules raise and
    cotangents are refused on the way. After a walk that failed a leaf keeps what it had, or all that was to arrive.
    """
    tape = tape_of(engine)
    with contextlib.ExitStack() as scopes:
        player = _TapePlayer(tape, scopes)
        for move in _possible(tape, history):
            player.play(move)
        player.hold_everything()


@check(Kind.HISTORY, "B19", "threads", Capability.TAPE)
def tape_keeps_to_the_definition_in_threads(engine: Backend, history: History) -> None:
    """The same where some calls come from other threads, one after the other: a scope is its own thread's."""
    tape_keeps_to_the_definition(engine, history)


@check(Kind.HISTORY, "B19", "pullbacks", Capability.RETAINING)
def pullbacks_keep_to_the_definition(engine: Backend, history: History) -> None:
    """Pullbacks give the same gradients whatever was pulled, refused, raised or traced between their calls."""
    if not isinstance(engine, FunctionalBackend):
        raise Unsupported(f"{engine.engine} ({engine.mode}) has no pullbacks")
    player = _PullbackPlayer(engine)
    for move in _possible(engine, history):
        player.play(move)


def _possible(engine: Backend, history: History) -> list[Move]:
    """What the engine offers; where broadcasting a cotangent is elected (A4), none is there to be refused."""
    is_refusing = engine.conventions.get("A4") == "refused"
    moves = offered(history.moves, engine.capabilities, engine.ops)
    return [m for m in moves if is_refusing or m.verb not in (Verb.REFUSE, Verb.REFUSE_PULL)]


class _Deliberate(Exception):
    """Raised on purpose."""


def _raises(g: Any, *operands: Any) -> Any:
    raise _Deliberate("a rule that raises on purpose")


def broken(engine: Backend) -> Callable[[Any], Any]:
    """x + x, by a rule that raises on the way back."""
    return engine.custom(lambda a: a + a, _raises)


def _failure_of(call: Callable[[], Any]) -> BaseException | None:
    """What the engine raises; what we raise ourselves goes on."""
    try:
        call()
    except ConformanceError:
        raise
    except BaseException as failure:
        if is_ctrl_c(failure):
            raise
        return failure
    return None


def _elsewhere(call: Callable[[], Any]) -> Any:
    """The result of a call in a thread of its own, which ends before anything else happens."""
    results: list[Any] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
    return results[0]


class _TapePlayer:
    """Plays moves on a tape, beside their definition."""

    def __init__(self, tape: TapeBackend, scopes: contextlib.ExitStack) -> None:
        choice = elected(tape, "B3", ("accumulates", "replaces"))
        self.tape = tape
        self.definition = Definition(find, accumulates=choice == "accumulates")
        self.arrays: dict[int, Any] = {}
        self.scopes = scopes
        self.open: list[Any] = []

    def play(self, move: Move) -> None:
        """One move, where it is still possible."""
        if not self.definition.allows(move):
            return
        if move.verb in (Verb.WALK, Verb.RETAIN):
            self._walk(move)
        elif move.verb is Verb.REFUSE:
            self._refuse(move)
        elif move.verb is Verb.CLEAR:
            self._clear(move)
        else:
            self._certain(move)

    def _certain(self, move: Move) -> None:
        if move.verb is Verb.OPEN:
            self.open.append(self.scopes.enter_context(contextlib.ExitStack()))
            self.open[-1].enter_context(self.tape.no_grad())
        elif move.verb is Verb.CLOSE:
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
        call = broken(self.tape) if move.verb is Verb.BREAK else self.tape.call(move.op, move.parameters)
        return _elsewhere(lambda: call(*of)) if move.is_elsewhere else call(*of)

    def _backward(self, move: Move) -> BaseException | None:
        g = None if move.array is None else self.tape.array(np.array(move.array))
        output, retain = self.arrays[move.of[0]], move.verb is Verb.RETAIN

        def walk() -> None:
            self.tape.backward(output, g, retain=retain)

        return _failure_of(lambda: _elsewhere(walk) if move.is_elsewhere else walk())

    def _walk(self, move: Move) -> None:
        walk = self.definition.walk(move)
        failure = self._backward(move)
        if failure is None and walk.must_fail:
            raise Violation(f"{move.label}: the exception of a rule did not come through")
        if failure is not None and not (walk.must_fail or walk.may_fail):
            raise failure
        kept = {leaf: self._kept(move, walk, leaf, has_failed=failure is not None) for leaf in walk.arrives}
        self.definition.settle(move, walk, kept, has_failed=failure is not None)

    def _kept(self, move: Move, walk: Walk, leaf: int, *, has_failed: bool) -> Array:
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
        for leaf in self.definition.walk(move).arrives:
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


class _PullbackPlayer:
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
        elif move.verb is Verb.RAISE:
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
            if move.verb is Verb.RAISE:
                raise _Deliberate("a function that raises on purpose")
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
        if _failure_of(lambda: self.engine.pullback(self._function(move), operands)) is None:
            raise Violation(f"{move.label}: the exception of a function did not come through")

    def _pulled(self, number: int, cotangent: Array | None) -> Any:
        return self.pulls[number](self.engine.array(np.array(cotangent)))

    def _pull(self, move: Move) -> None:
        gradients: list[Any] = []
        failure = _failure_of(lambda: gradients.extend(self._pulled(move.of[0], move.array)))
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
        if _failure_of(lambda: self._pulled(move.of[0], move.array)) is None:
            raise Violation(f"{move.label}: not refused")
