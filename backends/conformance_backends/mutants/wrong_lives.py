"""Mutants whose graphs live too long, or whose leaves, walks and threads are mixed up."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, Walking, behaviour, with_ops
from conformance_backends.numpy_engine.graph import Edge, Node, walk_back
from conformance_backends.numpy_engine.tensor import Tensor, seed

Ended = dict[Node, list[Any]]

# ---- leaves ----------------------------------------------------------------------------------------


def added_where_it_lies(self: Any, leaf: Tensor, arrived: Any) -> None:
    """A second gradient is added in the memory of the first."""
    if leaf.grad is None:
        leaf.grad = np.array(arrived, dtype=leaf.dtype)
    else:
        leaf.grad += arrived


def replaced_where_it_lies(self: Any, leaf: Tensor, arrived: Any) -> None:
    """What was there is scaled away in its memory before the sum is made elsewhere."""
    total = np.array(arrived, dtype=leaf.dtype) + (0 if leaf.grad is None else leaf.grad)
    if leaf.grad is not None:
        leaf.grad *= 0
    leaf.grad = total


def kept_by_outputs(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """Every array on the way keeps the cotangent of the output."""
    Walking.backward(self, output, gradient)
    self.kept["cotangent"] = seed(output, gradient).value


def of_any_array(self: Any, leaf: Any) -> Any:
    """The gradient of an array that is no leaf is the output's cotangent."""
    return leaf.grad if leaf.is_leaf else self.kept["cotangent"]


def refused_on_the_way(self: Any, leaf: Any) -> Any:
    """An array that is no leaf refuses to tell its gradient."""
    if not leaf.is_leaf:
        raise RuntimeError("not a leaf")
    return leaf.grad


def storing(self: Any, function: Any, arrays: Any, cotangents: Any) -> Any:
    """What is asked for as a value is added to the leaves' gradients too."""
    gradients = Walking.nested_vjp(self, function, arrays, cotangents)
    for array, g in zip(arrays, gradients, strict=True):
        if array.is_leaf and array.requires_grad:
            Walking.accumulate(self, array, g.value)
    return gradients


# ---- walks that come too late ------------------------------------------------------------------------


