"""Mutants that lose what a checkpoint captures by one output, or far from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, behaviour
from conformance_backends.numpy_engine import graph, transforms
from conformance_backends.numpy_engine.tensor import edge_of, tensor_at

right = graph.edges_before
NEAR = 64  # edges


def searching(search: Callable[..., Any]) -> Callable[..., Any]:
    """A checkpoint that looks in another way for what its function captures."""

    def checkpoint(self: Any, function: Function) -> Function:
        def call(*operands: Any) -> Any:
            with mock.patch.object(transforms, "edges_before", search):
                return engine.checkpoint(function)(*operands)

        return call

    return checkpoint


def of_the_first_output(roots: Any, *how: Any) -> Any:
    """Behind the first output alone."""
    return right(roots[:1], *how)


def nearby(roots: Any, start: int, ends: Any = ()) -> Any:
    """Behind so many edges at most."""
    near, reached = list(roots), 0
    while reached < len(near) < NEAR:
        node, reached = near[reached][0], reached + 1
        if node not in ends:
            near += [edge for edge in node.edges if edge and edge not in near]
    return [edge for edge in right(roots, start, ends) if edge in near]


def moved_by_constants(self: Any, function: Function) -> Function:
    """The cotangents of outputs that are constants are not counted, so that those behind go to others."""
    constants: list[int] = []

    def noting(*operands: Any) -> Any:
        outputs = function(*operands)
        if isinstance(outputs, tuple):
            constants[:] = [i for i, output in enumerate(outputs) if edge_of(output) is None]
        return outputs

    def call(*operands: Any) -> Any:
        outputs = engine.checkpoint(noting)(*operands)
        if not isinstance(outputs, tuple) or edge_of(outputs[0]) is None:
            return outputs
        node = outputs[0].edge[0]
        places = [i - sum(c < i for c in constants) for i in range(len(outputs))]
        return tuple(tensor_at(z.value, (node, place)) for z, place in zip(outputs, places, strict=True))

    return call


MUTANTS: tuple[Mutant, ...] = (
    behaviour("captured-by-the-first-output", "What a later output of a checkpoint alone captures is a constant.",
        ("contract/C6/captured-by-one-output",), checkpoint=searching(of_the_first_output)),
    behaviour("constant-outputs-not-counted", "Behind an output of a checkpoint that is a constant cotangents go to the output before.",
        ("contract/C6/captured-by-one-output",), checkpoint=moved_by_constants),
    behaviour("captured-nearby", "What a checkpoint captures far from its output is a constant.",
        ("contract/C6/captured-far",), checkpoint=searching(nearby)),
)  # fmt: skip
