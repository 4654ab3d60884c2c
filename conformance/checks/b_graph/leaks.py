"""Graphs of every op leave nothing behind (B12)."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, TapeBackend, restricted
from conformance.checks.b_graph.lifetime import entries_for, resident, without_collector
from conformance.checks.b_graph.ways import WAYS
from conformance.checks.chains import ROWS, chain
from conformance.checks.engine_calls import IntentionalError, is_intentional, one_sample_in_four
from conformance.checks.members import Member, members, weighted
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.checks.wrappers import wrappers_of
from conformance.errors import Violation, joined
from conformance.ops.names import MULTIPLY, NEGATIVE

ROUNDS = 6  # in each of which more is left: a registry of weak references is purged every few rounds
GRAPHS = 6
TRIALS = 3  # of what a process grows by
ENTRIES = 2**16  # of its arrays: half a megabyte in double precision
NODES = 37  # of a chain that has every link
# Free lists grow for hundreds of graphs.
MANY = 64  # graphs of a round
LARGE = 2**20  # of an array that is more than what a compiler keeps of a function: 8 MB
REPETITIONS = 16  # of one op, once something is found to be left


@contract("B12", "every-op", is_about_outcome=True, is_wide=True)
def graphs_of_every_op_leave_no_object(engine: Backend, sample: Sample) -> None:
    """A graph of any op leaves no Python object behind: dropped, differentiated, with a recorded gradient, or ended by an exception.

    After a collection of cycles, objects that hold others are counted: nodes, tensors, closures. A count that grows in
    every round, by one for each graph at least, is a leak; a cache grows in some rounds only.
    """
    if engine.compiles_signatures:
        raise NotThisCase("a compiler keeps what it compiled")
    builds = [_build(engine, member, number) for number, member in enumerate(members(engine, sample))]
    runnable = [(member, build) for member, build in builds if _runs(build)]
    with new_objects_alone():
        if not _grows(lambda: [build() for _, build in runnable], 1):
            return
        _hold_arrays_alone(engine, sample)
        left = [str(member) for member, build in runnable if _grows(partial(_repeat, build), REPETITIONS)]
        if left:
            said = "every graph of {} leaves objects behind, after a collection of cycles too"
            raise joined([(name, Violation(said.format(name))) for name in left])


@contextlib.contextmanager
def new_objects_alone() -> Iterator[None]:
    """A scope in which the cycle collector sees only what is made in it, and so takes little time."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _build(engine: Backend, member: Member, number: int) -> tuple[Member, Callable[[], Any]]:
    """What makes graphs of the op: one is differentiated, one recorded for another gradient, another is dropped or ended by an exception."""
    function, count = member.function(engine), len(member.case.operands)
    operands, cotangents = member.operands, member.cotangents
    one = [np.ones((), member.case.dtype)]

    def failing(*xs: Any) -> Any:
        function(*xs)
        raise IntentionalError

    def graph(*leaves: Any) -> Any:
        return weighted(engine, leaves[count:], function(*leaves[:count]))

    def ended_by_an_exception() -> None:
        try:
            engine.trace(failing, operands, member.wrt)
        except Exception as error:
            if not is_intentional(error):
                raise

    def recorded() -> None:
        arrays, given = list(map(engine.array, operands)), list(map(engine.array, cotangents))
        engine.nested_vjp(restricted(function, arrays, member.wrt), [arrays[i] for i in member.wrt], given)

    is_recorded = Capability.HIGHER_ORDER in engine.capabilities and _runs(recorded)

    def build() -> None:
        engine.vjp(graph, operands + cotangents, one, member.wrt)
        if is_recorded:
            recorded()
        if number % 2:
            engine.trace(function, operands, member.wrt)
        else:
            ended_by_an_exception()

    return member, build


