"""Chapter F: the time of a gradient, beside its peak memory; both are reported only."""

from __future__ import annotations

import contextlib
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

from conformance.backend import Backend
from conformance.checks.f_cost.workload import Measured, hold_gradient, operands, squares
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.ops.names import NEGATIVE

ROUNDS = 5  # of a measurement; the fastest is the least disturbed


def _seconds(engine: Backend, run: Callable[[], Any]) -> float:
    """The time of the fastest of a few calls, each until its arrays are computed."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for array in run():
            engine.finish(array)
        times.append(time.perf_counter() - started)
    return min(times)


@contract("F1", "time")
def time_of_a_gradient_is_reported(engine: Backend, sample: Sample) -> Measured:
    """The time of a gradient over that of its forward pass is reported, where the gradient is right."""
    function, (x, w) = squares(engine), operands(sample)
    hold_gradient(engine, engine.gradient(function, [x, w]), x, w)
    engine.forward(function, [x, w])  # from here on nothing has to be compiled
    gradient = _seconds(engine, lambda: engine.gradient(function, [x, w]))
    forward = _seconds(engine, lambda: engine.forward(function, [x, w]))
    return {"gradient_over_forward": gradient / forward}


@contract("F6", "cold-start")
def first_gradient_is_reported_separately(engine: Backend, sample: Sample) -> Measured:
    """The time of a function's first gradient is reported separately from that of later ones."""
    function, (x, w) = squares(engine), operands(sample)
    started = time.perf_counter()
    hold_gradient(engine, engine.gradient(function, [x, w]), x, w)
    first = time.perf_counter() - started
    later = _seconds(engine, lambda: engine.gradient(function, [x, w]))
    hold_gradient(engine, engine.gradient(function, [x, w]), x, w)
    return {"first_seconds": first, "later_seconds": later}


@contract("F2", "memory")
def memory_of_a_gradient_is_reported(engine: Backend, sample: Sample) -> Measured:
    """The peak memory of a gradient over that of its forward pass is reported, where Python can trace it."""
    function, (x, w) = squares(engine), operands(sample, rows=512)
    negate = engine.op(NEGATIVE)
    # Compile everything first: the memory that a compiler keeps is not that of arrays.
    negate(engine.array(x))
    engine.forward(function, [x, w])
    engine.gradient(function, [x, w])
    with _tracing():
        if _held_by(lambda: negate(engine.array(x))) < x.nbytes:
            raise NotThisCase("the engine's arrays are not in memory that Python traces (tracemalloc)")
        forward = _peak(lambda: engine.forward(function, [x, w]))
        gradients: list[Any] = []
        gradient = _peak(lambda: gradients.extend(engine.gradient(function, [x, w])))
    hold_gradient(engine, gradients, x, w)
    return {"gradient_over_forward": gradient / forward}


@contextlib.contextmanager
def _tracing() -> Iterator[None]:
    is_ours = not tracemalloc.is_tracing()
    if is_ours:
        tracemalloc.start()
    try:
        yield
    finally:
        if is_ours:
            tracemalloc.stop()


def _held_by(make: Callable[[], Any]) -> int:
    """The bytes that the result of `make` occupies."""
    before, _ = tracemalloc.get_traced_memory()
    made = make()
    held = tracemalloc.get_traced_memory()[0] - before
    del made
    return held


def _peak(run: Callable[[], Any]) -> int:
    """The bytes allocated at the peak of a call, without those allocated before it."""
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    run()
    return tracemalloc.get_traced_memory()[1] - before
