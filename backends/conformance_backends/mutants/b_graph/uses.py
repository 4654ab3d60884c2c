"""Mutants that are wrong for arrays used several times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, with_ops
from conformance_backends.numpy_engine.graph import Node
from conformance_backends.numpy_engine.tensor import Tensor


def one_output_at_a_time(name: str) -> Callable[[], Any]:
    """An op of several outputs uses the cotangent of one of them, whichever others arrive with it."""

    def call(*operands: Any, **parameters: Any) -> Any:
        outputs = SteppedTape.ops[name](*operands, **parameters)
        node = outputs[0].node
        if node is not None:
            node.pullback = _with_the_last_alone(node)
        return outputs

    return lambda: with_ops({name: call}, SteppedTape)


def _with_the_last_alone(node: Node) -> Any:
    right = node.pullback
    return lambda cotangents: right([*[None] * (len(cotangents) - 1), cotangents[-1]])


def same_operand_once(name: str) -> Callable[[], Any]:
    """An op that is called with one array twice sends its cotangent to one place only."""

    def call(a: Any, b: Any, **parameters: Any) -> Any:
        return SteppedTape.ops[name](a, engine.detach(b) if a is b else b, **parameters)

    return lambda: with_ops({name: call}, SteppedTape)


def built_for_places_apart(build: str) -> Any:
    """A built function that is called with one array twice sends its cotangent to one place only."""

    def make(self: Any, *parts: Any) -> Any:
        function = getattr(SteppedTape, build)(self, *parts)
        return lambda a, *others: function(a, *(engine.detach(b) if a is b else b for b in others))

    return make


def equal_leaves_are_one(name: str) -> Callable[[], Any]:
    """An op takes two leaves of equal values for one."""

    def call(a: Any, b: Any, **parameters: Any) -> Any:
        is_equal = isinstance(a, Tensor) and isinstance(b, Tensor) and np.array_equal(a.value, b.value)
        return SteppedTape.ops[name](a, a if is_equal else b, **parameters)

    return lambda: with_ops({name: call}, SteppedTape)


def pulled_once_per_array(self: Any, function: Any, operands: Any, wrt: Any = None) -> Any:
    """Where a function returns one array twice, the cotangent of the second place is dropped."""
    traced = SteppedTape.trace(self, function, operands, wrt)

    def pull(cotangents: Any) -> Any:
        first = {id(z): i for i, z in reversed([*enumerate(traced.outputs)])}
        kept = [
            g if first[id(z)] == i else self.array(np.zeros(z.shape, z.dtype))
            for i, (z, g) in enumerate(zip(traced.outputs, cotangents, strict=True))
        ]
        return traced.pull(kept)

    return type(traced)(traced.arrays, traced.outputs, pull)


def count_consumers(roots: Iterable[Node]) -> Counter[Node]:
    """For every node behind the roots, and for these, how many edges lead to it."""
    consumers: Counter[Node] = Counter()
    to_visit, seen = list(roots), set(roots)
    while to_visit:
        for source in filter(None, to_visit.pop().inputs):
            consumers[source] += 1
            if source not in seen:
                seen.add(source)
                to_visit.append(source)
    return consumers


def lost_beside_others(name: str) -> Any:
    """An op sends nothing to an operand that has other consumers: its contribution is overwritten."""

    def traverse(self: Any, edge: Any, cotangent: Any) -> Any:
        consumers = count_consumers([edge[0]])
        rules = {node: node.pullback for node in (edge[0], *consumers) if node.name == name}
        for node, right in rules.items():
            node.pullback = _to_those_it_has_alone(node, right, consumers)
        try:
            return SteppedTape.traverse(self, edge, cotangent)
        finally:
            for node, right in rules.items():
                node.pullback = right

    return traverse


def _to_those_it_has_alone(node: Node, right: Any, consumers: Counter[Node]) -> Any:
    def pullback(cotangents: Any) -> Any:
        pulled = zip(node.edges, right(cotangents), strict=True)
        return [g if edge is None or consumers[edge[0]] == 1 else None for edge, g in pulled]

    return pullback


def within_the_graph_lost(self: Any, function: Any, arrays: Any, cotangents: Any) -> Any:
    """A cotangent given for an output of which another output is made is lost."""
    outputs = function(*(Tensor(x.value, requires_grad=True) for x in arrays))
    given = list(cotangents)
    if isinstance(outputs, tuple):
        consumers = count_consumers({z.node for z in outputs if z.node})
        given = [None if z.node and consumers[z.node] else g for z, g in zip(outputs, given, strict=True)]
    _, pullback = engine.vjp(function, *arrays)
    return pullback(*given)


def operand_returned_lost(self: Any, function: Any, arrays: Any, cotangents: Any) -> Any:
    """The cotangent of an output that is an operand itself is lost where another output has one."""
    given: list[Any] = []

    def noting(*variables: Any) -> Any:
        outputs = function(*variables)
        several = outputs if isinstance(outputs, tuple) else (outputs,)
        is_operand = [any(z is x for x in variables) for z in several]
        given[:] = [
            g * 0 if lost and len(several) > 1 else g for g, lost in zip(cotangents, is_operand, strict=True)
        ]
        return outputs

    _, pullback = engine.vjp(noting, *arrays)
    return pullback(*given)


def checkpoint_pulled_once_per_array(self: Any, function: Any) -> Any:
    """A checkpoint takes the first place alone of an array that it returns twice."""
    places: list[int] = []

    def noting(*operands: Any) -> Any:
        outputs = function(*operands)
        if isinstance(outputs, tuple):
            places[:] = [[z is y for y in outputs].index(True) for z in outputs]
        return outputs

    recorded = engine.checkpoint(noting)

    def operation(*operands: Any) -> Any:
        outputs = recorded(*operands)
        if not isinstance(outputs, tuple):
            return outputs
        return tuple(
            z if place == i else engine.detach(z)
            for i, (z, place) in enumerate(zip(outputs, places, strict=True))
        )

    return operation


OUTPUTS, OPERANDS = ("contract/B1/output-uses",), ("contract/B1/same-operand-twice",)

MUTANTS: tuple[Mutant, ...] = (
    Mutant("last-part-alone", "Where several parts of a split are used, the last one's cotangent counts alone.",
        OUTPUTS, one_output_at_a_time("split"), ("split",)),
    Mutant("power-of-itself", "x to the x sends a cotangent to one of its operands only.",
        OPERANDS, same_operand_once("pow"), ("pow",)),
    Mutant("equal-leaves-are-one", "A hypotenuse of two leaves of equal values sends both cotangents to the first.",
        OPERANDS, equal_leaves_are_one("hypot"), ("hypot",)),
    behaviour("custom-rule-of-itself", "A custom rule of each operand sends nothing to the second place of an array that it has twice.",
        OPERANDS, custom_by_operand=built_for_places_apart("custom_by_operand")),
    behaviour("checkpoint-of-itself", "A checkpoint sends nothing to the second place of an array that it has twice.",
        OPERANDS, checkpoint=built_for_places_apart("checkpoint")),
    behaviour("overwritten-by-other-uses", "Taking rows of an array that is used elsewhere too contributes nothing to its gradient.",
        ("contract/B1/operand-uses",), ops=("take",), traverse=lost_beside_others("take")),
    behaviour("seed-within-the-graph-lost", "In a recorded gradient, the cotangent of an output of which another is made is lost.",
        ("contract/B1/returned-twice-recorded",), nested_vjp=within_the_graph_lost),
    behaviour("operand-returned-lost", "In a recorded gradient, the cotangent of an operand that is returned beside another output is lost.",
        ("contract/B1/returned-twice-recorded",), nested_vjp=operand_returned_lost),
    behaviour("returned-twice-counts-once", "Of an array that is returned twice the second cotangent is dropped.",
        ("contract/B1/returned-twice",), trace=pulled_once_per_array),
    behaviour("checkpoint-returning-twice-counts-once", "Of an array that a checkpoint returns twice the second cotangent is dropped.",
        ("contract/B1/returned-twice-built",), checkpoint=checkpoint_pulled_once_per_array),
)  # fmt: skip