def _hold_arrays_alone(engine: Backend, sample: Sample) -> None:
    """Claim that what is left is not of arrays in no graph, which every graph would be blamed for."""
    x = sample.array()
    if _grows(partial(_repeat, lambda: engine.array(np.array(x))), REPETITIONS):
        raise Violation("every array leaves objects behind, in no graph, after a collection of cycles too")


def _repeat(build: Callable[[], Any], times: int = REPETITIONS) -> None:
    for _ in range(times):
        build()


def _runs(build: Callable[[], Any]) -> bool:
    """Whether the engine makes these graphs at all; the checks of the op report why not."""
    try:
        build()
    except Exception:
        return False
    return True


def _tracked() -> int:
    return len(gc.get_objects())


def _grows(build: Callable[[], Any], least: int, counted: Callable[[], int] = _tracked) -> bool:
    """Whether more is counted after every round, so many at least: objects that hold others, where nothing else is named."""

    def count() -> int:
        build()
        gc.collect()
        return counted()

    before = count()
    for _ in range(ROUNDS):
        after = count()
        if after - before < least:
            return False
        before = after
    return True


@contract("B12", "every-way", is_about_outcome=True)
def graphs_ended_in_any_way_leave_no_object(engine: Backend, sample: Sample) -> None:
    """Written into, hooked, nested, accumulated or ended by an exception in the backward pass, a graph leaves no Python object behind.

    Nor do the engine's own records: whatever Python allocates is counted too, over many graphs.
    """
    if engine.compiles_signatures:
        raise NotThisCase("a compiler keeps what it compiled")
    ways = {what: build for what, build in _ways(engine, sample) if _runs(build)}
    with new_objects_alone():
        if _grows(lambda: [build() for build in ways.values()], 1):
            _hold_arrays_alone(engine, sample)
            for what, build in ways.items():
                if _grows(partial(_repeat, build), REPETITIONS):
                    raise Violation(
                        f"every graph {what} leaves objects behind, after a collection of cycles too"
                    )
        for what, build in ways.items():
            if _grows(partial(_repeat, build, MANY), MANY, sys.getallocatedblocks):
                raise Violation(f"every graph {what} leaves memory of Python allocated")


