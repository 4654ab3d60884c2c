"""Mutants whose custom rules, checkpoints and transforms are wrong inside each other or where they are nested."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, WithTransforms, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, edge_of


def custom_of_values(self: Any, forward: Any, backward: Any) -> Any:
    """A custom rule computes with plain values, also where the backward pass is recorded."""

    def of_values(g: Any, *xs: Any) -> Any:
        return tuple(map(engine.detach, backward(engine.detach(g), *map(engine.detach, xs))))

    return engine.custom(forward, of_values)


def custom_detached_in_checkpoints(self: Any, function: Function) -> Function:
    """In the recomputation of a checkpoint custom rules are constants."""
    calls: list[int] = []

    def counted(*operands: Any) -> Any:
        calls.append(1)
        self.kept["recomputing"] = len(calls) % 2 == 0
        try:
            return function(*operands)
        finally:
            self.kept["recomputing"] = False

    return engine.checkpoint(counted)


def custom_unless_recomputing(self: Any, forward: Any, backward: Any) -> Any:
    """A custom rule that gives half its cotangents while a checkpoint is recomputed."""
    right = engine.custom(forward, backward)
    halved = engine.custom(forward, lambda g, *xs: tuple(p * 0.5 for p in backward(g, *xs)))
    return lambda *operands: (halved if self.kept.get("recomputing") else right)(*operands)


def checkpoint_of_constants(self: Any, function: Function) -> Function:
    """A checkpoint's gradient is a constant."""

    def backward(g: Any, *xs: Any) -> Any:
        pulled = engine.vjp(function, *map(engine.detach, xs))[1](engine.detach(g))
        return tuple(map(engine.detach, pulled))

    return engine.custom(lambda *xs: engine.detach(function(*xs)), backward)


def inner_checkpoint_doubled(self: Any, function: Function) -> Function:
    """A checkpoint inside another doubles its cotangents."""

    def call(*operands: Any) -> Any:
        depth = self.kept.get("depth", 0)
        self.kept["depth"] = depth + 1
        try:
            return function(*operands)
        finally:
            self.kept["depth"] = depth

    def checkpointed(*operands: Any) -> Any:
        outputs = engine.checkpoint(call)(*operands)
        return outputs + (outputs - engine.detach(outputs)) if self.kept.get("depth") else outputs

    return checkpointed


def needs_of_the_first_call(self: Any, function: Function) -> Function:
    """Which operands of a compiled function need a gradient is kept from the first call with the same shapes."""
    needs: dict[str, list[bool]] = {}

    def call(*operands: Any) -> Any:
        if not any(edge_of(x) for x in operands):
            return function(*operands)
        kept = needs.setdefault(
            [x.shape for x in operands].__repr__(), [edge_of(x) is not None for x in operands]
        )
        return function(*(x if needed else x.detach() for x, needed in zip(operands, kept, strict=True)))

    return call


def captured_beside_constants_lost(self: Any, function: Function) -> Function:
    """What a mapped function captures is a constant where its operands are."""
    mapped = WithTransforms.looped(self, function)

    def call(*operands: Any) -> Any:
        output = mapped(*operands)
        return output if any(edge_of(x) for x in operands) else output.detach()

    return call


def captured_is_constant(self: Any, function: Function) -> Function:
    """Only operands of a checkpoint have a gradient; what it captures counts as a constant."""

    def checkpointed(*operands: Any) -> Any:
        with engine.no_grad():
            outputs = function(*operands)
        if isinstance(outputs, tuple):
            return engine.checkpoint(function)(*operands)

        def backward(g: Any, *xs: Any) -> Any:
            return engine.vjp(function, *xs)[1](g)

        return engine.custom(lambda *xs: engine.detach(function(*map(Tensor, xs))), backward)(*operands)

    return checkpointed


def unused_operand_gets_ones(self: Any, function: Function) -> Function:
    """A checkpoint's operand that is not used receives the cotangent."""

    def touching(*operands: Any) -> Any:
        outputs = function(*operands)
        if isinstance(outputs, tuple) or len(operands) < 2:
            return outputs
        return outputs + (operands[-1] - engine.detach(operands[-1]))

    return engine.checkpoint(touching) if _is_of_one(function) else engine.checkpoint(function)


def _is_of_one(function: Function) -> bool:
    """Whether a function of two operands does not depend on the second."""
    try:
        x = [Tensor(np.ones(3), requires_grad=True) for _ in range(2)]
        outputs, pullback = engine.vjp(function, *x)
        return not isinstance(outputs, tuple) and pullback(np.ones(outputs.shape))[1] is None
    except Exception:
        return False


def compiled_of_constants(self: Any, function: Function) -> Function:
    """A compiled function's gradient is a constant."""
    return checkpoint_of_constants(self, function)


def compiled_in_the_map_is_first_row(self: Any, function: Function) -> Function:
    """A compiled function in a vectorized one is computed for the first row only."""
    return _marked(function)


