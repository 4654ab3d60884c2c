"""Mutants that recompute a checkpointed function wrongly."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.tensor import Tensor


def recomputed_with_fewer_digits(self: Any, function: Function) -> Function:
    """Recomputation starts from operands with fewer digits."""

    def rounded(*operands: Any) -> Any:
        return function(*(x * np.asarray(1 + 2.0**-20, x.dtype) for x in operands))

    return _recomputed_by(function, rounded)


def recomputed_twice(self: Any, function: Function) -> Function:
    """In the backward pass the function is called twice."""

    def twice(*operands: Any) -> Any:
        function(*operands)
        return function(*operands)

    return _recomputed_by(function, twice)


def _recomputed_by(function: Function, recomputed: Function) -> Function:
    """A checkpoint that calls another function in the backward pass."""

    def operation(*operands: Any) -> Any:
        functions = iter((function, recomputed))
        return engine.checkpoint(lambda *xs: next(functions)(*xs))(*operands)

    return operation


def recomputed_for_first_operand(self: Any, function: Function) -> Function:
    """Recomputation returns the first operand's gradient only."""
    return lambda first, *rest: engine.checkpoint(lambda x: function(x, *map(engine.detach, rest)))(first)


class UnscopedRecomputation(SteppedTape):
    """While a checkpointed function is computed again, its no_grad scopes and detached values are recorded."""

    def checkpoint(self, function: Function) -> Function:
        """A checkpoint that notes when it computes again."""

        def again(*operands: Any) -> Any:
            self.kept["again"] = True
            try:
                return function(*operands)
            finally:
                self.kept["again"] = False

        return _recomputed_by(function, again)

    def no_grad(self) -> AbstractContextManager[Any]:
        """The engine's scope, or none."""
        return nullcontext() if self.kept.get("again") else super().no_grad()

    def detach(self, array: Any) -> Any:
        """The engine's constant, or the array."""
        return array if self.kept.get("again") else super().detach(array)


def recorded_all_the_same(self: Any, function: Function) -> Function:
    """A function is recomputed, and its first graph is kept until then."""

    def operation(*operands: Any) -> Any:
        output = engine.checkpoint(function)(*operands)
        if isinstance(output, engine.Tensor) and output.node is not None:
            output.node.pullback = partial(_beside, output.node.pullback, function(*operands))
        return output

    return operation


def _beside(right: Function, kept: Any, cotangents: Any) -> Any:
    """What a pullback returns that keeps something else, too."""
    return right(cotangents)


RECOMPUTED = "contract/C6/anew"
CHECKPOINT = "contract/C6/checkpoint"


class HooksCalledTwice(SteppedTape):
    """Hooks of what a checkpoint captures are called in its own pass too."""

    def checkpoint(self, function: Function) -> Function:
        """A checkpoint in which an array's hooks change its cotangent once more, where it is captured."""
        return lambda *operands: self._again(engine.checkpoint(function), operands)

    def _again(self, checkpointed: Function, operands: Any) -> Any:
        output = checkpointed(*operands)
        node = None if isinstance(output, tuple) else output.node
        if node is not None:
            captured = node.edges[len(operands) :]
            right = node.pullback

            def pullback(cotangents: Any) -> Any:
                pulled = list(right(cotangents))
                for place, edge in enumerate(captured, len(operands)):
                    for index, hook in edge[0].hooks if edge else ():
                        changed = hook(pulled[place]) if edge and index == edge[1] else None
                        pulled[place] = pulled[place] if changed is None else changed
                return pulled

            node.pullback = pullback
        return output


def returned_operand_forgotten(self: Any, function: Function) -> Function:
    """An output of a checkpoint that is its operand sends nothing back."""

    def unlinked(*operands: Any) -> Any:
        outputs = function(*operands)
        if not isinstance(outputs, tuple):
            return outputs
        return tuple(engine.detach(z) if any(z is x for x in operands) else z for z in outputs)

    return engine.checkpoint(unlinked)


def one_captured_part(self: Any, function: Function) -> Function:
    """Of several outputs of one op that a checkpoint captures the first alone gets a gradient."""
    right = engine.checkpoint(function)

    def operation(*operands: Any) -> Any:
        output = right(*operands)
        node = None if isinstance(output, tuple) else output.node
        if node is not None:
            nodes = [edge and edge[0] for edge in node.edges]
            is_first = [each is None or each not in nodes[:place] for place, each in enumerate(nodes)]
            pullback = node.pullback
            node.pullback = lambda cotangents: [
                g if first else None for g, first in zip(pullback(cotangents), is_first, strict=True)
            ]
        return output

    return operation


def captured_are_constants_where_recorded(self: Any, function: Function) -> Function:
    """In a backward pass that is recorded, what a checkpoint captures is a constant."""
    right = engine.checkpoint(function)

    def operation(*operands: Any) -> Any:
        output = right(*operands)
        node = None if isinstance(output, tuple) else output.node
        if node is not None and len(node.edges) > len(operands):
            pullback = node.pullback
            node.pullback = lambda cotangents: [
                g if g is None else engine.detach(g) for g in pullback(cotangents)
            ]
        return output

    return operation


