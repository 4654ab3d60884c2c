"""Chapter F: what a gradient costs. Times and memory are reported, and judge nothing."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks.engine_calls import gradients_of
from conformance.checks.observation import hold_equal, plain
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MATMUL, MULTIPLY, NEGATIVE, SUM

Measured = dict[str, float]
ROUNDS = 5  # of a measurement; the fastest is the least disturbed


def _squares(engine: Backend) -> Callable[..., Any]:
    """sum((x @ w)²): a product of matrices large enough to be worth timing, and exact on a coarse grid."""
    matmul, multiply = engine.op(MATMUL), engine.op(MULTIPLY)
    total = engine.call(SUM, {"axis": None, "keepdims": False})

    def function(x: Any, w: Any) -> Any:
        y = matmul(x, w)
        return total(multiply(y, y))

    return function


def _hold_gradient(engine: Backend, gradients: Any, x: Any, w: Any) -> None:
    """Claim that these are the gradients of sum((x @ w)²): a cost is of interest where the answer is right."""
    y = x @ w
    for got, expected, name in zip(gradients, (2 * y @ w.T, 2 * x.T @ y), "xw", strict=True):
        hold_equal(plain(engine, got), expected.astype(x.dtype), f"the gradient of {name} in sum((x @ w)²)")


def _operands(sample: Sample, rows: int = 32) -> tuple[Any, Any]:
    """Whole numbers, so that sums of products are exact in every order."""
    return tuple(np.rint(sample.array(shape)) for shape in ((rows, 16), (16, 8)))  # type: ignore[return-value]


def _seconds(engine: Backend, ask: Callable[[], Any]) -> float:
    """The time of the fastest of a few calls, each waited for."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for array in ask():
            engine.finish(array)
        times.append(time.perf_counter() - started)
    return min(times)


@contract("F1", "time")
def time_of_a_gradient_is_reported(engine: Backend, sample: Sample) -> Measured:
    """The time of a gradient over that of its forward pass is reported, where the gradient is right."""
    function, (x, w) = _squares(engine), _operands(sample)
    _hold_gradient(engine, engine.gradient(function, [x, w]), x, w)
    engine.forward(function, [x, w])  # what has to be compiled is compiled by now
    gradient = _seconds(engine, lambda: engine.gradient(function, [x, w]))
    forward = _seconds(engine, lambda: engine.forward(function, [x, w]))
    return {"gradient_over_forward": gradient / forward}


@contract("F2", "memory")
def memory_of_a_gradient_is_reported(engine: Backend, sample: Sample) -> Measured:
    """The peak memory of a gradient over that of its forward pass is reported, where Python can see it."""
    function, (x, w) = _squares(engine), _operands(sample, rows=512)
    negate = engine.op(NEGATIVE)
    # What has to be compiled is compiled by now: what a compiler remembers is no array.
    negate(engine.array(x))
    engine.forward(function, [x, w])
    engine.gradient(function, [x, w])
    with _tracing():
        if _held_by(lambda: negate(engine.array(x))) < x.nbytes:
            raise NotThisCase("the engine's arrays are not in memory that Python sees (tracemalloc)")
        forward = _peak(lambda: engine.forward(function, [x, w]))
        gradients: list[Any] = []
        gradient = _peak(lambda: gradients.extend(engine.gradient(function, [x, w])))
    _hold_gradient(engine, gradients, x, w)
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
    """Bytes that what is made holds."""
    before, _ = tracemalloc.get_traced_memory()
    made = make()
    held = tracemalloc.get_traced_memory()[0] - before
    del made
    return held


def _peak(ask: Callable[[], Any]) -> int:
    """Bytes allocated at the peak of a call, beside what was there before."""
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    ask()
    return tracemalloc.get_traced_memory()[1] - before


