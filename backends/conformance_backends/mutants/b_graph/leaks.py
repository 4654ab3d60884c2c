"""Mutants that keep what an op made."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from conformance_backends.mutants.mutant import Mutant, SteppedTape, WithTransforms, behaviour, with_ops
from conformance_backends.numpy_engine.graph import Edge, backward_pass, is_recording


def keeping(name: str, *, is_cycle: bool) -> Callable[[], Any]:
    """An op whose nodes stay referenced by a list, or by themselves in a cycle."""

    def make() -> Any:
        kept: list[Any] = []

        def call(*operands: Any, **parameters: Any) -> Any:
            output = SteppedTape.ops[name](*operands, **parameters)
            node = output.node
            if node is not None and is_cycle:
                node.pullback = lambda cotangents, right=node.pullback, z=output: right(cotangents)
            elif node is not None:
                kept.append(node)
            return output

        return with_ops({name: call}, SteppedTape)

    return make


def kept_where_recorded(name: str) -> Callable[[], Any]:
    """An op whose nodes stay referenced by a list where their pullback is recorded."""

    def make() -> Any:
        kept: list[Any] = []

        def call(*operands: Any, **parameters: Any) -> Any:
            output = SteppedTape.ops[name](*operands, **parameters)
            if output.node is not None:
                right = output.node.pullback

                def pullback(cotangents: Any) -> Any:
                    pulled = right(cotangents)
                    if is_recording():
                        kept.append([pulled])
                    return pulled

                output.node.pullback = pullback
            return output

        return with_ops({name: call}, SteppedTape)

    return make


class KeptBySeed(SteppedTape):
    """A graph whose output is its own cotangent stays referenced by a list."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """The engine's, and a note."""
        if gradient is output:
            self.kept.setdefault("seeds", []).append([output])
        super().backward(output, gradient, retain=retain)


def writes_listed(self: Any, array: Any, index: Any, value: Any) -> None:
    """What a write replaces stays referenced by a list."""
    self.kept.setdefault("replaced", []).append([array.edge])
    array[index] = value


def removed_hooks_listed(self: Any, array: Any, seen: Any) -> Callable[[], None]:
    """A hook that was removed stays referenced by a list."""
    remove = SteppedTape.hook(self, array, seen)

    def removed() -> None:
        self.kept.setdefault("removed", []).append([seen])
        remove()

    return removed


def failures_listed(self: Any, edge: Edge, cotangent: Any) -> Any:
    """A graph whose backward pass failed stays referenced by a list."""
    try:
        return backward_pass([(edge, cotangent)])
    except Exception:
        self.kept.setdefault("failed", []).append([edge])
        raise


def refusals_listed() -> Any:
    """The operands of a refused product stay referenced by a list."""
    kept: list[Any] = []

    def call(*operands: Any, **parameters: Any) -> Any:
        try:
            return SteppedTape.ops["multiply"](*operands, **parameters)
        except Exception:
            kept.append(operands)
            raise

    return with_ops({"multiply": call}, SteppedTape)


def scopes_counted(self: Any) -> Any:
    """The time of every no_grad scope is kept."""
    self.kept.setdefault("times", []).append(time.perf_counter())
    return SteppedTape.no_grad(self)


def unrecorded_writes_listed(self: Any, array: Any, index: Any, value: Any) -> None:
    """What a write that is not recorded replaces stays referenced by a list."""
    if not is_recording():
        self.kept.setdefault("replaced", []).append([array.value])
    array[index] = value


def accumulating_leaves_listed(self: Any, leaf: Any, arrived: Any) -> None:
    """A leaf that has a gradient already when one arrives stays referenced by a list."""
    if leaf.grad is not None:
        self.kept.setdefault("leaves", []).append(leaf)
    SteppedTape.accumulate(self, leaf, arrived)


def rules_by_operand_in_a_cycle(self: Any, forward: Any, backward: Any) -> Any:
    """The node of a custom rule of each operand and its output reference each other."""
    right = SteppedTape.custom_by_operand(self, forward, backward)

    def operation(*operands: Any) -> Any:
        output = right(*operands)
        node = None if isinstance(output, tuple) else output.node
        if node is not None:
            node.pullback = lambda cotangents, right=node.pullback, z=output: right(cotangents)
        return output

    return operation


def last_result_kept(self: Any, function: Any) -> Any:
    """A compiled function keeps its last result."""
    last: list[Any] = []

    def call(*operands: Any) -> Any:
        last[:] = [function(*operands)]
        return last[0]

    return call


MUTANTS: tuple[Mutant, ...] = (
    behaviour("last-result-kept", "A compiled function keeps its last result.",
        ("contract/B12/freed-of-functions",), base=WithTransforms, compiled=last_result_kept),
    Mutant("tangent-nodes-listed", "Every node of a tangent stays referenced by a list.",
        ("contract/B12/every-op",), keeping("tan", is_cycle=False), ("tan",)),
    Mutant("add-nodes-listed", "Every node of a sum stays referenced by a list.",
        ("contract/B12/every-op",), keeping("add", is_cycle=False), ("add",)),
    Mutant("reshaped-in-a-cycle", "The node of a reshaped array and its output reference each other.",
        ("contract/B12/freed-chain",), keeping("reshape", is_cycle=True), ("reshape",)),
    Mutant("recorded-slopes-listed", "What the pullback of a hyperbolic tangent returns stays referenced by a list, where that is recorded.",
        ("contract/B12/every-op",), kept_where_recorded("tanh"), ("tanh", "add", "multiply")),
    behaviour("kept-by-its-seed", "A graph whose output is its own cotangent stays referenced by a list.",
        ("contract/B12/every-way",), base=KeptBySeed),
    behaviour("rules-by-operand-in-a-cycle", "The node of a custom rule of each operand and its output reference each other.",
        ("contract/B12/freed-every-way",), custom_by_operand=rules_by_operand_in_a_cycle),
    Mutant("refused-operands-listed", "The operands of a product that is refused stay referenced by a list.",
        ("contract/B12/every-way",), refusals_listed, ("multiply",)),
    behaviour("replaced-listed", "What a write replaces stays referenced by a list.",
        ("contract/B12/every-way",), assign=writes_listed),
    behaviour("removed-hooks-listed", "A hook that was removed stays referenced by a list.",
        ("contract/B12/every-way",), hook=removed_hooks_listed),
    behaviour("failures-listed", "A graph whose backward pass failed stays referenced by a list.",
        ("contract/B12/every-way",), traverse=failures_listed),
    behaviour("accumulating-leaves-listed", "A leaf that accumulates stays referenced by a list.",
        ("contract/B12/every-way",), accumulate=accumulating_leaves_listed),
    behaviour("scopes-counted", "The time of every no_grad scope is kept.",
        ("contract/B12/every-way",), no_grad=scopes_counted),
    behaviour("unrecorded-writes-listed", "What a write in a no_grad scope replaces stays referenced by a list.",
        ("contract/B12/every-way",), assign=unrecorded_writes_listed),
)  # fmt: skip
