"""Mutants whose tangents or Jacobians are wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import NDArray
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine import vjp
from conformance_backends.numpy_engine.seeds import seed
from conformance_backends.numpy_engine.tensor import Tensor, edge_of

Outputs = tuple[Any, ...]


def first_tangent_alone(
    self: Any, function: Callable[..., Any], operands: Sequence[NDArray], tangents: Sequence[NDArray]
) -> tuple[Outputs, Outputs]:
    """All tangents but the first are replaced by zeros."""
    lost = [t if i == 0 else np.zeros_like(t) for i, t in enumerate(tangents)]
    return SteppedTape.jvp(self, function, operands, lost)


def a_millionth_longer(
    self: Any, function: Callable[..., Any], operands: Sequence[NDArray], tangents: Sequence[NDArray]
) -> tuple[Outputs, Outputs]:
    """Tangents are a millionth too large."""
    outputs, pushed = SteppedTape.jvp(self, function, operands, tangents)
    return outputs, tuple(Tensor(t.value * t.dtype.type(1 + 1e-6)) for t in pushed)


def doubled_alone(self: Any, output: Tensor, gradient: Any) -> Any:
    """A cotangent with a single entry among several counts twice."""
    given = seed(output, gradient).value
    return given * 2 if given.size > 1 and np.count_nonzero(given) == 1 else given


E4 = "contract/E4/{}".format


def doubled_beside_zeros(
    self: Any, function: Callable[..., Any], operands: Sequence[NDArray], tangents: Sequence[NDArray]
) -> tuple[Outputs, Outputs]:
    """A tangent beside tangents of zeros is doubled."""
    outputs, pushed = SteppedTape.jvp(self, function, operands, tangents)
    is_beside = len(tangents) > 1 and not all(np.any(t) for t in tangents)
    return outputs, tuple(t + t for t in pushed) if is_beside else pushed


def shifted_past_unused(
    self: Any, function: Callable[..., Any], operands: Sequence[NDArray], tangents: Sequence[NDArray]
) -> tuple[Outputs, Outputs]:
    """Tangents are given in turn to the operands that are used."""
    output, pullback = vjp(function, *operands)
    reached = [p is not None for p in pullback(np.ones(output.shape, output.dtype))]
    in_turn = iter(tangents)
    given = [next(in_turn) if is_used else t for t, is_used in zip(tangents, reached, strict=True)]
    return SteppedTape.jvp(self, function, operands, given)


def kept_by_function(
    self: Any, function: Callable[..., Any], operands: Sequence[NDArray], tangents: Sequence[NDArray]
) -> tuple[Outputs, Outputs]:
    """What a function was linearized at is kept, and used where it is pushed again."""
    kept = self.kept.setdefault(function, operands)
    is_alike = [x.shape for x in kept] == [x.shape for x in operands]
    return SteppedTape.jvp(self, function, kept if is_alike else operands, tangents)


def returned_are_constants(
    self: Any, function: Callable[..., Any], operands: Sequence[NDArray], tangents: Sequence[NDArray]
) -> tuple[Outputs, Outputs]:
    """An operand that a function returns among others has no tangent."""
    outputs, pushed = SteppedTape.jvp(self, function, operands, tangents)
    if len(outputs) == 1:
        return outputs, pushed
    are_operands = [any(np.array_equal(self.numpy(z), x) for x in operands) for z in outputs]
    return outputs, tuple(t * 0 if lost else t for t, lost in zip(pushed, are_operands, strict=True))


def constants_last(
    self: Any, function: Callable[..., Any], operands: Sequence[NDArray], tangents: Sequence[NDArray]
) -> tuple[Outputs, Outputs]:
    """The tangents of outputs that are constants come after the others."""
    outputs, pushed = SteppedTape.jvp(self, function, operands, tangents)
    ordered = sorted(zip(outputs, pushed, strict=True), key=lambda pair: edge_of(pair[0]) is None)
    return outputs, tuple(tangent for _, tangent in ordered)


def tangents_by_array(self: Any, function: Any, operands: Any, tangents: Any) -> Any:
    """A tangent is looked up by the array that it belongs to."""
    by_array = {id(x): t for x, t in zip(operands, tangents, strict=True)}
    return SteppedTape.jvp(self, function, operands, [by_array[id(x)] for x in operands])


def tangents_in_double_precision(self: Any, function: Any, operands: Any, tangents: Any) -> Any:
    """Tangents are float64, whatever the operands are."""
    values, pushed = SteppedTape.jvp(self, function, operands, tangents)
    return values, tuple(
        Tensor(np.asarray(self.numpy(t), float)) if self.numpy(t).dtype.kind == "f" else t for t in pushed
    )


MUTANTS: tuple[Mutant, ...] = (
    behaviour("other-tangents-lost", "Of several tangents only the first is pushed forward.",
        ("op/forward", "op/forward-over-reverse", E4("four-orders")), ops=("multiply", "divide"), jvp=first_tangent_alone),
    behaviour("tangents-too-large", "Tangents are a millionth too large.",
        ("op/forward", "contract/E3/columns"), ops=("tanh", "matmul"), jvp=a_millionth_longer),
    behaviour("lone-cotangent-doubled", "A cotangent with one entry among several that are zero counts twice.",
        ("contract/E3/rows", "op/vjp"), ops=("tanh", "sum"), seed=doubled_alone),
    behaviour("doubled-beside-zeros", "A tangent is doubled where that of another operand is zero.",
        ("contract/E2/zero-tangents",), jvp=doubled_beside_zeros),
    behaviour("tangents-shifted-past-unused", "Tangents are given in turn to the operands that the function uses.",
        ("contract/E2/unused-operands",), jvp=shifted_past_unused),
    behaviour("tangents-kept-by-function", "A function that is pushed forward again has the tangent at its first operands.",
        ("contract/E2/zero-tangents",), jvp=kept_by_function),
    behaviour("returned-operands-are-constants", "An operand that a function returns has no tangent.",
        ("contract/E2/constant-outputs",), jvp=returned_are_constants),
    behaviour("tangents-of-constants-last", "The tangents of outputs that are constants come after those of the others.",
        ("contract/E2/constant-outputs",), jvp=constants_last),
    behaviour("tangents-by-array", "Of one array that is two operands both have the last tangent.",
        ("contract/E2/one-array",), jvp=tangents_by_array),
    behaviour("tangents-in-double-precision", "Tangents of float32 operands are float64.",
        ("contract/E2/one-array",), jvp=tangents_in_double_precision),
)  # fmt: skip