@contract("F3", "work", Capability.CUSTOM_RULE)
def every_rule_is_applied_once(engine: Backend, sample: Sample) -> Measured:
    """In a lattice of any depth, width and fan-out every rule is applied once."""
    add, calls = engine.op(ADD), []

    def halved(g: Any, a: Any) -> tuple[Any, ...]:
        calls.append(1)
        return (g * 0.5,)

    half = engine.custom(lambda a: a * 0.5, halved)
    x, g = sample.array(), sample.array()
    for depth, width, fan in ((2, 2, 2), (6, 2, 2), (2, 6, 2), (2, 2, 4)):

        def lattice(a: Any, depth: int = depth, width: int = width, fan: int = fan) -> Any:
            layer = [a] * width
            for _ in range(depth):
                nodes = [half(value) for value in layer]
                layer = [_sum_of(add, [nodes[(i + k) % width] for k in range(fan)]) for i in range(width)]
            return _sum_of(add, layer)

        calls.clear()
        (got,) = gradients_of(engine, lattice, [x], g)
        hold_equal(
            got, g * width * (fan / 2) ** depth, f"the gradient of a lattice {depth} deep and {width} wide"
        )
        if len(calls) != depth * width:
            raise Violation(
                f"a lattice of {depth} times {width} rules, each used {fan} times, "
                f"called rules {len(calls)} times, expected {depth * width}"
            )
    return {"calls_per_rule": 1.0}


def _sum_of(add: Any, values: list[Any]) -> Any:
    total = values[0]
    for value in values[1:]:
        total = add(total, value)
    return total


@contract("F4", "calls")
def calls_of_the_function_are_reported(engine: Backend, sample: Sample) -> Measured:
    """How often a function is called for its first gradient, and for the next, is reported."""
    squares, (x, w), calls = _squares(engine), _operands(sample), []

    def function(a: Any, b: Any) -> Any:
        calls.append(1)
        return squares(a, b)

    counts = []
    for _ in range(2):
        calls.clear()
        _hold_gradient(engine, engine.gradient(function, [x, w]), x, w)
        counts.append(float(len(calls)))
    if not counts[0]:
        raise Violation("the gradient of a function was told without calling it")
    return {"calls_first": counts[0], "calls_next": counts[1]}


@contract("F5", "silent")
def gradient_prints_and_warns_of_nothing(engine: Backend, sample: Sample) -> None:
    """A gradient prints nothing and warns of nothing."""
    function, (x, w) = _squares(engine), _operands(sample)
    with warnings.catch_warnings(record=True) as warned, _listening() as printed:
        warnings.simplefilter("always")
        gradients = engine.gradient(function, [x, w])
        for gradient in gradients:
            engine.finish(gradient)
    _hold_gradient(engine, gradients, x, w)
    if warned:
        raise Violation(f"a plain gradient warns: {warned[0].category.__name__}: {warned[0].message}")
    if printed:
        raise Violation(f"a plain gradient prints {printed[0][:200]!r}")


@contextlib.contextmanager
def _listening() -> Iterator[list[str]]:
    """A list that afterwards holds what was written to the process's output, from Python or from C."""
    heard: list[str] = []
    with tempfile.TemporaryFile() as file:
        kept = {number: os.dup(number) for number in (1, 2)}
        with contextlib.redirect_stdout(_Written(heard)), contextlib.redirect_stderr(_Written(heard)):
            try:
                for number in kept:
                    os.dup2(file.fileno(), number)
                yield heard
            finally:
                for number, copy in kept.items():
                    os.dup2(copy, number)
                    os.close(copy)
        file.seek(0)
        text = file.read().decode(errors="replace")
        if text:
            heard.append(text)


class _Written:
    """A stream that keeps what is written."""

    def __init__(self, heard: list[str]) -> None:
        self.heard = heard

    def write(self, text: str) -> int:
        if text:
            self.heard.append(text)
        return len(text)

    def flush(self) -> None:
        """There is nothing to flush."""


@contract("F6", "cold-start")
def first_gradient_is_reported_apart(engine: Backend, sample: Sample) -> Measured:
    """The time of a function's first gradient is reported apart from that of the later ones."""
    function, (x, w) = _squares(engine), _operands(sample)
    started = time.perf_counter()
    _hold_gradient(engine, engine.gradient(function, [x, w]), x, w)
    first = time.perf_counter() - started
    later = _seconds(engine, lambda: engine.gradient(function, [x, w]))
    _hold_gradient(engine, engine.gradient(function, [x, w]), x, w)
    return {"first_seconds": first, "later_seconds": later}
