"""Mutants that record a write into a view of a view wrongly."""

from __future__ import annotations

from typing import Any

from conformance_backends.mutants.mutant import Mutant, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, detach

VIEWS = ("getitem", "reshape", "matrix_transpose")


def constants_into_views_of_views(self: Any, array: Tensor, index: Any, value: Any) -> None:
    """What is written into a view of a view is written as a constant."""
    node = array.node
    behind = None if node is None or not node.inputs else node.inputs[0]
    is_nested = node is not None and node.name in VIEWS and behind is not None and behind.name in VIEWS
    array[index] = detach(value) if is_nested else value


MUTANTS: tuple[Mutant, ...] = (
    behaviour("constants-into-views-of-views", "What is written into a view of a view is written as a constant.",
        ("contract/D6/view-of-a-view",), assign=constants_into_views_of_views),
)  # fmt: skip
