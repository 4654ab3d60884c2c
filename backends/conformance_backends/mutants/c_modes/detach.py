"""Mutants that detach a value wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, NotingForward, SteppedTape, behaviour
from conformance_backends.numpy_engine.graph import Node
from conformance_backends.numpy_engine.tensor import Tensor, edge_of


def detached_in_place(self: Any, array: Any) -> Tensor:
    """The value itself loses its history, for all its consumers."""
    array.edge = None
    return array  # type: ignore[no-any-return]


def detached_but_for_a_small_part(self: Any, array: Any) -> Tensor:
    """A hundredth of the cotangent is still sent back."""
    detached = Tensor(array.value)
    behind = edge_of(array)
    if behind is not None:
        detached.edge = (Node("detach", [behind], lambda gs: [gs[0] / 128]), 0)
    return detached


def reattached_when_detached_twice(self: Any, array: Any) -> Tensor:
    """Detaching a detached value returns the original."""
    if id(array) in self.kept:
        return self.kept[id(array)][1]  # type: ignore[no-any-return]
    detached = array.detach()
    self.kept[id(detached)] = detached, array
    return detached  # type: ignore[no-any-return]


def leaves_not_detached(self: Any, array: Any) -> Tensor:
    """Leaves are not detached."""
    return array if array.is_leaf else array.detach()  # type: ignore[no-any-return]


def constants_not_detached(self: Any, array: Any) -> Tensor:
    """Constants are not detached."""
    return array if edge_of(array) is None else array.detach()  # type: ignore[no-any-return]


def single_entries_not_detached(self: Any, array: Any) -> Tensor:
    """Arrays of one entry are not detached."""
    return array if np.size(array.value) == 1 else array.detach()  # type: ignore[no-any-return]


def half_precision_not_detached(self: Any, array: Any) -> Tensor:
    """Arrays of several axes are not detached in half precision."""
    is_narrow = array.dtype.itemsize == 2 and array.ndim > 1
    return array if is_narrow else array.detach()  # type: ignore[no-any-return]


def copied_unless_contiguous(self: Any, array: Any) -> Tensor:
    """What does not lie in one piece is laid out anew where it is detached."""
    return Tensor(np.ascontiguousarray(array.value) if array.ndim else array.value)


class DetachedKeepsItsTangent(NotingForward):
    """In forward mode a detached value keeps its tangent."""

    def detach(self, array: Any) -> Any:
        """The value itself, while a tangent is pushed."""
        return array if self.kept.get("forward") else array.detach()


STORAGE = ("contract/C3/detached-storage",)

MUTANTS: tuple[Mutant, ...] = (
    behaviour("detach-does-nothing", "A detached value keeps its history.",
        ("contract/C2/detach", "capability/detach"), detach=lambda self, array: array),
    behaviour("detach-of-one-entry-does-nothing", "An array of one entry keeps its history where it is detached.",
        ("contract/C2/detached-shapes",), detach=single_entries_not_detached),
    behaviour("detach-in-half-does-nothing", "An array of several axes keeps its history where it is detached in half precision.",
        ("contract/C2/detached-shapes",), detach=half_precision_not_detached),
    behaviour("detach-leaks", "A small gradient still flows through a detached value.",
        ("contract/C2/detach",), detach=detached_but_for_a_small_part),
    behaviour("detach-changes-value", "A detached value is off by one unit in the last place.",
        ("contract/C2/detach",), detach=lambda self, array: Tensor(np.nextafter(array.value, np.inf))),
    behaviour("detach-in-place", "Detaching a value detaches the value itself, for all its consumers.",
        ("contract/C2/detach",), detach=detached_in_place),
    behaviour("detach-twice-reattaches", "A detached value that is detached again has its history back.",
        ("contract/C2/detach-leaf",), detach=reattached_when_detached_twice),
    behaviour("detach-spares-leaves", "A leaf cannot be detached.",
        ("contract/C2/detach-leaf",), detach=leaves_not_detached),
    behaviour("detach-keeps-tangents", "In forward mode a detached value keeps its tangent.",
        ("contract/C2/detached-tangent",), base=DetachedKeepsItsTangent),
    behaviour("detach-spares-constants", "A constant, detached, is the constant itself.",
        ("contract/C2/detached-constant",), detach=constants_not_detached),
    behaviour("detach-copies", "A detached value is a copy, though the adapter declares sharing.",
        STORAGE, detach=lambda self, array: Tensor(array.value.copy())),
    behaviour("detach-copies-leaves", "A detached leaf is a copy; other values share storage, as the adapter declares.",
        STORAGE, detach=lambda self, array: Tensor(array.value.copy() if array.is_leaf else array.value)),
    behaviour("detach-copies-views", "A detached value that does not lie in one piece is a copy; others share storage, as declared.",
        ("contract/C3/detached-views",), ops=("permute_dims",), detach=copied_unless_contiguous),
    behaviour("declares-copy-shares", "The adapter declares a copy, and a detached value shares its storage.",
        STORAGE, conventions={**SteppedTape.conventions, "C3": "copies"}),
)  # fmt: skip
