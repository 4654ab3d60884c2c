"""Mutants that record writes in place wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of


class CopiesOperands(SteppedTape):
    """The reference engine with every op on copies: saved values share no memory."""

    def __init__(self) -> None:
        super().__init__()
        self.ops = {name: self._on_copies(op) for name, op in type(self).ops.items()}  # type: ignore[misc]

    @staticmethod
    def _on_copies(op: Callable[..., Any]) -> Callable[..., Any]:
        def call(*operands: Any, **parameters: Any) -> Any:
            output = op(*(_copied(x) if isinstance(x, Tensor) else x for x in operands), **parameters)
            return tuple(map(_copied, output)) if isinstance(output, tuple) else _copied(output)

        return call


def _copied(tensor: Tensor) -> Tensor:
    copy = Tensor(np.array(tensor.value))
    copy.edge = tensor.edge
    return copy


def unrecorded(self: Any, array: Any, index: Any, value: Any) -> None:
    """The memory is written without recording."""
    array.value[index] = detach(value)


def into_saved_values(self: Any, array: Any, index: Any, value: Any) -> None:
    """The write is recorded, and also changes the values that rules have saved."""
    saved = array.value
    array[index] = value
    saved[...] = array.value


def old_history_kept(self: Any, array: Any, index: Any, value: Any) -> None:
    """The value is new, but the history is the old one."""
    edge = edge_of(array)
    array[index] = value
    array.edge = edge


def as_a_constant(self: Any, array: Any, index: Any, value: Any) -> None:
    """The value written counts as a constant."""
    array[index] = detach(value)


def history_of_the_source(self: Any, array: Any, index: Any, value: Any) -> None:
    """The written value's history replaces that of the whole array."""
    kept = Tensor(array.value)
    kept[index] = value
    array.value, array.edge = kept.value, kept.edge


def first_write_wins(self: Any, array: Any, index: Any, value: Any) -> None:
    """Of two writes to one region the second one's value is taken with the first one's history."""
    key = id(array), repr(index)
    first = self.kept.setdefault(key, (array, value))[1]
    array[index] = value
    if first is not value:
        array.edge = self.kept[key, "edge"]
    self.kept[key, "edge"] = array.edge


def leaves_too(self: Any, array: Any, index: Any, value: Any) -> None:
    """A leaf is written without recording."""
    if array.is_leaf and array.requires_grad:
        array.value[index] = detach(value)
    else:
        array[index] = value


class StretchedViews(SteppedTape):
    """What was broadcast follows its base in memory, though the adapter declares copies."""

    def call(self, name: str, parameters: Any) -> Any:
        """The op; of a broadcast it is noted of what it was made."""
        right = super().call(name, parameters)

        def noting(x: Any) -> Any:
            stretched = right(x)
            self.kept[id(x)] = x, stretched
            return stretched

        return noting if name == "broadcast_to" else right

    def assign(self, array: Tensor, index: Any, value: Any) -> None:
        """The engine's write, which reaches what was broadcast of it."""
        super().assign(array, index, value)
        if id(array) in self.kept:
            stretched = self.kept[id(array)][1]
            stretched.value = np.broadcast_to(array.value, stretched.shape)


class OperandReturned(SteppedTape):
    """A reshape that has nothing to do returns its operand, though the adapter declares copies."""

    def call(self, name: str, parameters: Any) -> Any:
        """The op; of a reshape to the operand's own shape the operand."""
        right = super().call(name, parameters)
        shape = parameters.get("shape")
        return (lambda x: x if x.shape == shape else right(x)) if name == "reshape" else right


RAW = ("contract/D4/raw-writes",)
SAVED = ("contract/D3/saved-operand", "contract/D3/saved-output")
LEAF = ("contract/D5/leaf",)
VIEWS = ("contract/D6/views",)
AGAIN = "contract/D7/overwritten-again"
OVER = "contract/D7/overwritten"

MUTANTS: tuple[Mutant, ...] = (
    behaviour("declares-locks-writes", "The adapter declares that memory is locked, and a write between the passes changes gradients.",
        RAW, conventions={**SteppedTape.conventions, "D4": "locks"}),
    behaviour("declares-copies-writes", "The adapter declares copies, and a write between the passes changes gradients.",
        RAW, conventions={**SteppedTape.conventions, "D4": "copies"}),
    behaviour("declares-hazard-copies", "The adapter declares a hazard, and a write between the passes changes nothing.",
        RAW, base=CopiesOperands),
    behaviour("declares-locks-copies", "The adapter declares that memory is locked, and a write between the passes is accepted.",
        RAW, base=CopiesOperands, conventions={**SteppedTape.conventions, "D4": "locks"}),
    behaviour("write-unrecorded", "A write in place changes memory without being recorded.",
        (*SAVED, *LEAF, OVER, AGAIN, *VIEWS, "capability/recorded-writes"), assign=unrecorded),
    behaviour("write-reaches-saved", "A write in place is recorded, and also changes the values that rules have saved.",
        (*SAVED, *VIEWS), assign=into_saved_values),
    behaviour("write-keeps-history", "Overwritten entries still receive a cotangent.",
        (OVER, AGAIN), assign=old_history_kept),
    behaviour("write-of-constants", "The value written receives no gradient.", (OVER, AGAIN), assign=as_a_constant),
    behaviour("write-detaches-the-rest", "After a write the rest of the array has no history.",
        (OVER, AGAIN), assign=history_of_the_source),
    behaviour("first-write-wins", "Of two writes to one region the first has the gradient.",
        (AGAIN,), assign=first_write_wins),
    behaviour("leaf-written", "A leaf that requires a gradient is written, though the adapter declares refusal.",
        LEAF, assign=leaves_too),
    behaviour("declares-recording-refuses", "The adapter declares that a write into a leaf is recorded, and it is refused.",
        LEAF, conventions={**SteppedTape.conventions, "D5": "recorded"}),
    behaviour("declares-views-copies", "The adapter declares views, and a write through a view leaves its base unchanged.",
        VIEWS, conventions={**SteppedTape.conventions, "D6": "views"}),
    behaviour("stretched-is-a-view", "What was broadcast follows a write into what it was made of.", VIEWS, base=StretchedViews),
    behaviour("reshaped-to-itself", "A reshape to the operand's own shape returns the operand, though the adapter declares copies.",
        VIEWS, base=OperandReturned),
    behaviour("declares-constants-records", "The adapter declares that a constant stays constant, and what is written into it is recorded.",
        ("contract/D11/constant",), conventions={**SteppedTape.conventions, "D11": "constant"}),
)  # fmt: skip
