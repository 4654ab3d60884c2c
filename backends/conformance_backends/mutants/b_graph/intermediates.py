"""Mutants that are wrong in gradients by results on the way, or of several outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Function, NDArray
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.capabilities import missing
from conformance_backends.mutants.mutant import Mutant, behaviour
from conformance_backends.numpy_engine.graph import backward_pass
from conformance_backends.numpy_engine.tensor import Tensor, edge_of

Gradients = Callable[[Sequence[Tensor], Sequence[Tensor], Sequence[Any]], Sequence[Any]]


def by(gradients: Gradients) -> Any:
    """An adapter's method that asks this function instead of the engine's."""

    def gradients_within(
        self: Any, function: Function, operands: Sequence[NDArray], cotangents: Sequence[NDArray]
    ) -> Sequence[Any]:
        outputs, tensors = function(*[Tensor(engine.detach(x), requires_grad=True) for x in operands])
        return gradients(outputs, tensors, cotangents)

    return gradients_within


def ending_there(outputs: Sequence[Tensor], tensors: Sequence[Tensor], cotangents: Sequence[Any]) -> Any:
    """The pass ends at each tensor by which a gradient is wanted."""
    seeds = [(edge, g) for z, g in zip(outputs, cotangents, strict=True) if (edge := edge_of(z))]
    edges = [edge_of(x) for x in tensors]
    with engine.no_grad():
        found = backward_pass(seeds, ends={edge[0] for edge in edges if edge})
    slots = [found.get(edge[0], []) if edge else [] for edge in edges]
    return [Tensor(s[e[1]]) if e and len(s) > e[1] else None for s, e in zip(slots, edges, strict=True)]


def once(outputs: Sequence[Tensor], tensors: Sequence[Tensor], cotangents: Sequence[Any]) -> Any:
    """A tensor that is named again has no gradient there."""
    found = engine.gradients(outputs, tensors, cotangents)
    return [None if any(x is y for y in tensors[:i]) else found[i] for i, x in enumerate(tensors)]


def in_the_order_of_the_graph(
    outputs: Sequence[Tensor], tensors: Sequence[Tensor], cotangents: Sequence[Any]
) -> Any:
    """Gradients come in the order in which their tensors were computed."""
    found = engine.gradients(outputs, tensors, cotangents)
    made = [edge[0].number if (edge := edge_of(x)) else -1 for x in tensors]
    return [found[i] for i in np.argsort(made, kind="stable")]


def replacing(outputs: Sequence[Tensor], tensors: Sequence[Tensor], cotangents: Sequence[Any]) -> Any:
    """Of an output that is named twice the last cotangent counts."""
    last = {id(z): g for z, g in zip(outputs, cotangents, strict=True)}
    given = [
        g if last.pop(id(z), None) is not None else 0 * g for z, g in zip(outputs, cotangents, strict=True)
    ]
    return engine.gradients(outputs, tensors, given)


def of_the_first(outputs: Sequence[Tensor], tensors: Sequence[Tensor], cotangents: Sequence[Any]) -> Any:
    """Of outputs that have a result in common the first alone counts."""
    return engine.gradients(outputs[:1], tensors, cotangents[:1])


def ones_elsewhere(outputs: Sequence[Tensor], tensors: Sequence[Tensor], cotangents: Sequence[Any]) -> Any:
    """By what no output depends on the gradient is ones."""
    found = engine.gradients(outputs, tensors, cotangents)
    return [Tensor(np.ones_like(x.value)) if g is None else g for x, g in zip(tensors, found, strict=True)]


def by_the_first_output(
    outputs: Sequence[Tensor], tensors: Sequence[Tensor], cotangents: Sequence[Any]
) -> Any:
    """By any output of an op that has several the gradient is that by its first."""
    firsts = []
    for x in tensors:
        edge, first = edge_of(x), Tensor(x.value)
        first.edge = None if edge is None else (edge[0], 0)
        firsts.append(first)
    return engine.gradients(outputs, firsts, cotangents)


def numbers_count_once(
    outputs: Sequence[Tensor], tensors: Sequence[Tensor], cotangents: Sequence[Any]
) -> Any:
    """The cotangent of an output that is a number is 1 where another output is an array."""
    shapes = {np.shape(g) for g in cotangents}
    given = [np.ones_like(g) if len(shapes) > 1 and np.shape(g) == () else g for g in cotangents]
    return engine.gradients(outputs, tensors, given)


def without_own_hooks(outputs: Sequence[Tensor], tensors: Sequence[Tensor], cotangents: Sequence[Any]) -> Any:
    """Hooks of the results that are asked for are not called."""
    nodes = [x.node for x in tensors if x.node is not None and x.node.edges]
    kept = [node.hooks for node in nodes]
    try:
        for node in nodes:
            node.hooks = ()
        return engine.gradients(outputs, tensors, cotangents)
    finally:
        for node, hooks in zip(nodes, kept, strict=True):
            node.hooks = hooks


MUTANTS: tuple[Mutant, ...] = (
    behaviour("intermediates-only-declared", "Gradients by results on the way are declared, but not there.",
        ("capability/intermediates",), gradients_within=missing("gradients_within")),
    behaviour("gradient-ends-at-a-result", "Where a gradient by a result is wanted, nothing comes to what lies behind it.",
        ("contract/B20/any-arrays", "contract/B20/several-leaves"), gradients_within=by(ending_there)),
    behaviour("gradient-once-by-each", "A tensor that is named twice has its gradient at the first place only.",
        ("contract/B20/named-twice",), gradients_within=by(once)),
    behaviour("gradients-in-order-of-the-graph", "Gradients come in the order of the graph, not in that of the tensors.",
        ("contract/B20/any-arrays",), gradients_within=by(in_the_order_of_the_graph)),
    behaviour("output-twice-replaces", "Of the cotangents of an output that is named twice one alone counts.",
        ("contract/B20/several-outputs",), gradients_within=by(replacing)),
    behaviour("first-of-several-roots", "Of several outputs the first alone is differentiated.",
        ("contract/B20/several-outputs", "contract/B20/several-leaves"), gradients_within=by(of_the_first)),
    behaviour("number-beside-arrays-seeded-with-1", "Of several outputs one that is a number counts once, whatever its cotangent.",
        ("contract/B20/other-shapes",), gradients_within=by(numbers_count_once)),
    behaviour("hooks-of-what-is-asked-for", "Hooks of the results that are asked for are not called.",
        ("contract/B20/hooked",), gradients_within=by(without_own_hooks)),
    behaviour("not-reached-is-ones", "By what no output depends on the gradient is ones.",
        ("contract/B20/not-reached",), gradients_within=by(ones_elsewhere)),
    behaviour("gradient-by-the-first-output", "By any output of an op of several outputs the gradient is that by its first.",
        ("contract/B20/every-op",), ops=("split",), gradients_within=by(by_the_first_output)),
)  # fmt: skip
