"""Mutants that are wrong where an op is differentiated again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, with_ops


def used_up(name: str, again: Callable[[Any, Any], Any]) -> Callable[[], Any]:
    """An op whose rule gives `again(first, right)` from the second time on, of its first cotangents and the right ones."""

    def call(*operands: Any, **parameters: Any) -> Any:
        output = SteppedTape.ops[name](*operands, **parameters)
        node, calls = output.node, []
        if node is not None:
            right = node.pullback

            def pullback(cotangents: Sequence[Any]) -> Any:
                pulled = right(cotangents)
                calls.append(pulled)
                return pulled if len(calls) == 1 else again(calls[0], pulled)

            node.pullback = pullback
        return output

    return lambda: with_ops({name: call}, SteppedTape)


def doubled(first: Any, right: Sequence[Any]) -> list[Any]:
    """What is right, twice."""
    return [g if g is None else g + g for g in right]


def kept(first: Any, right: Any) -> Any:
    """The gradient of the first cotangent."""
    return first


def without_joined(self: Any, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]) -> Any:
    """A gradient as a function's value takes the first cotangent for all of an op's outputs."""
    outputs, pullback = engine.vjp(function, *arrays)
    if isinstance(outputs, tuple) and len({z.shape for z in outputs}) == 1:
        return pullback(*[cotangents[0]] * len(cotangents))
    return pullback(*cotangents)


def checkpoint_runs_once(self: Any, function: Any) -> Any:
    """The second backward pass through a checkpoint doubles its cotangents."""
    right = engine.checkpoint(function)

    def checkpointed(*operands: Any) -> Any:
        outputs = right(*operands)
        first = outputs[0] if isinstance(outputs, tuple) else outputs
        if first.node is not None:
            first.node.pullback = _doubled_later(first.node.pullback)
        return outputs

    return checkpointed


def _doubled_later(pullback: Any) -> Any:
    runs: list[int] = []

    def pulled(cotangents: Any) -> Any:
        runs.append(1)
        return [g if g is None or len(runs) == 1 else g + g for g in pullback(cotangents)]

    return pulled


MUTANTS: tuple[Mutant, ...] = (
    Mutant("first-gradient-kept", "A second pass through a retained graph gives the gradient of the first cotangent.",
        ("contract/B7/every-op",), used_up("tanh", kept), ("tanh",)),
    Mutant("scan-used-up", "The rule of a running sum doubles its cotangent from the second time on.",
        ("contract/B7/every-op",), used_up("cumulative_sum", doubled), ("cumulative_sum",)),
    behaviour("checkpoint-used-up", "The second backward pass through a checkpoint doubles its cotangents.",
        ("contract/B7/every-op",), checkpoint=checkpoint_runs_once),
    behaviour("nested-first-cotangent", "A gradient as a function's value takes the first cotangent for all outputs.",
        ("contract/B9/every-op",), nested_vjp=without_joined),
)  # fmt: skip
