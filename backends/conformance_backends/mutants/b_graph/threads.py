"""Mutants that share the state of a backward pass between threads."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import LeafCotangents, Mutant, SteppedTape, WithTransforms, behaviour
from conformance_backends.numpy_engine.graph import Edge, backward_pass
from conformance_backends.numpy_engine.seeds import seed
from conformance_backends.numpy_engine.tensor import Tensor, edge_of

PAUSE = 0.02  # seconds: long enough for another thread to run, on a busy machine, too


def seed_in_one_variable(self: Any, output: Tensor, gradient: Any) -> Any:
    """One variable holds the seed for all threads."""
    self.kept["seed"] = seed(output, gradient).value
    time.sleep(PAUSE)
    return self.kept["seed"]


def result_in_one_variable(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
    """One variable holds the cotangents of the leaves for all threads."""
    self.kept["ended"] = own = backward_pass([(edge, cotangent)])
    # A thread that ends takes none of its leaves away from another one.
    self.kept.setdefault("leaves", []).extend(getattr(node, "variable", None) for node in own)
    time.sleep(PAUSE)
    ended: LeafCotangents = self.kept["ended"]
    return ended


class SharedBuffer(SteppedTape):
    """Large sums of cotangents are computed in one buffer for all threads."""

    def accumulate(self, leaf: Tensor, arrived: Any) -> None:
        """Copy what arrived through a buffer of its shape."""
        arrived = np.asarray(arrived)
        if arrived.size < 2**12:
            super().accumulate(leaf, arrived)
            return
        buffer = self.kept.setdefault((arrived.shape, arrived.dtype), np.empty_like(arrived))
        buffer[...] = arrived
        time.sleep(PAUSE)
        super().accumulate(leaf, buffer)


class GraphOfOneThread(SteppedTape):
    """A graph is known to the thread alone that made its leaves: elsewhere they get no cotangent."""

    def leaf(self, value: Any) -> Tensor:
        """A leaf of this thread."""
        made = super().leaf(value)
        self.kept[id(made)] = made, threading.current_thread()
        return made

    def accumulate(self, leaf: Tensor, arrived: Any) -> None:
        """Nothing, in another thread."""
        is_own = self.kept.get(id(leaf), (leaf, threading.current_thread()))[1] == threading.current_thread()
        super().accumulate(leaf, arrived if is_own else np.zeros_like(arrived))


class NumberedByThread(SteppedTape):
    """Results made in another thread than their operands' are sent no cotangent."""

    def __init__(self) -> None:
        super().__init__()
        right = self.ops["multiply"]
        first = threading.get_ident

        def multiply(a: Any, b: Any) -> Any:
            product = right(a, b)
            self.kept[id(product)] = product, first()
            made = self.kept.get(id(a), (a, first()))[1]
            return product if made == first() else product.detach()

        self.ops = {**self.ops, "multiply": multiply}  # type: ignore[misc]


def checkpoint_of_one_thread(self: Any, function: Any) -> Any:
    """A checkpoint called in a thread that did not make it records nothing."""
    right, made = SteppedTape.checkpoint(self, function), threading.current_thread()

    def call(*operands: Any) -> Any:
        output = right(*operands)
        is_here = threading.current_thread() is made
        return output if is_here or not isinstance(output, Tensor) else output.detach()

    return call


def hook_of_one_thread(self: Any, array: Any, seen: Any) -> Any:
    """A hook is not called in a thread that did not set it."""
    made = threading.current_thread()
    return SteppedTape.hook(self, array, lambda c: seen(c) if threading.current_thread() is made else None)


class LateContribution(SteppedTape):
    """What comes late, after a pass in another thread, does not reach a leaf that has a gradient."""

    def accumulate(self, leaf: Tensor, arrived: Any) -> None:
        """The engine's, where no other thread had a pass since."""
        latest, here = self.kept.get("thread", threading.get_ident()), threading.get_ident()
        if leaf.grad is None or latest == here:
            super().accumulate(leaf, arrived)

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """The engine's, whose thread is noted."""
        super().backward(output, gradient, retain=retain)
        self.kept["thread"] = threading.get_ident()


class BlocksOfNumbers(SteppedTape):
    """Each thread numbers nodes from a block of its own, so that a leaf of another one seems younger than what is made of it."""

    def leaf(self, value: Any) -> Any:
        """The engine's leaf, whose number is of the next block in another thread."""
        leaf = super().leaf(value)
        edge = edge_of(leaf)
        if edge is not None and threading.current_thread() is not threading.main_thread():
            edge[0].number += 10**9
        return leaf


class TangentsOfOneThread(SteppedTape):
    """Tangents are pushed forward in the main thread alone; in others they are those of the operands, added."""

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        """The engine's in the main thread."""
        outputs, pushed = super().jvp(function, operands, tangents)
        is_main = threading.current_thread() is threading.main_thread()
        return outputs, pushed if is_main else (sum(tangents),)


class TangentsInOneSlot(SteppedTape):
    """All threads keep the tangents of the operands in one place."""

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        """The engine's, of the tangents that came last."""
        self.kept["tangents"] = tangents
        time.sleep(PAUSE)
        return super().jvp(function, operands, self.kept["tangents"])


def operands_in_one_slot(self: Any, function: Any) -> Any:
    """A compiled function keeps its operands in one place for all threads."""
    slot: list[Any] = [None]

    def call(*operands: Any) -> Any:
        slot[0] = operands
        time.sleep(PAUSE)
        return function(*slot[0])

    return call


MUTANTS: tuple[Mutant, ...] = (
    behaviour("operands-in-one-slot", "A compiled function keeps its operands in one place for all threads.",
        ("contract/B15/called-at-once",), base=WithTransforms, compiled=operands_in_one_slot),
    behaviour("seed-shared-by-threads", "All threads use one variable for the seed.",
        ("contract/B15/threads",), seed=seed_in_one_variable),
    behaviour("results-shared-by-threads", "All threads use one variable for the cotangents of the leaves.",
        ("contract/B15/threads",), traverse=result_in_one_variable),
    behaviour("buffer-shared-by-threads", "All threads use one buffer for large gradients.",
        ("contract/B15/large-graphs",), base=SharedBuffer),
    behaviour("tangents-of-one-thread", "Outside the main thread tangents are not pushed forward.",
        ("contract/B15/tangents",), base=TangentsOfOneThread),
    behaviour("tangents-in-one-slot", "All threads keep the tangents of the operands in one place.",
        ("contract/B15/tangents",), base=TangentsInOneSlot),
    behaviour("graph-of-one-thread", "A leaf gets zeros in a thread that did not make it.",
        ("contract/B15/handed-over",), base=GraphOfOneThread),
    behaviour("product-of-another-thread", "A product is a constant where another thread made its first factor.",
        ("contract/B15/handed-over",), base=NumberedByThread),
    behaviour("numbers-by-thread", "A leaf of another thread is reached before what is made of it.",
        ("contract/B15/leaf-elsewhere",), base=BlocksOfNumbers),
    behaviour("late-contribution-lost", "After a pass in another thread nothing is added to a stored gradient.",
        ("contract/B15/passes-between",), base=LateContribution),
    behaviour("checkpoint-of-one-thread", "A checkpoint records nothing in a thread that did not make it.",
        ("contract/B15/built-elsewhere",), checkpoint=checkpoint_of_one_thread),
    behaviour("hook-of-one-thread", "A hook is not called in a thread that did not set it.",
        ("contract/B15/built-elsewhere",), hook=hook_of_one_thread),
)  # fmt: skip
