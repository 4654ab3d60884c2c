"""The reference engine whose bookkeeping is wrong in one way, under a condition."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.backend import Function, NDArray
from conformance_backends.generated.modes import WithModes, modes_at_work
from conformance_backends.numpy_engine.graph import Node
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of

# What may be wrong, in a sentence of which the condition is the end.
FAULTS: Mapping[str, str] = {
    "seed-doubled": "The cotangent of the output is doubled",
    "contribution-lost": "A gradient that is added to a stored one is lost",
    "contribution-overwrites": "A gradient replaces the stored one instead of being added",
    "contribution-twice": "A gradient is added twice",
    "operand-detached": "An op records no edge to its first operand",
    "result-detached": "An op records no node",
    "clear-ignored": "A stored gradient is not cleared",
    "detach-ignored": "Detaching does not stop the gradient",
    "no-grad-ignored": "The no_grad scope records",
    "hook-ignored": "A hook is not registered",
    "custom-scaled": "The cotangents of a custom rule are doubled",
    "custom-second-lost": "The second cotangent of a custom rule is lost",
    "checkpoint-detached": "A checkpoint records nothing",
    "assigned-detached": "What is written in place gets no gradient",
    "tangent-doubled": "The tangents of forward mode are doubled",
    "nested-detached": "A gradient that is to be differentiated is a constant",
    "gradient-aliased": "The stored gradient is the memory of the cotangent",
}
OF_LEAVES = tuple(name for name in FAULTS if name.startswith(("contribution", "clear", "gradient")))
OF_SCOPES = ("no-grad-ignored",)


def nodes_behind(*tensors: Any) -> int:
    """How many nodes are behind some tensors, leaves' included."""
    to_visit = [edge[0] for x in tensors if (edge := edge_of(x))]
    found: set[Node] = set()
    while to_visit:
        node = to_visit.pop()
        if node not in found:
            found.add(node)
            to_visit += [behind for behind in node.inputs if behind is not None]
    return len(found)


@dataclass
class Event:
    """What is known where the engine does something: the array that it is about, and when it is.

    Attributes:
        array: its plain value.
        tensor: the engine's, behind which the graph is.
        number: how often the engine has done this, from 1.
        has_raised: whether a backward pass of this engine has raised before.
    """

    array: NDArray
    tensor: Any
    number: int
    has_raised: bool

    @property
    def nodes(self) -> int:
        """How many nodes are behind the tensor."""
        return nodes_behind(self.tensor)

    @property
    def is_main(self) -> bool:
        """Whether it happens in the main thread."""
        return threading.current_thread() is threading.main_thread()

    @property
    def modes(self) -> frozenset[str]:
        """The transforms that are at work."""
        return modes_at_work()


Holds = Callable[[Event], bool]


class GuardedTape(WithModes):
    """The reference engine with one of `FAULTS`, where `holds` says so of an event."""

    def __init__(self, fault: str, holds: Holds) -> None:
        super().__init__()
        self.fault, self.holds = fault, holds
        self.numbers: dict[str, int] = {}
        self.has_raised = False
        if fault in ("operand-detached", "result-detached"):
            self.ops = {name: self._recorded_wrong(op) for name, op in type(self).ops.items()}  # type: ignore[misc]

    def is_wrong(self, fault: str, tensor: Any) -> bool:
        """Whether this engine has the fault, and the condition holds; counts the events."""
        if fault != self.fault:
            return False
        number = self.numbers[fault] = self.numbers.get(fault, 0) + 1
        return self.holds(Event(np.asarray(detach(tensor)), tensor, number, self.has_raised))

    # ---- the graph -------------------------------------------------------------------------------------

    def _recorded_wrong(self, op: Function) -> Function:
        def call(*operands: Any, **parameters: Any) -> Any:
            if self.is_wrong("operand-detached", operands[0]):
                operands = (detach(operands[0]), *operands[1:])
            output = op(*operands, **parameters)
            if isinstance(output, Tensor) and self.is_wrong("result-detached", output):
                return output.detach()
            return output

        return call

    def seed(self, output: Tensor, gradient: Any) -> Any:
        """The cotangent to start from."""
        right = super().seed(output, gradient)
        return right * 2 if self.is_wrong("seed-doubled", output) else right

    def accumulate(self, leaf: Tensor, arrived: Any) -> None:
        """Add what arrived at a leaf."""
        if leaf.grad is None and self.is_wrong("gradient-aliased", leaf) and arrived.dtype == leaf.dtype:
            leaf.grad = np.asarray(arrived)
            return
        if leaf.grad is not None and self.is_wrong("contribution-lost", leaf):
            return
        if leaf.grad is not None and self.is_wrong("contribution-overwrites", leaf):
            leaf.grad = None
        super().accumulate(leaf, arrived)
        if self.is_wrong("contribution-twice", leaf):
            super().accumulate(leaf, arrived)

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """Seed, propagate, accumulate; whether it raised is remembered."""
        try:
            super().backward(output, gradient, retain=retain)
        except BaseException:
            self.has_raised = True
            raise

    # ---- scopes, hooks, rules, writes ----------------------------------------------------------------------

    def clear(self, leaf: Any) -> None:
        """Clear a stored gradient."""
        if not self.is_wrong("clear-ignored", leaf):
            super().clear(leaf)

    def detach(self, array: Any) -> Tensor:
        """Stop the gradient."""
        return array if self.is_wrong("detach-ignored", array) else super().detach(array)

    def no_grad(self) -> AbstractContextManager[Any]:
        """The engine's scope."""
        return contextlib.nullcontext() if self.is_wrong("no-grad-ignored", 0.0) else super().no_grad()

    def hook(self, array: Any, seen: Callable[[Any], Any]) -> Callable[[], None]:
        """The engine's hook."""
        return (lambda: None) if self.is_wrong("hook-ignored", array) else super().hook(array, seen)

    def custom(self, forward: Function, backward: Function) -> Function:
        """The engine's custom rule."""

        def altered(g: Any, *operands: Any) -> Any:
            pulled = backward(g, *operands)
            if not isinstance(pulled, (tuple, list)):
                return pulled
            if self.is_wrong("custom-scaled", g):
                return tuple(None if p is None else p * 2 for p in pulled)
            if len(pulled) > 1 and self.is_wrong("custom-second-lost", g):
                return (pulled[0], None, *pulled[2:])
            return pulled

        altered.__name__ = getattr(backward, "__name__", "custom")
        return super().custom(forward, altered)

    def assign(self, array: Any, index: Any, value: Any) -> None:
        """The tensor rebound."""
        super().assign(array, index, detach(value) if self.is_wrong("assigned-detached", array) else value)

    # ---- transforms ----------------------------------------------------------------------------------------

    def checkpoint(self, function: Function) -> Function:
        """The engine's checkpoint."""
        right = super().checkpoint(function)

        def call(*operands: Any) -> Any:
            output = right(*operands)
            is_one = isinstance(output, Tensor)
            return output.detach() if is_one and self.is_wrong("checkpoint-detached", output) else output

        return call

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The engine's forward mode."""
        outputs, pushed = super().jvp(function, operands, tangents)
        if outputs and self.is_wrong("tangent-doubled", outputs[0]):
            pushed = tuple(None if t is None else t * 2 for t in pushed)
        return outputs, pushed

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The engine's pullback."""
        pulled = super().nested_vjp(function, arrays, cotangents)
        if arrays and self.is_wrong("nested-detached", arrays[0]):
            return tuple(None if p is None else p.detach() for p in pulled)
        return pulled