def over_freed_values(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A second walk of a graph finds zeros where the first one read values."""
    is_second = self.kept.get("last") is output
    Walking.backward(self, output, Tensor(np.zeros_like(output.value)) if is_second else gradient)
    self.kept["last"] = output


def half_of_the_second(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A second walk of the same graph is refused after it has reached the leaves."""
    Walking.backward(self, output, gradient)
    if self.kept.get("last") is output and not retain:
        raise RuntimeError("the graph has been freed")
    self.kept["last"] = output


# ---- memory ------------------------------------------------------------------------------------------


def with_memory(remember: Any) -> Any:
    """A multiplication that does something with its outputs: `remember(backend, output)`."""

    def make() -> Any:
        right = Walking.ops["multiply"]

        def multiply(*operands: Any) -> Any:
            output = right(*operands)
            remember(backend, output)
            return output

        backend = with_ops({"multiply": multiply}, Walking)
        return backend

    return make


def on_a_list(backend: Any, output: Tensor) -> None:
    """A list of all that was recorded grows."""
    backend.kept.setdefault("outputs", []).append(output)


def in_a_circle(backend: Any, output: Tensor) -> None:
    """A node knows its output, which knows its node."""
    node = output.node
    if node is not None:
        node.pullback = lambda cotangents, right=node.pullback, z=output: right(cotangents)  # type: ignore[misc]


def last_walk_kept(self: Any, edge: Edge, cotangent: Any) -> Ended:
    """What arrived in walks is kept, to be looked at."""
    self.kept.setdefault("walks", []).append((edge, cotangent))
    return walk_back([(edge, cotangent)])


def recursing_far(self: Any, edge: Edge, cotangent: Any) -> Ended:
    """A walk that gives up on graphs of more nodes than it was made for."""
    seen, waiting = {edge[0]}, [edge[0]]
    while waiting:
        for behind in waiting.pop().inputs:
            if behind is not None and behind not in seen:
                seen.add(behind)
                waiting.append(behind)
    if len(seen) > 2**16:
        raise RecursionError("the graph is too deep")
    return walk_back([(edge, cotangent)])


# ---- threads -----------------------------------------------------------------------------------------


def seed_in_one_place(self: Any, output: Tensor, gradient: Any) -> Any:
    """The cotangent to start from lies in one place for all threads."""
    self.kept["seed"] = seed(output, gradient).value
    time.sleep(0.001)  # long enough for another thread to come by
    return self.kept["seed"]


def walk_in_one_place(self: Any, edge: Edge, cotangent: Any) -> Ended:
    """What has arrived at the leaves lies in one place for all threads."""
    self.kept["ended"] = walk_back([(edge, cotangent)])
    time.sleep(0.001)
    ended: Ended = self.kept["ended"]
    return ended


# ---- order and number of contributions ---------------------------------------------------------------


def only_so_many(self: Any, edge: Edge, cotangent: Any) -> Ended:
    """Of a value's contributions only the first 256 count, as if counted in a byte."""
    ended = walk_back([(edge, cotangent)])
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
    return {n: [g[0] * 256 / uses[n]] if uses.get(n, 0) > 256 else g for n, g in ended.items()}


def rounded_for_the_first(self: Any, leaf: Tensor, arrived: Any) -> None:
    """The leaf that was made first has its gradient rounded once more."""
    first = self.kept.setdefault("first", leaf)
    fresh = np.array(arrived, dtype=leaf.dtype)
    if first is leaf:
        fresh = fresh.astype(np.float32 if leaf.dtype == np.float64 else np.float16).astype(leaf.dtype)
    leaf.grad = fresh if leaf.grad is None else leaf.grad + fresh


MUTANTS: tuple[Mutant, ...] = (
    behaviour("added-where-it-lies", "A second gradient is added in place, though keeping the first is elected.",
        ("contract/B4/earlier-reference",), accumulate=added_where_it_lies),
    behaviour("elects-updating-keeps", "Updating an earlier gradient is elected, and it keeps its values.",
        ("contract/B4/earlier-reference",), conventions={**Walking.conventions, "B4": "updated"}),
    behaviour("earlier-gradient-scrapped", "An earlier gradient's memory is scrapped by the next.",
        ("contract/B4/earlier-reference",), accumulate=replaced_where_it_lies),
    behaviour("elects-keeping-keeps-none", "Keeping the gradients of all arrays is elected, and none is kept.",
        ("contract/B8/non-leaf",), conventions={**Walking.conventions, "B8": "kept"}),
    behaviour("output-cotangent-for-all", "Every array on the way is told to have the output's cotangent.",
        ("contract/B8/non-leaf",), backward=kept_by_outputs, grad=of_any_array,
        conventions={**Walking.conventions, "B8": "kept"}),
    behaviour("non-leaf-refused", "An array that is no leaf refuses, though None is elected.",
        ("contract/B8/non-leaf",), grad=refused_on_the_way),
    behaviour("freed-graph-read", "A second walk of a graph reads values that are gone.",
        ("contract/B6/walked-twice",), backward=over_freed_values),
    behaviour("refused-too-late", "A second walk is refused after it has filled the leaves.",
        ("contract/B6/walked-twice",), backward=half_of_the_second),
    Mutant("outputs-listed", "Every output stays on a list.",
        ("contract/B12/freed",), with_memory(on_a_list), ("multiply",)),
    Mutant("outputs-in-a-circle", "A node and its output hold each other.",
        ("contract/B12/freed",), with_memory(in_a_circle), ("multiply",)),
    behaviour("walks-remembered", "Every walk is remembered.", ("contract/B12/freed",), walk=last_walk_kept),
    behaviour("too-long-refused", "A graph of more than 65 536 nodes is refused, though 100 000 are promised.",
        ("contract/B11/long-chain",), walk=recursing_far),
    behaviour("seed-shared-by-threads", "All threads start from one cotangent.",
        ("contract/B15/threads",), seed=seed_in_one_place),
    behaviour("walk-shared-by-threads", "All threads end at one set of leaves.",
        ("contract/B15/threads",), walk=walk_in_one_place),
    behaviour("uses-in-a-byte", "Of a value's contributions only 256 count.",
        ("contract/B1/wide-fan-out",), walk=only_so_many),
    behaviour("first-leaf-rounded", "The first leaf's gradient is rounded once more.",
        ("contract/B10/permuted",), accumulate=rounded_for_the_first),
    behaviour("functional-call-stores", "A gradient asked for as a function's value is stored at the leaves as well.",
        ("contract/B9/functional-call",), nested_vjp=storing),
)  # fmt: skip
