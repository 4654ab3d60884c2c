"""Mutants whose rule takes a wrong path where an op is not called on leaves, in the main thread, by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.backend import Backend, Function
from conformance.ops import ALL_OPS
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.c_modes.mapped_ops import (
    doubled_in_a_batch_of_one,
    doubled_in_a_square_batch,
    doubled_without_an_axis,
    value_of_the_first_row,
    with_altered,
)
from conformance_backends.mutants.mutant import Mutant, WithTransforms
from conformance_backends.numpy_engine.graph import Accumulation
from conformance_backends.numpy_engine.tensor import edge_of

OPS = ("tanh", "matmul")


class Counting(WithTransforms):
    """The reference engine, which counts inside how many functions of one mode it is."""

    mode_of_error = ""

    def inside(self) -> bool:
        """Whether an op is called in the mode in which its rule is wrong."""
        return bool(self.kept.get("depth"))

    def entered(self, function: Function) -> Function:
        """The function, counted while it runs."""

        def call(*operands: Any) -> Any:
            self.kept["depth"] = self.kept.get("depth", 0) + 1
            try:
                return function(*operands)
            finally:
                self.kept["depth"] -= 1

        return call

    def checkpoint(self, function: Function) -> Function:
        """A checkpointed function."""
        return super().checkpoint(self.entered(function) if self.mode_of_error == "checkpoint" else function)

    def compiled(self, function: Function) -> Function:
        """A compiled function."""
        return super().compiled(self.entered(function) if self.mode_of_error == "compiled" else function)

    def vectorized(self, function: Function) -> Function:
        """A mapped function."""
        return super().vectorized(self.entered(function) if self.mode_of_error == "vectorized" else function)


class ReadByItsThread(WithTransforms):
    """The reference engine, whose gradients only the thread that computed them can read."""

    def vjp(self, function: Function, *arguments: Any, **further: Any) -> Any:
        """The value and the gradients as tensors, kept where they are another thread's."""
        outputs, pulled = super().vjp(function, *arguments, **further)
        gradients = tuple(g if g is None else self.array(g) for g in pulled)
        if threading.current_thread() is not threading.main_thread():
            self.kept["elsewhere"] = gradients
        return outputs, gradients

    def numpy(self, array: Any) -> Any:
        """The values of an array."""
        if any(array is gradient for gradient in self.kept.get("elsewhere", ())):
            raise RuntimeError("the array waits for work of another thread")
        return super().numpy(array)


def wrong_where(
    condition: Callable[[Counting, tuple[Any, ...]], bool], mode: str = ""
) -> Callable[[], Backend]:
    """An engine in which the gradients of some ops are doubled where a condition on the call holds."""

    def make() -> Backend:
        backend = Counting()
        backend.mode_of_error = mode

        def altered(name: str) -> Function:
            right = ALL_OPS[name]

            def doubled(index: int, g: Any, z: Any, /, *xs: Any, **parameters: Any) -> Any:
                return right.rule(index, g, z, *xs, **parameters) * 2

            wrong = replace(right, rule=doubled)
            return lambda *xs, **parameters: engine.apply(
                wrong if condition(backend, xs) else right, xs, parameters
            )

        backend.ops = {**backend.ops, **{name: altered(name) for name in OPS}}  # type: ignore[misc]
        return backend

    return make


def _called_again(backend: Counting, xs: tuple[Any, ...]) -> bool:
    """Whether the operands are those of the call before, and are computed."""
    before, backend.kept["before"] = backend.kept.get("before", ()), xs
    return (
        any(map(is_computed, xs))
        and len(before) == len(xs)
        and all(x is y for x, y in zip(xs, before, strict=True))
    )


def is_computed(x: Any) -> bool:
    """Whether a tensor is the output of an op that was recorded."""
    edge = edge_of(x)
    return edge is not None and not isinstance(edge[0], Accumulation)


def mutant(name: str, wrong: str, check: str, make: Callable[[], Backend]) -> Mutant:
    """A mutant that one check of ops must catch."""
    return Mutant(name, wrong, (check,), make, OPS)


MUTANTS: tuple[Mutant, ...] = (
    mutant("doubled-behind-an-op", "The gradient of an op is doubled where its operand is not a leaf.",
        "op/in-a-graph", wrong_where(lambda backend, xs: any(map(is_computed, xs)))),
    mutant("doubled-where-called-again", "The gradient of an op is doubled where it is called a second time with the same results.",
        "op/in-a-graph", wrong_where(_called_again)),
    mutant("doubled-in-a-checkpoint", "The gradient of an op is doubled inside a checkpointed function.",
        "op/checkpointed", wrong_where(lambda backend, xs: backend.inside(), "checkpoint")),
    Mutant("mapped-square-batch", "An op mapped over as many rows as an operand is long is doubled.",
        ("op/mapped",), with_altered(("permute_dims", "dot"), doubled_in_a_square_batch), ("permute_dims", "dot")),
    Mutant("mapped-one-row-without-an-axis", "An op that is mapped over one row without an axis being named is doubled.",
        ("op/mapped",), with_altered(("squeeze", "roll"), doubled_in_a_batch_of_one), ("squeeze", "roll")),
    Mutant("mapped-without-an-axis", "An op that is mapped without an axis being named is doubled.",
        ("op/mapped",), with_altered(("squeeze", "roll"), doubled_without_an_axis), ("squeeze", "roll")),
    Mutant("mapped-value-of-the-first-row", "An op inside a map has in every row the value of the first, and the row's own gradient.",
        ("op/mapped",), with_altered(("tanh", "sum"), value_of_the_first_row), ("tanh", "sum")),
    mutant("doubled-when-compiled", "The gradient of an op is doubled inside a compiled function.",
        "op/compiled", wrong_where(lambda backend, xs: backend.inside(), "compiled")),
    mutant("doubled-when-mapped", "The gradient of an op is doubled inside a function that is mapped over a batch.",
        "op/mapped", wrong_where(lambda backend, xs: backend.inside(), "vectorized")),
    mutant("doubled-in-a-thread", "The gradient of an op is doubled outside the main thread.",
        "op/in-a-thread", wrong_where(lambda backend, xs: threading.current_thread() is not threading.main_thread())),
    mutant("read-by-its-thread", "A gradient that another thread computed cannot be read.", "op/in-a-thread", ReadByItsThread),
)  # fmt: skip
