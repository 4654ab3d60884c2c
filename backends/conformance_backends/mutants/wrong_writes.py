"""Mutants that write in place past their own records."""

from __future__ import annotations

from typing import Any

from conformance_backends.mutants.mutant import Mutant, Walking, behaviour
from conformance_backends.numpy_engine.graph import is_recording, set_recording
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


# ---- wrong only in a history of calls ------------------------------------------------------------------


def cut_in_scope(self: Any, array: Any, index: Any, value: Any) -> None:
    """A write where nothing is recorded cuts what is written from its history."""
    array[index] = value
    if not is_recording() and not array.is_leaf:
        array.edge, array.requires_grad = None, False


def recorded_in_scope(self: Any, array: Any, index: Any, value: Any) -> None:
    """A write into what is no leaf is recorded, even where nothing is."""
    with set_recording(is_recording() or not array.is_leaf):
        array[index] = value


def renewed_in_scope(self: Any, array: Any, index: Any, value: Any) -> None:
    """A leaf that is written where nothing is recorded begins anew, without its gradient."""
    array[index] = value
    if not is_recording():
        array.grad = None


def written_and_refused(self: Any, array: Any, index: Any, value: Any) -> None:
    """A leaf's memory has changed when the write into it is refused."""
    if is_recording() and array.is_leaf and array.requires_grad:
        array.value = array.value.copy()
        array.value[index] = detach(value)
    array[index] = value


def constants_stay(self: Any, array: Any, index: Any, value: Any) -> None:
    """What was a constant stays one, whatever is written into it."""
    array[index] = value if array.requires_grad else detach(value)


def noted_when_walked(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """Remember which value was walked."""
    self.kept[id(output)] = output
    Walking.backward(self, output, gradient)


def unrecorded_after_walk(self: Any, array: Any, index: Any, value: Any) -> None:
    """A value that was walked once is written as if it were a constant."""
    array[index] = detach(value) if id(array) in self.kept else value


SAVED = ("contract/D3/saved-operand", "contract/D3/saved-output")
HISTORY = ("history/tape",)
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
    behaviour("write-in-scope-cuts", "A write in a scope without recording cuts the value from its history.",
        HISTORY, assign=cut_in_scope),
    behaviour("write-in-scope-recorded", "A write in a scope without recording is recorded.",
        HISTORY, assign=recorded_in_scope),
    behaviour("leaf-written-in-scope-cleared", "A leaf written in a scope without recording loses its gradient.",
        HISTORY, assign=renewed_in_scope),
    behaviour("leaf-write-refused-late", "A write into a leaf is refused when it has been done.",
        HISTORY, assign=written_and_refused),
    behaviour("written-constant-stays", "A constant into which a recorded value is written stays a constant.",
        (*HISTORY, "contract/D11/constant"), assign=constants_stay),
    behaviour("elects-constants-records", "Staying a constant is elected, and what is written into one is recorded.",
        ("contract/D11/constant",), conventions={**Walking.conventions, "D11": "constant"}),
    behaviour("elects-refusing-writes", "Refusing a write into a constant is elected, and it is taken.",
        (*HISTORY, "contract/D11/constant"), conventions={**Walking.conventions, "D11": "refused"}),
    behaviour("write-after-walk-unrecorded", "What is written into a value that was walked receives nothing.",
        HISTORY, backward=noted_when_walked, assign=unrecorded_after_walk),
)  # fmt: skip
