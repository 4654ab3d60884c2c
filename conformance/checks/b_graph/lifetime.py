"""The size of a graph (B11), the end of its memory (B12)."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum, gradients_of, one_sample_in_four
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import ADD, BROADCAST_TO, MULTIPLY, NEGATIVE

LONG = 100_000
GRAPHS = 48
ENTRIES = 2**17  # of an intermediate array: 1 MB in double precision
PROBED, TIMES = 256, 3  # entries of an array whose Python objects are counted, and how often
OBJECT = 256  # numbers take as long as one node with objects of its own, which has the memory of 64


@contract("B11", "deep-chain", Capability.DEEP)
def deep_chain_does_not_exhaust_the_stack(engine: Backend, sample: Sample) -> None:
    """A chain of 10 000 nodes is built, differentiated and destroyed."""
    negative, add = engine.op(NEGATIVE), engine.op(ADD)
    x, g = sample.array(), sample.array()

    def chain(a: Any) -> Any:
        y = a
        for _ in range(5000):
            y = negative(add(y, a))
        return y

    # y ↦ −(y + a) alternates between −2a and a: an even number of steps is the identity.
    (got,) = gradients_of(engine, chain, [x], g)
    gc.collect()
    hold_equal(got, g, "the gradient of a chain of 10 000 nodes that is the identity")


@contract("B11", "long-chain", Capability.DEEP)
def long_chain_where_it_is_declared(engine: Backend, sample: Sample) -> None:
    """A chain of 100 000 nodes is built, differentiated and destroyed, where that is declared."""
    if declared_convention(engine, "B11") == "10 000 nodes":
        raise Unsupported("the adapter declares graphs of 10 000 nodes, not of 100 000")
    one_sample_in_four(sample)
    negative, multiply = engine.op(NEGATIVE), engine.op(MULTIPLY)
    x, g = sample.array(), sample.array()
    one = engine.array(np.ones_like(x))

    def chain(a: Any) -> Any:
        for _ in range(LONG // 2):
            a = multiply(negative(a), one)  # one keeps nothing, the other what it was made of
        return a

    (got,) = gradients_of(engine, chain, [x], g)
    hold_equal(got, g, f"the gradient of {LONG // 2} negations and as many products with one")


@contract("B12", "freed", is_about_outcome=True)
def memory_of_a_graph_is_freed_with_its_outputs(engine: Backend, sample: Sample) -> None:
    """A graph's memory is freed with its outputs, differentiated or not; no reference cycle keeps it.

    A process that grows keeps its graphs. One that does not grow frees them, or keeps them in memory that
    the engine had allocated before.
    """
    one_sample_in_four(sample)
    x = sample.array((1,))
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    spread = engine.call(BROADCAST_TO, {"shape": (ENTRIES,)})

    def cube(a: Any) -> Any:
        large = spread(a)
        return total(multiply(multiply(large, large), large))

    def recorded() -> None:
        engine.trace(cube, [np.array(x)])

    def differentiated() -> None:
        engine.gradient(cube, [np.array(x)])

    for build, what in ((recorded, "dropped"), (differentiated, "differentiated and dropped")):
        with without_collector():
            for _ in range(GRAPHS // 4):  # memory pools grow, code is compiled
                build()
            before = resident()
            for _ in range(GRAPHS):
                build()
            grown = resident() - before
        # A graph that is kept keeps at least the square. Memory pools vary by less than half of that.
        square = ENTRIES * x.itemsize
        if grown > GRAPHS * square / 2:
            raise Violation(
                f"{GRAPHS} graphs, {what}, each with an array of {square} bytes, left the process {grown} bytes "
                "larger with the cycle collector off"
            )


def entries_for(engine: Backend, dtype: str, most: int) -> int:
    """So many entries of an array; of an engine with Python objects for every entry so few that they take as long.

    Such a node takes the memory of some 64 numbers: a graph that is kept is still larger than an array of `most`.
    """
    numbers = np.ones(PROBED, dtype)
    blocks = []
    for _ in range(TIMES):
        before = sys.getallocatedblocks()
        array = engine.array(np.array(numbers))
        blocks.append(sys.getallocatedblocks() - before)
        del array
    return most if min(blocks) < PROBED else most // OBJECT


@contextmanager
def without_collector() -> Iterator[None]:
    """A scope in which only reference counts free memory."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def resident() -> int:
    """The bytes of memory that this process holds, after the C library has returned what is free."""
    pages, library = Path("/proc/self/statm"), ctypes.CDLL(None)
    if not pages.exists() or not hasattr(library, "malloc_trim"):
        raise Unsupported("this system does not report how much memory a process holds (statm, malloc_trim)")
    library.malloc_trim(0)
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
