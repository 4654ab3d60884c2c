"""Disjoint graphs in several threads at once (B15)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from conformance.backend import Backend
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, MULTIPLY

THREADS = 4
ROUNDS = 5


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
                hold_equal(got, expected, f"{name}'s gradient of the graph of thread {number}")


def _at_once(call: Callable[[int], Any]) -> list[list[Any]]:
    """What `call` returns in each of several threads that start together and are switched often."""
    start = threading.Barrier(THREADS)
    results: list[list[Any]] = [[] for _ in range(THREADS)]
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            start.wait()
            results[number].extend(call(number) for _ in range(ROUNDS))
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
