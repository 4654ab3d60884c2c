"""Mutants that walk, add up or show a graph wrongly, with every row right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from conformance.backend import GraphNode
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, Walking, behaviour, bent_rule, with_ops
from conformance_backends.numpy_engine.graph import Edge, Node, count_consumers
from conformance_backends.numpy_engine.tensor import Tensor

Ended = dict[Node, list[Any]]

# ---- walks -----------------------------------------------------------------------------------------


def walk_with(join: Any, edge: Edge, cotangent: Any, passed: Any = lambda g: g) -> Ended:
    """The engine's walk, with another way to join a contribution to what has arrived, or to pass it on."""
    arrived: dict[Edge, Any] = {edge: cotangent}
    awaited = count_consumers([edge[0]])
    ready, ended = [edge[0]], {}
    while ready:
        node = ready.pop()
        if not node.edges:
            ended[node] = [arrived.pop((node, 0), None)]
            continue
        count = 1 + max((i for n, i in arrived if n is node), default=0)
        cotangents = [arrived.pop((node, i), None) for i in range(count)]
        pulled = (
            node.pullback(cotangents) if any(g is not None for g in cotangents) else [None] * len(node.edges)
        )
        for target, g in zip(node.edges, pulled, strict=True):
            if target is None:
                continue
            if g is not None:
                arrived[target] = join(arrived[target], passed(g)) if target in arrived else passed(g)
            awaited[target[0]] -= 1
            if awaited[target[0]] == 0:
                ready.append(target[0])
    return ended


def last_kept_after_a_cast(self: Any, edge: Edge, cotangent: Any) -> Ended:
    """Contributions are added until one in another precision than the seed's has been seen."""
    seen = set()

    def noted(g: Any) -> Any:
        seen.add(g.dtype)
        return g

    return walk_with(lambda before, g: before + g if seen == {cotangent.dtype} else g, edge, cotangent, noted)


def joined_in_place(before: Any, g: Any) -> Any:
    """The sum is written into the first contribution, which another path may hold."""
    if isinstance(before, np.ndarray) and before.flags.writeable:
        before += g
        return before
    return before + g


def path_by_path(self: Any, edge: Edge, cotangent: Any) -> Ended:
    """Every contribution travels on alone: right, and exponential in a chain of diamonds."""
    ended: Ended = {}
    travelling = [(edge, cotangent)]
    while travelling:
        (node, index), g = travelling.pop()
        if not node.edges:
            ended[node] = [ended[node][0] + g] if node in ended else [g]
            continue
        pulled = node.pullback([None] * index + [g])
        travelling += [(e, p) for e, p in zip(node.edges, pulled, strict=True) if e and p is not None]
    return ended


def by_recursion(self: Any, edge: Edge, cotangent: Any) -> Ended:
    """A search of the graph that recurses, as every textbook draws it, before the walk."""
    seen: set[Node] = set()

    def visit(node: Node) -> None:
        seen.add(node)
        for behind in node.inputs:
            if behind is not None and behind not in seen:
                visit(behind)

    visit(edge[0])
    return walk_with(np.add, edge, cotangent)


def breadth_first(self: Any, edge: Edge, cotangent: Any) -> Ended:
    """A node travels on when first reached, and what arrives later is lost on the way."""
    arrived: dict[Node, Any] = {edge[0]: cotangent}
    queue, done, ended = [edge], set(), {}
    while queue:
        node, index = queue.pop(0)
        if not node.edges:
            ended[node] = [arrived[node]]
            continue
        if node in done:
            continue
        done.add(node)
        for target, g in zip(node.edges, node.pullback([None] * index + [arrived[node]]), strict=True):
            if target is not None and g is not None:
                arrived[target[0]] = arrived[target[0]] + g if target[0] in arrived else g
                queue.append(target)
    return ended


