"""Chapter B: how long a graph lives, and how long it can be."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.engine_calls import gradients_of, is_refused, one_sample_in_four, tape_of
from conformance.checks.observation import hold_equal, plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import ADD, BROADCAST_TO, MULTIPLY, NEGATIVE, SUM

LONG = 100_000


# ---- freed graphs ----------------------------------------------------------------------------------


@contract("B6", "walked-twice")
def graph_that_is_walked_twice(engine: Backend, sample: Sample) -> None:
    """A second backward through a graph that was not retained is refused or gives the right answer."""
    tape = tape_of(engine)
    accumulates = declared_convention(tape, "B3") == "accumulates"
    add, multiply, negative = (tape.op(name) for name in (ADD, MULTIPLY, NEGATIVE))
    x, w, g, h = (sample.array() for _ in range(4))
    graphs: dict[str, tuple[Callable[[Any, Any], Any], Array]] = {
        "x * w": (multiply, w),
        "x + w": (add, np.ones_like(w)),
        "-x": (lambda a, b: negative(a), -np.ones_like(w)),
        "x * x * w": (lambda a, b: multiply(multiply(a, a), b), 2 * x * w),
        "x * w + x": (lambda a, b: add(multiply(a, b), a), w + 1),
    }
    for name, (function, slope) in graphs.items():
        leaf = tape.leaf(np.array(x))
        output = function(leaf, tape.array(np.array(w)))
        tape.backward(output, tape.array(np.array(g)))
        hold_equal(plain(tape, tape.grad(leaf)), g * slope, f"the gradient of {name}")
        second = tape.array(np.array(h))
        was_refused = is_refused(lambda z=output, second=second: tape.backward(z, second))
        total = g if was_refused else g + h if accumulates else h
        what = "refused" if was_refused else "answered"
        hold_equal(plain(tape, tape.grad(leaf)), total * slope, f"{name} after a second walk, {what}")


# ---- memory ----------------------------------------------------------------------------------------

GRAPHS = 48
ENTRIES = 2**17  # of an array on the way: 1 MB in double precision


@contract("B12", "freed")
def memory_of_a_graph_is_freed_with_its_outputs(engine: Backend, sample: Sample) -> None:
    """A graph's memory is freed when its outputs die, walked back or not; no cycle keeps it.

    A process that grows proves that graphs are kept; one that does not grow proves that they are freed, or
    that they fit into what a pool of the engine's own had kept from before.
    """
    one_sample_in_four(sample)
    x = sample.array((1,))
    multiply, total = engine.op(MULTIPLY), engine.call(SUM, {"axis": None, "keepdims": False})
    spread = engine.call(BROADCAST_TO, {"shape": (ENTRIES,)})

    def cube(a: Any) -> Any:
        large = spread(a)
        return total(multiply(multiply(large, large), large))

    def recorded() -> None:
        engine.trace(cube, [np.array(x)])

    def walked() -> None:
        engine.gradient(cube, [np.array(x)])

    for build, what in ((recorded, "dropped"), (walked, "walked back and dropped")):
        with _without_collector():
            for _ in range(GRAPHS // 4):  # pools fill, code is compiled
                build()
            before = _resident()
            for _ in range(GRAPHS):
                build()
            grown = _resident() - before
        # A graph that is kept keeps the square, if nothing else: half of that is beyond a pool's whims.
        square = ENTRIES * x.itemsize
        if grown > GRAPHS * square / 2:
            raise Violation(
                f"{GRAPHS} graphs, {what}, each with an array of {square} bytes, left the process {grown} bytes "
                "larger with the cycle collector off"
            )


@contextmanager
def _without_collector() -> Iterator[None]:
    """A scope in which only reference counts free memory."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _resident() -> int:
    """The bytes of memory this process holds, without those that the C library keeps for later."""
    pages, library = Path("/proc/self/statm"), ctypes.CDLL(None)
    if not pages.exists() or not hasattr(library, "malloc_trim"):
        raise Unsupported("this system does not tell how much memory a process needs (statm, malloc_trim)")
    library.malloc_trim(0)
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# ---- long graphs -----------------------------------------------------------------------------------


@contract("B11", "long-chain", Capability.DEEP)
def long_chain_where_it_is_promised(engine: Backend, sample: Sample) -> None:
    """A chain of 100 000 nodes is built, walked back and destroyed, where that is elected."""
    if declared_convention(engine, "B11") == "10 000 nodes":
        raise Unsupported("graphs of 10 000 nodes are promised, not of 100 000")
    one_sample_in_four(sample)
    negative = engine.op(NEGATIVE)
    x, g = sample.array(), sample.array()

    def chain(a: Any) -> Any:
        for _ in range(LONG):
            a = negative(a)
        return a

    (got,) = gradients_of(engine, chain, [x], g)
    hold_equal(got, g, f"the gradient of {LONG} negations")


# ---- threads ---------------------------------------------------------------------------------------

THREADS = 4
ROUNDS = 5


@contract("B15", "threads")
def disjoint_graphs_in_several_threads(engine: Backend, sample: Sample) -> None:
    """Gradients of disjoint graphs asked in several threads at once are those asked in turn."""
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    inputs = [tuple(sample.array() for _ in range(3)) for _ in range(THREADS)]

    def function(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        for _ in range(10):
            product = add(product, a)
        return product

    def ask(number: int) -> list[Any]:
        x, w, g = inputs[number]
        return gradients_of(engine, function, [x, w], g)

    in_turn = [ask(number) for number in range(THREADS)]
    at_once = _at_once(ask)
    for number, answers in enumerate(at_once):
        x, w, g = inputs[number]
        for answer in (in_turn[number], *answers):
            for got, expected, name in zip(answer, (g * (w + 10), g * x), "xw", strict=True):
                hold_equal(got, expected, f"{name}'s gradient of a graph of thread {number}'s own")


def _at_once(ask: Callable[[int], Any]) -> list[list[Any]]:
    """What `ask` answers in each of several threads that start together and take turns often."""
    start = threading.Barrier(THREADS)
    answers: list[list[Any]] = [[] for _ in range(THREADS)]
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            start.wait()
            answers[number].extend(ask(number) for _ in range(ROUNDS))
        except BaseException as error:  # whatever it is, it is raised again below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    if failures:
        raise failures[0]
    return answers
