"""Chapter B on calls in any order."""

from __future__ import annotations

import contextlib

from conformance.backend import Backend, Capability, FunctionalBackend
from conformance.checks.b_graph.pullback_runner import PullbackRunner
from conformance.checks.b_graph.tape_runner import TapeRunner
from conformance.checks.engine_calls import tape_of
from conformance.checks.registry import CheckKind, check
from conformance.errors import Unsupported
from conformance.history import History, Move, Verb
from conformance.oracle.histories import offered


@check(CheckKind.HISTORY, "B19", "tape", Capability.TAPE)
def tape_keeps_to_the_definition(engine: Backend, history: History) -> None:
    """Whatever order calls come in, values and stored gradients are those of the definition.

    Graphs are built, walked, walked again, cut, cleared, written into and built in scopes without recording; rules
    raise, and cotangents and writes are refused on the way. After a walk that failed a leaf keeps what it had, or all
    that was to arrive. A walk may fail where what a rule saved was written (D3); views share memory as elected (D6).
    """
    tape = tape_of(engine)
    with contextlib.ExitStack() as scopes:
        runner = TapeRunner(tape, scopes)
        for move in _possible(tape, history):
            runner.play(move)
        runner.hold_everything()


@check(CheckKind.HISTORY, "B19", "threads", Capability.TAPE)
def tape_keeps_to_the_definition_in_threads(engine: Backend, history: History) -> None:
    """The same where some calls come from other threads, one after the other: a scope is its own thread's."""
    tape_keeps_to_the_definition(engine, history)


@check(CheckKind.HISTORY, "B19", "pullbacks", Capability.RETAINING)
def pullbacks_keep_to_the_definition(engine: Backend, history: History) -> None:
    """Pullbacks give the same gradients whatever was pulled, refused, raised or traced between their calls."""
    if not isinstance(engine, FunctionalBackend):
        raise Unsupported(f"{engine.engine} ({engine.mode}) has no pullbacks")
    runner = PullbackRunner(engine)
    for move in _possible(engine, history):
        runner.play(move)


def _possible(engine: Backend, history: History) -> list[Move]:
    """What the engine offers; where broadcasting a cotangent is elected (A4), none is there to be refused."""
    is_refusing = engine.conventions.get("A4") == "refused"
    moves = offered(history.moves, engine.capabilities, engine.ops)
    return [m for m in moves if is_refusing or m.verb not in (Verb.BACKWARD_MISSHAPEN, Verb.PULL_MISSHAPEN)]