def numbers_are_arrays(self: Any, function: Function) -> Function:
    """A number that a checkpoint is given is an array of double precision."""
    right = engine.checkpoint(function)
    return lambda *operands: right(*(x if isinstance(x, Tensor) else Tensor(np.asarray(x)) for x in operands))


def stored_in_single(self: Any, function: Any) -> Any:
    """What a checkpoint keeps of its operands is of single precision."""

    def shortened(*operands: Any) -> Any:
        return function(*(short(x) for x in operands))

    return engine.checkpoint(shortened)


def operands_are_not_captured(self: Any, function: Any) -> Any:
    """An array that is an operand of a checkpoint has its cotangent from that alone, though it is captured as well."""

    def checkpointed(*operands: Any) -> Any:
        def hidden(*inner: Any) -> Any:
            edges = [x.edge for x in operands]
            for x in operands:
                x.edge = None
            try:
                return function(*inner)
            finally:
                for x, edge in zip(operands, edges, strict=True):
                    x.edge = edge

        return engine.checkpoint(hidden)(*operands)

    return checkpointed


def short(x: Any) -> Any:
    """An operand as it is when it is computed with first, and rounded to single precision when again."""
    return engine.custom(lambda a: a.astype(np.float32).astype(a.dtype), lambda g, a: (g,))(x)


def captured_added_up(self: Any, function: Function) -> Function:
    """What a checkpoint captures gets in each pass what the passes before gave it, too."""
    right = engine.checkpoint(function)

    def called(*operands: Any) -> Any:
        output = right(*operands)
        node = output.edge[0] if isinstance(output, Tensor) and output.edge else None
        if node is None:
            return output
        own, held = node.pullback, dict[int, Any]()

        def pullback(cotangents: Any) -> Any:
            arrived = list(own(cotangents))
            for place in range(len(operands), len(arrived)):
                if arrived[place] is not None:
                    held[place] = arrived[place] = arrived[place] + held.get(place, 0)
            return tuple(arrived)

        node.pullback = pullback
        return output

    return called


MUTANTS: tuple[Mutant, ...] = (
    behaviour("captured-added-up-over-passes", "What a checkpoint captures gets in each pass the gradients of the passes before, too.",
        ("contract/C6/captured-passes",), checkpoint=captured_added_up),
    behaviour("operand-captured-is-constant", "An operand of a checkpoint that is captured as well counts as an operand alone.",
        ("contract/C6/operand-captured",), checkpoint=operands_are_not_captured),
    behaviour("checkpoint-stored-in-single", "What a checkpoint computes with is rounded to single precision.",
        ("contract/C6/every-digit",), checkpoint=stored_in_single),
    behaviour("checkpoint-of-a-number", "A number that a checkpoint is given is of double precision.",
        ("contract/C6/number",), checkpoint=numbers_are_arrays),
    behaviour("checkpoint-stores", "A checkpointed function is stored, not recomputed.",
        (RECOMPUTED,), checkpoint=lambda self, function: function),
    behaviour("checkpoint-calls-twice", "A checkpointed function is called twice in the backward pass.",
        (RECOMPUTED,), checkpoint=recomputed_twice),
    behaviour("declares-replay-calls", "The adapter declares that a trace is replayed, and the function is called in the backward pass.",
        (RECOMPUTED,), conventions={**SteppedTape.conventions, "C6": "replays"}),
    behaviour("checkpoint-rounds", "Recomputation starts from operands with fewer digits.",
        (CHECKPOINT, RECOMPUTED), checkpoint=recomputed_with_fewer_digits),
    behaviour("checkpoint-first-only", "Only the first operand of a checkpointed function has a gradient.",
        (CHECKPOINT,), checkpoint=recomputed_for_first_operand),
    behaviour("recomputation-unscoped", "Computed again, a checkpointed function records what it computes in a no_grad scope, or detaches.",
        ("contract/C6/constants",), base=UnscopedRecomputation),
    behaviour("checkpoint-keeps-its-graph", "The graph of a checkpointed function is kept, though it is recomputed.",
        ("contract/C6/memory",), checkpoint=recorded_all_the_same),
    behaviour("hooks-twice-where-captured", "A hook on what a checkpoint captures is called twice.",
        ("contract/C6/hooks",), base=HooksCalledTwice),
    behaviour("returned-operand-forgotten", "A checkpoint's output that is its operand sends no cotangent back.",
        ("contract/C6/outputs",), checkpoint=returned_operand_forgotten),
    behaviour("one-captured-part", "Of several outputs of one op that a checkpoint captures one alone gets a gradient.",
        ("contract/C6/outputs",), checkpoint=one_captured_part),
    behaviour("captured-constant-where-recorded", "In a recorded backward pass what a checkpoint captures is a constant.",
        ("contract/C6/captured-outside",), checkpoint=captured_are_constants_where_recorded),
)  # fmt: skip
