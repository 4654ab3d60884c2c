"""Random histories of calls, in any order (B19)."""

from __future__ import annotations

import contextlib

from conformance.backend import Backend, Capability, FunctionalBackend
from conformance.checks.b_graph.pullback_runner import PullbackRunner
from conformance.checks.b_graph.tape_runner import TapeRunner
from conformance.checks.engine_calls import tape_of
from conformance.checks.registry import check
from conformance.errors import Unsupported
from conformance.history import Call, History, Verb
from conformance.oracle.histories import offered


@check("history", "B19", "tape", Capability.TAPE)
def tape_keeps_to_the_definition(engine: Backend, history: History) -> None:
    """Whatever order calls come in, values and stored gradients are those of the definition.

    Graphs are built, differentiated once or several times, detached, written into, and built in no_grad scopes;
    gradients are cleared; rules raise; cotangents and writes are refused. After a backward pass that failed a leaf
    keeps its earlier gradient, or has received its whole contribution. A backward pass may fail after a write into
    what a rule saved (D3). Views share memory as the adapter declares (D6).
    """
    tape = tape_of(engine)
    with contextlib.ExitStack() as scopes:
        runner = TapeRunner(tape, scopes)
        for call in _possible(tape, history):
            runner.run(call)
        runner.hold_everything()


@check("history", "B19", "threads", Capability.TAPE)
def tape_keeps_to_the_definition_in_threads(engine: Backend, history: History) -> None:
    """The same with some calls in other threads, one after the other: a no_grad scope belongs to its thread."""
    tape_keeps_to_the_definition(engine, history)


@check("history", "B19", "pullbacks", Capability.RETAINING)
def pullbacks_keep_to_the_definition(engine: Backend, history: History) -> None:
    """Pullbacks give the same gradients whatever was computed, refused, raised or traced between their calls."""
    if not isinstance(engine, FunctionalBackend):
        raise Unsupported(f"{engine.engine} ({engine.mode}) has no pullbacks")
    runner = PullbackRunner(engine)
    for call in _possible(engine, history):
        runner.run(call)


def _possible(engine: Backend, history: History) -> list[Call]:
    """The calls that the engine offers, without wrong shapes where the adapter declares that it broadcasts (A4)."""
    is_refusing = engine.conventions.get("A4") == "refused"
    calls = offered(history.calls, engine.capabilities, engine.ops)
    return [c for c in calls if is_refusing or c.verb not in (Verb.BACKWARD_MISSHAPEN, Verb.PULL_MISSHAPEN)]
