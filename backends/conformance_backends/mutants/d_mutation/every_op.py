"""Mutants in which one op writes into its operands, or into its cotangent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Capability
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, with_ops
from conformance_backends.numpy_engine.tensor import Tensor, detach


class Immutable(SteppedTape):
    """The reference engine, which declares that arrays cannot be written."""

    capabilities = SteppedTape.capabilities - {Capability.WRITABLE}


def scratch_is_the_operand(name: str) -> Callable[[], Any]:
    """An op computes in the memory of its operand."""

    def call(x: Any, *others: Any, **parameters: Any) -> Any:
        output = SteppedTape.ops[name](x, *others, **parameters)
        if isinstance(x, Tensor) and x.value.shape == output.value.shape and x.value.flags.writeable:
            x.value[...] = output.value
        return output

    return lambda: with_ops({name: call}, Immutable)


def scratch_is_the_cotangent(name: str) -> Callable[[], Any]:
    """A rule computes in the memory of its cotangent."""

    def call(*operands: Any, **parameters: Any) -> Any:
        output = SteppedTape.ops[name](*operands, **parameters)
        node = output.node
        if node is not None:
            right = node.pullback

            def pullback(cotangents: Any) -> Any:
                pulled = right(cotangents)
                if isinstance(cotangents[0], np.ndarray) and cotangents[0].flags.writeable:
                    cotangents[0][...] = 0
                return pulled

            node.pullback = pullback
        return output

    return lambda: with_ops({name: call}, Immutable)


def reaches_results_of(op: str) -> Any:
    """A write into what an op computed also changes the value that its rule has saved, which no other op watches."""

    def assign(self: Any, array: Tensor, index: Any, value: Any) -> None:
        is_written = array.edge is not None and array.edge[0].name == op
        saved = array.value
        array[index] = value
        if is_written:
            saved[index] = detach(value)

    return assign


def written_through(kinds: str) -> Any:
    """A write into a constant of such kinds of dtypes goes into the memory that rules have saved."""

    def assign(self: Any, array: Tensor, index: Any, value: Any) -> None:
        if array.edge is None and not array.requires_grad and array.dtype.kind in kinds:
            array.value.setflags(write=True)
            array.value[index] = np.asarray(detach(value))
        else:
            array[index] = value

    return assign


def parts_are_not_recorded(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """A write into a part of a split changes its value alone."""
    is_part = array.edge is not None and array.edge[0].name == "split"
    edge = array.edge
    array[index] = detach(value) if is_part else value
    if is_part:
        array.edge = edge


MUTANTS: tuple[Mutant, ...] = (
    Mutant("computed-in-the-operand", "A square computes in the memory of its operand.",
        ("contract/D1/every-op",), scratch_is_the_operand("square"), ("square",)),
    Mutant("computed-in-the-cotangent", "The rule of a square computes in the memory of its cotangent.",
        ("contract/D2/every-op",), scratch_is_the_cotangent("square"), ("square",)),
    behaviour("write-reaches-scans", "A write into a log-softmax also changes what its rule has saved.",
        ("contract/D3/every-op",), assign=reaches_results_of("log_softmax")),
    behaviour("write-reaches-maxima", "A write into a maximum also changes what its rule has saved.",
        ("contract/D3/every-op",), assign=reaches_results_of("max")),
    behaviour("constants-written-through", "A write into a constant also changes what rules have saved of it.",
        ("contract/D3/every-op",), assign=written_through("f")),
    behaviour("indices-written-through", "A write into an array of indices also changes what rules have saved of it.",
        ("contract/D3/every-op",), assign=written_through("i")),
    behaviour("write-into-a-part-unrecorded", "A write into a part of a split is not recorded.",
        ("contract/D7/every-op",), assign=parts_are_not_recorded),
)  # fmt: skip
