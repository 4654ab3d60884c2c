"""Mutants that return what a mapped function does not, or forget what it captures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.c_modes.transforms import noting_the_map
from conformance_backends.mutants.mutant import Mutant, WithTransforms, behaviour
from conformance_backends.numpy_engine.graph import Node
from conformance_backends.numpy_engine.tensor import detach, edge_of, wrap


def tuple_of_one_unwrapped(self: Any, function: Function) -> Function:
    """A function's tuple of one array is the array."""
    right = self.looped(function)

    def mapped(*operands: Any) -> Any:
        outputs = right(*operands)
        return outputs[0] if isinstance(outputs, tuple) and len(outputs) == 1 else outputs

    return mapped


def constants_not_repeated(self: Any, function: Function) -> Function:
    """An output that is the same array for every row is that array."""

    def mapped(*operands: Any) -> Any:
        rows: list[Any] = []

        def noted(*row: Any) -> Any:
            rows.append(function(*row))
            return rows[-1]

        stacked = self.looped(noted)(*operands)
        if not isinstance(stacked, tuple):
            return stacked
        columns = zip(stacked, zip(*rows, strict=True), strict=True)
        return tuple(of[0] if all(z is of[0] for z in of) else whole for whole, of in columns)

    return mapped


def mapped_to_the_shorter(self: Any, function: Function) -> Function:
    """Of operands of different lengths the first rows are mapped."""
    right = self.looped(function)

    def mapped(*operands: Any) -> Any:
        count = min(map(len, operands))
        return right(*(x if len(x) == count else x[:count] for x in operands))

    return mapped


def in_double_precision(self: Any, function: Function) -> Function:
    """The results of a function that returns several arrays are of double precision."""
    right = self.looped(function)

    def mapped(*operands: Any) -> Any:
        outputs = right(*operands)
        return tuple(z.astype("float64") for z in outputs) if isinstance(outputs, tuple) else outputs

    return mapped


def captured_are_constants(self: Any, function: Callable[..., Any], arrays: Any, cotangents: Any) -> Any:
    """A gradient that is computed inside a mapped function depends on its operands alone."""
    right = WithTransforms.nested_vjp
    if not self.kept.get("mapped"):
        return right(self, function, arrays, cotangents)

    def pullback(given: Any) -> Any:
        again = engine.vjp(lambda *xs: right(self, function, xs, cotangents), *map(detach, arrays))[1]
        return [detach(g) for g in again(*given)]

    gradients = right(self, function, arrays, cotangents)
    return wrap(tuple(map(detach, gradients)), Node("mapped", [edge_of(x) for x in arrays], pullback))


def by_one_row(made: Callable[..., Any]) -> Callable[..., Any]:
    """What every row hands to a custom rule, or a checkpoint, is an operand in the first of them, and a constant in the others."""

    def method(self: Any, *functions: Any) -> Any:
        right = made(*functions)

        def call(*operands: Any) -> Any:
            if not self.kept.get("mapped"):
                return right(*operands)
            earlier = self.kept.setdefault("operands", [])
            given = [detach(x) if any(x is each for each in earlier) else x for x in operands]
            earlier += operands
            return right(*given)

        return call

    return method


OUTPUTS = "contract/C10/mapped-outputs"


def numbers_taken_as_they_are(self: Any, function: Function) -> Function:
    """Operands without axes are handed to the function as they are."""
    right = self.looped(function)
    return lambda *xs: function(*xs) if all(x.ndim == 0 for x in xs) else right(*xs)


def lone_constants_not_repeated(self: Any, function: Function) -> Function:
    """A function's one result, if it is the same array for every row, is that array."""
    right = self.looped(function)

    def mapped(*operands: Any) -> Any:
        row = function(*(x[0] for x in operands))
        return row if not isinstance(row, tuple) and edge_of(row) is None else right(*operands)

    return mapped


MUTANTS: tuple[Mutant, ...] = (
    behaviour("captured-by-rules-in-one-row", "An operand of a custom rule that a mapped function captures gets the cotangent of one row.",
        ("contract/C10/custom-captured",), base=WithTransforms, vectorized=noting_the_map, custom=by_one_row(engine.custom)),
    behaviour("captured-by-rules-of-several-outputs-in-one-row", "The same of a custom rule with several outputs.",
        ("contract/C10/custom-captured",), base=WithTransforms, vectorized=noting_the_map,
        custom_by_operand=by_one_row(engine.custom_by_operand)),
    behaviour("captured-by-checkpoints-in-one-row", "An operand of a checkpoint that a mapped function captures gets the cotangent of one row.",
        ("contract/C10/built-captured",), base=WithTransforms, vectorized=noting_the_map, checkpoint=by_one_row(engine.checkpoint)),
    behaviour("numbers-taken-as-they-are", "Operands without axes are mapped as if that were one row.",
        ("contract/C10/mapped-lengths",), base=WithTransforms, vectorized=numbers_taken_as_they_are),
    behaviour("lone-constants-not-repeated", "A mapped function that returns a constant alone returns it once.",
        ("contract/C10/mapped-outputs",), base=WithTransforms, vectorized=lone_constants_not_repeated),
    behaviour("mapped-to-the-shorter", "Operands of different lengths are mapped up to the length of the shortest.",
        ("contract/C10/mapped-lengths",), base=WithTransforms, vectorized=mapped_to_the_shorter),
    behaviour("mapped-tuple-of-one", "A mapped function that returns a tuple of one array returns the array.",
        (OUTPUTS,), base=WithTransforms, vectorized=tuple_of_one_unwrapped),
    behaviour("mapped-constant-alone", "An output of a mapped function that no operand reaches is not repeated.",
        (OUTPUTS,), base=WithTransforms, vectorized=constants_not_repeated),
    behaviour("mapped-in-double", "A mapped function of several outputs returns double precision.",
        (OUTPUTS,), base=WithTransforms, vectorized=in_double_precision),
    behaviour("mapped-captured-is-constant", "What a gradient inside a mapped function captures is a constant.",
        ("contract/C10/mapped-captured",), base=WithTransforms, vectorized=noting_the_map, nested_vjp=captured_are_constants),
)  # fmt: skip
