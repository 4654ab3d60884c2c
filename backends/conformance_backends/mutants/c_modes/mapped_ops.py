"""Mutants whose batching rules are wrong where an operand has no axis of the batch, or in what has no slope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.backend import Backend, Function
from conformance_backends.mutants.mutant import Mutant, WithTransforms
from conformance_backends.numpy_engine.graph import next_number
from conformance_backends.numpy_engine.tensor import Tensor, detach, tensor_at


class Rows(WithTransforms):
    """The reference engine, whose ops know in which row of a map they are called."""

    def looped(self, function: Function, order: slice = slice(None)) -> Function:
        """The rows in order, each through the function, with their number."""

        def mapped(*operands: Any) -> Any:
            self.kept |= {"row": 0, "rows": len(operands[0]), "start": next_number(), "first": {}}

            def row(*arrays: Any) -> Any:
                try:
                    return function(*arrays)
                finally:
                    self.kept["row"] += 1

            try:
                return right(row)(*operands)
            finally:
                self.kept["rows"] = 0

        right = super().looped
        return mapped

    def is_captured(self, x: Any) -> bool:
        """Whether an operand was made before the map began."""
        return isinstance(x, Tensor) and x.edge is not None and x.edge[0].number < self.kept["start"]


def with_altered(names: tuple[str, ...], altered: Callable[..., Any]) -> Callable[[], Backend]:
    """An engine some of whose ops are `altered(backend, right, *operands, **parameters)` inside a map."""

    def make() -> Backend:
        backend = Rows()

        def op(right: Function) -> Function:
            return lambda *xs, **parameters: (
                altered(backend, right, *xs, **parameters)
                if backend.kept.get("rows")
                else right(*xs, **parameters)
            )

        backend.ops = {**backend.ops, **{name: op(backend.ops[name]) for name in names}}  # type: ignore[misc]
        return backend

    return make


def captured_in_the_last_row(backend: Rows, right: Function, *xs: Any, **parameters: Any) -> Any:
    """In all rows but the last what is captured is a constant."""
    if backend.kept["row"] == backend.kept["rows"] - 1:
        return right(*xs, **parameters)
    return right(*(Tensor(detach(x)) if backend.is_captured(x) else x for x in xs), **parameters)


def value_of_the_first_row(backend: Rows, right: Function, *xs: Any, **parameters: Any) -> Any:
    """Every row has the value of the first one, and its own gradient."""
    output = right(*xs, **parameters)
    first = backend.kept["first"].setdefault("value", output)
    return tensor_at(first.value, output.edge)


def doubled_in_a_square_batch(backend: Rows, right: Function, *xs: Any, **parameters: Any) -> Any:
    """Where a batch has as many rows as an operand is long, the axes are taken for each other; here, its rows are doubled."""
    output = right(*xs, **parameters)
    return output * 2.0 if backend.kept["rows"] in xs[0].shape[-1:] else output


def doubled_in_a_batch_of_one(backend: Rows, right: Function, *xs: Any, **parameters: Any) -> Any:
    """The axis of a batch of one is taken for one of the op's own axes of size 1; here, its row is doubled."""
    output = right(*xs, **parameters)
    return output * 2.0 if backend.kept["rows"] == 1 and parameters.get("axis") is None else output


def doubled_without_an_axis(backend: Rows, right: Function, *xs: Any, **parameters: Any) -> Any:
    """The rule of a parameter that is seldom given, axis=None, is wrong inside a map."""
    output = right(*xs, **parameters)
    return output * 2.0 if parameters.get("axis") is None else output


PAIRS, FLAT = ("multiply", "matmul"), ("sign", "argmax")

MUTANTS: tuple[Mutant, ...] = (
    Mutant("mapped-captured-of-the-last-row", "What an op captures inside a map has the gradient of the last row alone.",
        ("op/mapped-captured",), with_altered(PAIRS, captured_in_the_last_row), PAIRS),
    Mutant("mapped-flat-value-of-the-first-row", "An op without a slope has in every row of a map the value of the first.",
        ("op/mapped-flat",), with_altered(FLAT, value_of_the_first_row), FLAT),
)  # fmt: skip