def passed_on(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Both operands of a sum get the upstream cotangent itself."""
    return g if np.shape(xs[i]) == np.shape(g) else right(i, g, z, *xs)


class AddsInPlace(Walking):
    """A walk that writes sums where the first contribution lies."""

    def walk(self, edge: Edge, cotangent: Any) -> Ended:
        """The walk; its first cotangent is a copy, so that the caller's is safe."""
        return walk_with(joined_in_place, edge, np.array(cotangent))


# ---- adding up -------------------------------------------------------------------------------------


def replacing(self: Any, leaf: Tensor, arrived: Any) -> None:
    """The second call replaces the first."""
    leaf.grad = np.array(arrived, dtype=leaf.dtype)


def averaging(self: Any, leaf: Tensor, arrived: Any) -> None:
    """A running mean over the calls, for two calls."""
    fresh = np.array(arrived, dtype=leaf.dtype)
    leaf.grad = fresh if leaf.grad is None else (leaf.grad + fresh) / 2


def spent_after_one_walk(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """The second walk of a graph finds nothing, and says nothing."""
    if output.is_leaf or self.kept.get("last") is not output:
        Walking.backward(self, output, gradient)
    self.kept["last"] = output


def not_reset_between_walks(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """The second walk of a graph starts from the first one's cotangent plus its own."""
    last, cotangent = self.kept.get("last", (None, None))
    if last is output and cotangent is not None and gradient is not None:
        gradient = Tensor(gradient.value + cotangent)
    Walking.backward(self, output, gradient)
    self.kept["last"] = output, None if gradient is None else gradient.value.copy()


def freed_after_one_walk(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """The second walk of a graph is refused, retained or not."""
    if self.kept.get("last") is output and not output.is_leaf:
        raise RuntimeError("the graph has been freed")
    self.kept["last"] = output
    Walking.backward(self, output, gradient)


def leaves_are_no_outputs(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A leaf that is its own output stays without a gradient."""
    if not output.is_leaf:
        Walking.backward(self, output, gradient)


def leaves_are_refused(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A 0-d leaf that is its own output has no seed."""
    if output.is_leaf and gradient is None:
        raise RuntimeError("a leaf has no history")
    Walking.backward(self, output, gradient)


def not_cleared(self: Any, leaf: Any) -> None:
    """Clearing does nothing."""


def cleared_to_residue(self: Any, leaf: Any) -> None:
    """Clearing scales by almost zero."""
    leaf.grad = leaf.grad * leaf.dtype.type(1e-30)


def hidden_until_next(self: Any, leaf: Any) -> None:
    """Clearing empties what is shown, and the next walk goes on from what was hidden."""
    hidden, leaf.grad = leaf.grad, None
    self.kept["hidden"] = leaf, hidden


def on_from_hidden(self: Any, leaf: Tensor, arrived: Any) -> None:
    """The other half of it."""
    owner, hidden = self.kept.pop("hidden", (None, None))
    Walking.accumulate(self, leaf, arrived)
    if owner is leaf and hidden is not None:
        leaf.grad = leaf.grad + hidden


def zeros_kept(self: Any, leaf: Any) -> Any:
    """What arrives at a leaf is not kept."""
    return None if leaf.grad is None else np.zeros_like(leaf.grad)


def nothing_kept(self: Any, leaf: Any) -> Any:
    """A leaf has no gradient, whatever arrives."""


# ---- what is shown ---------------------------------------------------------------------------------


def shown(change: Any) -> Any:
    """A `graph` whose nodes are changed, from the leaves up."""

    def rebuilt(node: GraphNode | None) -> GraphNode | None:
        return None if node is None else change(replace(node, inputs=tuple(map(rebuilt, node.inputs))))

    return lambda self, output: rebuilt(Walking.graph(self, output))


def leafless(node: GraphNode) -> GraphNode:
    """A node whose leaves are missing."""
    return replace(node, inputs=tuple(n if n and n.inputs else None for n in node.inputs))


def through_identity(node: GraphNode) -> GraphNode:
    """A node behind one that does nothing."""
    return GraphNode("identity", (node,)) if node.inputs else node


MUTANTS: tuple[Mutant, ...] = (
    behaviour("leaf-output-forgotten", "A leaf that is its own output gets no gradient.",
        ("contract/A15/leaf-is-output",), backward=leaves_are_no_outputs),
    behaviour("leaf-output-refused", "backward() on a leaf is refused.",
        ("contract/A15/leaf-is-output",), backward=leaves_are_refused),
    behaviour("last-contribution-kept", "Of a value's contributions only the last to arrive counts.",
        ("contract/B1/fan-out", "contract/B1/diamond", "contract/B1/repeated-operand", "example/W8/fan-out",
         "program/composition", "program/differences"),
        walk=lambda self, edge, g: walk_with(lambda before, g: g, edge, g)),
    behaviour("contributions-averaged", "A value's contributions are averaged.",
        ("contract/B1/fan-out", "contract/B1/diamond"),
        walk=lambda self, edge, g: walk_with(lambda before, g: (before + g) / 2, edge, g)),
    behaviour("equal-contributions-once", "A contribution that equals what has arrived is taken for the same one.",
        ("contract/B1/repeated-operand",),
        walk=lambda self, edge, g: walk_with(lambda b, g: b if np.array_equal(b, g) else b + g, edge, g)),
    Mutant("added-in-place", "A sum of contributions is written into an array that another path holds.",
        ("program/composition", "program/differences",), lambda: with_ops({"add": bent_rule("add", passed_on)}, AddsInPlace), ("add",)),
    behaviour("last-kept-after-a-cast", "Behind a change of precision only the last contribution counts.",
        ("program/composition",), walk=last_kept_after_a_cast),
    behaviour("late-contributions-lost", "A node travels on before its last contribution has arrived.",
        ("program/composition", "program/differences",), walk=breadth_first),
    behaviour("walked-path-by-path", "Every path is walked alone: right numbers in exponential time.",
        ("contract/B2/propagate-once", "contract/B2/deep-diamonds"), walk=path_by_path),
    behaviour("walked-by-recursion", "The walk back recurses into the graph.",
        ("contract/B11/deep-chain", "capability/deep"), walk=by_recursion),
    behaviour("second-call-replaces", "A second backward replaces the gradient, though accumulating is elected.",
        ("contract/B3/two-calls", "example/W8/twice-and-cleared"), accumulate=replacing),
    behaviour("second-call-averages", "A second backward averages.", ("contract/B3/two-calls",), accumulate=averaging),
    behaviour("elects-replacing-accumulates", "Replacing is elected, and gradients accumulate.",
        ("contract/B3/two-calls",), conventions={**Walking.conventions, "B3": "replaces"}),
    behaviour("second-walk-silent", "A second walk of a retained graph adds nothing.",
        ("contract/B7/retained",), backward=spent_after_one_walk),
    behaviour("second-walk-stale", "A second walk of a retained graph starts from the first one's cotangents.",
        ("contract/B7/retained",), backward=not_reset_between_walks),
    behaviour("second-walk-refused", "A retained graph is freed all the same.",
        ("contract/B7/retained", "capability/retaining"), backward=freed_after_one_walk),
    behaviour("never-cleared", "Clearing a gradient does nothing.",
        ("contract/B13/clearing", "capability/clearing", "example/W8/twice-and-cleared"), clear=not_cleared),
    behaviour("cleared-to-residue", "A cleared gradient is almost zero.",
        ("contract/B13/clearing",), clear=cleared_to_residue),
    behaviour("cleared-for-show", "A cleared gradient comes back with the next one.",
        ("contract/B13/clearing", "example/W8/twice-and-cleared"), clear=hidden_until_next, accumulate=on_from_hidden),
    behaviour("zeros-kept", "Leaves keep zeros.", ("capability/tape",), grad=zeros_kept),
    behaviour("nothing-kept", "Leaves keep nothing.", ("capability/tape", "contract/B3/two-calls"), grad=nothing_kept),
    behaviour("edges-reversed", "The edges of a node are in reverse operand order.",
        ("contract/B17/graph-nodes", "example/W3/graph-is-shown"),
        graph=shown(lambda node: replace(node, inputs=node.inputs[::-1]))),
    behaviour("accumulation-missing", "The graph ends before its leaves.",
        ("contract/B17/graph-nodes", "example/W3/graph-is-shown"), graph=shown(leafless)),
    behaviour("every-node-names-a-variable", "Nodes of operations name a variable too.",
        ("contract/B17/graph-nodes", "example/W3/graph-is-shown"),
        graph=shown(lambda node: replace(node, names_variable=True))),
    behaviour("leaf-copied", "The accumulation node knows a copy of its leaf.",
        ("contract/B17/graph-nodes",),
        graph=shown(lambda n: n if n.inputs else replace(n, variable=engine.Tensor(n.variable)))),
    behaviour("identities-between", "Between an operation and its operands stand nodes that do nothing.",
        ("contract/B17/graph-nodes",), graph=shown(through_identity)),
)  # fmt: skip
