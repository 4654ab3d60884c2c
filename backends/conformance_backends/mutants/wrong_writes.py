"""Mutants that write in place past their own records."""

from __future__ import annotations

from typing import Any

from conformance_backends.mutants.mutant import Mutant, Walking, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of

# Every function below is `assign` of an adapter; `self` is that adapter.


def unrecorded(self: Any, array: Any, index: Any, value: Any) -> None:
    """The memory is written, and nothing else."""
    array.value[index] = detach(value)


def into_what_was_saved(self: Any, array: Any, index: Any, value: Any) -> None:
    """The write is recorded, and reaches the memory that rules have saved as well."""
    saved = array.value
    array[index] = value
    saved[...] = array.value


def old_history_kept(self: Any, array: Any, index: Any, value: Any) -> None:
    """The value is new, the history the old one."""
    edge = edge_of(array)
    array[index] = value
    array.edge = edge


def as_a_constant(self: Any, array: Any, index: Any, value: Any) -> None:
    """What is written is written as a constant."""
    array[index] = detach(value)


def history_of_the_source(self: Any, array: Any, index: Any, value: Any) -> None:
    """What is written replaces the history of the whole array by zeros outside its region."""
    kept = Tensor(array.value)
    kept[index] = value
    array.value, array.edge, array.requires_grad = kept.value, kept.edge, kept.requires_grad


def first_write_wins(self: Any, array: Any, index: Any, value: Any) -> None:
    """Of two writes to one region the second one's value is taken with the first one's history."""
    key = id(array), repr(index)
    first = self.kept.setdefault(key, (array, value))[1]
    array[index] = value
    if first is not value:
        array.edge = self.kept[key, "edge"]
    self.kept[key, "edge"] = array.edge


def leaves_too(self: Any, array: Any, index: Any, value: Any) -> None:
    """A leaf is written as any array is: its memory alone."""
    if array.is_leaf and array.requires_grad:
        array.value[index] = detach(value)
    else:
        array[index] = value


SAVED = ("contract/D3/saved-operand", "contract/D3/saved-output")
LEAF, VIEWS = ("contract/D5/leaf",), ("contract/D6/views",)
OVER, AGAIN = "contract/D7/overwritten", "contract/D7/overwritten-again"

MUTANTS: tuple[Mutant, ...] = (
    behaviour("write-unrecorded", "A write in place changes memory, and is not recorded.",
        (*SAVED, *LEAF, OVER, AGAIN, *VIEWS, "capability/recorded-writes"), assign=unrecorded),
    behaviour("write-reaches-saved", "A write in place is recorded, and reaches what rules have saved.",
        (*SAVED, *VIEWS), assign=into_what_was_saved),
    behaviour("write-keeps-history", "What is overwritten still receives its cotangent.",
        (OVER, AGAIN), assign=old_history_kept),
    behaviour("write-of-constants", "What is written receives nothing.", (OVER, AGAIN), assign=as_a_constant),
    behaviour("write-cuts-the-rest", "After a write the rest of the array has no history.",
        (OVER, AGAIN), assign=history_of_the_source),
    behaviour("first-write-wins", "Of two writes to one region the first has the gradient.",
        (AGAIN,), assign=first_write_wins),
    behaviour("leaf-written", "A leaf that needs a gradient is written, though refusal is elected.",
        LEAF, assign=leaves_too),
    behaviour("elects-recording-refuses", "Recording a write into a leaf is elected, and it is refused.",
        LEAF, conventions={**Walking.conventions, "D5": "recorded"}),
    behaviour("elects-views-copies", "Views are elected, and a write through one leaves its base as it was.",
        VIEWS, conventions={**Walking.conventions, "D6": "views"}),
)  # fmt: skip
