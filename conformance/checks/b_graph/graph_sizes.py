"""Graphs of 1 to 1 000 nodes of many families (B1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks.chains import ROWS, chain
from conformance.checks.comparison import hold_equal
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, MULTIPLY

SMALL = (1, 2, 5)
MIDDLING = (30, 65, 17, 33)  # of these a sample has two
LARGE = (1000, 200, 257)  # of these one
LEAVES = 5  # besides two


@contract("B1", "graph-sizes")
def graph_of_any_size_has_every_contribution(engine: Backend, sample: Sample) -> None:
    """In a graph of 1, 2, 5, 30, 65, 200 or 1 000 nodes of many families every contribution arrives exactly."""
    first = sample.seed % len(MIDDLING)
    sizes: tuple[int, ...] = (*SMALL, MIDDLING[first], MIDDLING[first - 1])
    if engine.compiles_signatures:
        sizes = sizes[sample.seed % len(sizes) :: len(sizes)]
    elif Capability.DEEP in engine.capabilities:
        sizes = (*sizes, LARGE[sample.seed % len(LARGE)])
    for nodes in sizes:
        x, w, g = (sample.array((ROWS, 3)) for _ in range(3))
        function, sign = chain(engine, sample, nodes)
        outputs, gradients = engine.vjp(function, [np.array(x), np.array(w)], [np.array(g)])
        of_y, of_w = (plain(engine, gradient) for gradient in gradients)
        hold_equal(plain(engine, outputs[0]), sign * x + w, f"the value of a graph of {nodes} nodes")
        hold_equal(of_y, sign * g, f"the gradient through a graph of {nodes} nodes")
        hold_equal(of_w, g, f"the gradient of an operand used throughout a graph of {nodes} nodes")


@contract("B1", "several-leaves")
def graph_of_several_leaves_has_the_gradient_of_each(engine: Backend, sample: Sample) -> None:
    """In a graph of 35 nodes and seven leaves, two of them of equal values, each leaf has its own gradient."""
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    x, w, g, *leaves = (sample.array((ROWS, 3)) for _ in range(3 + LEAVES))
    leaves[-1] = np.array(leaves[0])
    factors = [sample.array((ROWS, 3)) for _ in leaves]
    function, sign = chain(engine, sample, 35 - 2 * LEAVES)
    constants = [engine.array(np.array(f)) for f in factors]

    def graph(a: Any, b: Any, *others: Any) -> Any:
        total = function(a, b)
        for other, factor in zip(others, constants, strict=True):
            total = add(total, multiply(other, factor))
        return total

    _, gradients = engine.vjp(graph, [np.array(v) for v in (x, w, *leaves)], [np.array(g)])
    for index, (got, expected) in enumerate(
        zip(gradients, [sign * g, g, *(g * factor for factor in factors)], strict=True)
    ):
        hold_gradient(engine, got, expected, f"the gradient of leaf {index + 1} of seven")