def _ways(engine: Backend, sample: Sample) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What may become of a graph besides a backward pass: in words, and what makes such a graph."""
    x, w, g = (sample.array() for _ in range(3))
    if isinstance(engine, TapeBackend):
        yield "of a leaf that accumulates", partial(_accumulated, engine, x, g)
    for way in WAYS:
        if way.need is None or way.need in engine.capabilities:
            yield way.what, partial(_differentiated, engine, way.make(engine, w), (x, w), g)
    yield "whose output is its cotangent", partial(_pulled_by_itself, engine, x)
    if Capability.FORWARD in engine.capabilities:
        multiply = engine.op(MULTIPLY)
        yield "of forward mode", lambda: engine.jvp(multiply, [np.array(x), np.array(w)], [g, g])


def _differentiated(engine: Backend, function: Callable[..., Any], operands: Any, g: Any) -> None:
    """Differentiate a function, which may raise on purpose."""
    try:
        engine.vjp(function, [np.array(x) for x in operands], [np.array(g)])
    except Exception as error:
        if not is_intentional(error):
            raise


def _pulled_by_itself(engine: Backend, x: Any) -> None:
    """Differentiate a product with its own value as the cotangent."""
    multiply = engine.op(MULTIPLY)
    traced = engine.trace(lambda a: multiply(a, a), [np.array(x)])
    traced.pull(list(traced.outputs))


def _accumulated(tape: TapeBackend, x: Any, g: Any) -> None:
    """Differentiate two functions of a leaf, whose gradient is cleared where the engine clears."""
    leaf = tape.leaf(np.array(x))
    for output in (tape.op(NEGATIVE)(leaf), tape.op(MULTIPLY)(leaf, leaf)):
        tape.backward(output, tape.array(np.array(g)))
    if Capability.CLEARING in tape.capabilities:
        tape.clear(leaf)


@contract("B12", "freed-every-way", is_about_outcome=True)
def memory_of_a_graph_ended_in_any_way_is_freed(engine: Backend, sample: Sample) -> None:
    """The memory of a graph with a custom rule, a checkpoint, hooks or writes is freed with its outputs; no reference cycle keeps it."""
    one_sample_in_four(sample)
    if engine.compiles_signatures:
        raise NotThisCase("a compiler keeps what it compiled")
    x, w, g = (sample.array((ENTRIES,)) for _ in range(3))
    for way in WAYS:
        if way.is_raising or way.need is None or way.need not in engine.capabilities:
            continue
        build = partial(_differentiated, engine, way.make(engine, w), (x, w), g)
        if _runs(build) and (grown := _grown_beyond(build, x.nbytes, trials=1)):
            raise Violation(
                f"{GRAPHS} graphs {way.what}, with arrays of {x.nbytes} bytes, left the process {grown} bytes "
                "larger with the cycle collector off"
            )


@contract("B12", "freed-of-functions", is_about_outcome=True)
def memory_of_a_graph_is_freed_whatever_function_made_it(engine: Backend, sample: Sample) -> None:
    """A compiled, vectorized or checkpointed function that is kept keeps nothing of the last graph that it made."""
    one_sample_in_four(sample)
    if engine.compiles_signatures:
        raise NotThisCase("a compiler keeps what it compiled")
    x, w, g = (sample.array((2, LARGE // 2)) for _ in range(3))
    multiply, functions = engine.op(MULTIPLY), list[Function]()
    for what, make in wrappers_of(engine):

        def build(make: Callable[[Function], Function] = make) -> None:
            functions.append(make(lambda a, b: multiply(multiply(a, b), b)))
            _differentiated(engine, functions[-1], (x, w), g)

        if grown := _grown_beyond(build, x.nbytes):
            raise Violation(
                f"{GRAPHS} functions {what}, each called once with arrays of {x.nbytes} bytes, kept {grown} bytes of their graphs "
                "with the cycle collector off"
            )


def _grown_beyond(build: Callable[[], Any], size: int, trials: int = TRIALS) -> int:
    """By how many bytes the process grows whenever some graphs are built, with the cycle collector off.

    0 where it once grows by less than half of `size` a graph: what a graph keeps makes it grow every time, the pools of
    an engine, of its threads and of the C library once.
    """
    found = []
    for _ in range(trials):
        with without_collector():
            for _ in range(GRAPHS // 4):  # memory pools grow
                build()
            before = resident()
            for _ in range(GRAPHS):
                build()
            found.append(resident() - before)
        if found[-1] <= GRAPHS * size / 2:
            return 0
    return min(found)


@contract("B12", "freed-chain", is_about_outcome=True, is_wide=True)
def memory_of_a_chain_of_many_ops_is_freed(engine: Backend, sample: Sample) -> None:
    """The memory of a graph of many families is freed with its outputs, differentiated, dropped or ended by an exception."""
    one_sample_in_four(sample)
    if engine.compiles_signatures:
        raise NotThisCase("a compiler keeps what it compiled")
    shape = (ROWS, entries_for(engine, sample.dtype, ENTRIES) // ROWS)
    held = ENTRIES * np.dtype(sample.dtype).itemsize  # by one array of the graph
    x, w, g = (sample.array(shape) for _ in range(3))
    function, _ = chain(engine, sample, NODES, shape[1])

    def failing(a: Any, b: Any) -> Any:
        function(a, b)
        raise IntentionalError

    def build() -> None:
        engine.trace(function, [x, w])
        engine.vjp(function, [x, w], [g])
        with contextlib.suppress(IntentionalError):
            engine.trace(failing, [x, w])

    if grown := _grown_beyond(build, held):
        raise Violation(
            f"{GRAPHS} graphs of {NODES} nodes, each with arrays of {held} bytes, left the process {grown} bytes "
            "larger with the cycle collector off"
        )
