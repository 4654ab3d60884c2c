"""Nothing is kept of the last graph either (B12)."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.checks.b_graph.leaks import new_objects_alone
from conformance.checks.engine_calls import IntentionalError, is_intentional, is_refusal, raising_op
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import NEGATIVE

NODES = 400
WARM = 3  # nodes of the graphs before it, which fill what is filled once

Way = Callable[[Function], None]


@contract("B12", "last-graph", is_about_outcome=True)
def nothing_is_left_of_the_last_graph(engine: Backend, sample: Sample) -> None:
    """Of a graph that has ended no node is kept until the next ends: differentiated, dropped, refused a cotangent or ended by an exception.

    It has hundreds of nodes, those before it a few: as many Python objects that hold others must not be left of it.
    """
    if engine.compiles_signatures:
        raise NotThisCase("a compiler keeps what it compiled")
    for what, end in _endings(engine, sample):
        for nodes in (WARM, WARM):
            end(_chain(engine, nodes))
        with new_objects_alone():
            before = _tracked()
            end(_chain(engine, NODES))
            left = _tracked() - before
        if left >= NODES:
            raise Violation(f"{left} objects are left of the last graph, of {NODES} nodes, {what}")


def _chain(engine: Backend, nodes: int) -> Function:
    """Negation, so often."""
    negative = engine.op(NEGATIVE)

    def function(a: Any) -> Any:
        for _ in range(nodes):
            a = negative(a)
        return a

    return function


def _endings(engine: Backend, sample: Sample) -> Iterator[tuple[str, Way]]:
    """How a graph ends, in words, and what makes and ends that of a function."""
    x, g = sample.array((2,)), sample.array((2,))

    def pulled(function: Function, cotangent: Any = g) -> None:
        engine.trace(function, [np.array(x)]).pull([engine.array(np.array(cotangent))])

    def interrupted(function: Function) -> None:
        def failing(a: Any) -> Any:
            function(a)
            raise IntentionalError

        _failing(partial(engine.trace, failing, [np.array(x)]))

    yield "differentiated", pulled
    yield "dropped", lambda function: void(engine.trace(function, [np.array(x)]))
    yield (
        "refused its cotangent",
        lambda function: _failing(partial(pulled, function, np.ones((3,), x.dtype))),
    )
    yield "ended by an exception in the forward pass", interrupted
    if Capability.CUSTOM_RULE in engine.capabilities:
        raising = raising_op(engine)
        yield (
            "ended by an exception in a rule",
            lambda f: _failing(partial(pulled, lambda a: f(raising(f(a))))),
        )


def void(value: object) -> None:
    """Drop a value."""


def _failing(call: Callable[[], Any]) -> None:
    """Make a call that may fail."""
    try:
        call()
    except Exception as error:
        if not (is_intentional(error) or is_refusal(error)):
            raise


def _tracked() -> int:
    gc.collect()
    return len(gc.get_objects())