def _marked(function: Function) -> Function:
    def compiled(*operands: Any) -> Any:
        return function(*operands)

    compiled.is_compiled = True  # type: ignore[attr-defined]
    return compiled


def map_of_compiled_is_doubled(self: Any, function: Function) -> Function:
    """A map of a compiled function doubles its cotangents."""
    mapped = WithTransforms.looped(self, function)
    if not getattr(function, "is_compiled", False):
        return mapped

    def doubled(*operands: Any) -> Any:
        outputs = mapped(*operands)
        return outputs + (outputs - engine.detach(outputs))

    return doubled


def map_captures_constants(self: Any, function: Function) -> Function:
    """What a vectorized function captures is a constant."""
    return captured_is_constant(self, WithTransforms.looped(self, function))


def captured_by_an_inner_one_is_constant(self: Any, function: Function) -> Function:
    """What a checkpoint captures is a constant while another checkpoint is computed."""

    def counted(*operands: Any) -> Any:
        self.kept["depth"] = self.kept.get("depth", 0) + 1
        try:
            return function(*operands)
        finally:
            self.kept["depth"] -= 1

    def call(*operands: Any) -> Any:
        if not self.kept.get("depth"):
            return engine.checkpoint(counted)(*operands)
        return captured_is_constant(self, counted)(*operands)

    return call


def captured_once(self: Any, function: Function) -> Function:
    """The gradient of what a checkpoint captures, and what it captures in the gradient, is a constant."""
    right = engine.checkpoint(function)

    def call(*operands: Any) -> Any:
        output = right(*operands)
        node = output.edge[0] if isinstance(output, Tensor) and output.edge else None
        if node is None or len(node.edges) == len(operands):
            return output
        pullback = node.pullback

        def of_constants(cotangents: Any) -> Any:
            pulled = pullback(cotangents)
            return [
                p if i < len(operands) or p is None else Tensor(engine.detach(p))
                for i, p in enumerate(pulled)
            ]

        node.pullback = of_constants
        return output

    return call


def third_operand_is_constant(self: Any, function: Function) -> Function:
    """A checkpoint's operands beyond the second are constants."""
    right = engine.checkpoint(function)
    return lambda *operands: right(*operands[:2], *map(engine.detach, operands[2:]))


MUTANTS: tuple[Mutant, ...] = (
    behaviour("custom-rule-once", "The gradient of a custom rule is a constant.",
        ("contract/C5/second-order",), custom=custom_of_values),
    behaviour("custom-rule-halved-in-checkpoints", "While a checkpoint is recomputed custom rules give half their cotangents.",
        ("contract/C5/inside-others",), custom=custom_unless_recomputing, checkpoint=custom_detached_in_checkpoints),
    behaviour("checkpoint-once", "The gradient of a checkpoint is a constant.",
        ("contract/C6/second-order",), checkpoint=checkpoint_of_constants),
    behaviour("checkpoint-doubled-inside", "A checkpoint in a checkpoint doubles its cotangents.",
        ("contract/C6/inside-others",), checkpoint=inner_checkpoint_doubled),
    behaviour("checkpoint-captures-constants", "What a checkpoint captures is a constant.",
        ("contract/C6/captured",), checkpoint=captured_is_constant),
    behaviour("inner-checkpoint-captures-constants", "What a checkpoint in a checkpoint captures is a constant.",
        ("contract/C6/captured",), checkpoint=captured_by_an_inner_one_is_constant),
    behaviour("checkpoint-unused-operand", "A checkpoint's operand that is not used receives the cotangent.",
        ("contract/C6/operands-and-outputs",), checkpoint=unused_operand_gets_ones),
    behaviour("compiled-once", "The gradient of a compiled function is a constant.",
        ("contract/C10/second-order",), base=WithTransforms, compiled=compiled_of_constants),
    behaviour("map-of-compiled-doubled", "A vectorized compiled function doubles its cotangents.",
        ("contract/C10/inside-others",), base=WithTransforms,
        compiled=compiled_in_the_map_is_first_row, vectorized=map_of_compiled_is_doubled),
    behaviour("map-captures-constants", "What a vectorized function captures is a constant.",
        ("contract/C10/captured",), base=WithTransforms, vectorized=map_captures_constants),
    behaviour("map-of-constants-captures-nothing", "What a vectorized function of constants captures is a constant.",
        ("contract/C10/captured",), base=WithTransforms, vectorized=captured_beside_constants_lost),
    behaviour("compiled-needs-of-the-first-call", "Which operands of a compiled function need a gradient is kept from its first call.",
        ("contract/C10/inside-others",), base=WithTransforms, compiled=needs_of_the_first_call),
    behaviour("checkpoint-captures-once", "The gradient of what a checkpoint captures is a constant.",
        ("contract/C6/captured-second",), checkpoint=captured_once),
    behaviour("checkpoint-of-two-operands", "A checkpoint's third operand is a constant.",
        ("contract/C6/operands-and-outputs",), checkpoint=third_operand_is_constant),
)  # fmt: skip
