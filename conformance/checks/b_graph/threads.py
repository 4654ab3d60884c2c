"""Disjoint graphs in several threads at once (B15)."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, TapeBackend
from conformance.case import Array
from conformance.checks.b_graph.history_runner import in_other_thread
from conformance.checks.b_graph.lifetime import entries_for
from conformance.checks.c_modes.built_functions import LAYERS, WORDS, built
from conformance.checks.c_modes.hooks import doubling
from conformance.checks.chains import ROWS, chain
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of, is_refused, tape_of
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Unsupported
from conformance.ops.names import ADD, MULTIPLY, SQUARE

THREADS = 4
WAIT = 1.0  # seconds, for the other threads to be within the same call
ROUNDS = 5
ENTRIES = 2**13  # of an array: enough that NumPy computes without the interpreter's lock
LINKS, FEW_LINKS = 20, 4  # nodes of a large graph; where every op is compiled for its shape


@contract("B15", "threads")
def disjoint_graphs_in_several_threads(engine: Backend, sample: Sample) -> None:
    """Gradients of disjoint graphs computed in several threads at once equal those computed in turn."""
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    inputs = [tuple(sample.array() for _ in range(3)) for _ in range(THREADS)]

    def function(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        for _ in range(10):
            product = add(product, a)
        return product

    def gradients(number: int) -> list[Any]:
        x, w, g = inputs[number]
        return gradients_of(engine, function, [x, w], g)

    in_turn = [gradients(number) for number in range(THREADS)]
    at_once = _at_once(gradients)
    for number, results in enumerate(at_once):
        x, w, g = inputs[number]
        for result in (in_turn[number], *results):
            for got, expected, name in zip(result, (g * (w + 10), g * x), "xw", strict=True):
                hold_equal(got, expected, f"{name}'s gradient of the graph of thread {number + 1}")


@contract("B15", "large-graphs")
def large_graphs_in_several_threads(engine: Backend, sample: Sample) -> None:
    """Graphs of twenty ops on large arrays, their gradients nested where the engine nests them, share no buffer."""
    square = engine.op(SQUARE) if SQUARE in engine.ops else _square(engine)
    shape = (ROWS, entries_for(engine, sample.dtype, ENTRIES) // ROWS)
    inputs = [tuple(sample.array(shape) for _ in range(4)) for _ in range(THREADS)]
    function, sign = chain(engine, sample, FEW_LINKS if engine.compiles_signatures else LINKS, shape[1])

    def squared(a: Any, b: Any) -> Any:
        return square(function(a, b))

    def gradients(number: int) -> list[Any]:
        x, w, g, v = inputs[number]
        got = gradients_of(engine, squared, [x, w], g)
        if Capability.HIGHER_ORDER not in engine.capabilities:
            return got

        def first_gradient(a: Any, b: Any) -> Any:
            return engine.nested_vjp(squared, [a, b], [engine.array(np.array(g))])[1]

        return got + gradients_of(engine, first_gradient, [x, w], v)

    for number, results in enumerate(_at_once(gradients, 1 if engine.compiles_signatures else 2)):
        x, w, g, v = inputs[number]
        slope = 2 * g * (sign * x + w)
        for result in results:
            for index, expected in enumerate(
                (sign * slope, slope, sign * 2 * g * v, 2 * g * v)[: len(result)]
            ):
                hold_equal(
                    result[index], expected, f"gradient {index + 1} of the large graph of thread {number + 1}"
                )


@contract("B15", "tangents", Capability.FORWARD)
def tangents_in_several_threads(engine: Backend, sample: Sample) -> None:
    """Tangents pushed forward in one other thread, and in several at once, are those of each call."""
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    inputs = [tuple(sample.array() for _ in range(4)) for _ in range(THREADS)]

    meeting: list[threading.Barrier] = []

    def function(a: Any, b: Any) -> Any:
        for each in meeting:
            with contextlib.suppress(threading.BrokenBarrierError):  # an engine may let in one at a time
                each.wait(WAIT)
        return add(multiply(multiply(a, a), b), b)

    def pushed(number: int) -> tuple[Array, Array]:
        operands, tangents = inputs[number][:2], inputs[number][2:]
        (output,), (tangent,) = engine.jvp(function, [*map(np.array, operands)], [*map(np.array, tangents)])
        return plain(engine, output), plain(engine, tangent)

    alone = [[in_other_thread(partial(pushed, number))] for number in range(THREADS)]
    meeting.append(threading.Barrier(THREADS))
    for where, found in (("in another thread", alone), ("in one of several threads", _at_once(pushed))):
        for (x, w, s, t), results in zip(inputs, found, strict=True):
            for output, tangent in results:
                hold_equal(output, x * x * w + w, f"the value of x²w + w, pushed forward {where},")
                hold_equal(tangent, 2 * x * w * s + (x * x + 1) * t, f"the tangent of x²w + w {where}")


@contract("B15", "handed-over")
def graph_handed_over_to_other_threads(engine: Backend, sample: Sample) -> None:
    """A graph made in one thread, or in two where leaves keep their gradients, is differentiated in another."""
    x, w, g = (sample.array() for _ in range(3))
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)

    def function(a: Any, b: Any) -> Any:
        product = multiply(a, b)
        square = elsewhere(lambda: multiply(product, product))
        return add(multiply(square, b), product)

    elsewhere = in_other_thread if isinstance(engine, TapeBackend) else lambda call: call()
    traced = in_other_thread(lambda: engine.trace(function, [np.array(x), np.array(w)]))
    pulled = in_other_thread(lambda: traced.pull([engine.array(np.array(g))]))
    for got, expected, name in zip(
        pulled, (g * (2 * x * w**3 + w), g * (3 * x * x * w * w + x)), "xw", strict=True
    ):
        hold_gradient(engine, got, expected, f"{name}'s gradient of a graph handed over to another thread")


@contract("B15", "leaf-elsewhere", Capability.TAPE)
def leaf_of_another_thread_has_its_gradient(engine: Backend, sample: Sample) -> None:
    """A leaf that another thread made, which may be gone, has its whole gradient of a graph that is made and differentiated in this one."""
    tape, multiply = tape_of(engine), engine.op(MULTIPLY)
    x, w, g = (sample.array() for _ in range(3))
    first = in_other_thread(lambda: tape.leaf(np.array(x)))
    second = tape.leaf(np.array(w))
    tape.backward(multiply(multiply(first, multiply(first, second)), first), tape.array(np.array(g)))
    for leaf, expected, name in ((first, 3 * g * x * x * w, "x"), (second, g * x**3, "w")):
        what = f"{name}'s gradient of x³w, where another thread made the leaf x"
        hold_equal(plain(tape, tape.grad(leaf)), expected, what)


@contract("B15", "passes-between", Capability.TAPE)
def backward_passes_of_other_threads_come_between(engine: Backend, sample: Sample) -> None:
    """Between a function and its backward pass another thread runs passes of its own, of other leaves and of the same: no contribution is lost.

    The leaf has had a backward pass before, or none.
    """
    tape, multiply = tape_of(engine), engine.op(MULTIPLY)
    accumulates = declared_convention(engine, "B3") == "accumulates"

    def passed(leaf: Any, w: Any, g: Any) -> None:
        tape.backward(multiply(leaf, tape.array(np.array(w))), tape.array(np.array(g)))

    for was_used in (False, True):
        for is_same in (False, True):
            x, total = sample.array(), np.zeros(sample.shape, sample.dtype)
            leaf, other = tape.leaf(np.array(x)), tape.leaf(np.array(x))
            passes = [(sample.array(), sample.array()) for _ in range(3)]
            before, here, between = passes
            if was_used:
                passed(leaf, *before)
            product = multiply(multiply(leaf, leaf), tape.array(np.array(here[0])))
            in_other_thread(partial(passed, leaf if is_same else other, *between))
            late = partial(tape.backward, product, tape.array(np.array(here[1])))
            # A tape that clears what a leaf took part in may refuse the pass that comes late.
            if not is_same:
                late()
            elif is_refused(late):
                continue
            arrived = [w * g for w, g in [before] * was_used + [between] * is_same]
            own = 2 * x * here[0] * here[1]
            total = sum(arrived, start=own) if accumulates else own
            said = f"{'used before' if was_used else 'new'}, another thread's pass through {'it' if is_same else 'another'} between"
            hold_equal(plain(tape, tape.grad(leaf)), total, f"the gradient of x² w by a leaf that is {said}")


@contract("B15", "built-elsewhere")
def function_built_in_one_thread_serves_others(engine: Backend, sample: Sample) -> None:
    """What is built in one thread, a custom rule, a checkpoint, a transform, is called in another, and pulled back in a third.

    A hook that is set where a graph is made is called where it is differentiated.
    """
    multiply = engine.op(MULTIPLY)

    def hooked(a: Any, b: Any) -> Any:
        square = multiply(a, a)
        engine.hook(square, doubling(engine))
        return multiply(square, b)

    makers: dict[Capability, tuple[str, Callable[[], Function]]] = {
        layer: (WORDS[layer], partial(built, engine, (layer,))) for layer in LAYERS
    }
    makers[Capability.HOOKS] = "a hook", lambda: hooked
    offered = [maker for need, maker in makers.items() if need in engine.capabilities]
    if not offered:
        raise Unsupported("the engine has neither custom rules, checkpoints, transforms nor hooks")
    for what, make in offered[sample.seed % len(offered) :][:1] if engine.compiles_signatures else offered:
        x, w, g = (sample.array((5,)) for _ in range(3))
        function = make()
        traced = in_other_thread(partial(engine.trace, function, [np.array(x), np.array(w)]))
        pulled = in_other_thread(partial(traced.pull, [engine.array(np.array(g))]))
        of_x = (4 if function is hooked else 2) * g * x * w
        for got, expected, name in zip(pulled, (of_x, g * x * x), "xw", strict=True):
            hold_gradient(engine, got, expected, f"{name}'s gradient of x²w by {what} of another thread")


@contract("B15", "called-at-once")
def one_function_called_by_several_threads_at_once(engine: Backend, sample: Sample) -> None:
    """One compiled, vectorized or checkpointed function, or one custom rule, called in several threads at once, has the gradients of each call."""
    offered = [layer for layer in LAYERS if layer in engine.capabilities]
    if not offered:
        raise Unsupported("the engine has neither custom rules, checkpoints nor transforms")
    for layer in offered[sample.seed % len(offered) :][:1] if engine.compiles_signatures else offered:
        function = built(engine, (layer,))
        inputs = [tuple(sample.array((5,)) for _ in range(3)) for _ in range(THREADS)]

        def gradients(number: int, function: Function = function, inputs: Any = inputs) -> list[Any]:
            x, w, g = inputs[number]
            return gradients_of(engine, function, [x, w], g)

        for number, results in enumerate(_at_once(gradients)):
            x, w, g = inputs[number]
            for got, expected in (
                (r[i], e) for r in results for i, e in enumerate((2 * g * x * w, g * x * x))
            ):
                hold_equal(
                    got, expected, f"a gradient of x²w by {WORDS[layer]} in thread {number + 1} of several"
                )


def _square(engine: Backend) -> Function:
    multiply = engine.op(MULTIPLY)
    return lambda a: multiply(a, a)


def _at_once(call: Callable[[int], Any], rounds: int = ROUNDS) -> list[list[Any]]:
    """What `call` returns in each of several threads that start together and are switched often."""
    start = threading.Barrier(THREADS)
    results: list[list[Any]] = [[] for _ in range(THREADS)]
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            start.wait()
            results[number].extend(call(number) for _ in range(rounds))
        except BaseException as error:  # raised again below, of whatever type
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
    return results
