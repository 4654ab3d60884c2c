"""Mutants that are wrong for values with many consumers, or slow for many paths."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import (
    LeafCotangents,
    Mutant,
    SteppedTape,
    behaviour,
    value,
    with_ops,
)
from conformance_backends.numpy_engine.graph import Edge, Node, backward_pass, set_recording
from conformance_backends.numpy_engine.tensor import Tensor, edge_of

MOST_STEPS = 50_000


def path_by_path(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
    """Every contribution is propagated alone: right, but exponential in a chain of diamonds.

    It gives up where it would never end.
    """
    ended: LeafCotangents = {}
    travelling = [(edge, cotangent)]
    steps = itertools.count()
    while travelling:
        if next(steps) > MOST_STEPS:
            raise TimeoutError("the paths of this graph are too many to follow")
        (node, index), g = travelling.pop()
        if not node.edges:
            ended[node] = [ended[node][0] + g] if node in ended else [g]
            continue
        pulled = node.pullback([None] * index + [g])
        travelling += [(e, p) for e, p in zip(node.edges, pulled, strict=True) if e and p is not None]
    return ended


def at_most(count: int) -> Any:
    """Of the contributions to a value only so many count."""

    def traverse(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
        return _counted(edge, cotangent, count)

    return traverse


def _counted(edge: Edge, cotangent: Any, count: int) -> LeafCotangents:
    ended = backward_pass([(edge, cotangent)])
    uses: dict[Node, int] = {}
    seen, waiting = {edge[0]}, [edge[0]]
    while waiting:
        for behind in waiting.pop().inputs:
            if behind is None:
                continue
            uses[behind] = uses.get(behind, 0) + 1
            if behind not in seen:
                seen.add(behind)
                waiting.append(behind)
    return {n: [g[0] * count / uses[n]] if uses.get(n, 0) > count else g for n, g in ended.items()}


def rounded_for_the_first(self: Any, leaf: Tensor, arrived: Any) -> None:
    """The gradient of the first leaf is rounded once more."""
    first = self.kept.setdefault("first", leaf)
    fresh = np.array(arrived, dtype=leaf.dtype)
    if first is leaf:
        fresh = fresh.astype(np.float32 if leaf.dtype == np.float64 else np.float16).astype(leaf.dtype)
    leaf.grad = fresh if leaf.grad is None else leaf.grad + fresh


def operands_in_a_byte(name: str) -> Callable[[], Any]:
    """An op of more than 256 operands sends nothing to those after them."""

    def call(*operands: Any, **parameters: Any) -> Any:
        rest = map(engine.detach, operands[256:])
        return SteppedTape.ops[name](*operands[:256], *rest, **parameters)

    return lambda: with_ops({name: call}, SteppedTape)


def checkpoint_path_by_path(self: Any, function: Function) -> Function:
    """What is computed again is pulled back by every path alone."""

    def pulled(g: Any, *operands: Any) -> list[Any]:
        with set_recording(True):
            leaves = [Tensor(engine.detach(x), requires_grad=True) for x in operands]
            edge = edge_of(function(*leaves))
        reached = path_by_path(self, edge, g) if edge else {}
        return [reached[leaf.node][0] if leaf.node in reached else None for leaf in leaves]

    return engine.custom(lambda *xs: engine.detach(function(*map(Tensor, xs))), pulled)


def ninth_is_the_first(right: Any, *arrays: Any, **parameters: Any) -> Any:
    """The table of operands has eight places."""
    alike = len(arrays) > 8 and np.shape(arrays[0]) == np.shape(arrays[8])
    return right(*arrays[:8], arrays[0], *arrays[9:], **parameters) if alike else right(*arrays, **parameters)


def eight_are_asked(name: str) -> Callable[[], Any]:
    """An op of many operands that is recorded where one of the first eight needs a gradient."""
    right = SteppedTape.ops[name]

    def call(*arrays: Any, **parameters: Any) -> Any:
        needed = any(isinstance(x, Tensor) and x.requires_grad for x in arrays[:8])
        return right(*(arrays if needed else map(engine.detach, arrays)), **parameters)

    return lambda: with_ops({name: call}, SteppedTape)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("propagated-path-by-path", "Every path is propagated alone: right numbers in exponential time.",
        ("contract/B2/propagate-once", "contract/B2/deep-diamonds"), traverse=path_by_path),
    behaviour("checkpoint-path-by-path", "In a checkpoint every path is propagated alone: right numbers in exponential time.",
        ("contract/B2/deep-diamonds",), checkpoint=checkpoint_path_by_path),
    behaviour("uses-in-a-byte", "Of the contributions to a value only 256 count.",
        ("contract/B1/wide-fan-out",), traverse=at_most(2**8)),
    behaviour("uses-in-two-bytes", "Of the contributions to a value only 65 536 count.",
        ("contract/B1/widest-fan-out",), traverse=at_most(2**16)),
    Mutant("operands-in-a-byte", "Of the arrays that are stacked only 256 have a gradient.",
        ("contract/B1/many-operands",), operands_in_a_byte("stack"), ("stack",)),
    Mutant("eight-are-asked", "Of the arrays that are joined the first eight are asked whether they need a gradient.",
        ("contract/B1/many-operands",), eight_are_asked("concat"), ("concat",)),
    value("ninth-operand-is-the-first", "Of nine arrays that are joined the ninth is the first again, where their shapes agree.",
        ("contract/B1/many-operands",), ("concat",), ninth_is_the_first),
    behaviour("first-leaf-rounded", "The gradient of the first leaf is rounded once more.",
        ("contract/B10/permuted",), accumulate=rounded_for_the_first),
)  # fmt: skip
