"""Mutants that take for a call's own what belongs to the call after it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, WithTransforms, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of


def last_operands(self: Any, forward: Any, backward: Any) -> Any:
    """The rule sees the operands of the latest call of the op."""
    last: list[Any] = []

    def kept(*operands: Any) -> Any:
        last[:] = operands
        return forward(*operands)

    return engine.custom(kept, lambda g, *operands: backward(g, *last))


def three_calls_kept(self: Any, forward: Any, backward: Any) -> Any:
    """There is room for the operands of three calls: the fourth writes into the place of the first."""
    kept: list[Any] = [None] * 3
    numbers = itertools.count()

    def operation(*operands: Any) -> Any:
        place = next(numbers) % len(kept)
        kept[place] = operands

        def of_place(g: Any, *own: Any) -> Any:
            values = [detach(x) for x in kept[place]]
            is_alike = [np.shape(x) for x in values] == [np.shape(x) for x in own]
            return backward(g, *(values if is_alike and not isinstance(g, Tensor) else own))

        return engine.custom(forward, of_place)(*operands)

    return operation


def last_outputs(self: Any, forward: Any, backward: Any) -> Any:
    """The rule sees the outputs of the latest call of the op."""
    last: list[Any] = []

    def kept(*operands: Any) -> Any:
        last[:] = [forward(*operands)]
        return last[0]

    def altered(index: int, cotangents: Any, operands: Any, outputs: Any) -> Any:
        is_first_order = not any(isinstance(x, Tensor) for x in operands)
        return backward(index, cotangents, operands, last[0] if is_first_order else outputs)

    return engine.custom_by_operand(kept, altered)


def one_buffer(name: str) -> Any:
    """A transform whose function keeps its operands in one buffer for all calls."""

    def transformed(self: Any, function: Any) -> Any:
        buffers: dict[Any, Any] = {}

        def kept(*operands: Any) -> Any:
            for i, x in enumerate(operands):
                np.copyto(buffers.setdefault((i, x.shape, x.dtype.name), np.array(x)), x)
            return np.multiply(*operands)

        def pulled(g: Any, *operands: Any) -> Any:
            a, b = (buffers[i, x.shape, x.dtype.name] for i, x in enumerate(operands))
            return g * b, g * a

        right, product = getattr(WithTransforms, name)(self, function), engine.custom(kept, pulled)
        return product if function is self.ops["multiply"] else right

    return transformed


def first_of_its_code(name: str) -> Any:
    """A transform that knows functions by their code, so that the first one's captured arrays serve for all."""

    def transformed(self: Any, function: Any) -> Any:
        known = self.kept.setdefault((name, getattr(function, "__code__", function)), function)
        return getattr(WithTransforms, name)(self, known)

    return transformed


def first_of_its_code_and_shapes(self: Any, function: Any) -> Any:
    """A compiled function that is known by its code and by the shapes of the constants that it captures."""
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    of_cells = (str(x.shape) if isinstance(x, Tensor) and edge_of(x) is None else str(id(x)) for x in cells)
    known = self.kept.setdefault((getattr(function, "__code__", function), *of_cells), function)
    return WithTransforms.compiled(self, known)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("compiled-by-its-code-and-shapes", "A compiled function is known by its code and by the shapes of the constants that it captures.",
        ("contract/C10/constants-apart",), base=WithTransforms, compiled=first_of_its_code_and_shapes),
    behaviour("rule-sees-last-operands", "A custom rule sees the operands of the latest call.",
        ("contract/C5/calls-apart",), custom=last_operands),
    behaviour("rule-keeps-three-calls", "A custom rule has room for the operands of three calls.",
        ("contract/C5/calls-apart",), custom=three_calls_kept),
    behaviour("rule-sees-last-outputs", "A custom rule of several outputs sees those of the latest call.",
        ("contract/C5/outputs-apart",), base=SteppedTape, custom_by_operand=last_outputs),
    behaviour("checkpoint-with-one-buffer", "A checkpointed product keeps its operands in one buffer.",
        ("contract/C6/calls-apart",), base=WithTransforms, checkpoint=one_buffer("checkpoint")),
    behaviour("compiled-with-one-buffer", "A compiled product keeps its operands in one buffer.",
        ("contract/C10/calls-apart",), base=WithTransforms, compiled=one_buffer("compiled")),
    behaviour("checkpoint-by-its-code", "A checkpoint made by a piece of code is the first one that it made.",
        ("contract/C6/captured-apart",), base=WithTransforms, checkpoint=first_of_its_code("checkpoint")),
    behaviour("compiled-by-its-code", "A compiled function made by a piece of code is the first one that it made.",
        ("contract/C10/captured-apart",), base=WithTransforms, compiled=first_of_its_code("compiled")),
)  # fmt: skip
