"""Mutants in which one op is recorded though it should not be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, with_ops
from conformance_backends.numpy_engine.graph import is_recording, set_recording
from conformance_backends.numpy_engine.tensor import Tensor


def recorded_always(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, recorded in any scope."""

    def call(*operands: Any, **parameters: Any) -> Any:
        with set_recording(True):
            return function(*operands, **parameters)

    return call


def with_one_op(name: str) -> Callable[[], Any]:
    """The reference engine with one op that no scope stops."""
    return lambda: with_ops({name: recorded_always(SteppedTape.ops[name])}, SteppedTape)


def custom_recorded(self: Any, forward: Any, backward: Any) -> Any:
    """A custom rule is recorded in any scope."""
    return recorded_always(engine.custom(forward, backward))


def rule_by_operand_recorded(self: Any, forward: Any, backward: Any) -> Any:
    """A custom rule of each operand is recorded in any scope."""
    return recorded_always(engine.custom_by_operand(forward, backward))


def checkpoint_recorded(self: Any, function: Any) -> Any:
    """A checkpoint is recorded in any scope."""
    return recorded_always(engine.checkpoint(function))


def results_of_one_op_stay(self: Any, array: Tensor) -> Any:
    """What an op that joins arrays made keeps its history when it is detached."""
    return array if array.edge is not None and array.edge[0].name in ("concat", "stack") else array.detach()


def used_inside_a_scope(name: str) -> Callable[[], Any]:
    """The reference engine with one op that ends the history of the results it is called with in a scope."""

    def call(*operands: Any, **parameters: Any) -> Any:
        found = SteppedTape.ops[name](*operands, **parameters)
        if not is_recording():
            for x in operands:
                if isinstance(x, Tensor) and x.edge is not None:
                    x.edge = None
        return found

    return lambda: with_ops({name: call}, SteppedTape)


def detached_itself(self: Any, array: Tensor) -> Any:
    """What is detached is the array itself."""
    constant = array.detach()
    array.edge = None
    return constant


SCOPE, DETACHED = ("contract/C1/every-op",), ("contract/C2/every-op",)

MUTANTS: tuple[Mutant, ...] = (
    Mutant("scope-without-getitem", "Indexing is recorded in a no_grad scope.",
        SCOPE, with_one_op("getitem"), ("getitem",)),
    Mutant("used-in-a-scope", "A result that is multiplied in a no_grad scope is a constant ever after.",
        ("contract/C1/used-inside",), used_inside_a_scope("multiply"), ("multiply",)),
    behaviour("detached-itself", "A result that is detached is a constant ever after.",
        ("contract/C2/used-beside",), detach=detached_itself),
    Mutant("scope-without-conv", "A convolution is recorded in a no_grad scope.",
        SCOPE, with_one_op("conv2d"), ("conv2d",)),
    behaviour("scope-without-rules-by-operand", "A custom rule of each operand is recorded in a no_grad scope.",
        SCOPE, custom_by_operand=rule_by_operand_recorded),
    behaviour("scope-without-custom-rules", "A custom rule is recorded in a no_grad scope.", SCOPE, custom=custom_recorded),
    behaviour("scope-without-checkpoints", "A checkpoint is recorded in a no_grad scope.", SCOPE, checkpoint=checkpoint_recorded),
    behaviour("joined-not-detached", "Joined arrays keep their history when they are detached.",
        DETACHED, detach=results_of_one_op_stay),
)  # fmt: skip
