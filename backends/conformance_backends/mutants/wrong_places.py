"""Mutants that pick, add and write at places named twice, or keep what is written to, wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, Walking, behaviour, rule, value
from conformance_backends.numpy_engine.tensor import Tensor, edge_of


def overwritten(index: Callable[..., Any]) -> Callable[..., Any]:
    """What is picked twice receives the last cotangent only."""

    def bent(right: Any, i: int, g: Any, z: Any, x: Any, *xs: Any, **p: Any) -> Any:
        pulled = np.zeros_like(x)
        pulled[index(*xs, **p)] = g
        return pulled

    return bent


def counted_once(right: Any, i: int, g: Any, z: Any, x: Any, values: Any, index: Any) -> Any:
    """Values added at one place share its cotangent."""
    pulled = right(i, g, z, x, values, index=index)
    if i == 0 or not isinstance(index[0], list):
        return pulled
    names = np.asarray(index[0]) % len(x)
    shares = (names[:, None] == names).sum(axis=1) if names.ndim == 1 else np.ones(())
    return pulled / shares.reshape(shares.shape + (1,) * (pulled.ndim - shares.ndim)).astype(pulled.dtype)


def added_once(right: Any, x: Any, values: Any, index: Any) -> Any:
    """x[index] += values: of values added at one place only the last counts."""
    result = np.array(x)
    result[tuple(np.asarray(i, np.intp) if isinstance(i, list) else i for i in index)] += values
    return result


def first_has_it(right: Any, i: int, g: Any, z: Any, x: Any, values: Any, index: Any) -> Any:
    """Of values written at one place the first has the gradient, though it did not stay."""
    pulled = right(i, g, z, x, values, index=index)
    if i == 1 and isinstance(index[0], list):
        seen: set[int] = set()
        for position, place in enumerate(np.asarray(index[0]) % len(x)):
            if place in seen:
                pulled[position] = 0
            seen.add(int(place))
    return pulled


def through_what_is_overwritten(right: Any, i: int, g: Any, z: Any, x: Any, values: Any, index: Any) -> Any:
    """What is overwritten receives its cotangent all the same."""
    return g if i == 0 else right(i, g, z, x, values, index=index)


class Apart(Walking):
    """The reference engine with every op on copies: what is saved is nobody else's."""

    def __init__(self) -> None:
        super().__init__()
        self.ops = {name: self._apart(op) for name, op in type(self).ops.items()}  # type: ignore[misc]

    @staticmethod
    def _apart(op: Callable[..., Any]) -> Callable[..., Any]:
        def call(*operands: Any, **parameters: Any) -> Any:
            output = op(*(_copied(x) if isinstance(x, Tensor) else x for x in operands), **parameters)
            return tuple(map(_copied, output)) if isinstance(output, tuple) else _copied(output)

        return call


def _copied(tensor: Tensor) -> Tensor:
    copy = Tensor(np.array(tensor.value))
    copy.edge, copy.requires_grad = edge_of(tensor), tensor.requires_grad
    return copy


GATHER, ADD, WRITE = "contract/D9/gather", "contract/D9/scatter-add", "contract/D9/scatter-write"
RAW = ("contract/D4/raw-writes",)

MUTANTS: tuple[Mutant, ...] = (
    rule("gather-overwrites", "A row that is picked twice receives the last cotangent only.",
        (GATHER,), ("getitem_integer_array",),
        overwritten(lambda index: tuple(np.asarray(i) if isinstance(i, list) else i for i in index))),
    rule("take-overwrites", "An entry taken twice receives the last cotangent only.",
        (GATHER,), ("take",), overwritten(lambda indices, axis: (slice(None),) * (axis or 0) + (indices,))),
    rule("added-share", "Values added at one place share its cotangent.", (ADD,), ("index_add",), counted_once),
    value("added-once", "Of values added at one place only the last is in the sum.",
        (ADD,), ("index_add",), added_once),
    rule("first-has-it", "Of values written at one place the first has the gradient; each is elected.",
        (WRITE,), ("index_update",), first_has_it),
    rule("overwritten-has-it", "What is overwritten receives its cotangent all the same.",
        (WRITE,), ("index_update",), through_what_is_overwritten),
    behaviour("elects-locks-writes", "Locking memory is elected, and a write between the passes changes gradients.",
        RAW, conventions={**Walking.conventions, "D4": "locks"}),
    behaviour("elects-copies-writes", "Copying is elected, and a write between the passes changes gradients.",
        RAW, conventions={**Walking.conventions, "D4": "copies"}),
    behaviour("elects-hazard-copies", "A hazard is elected, and a write between the passes changes nothing.",
        RAW, base=Apart),
    behaviour("elects-locks-copies", "Locking memory is elected, and a write between the passes is taken.",
        RAW, base=Apart, conventions={**Walking.conventions, "D4": "locks"}),
)  # fmt: skip
