"""Mutants whose first gradients are right, and whose tangents, Jacobians or second derivatives are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Capability, NDArray
from conformance.ops import CATALOGUE
from conformance_backends.mutants.mutant import Mutant, Walking, behaviour, rule
from conformance_backends.numpy_engine import apply
from conformance_backends.numpy_engine.tensor import Tensor, detach, seed

Outputs = tuple[Any, ...]
SECOND = ("op/reverse-over-reverse", "op/forward-over-reverse", "op/reverse-over-forward")
E4, E5 = "contract/E4/{}".format, "contract/E5/{}".format


# ---- what a rule is made of ------------------------------------------------------------------------


def of_plain_values(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """The slope is computed from plain values, and so is a constant to whoever differentiates again."""
    return right(i, g, detach(z), *map(detach, xs), **p)


def of_plain_values_for_the_first(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """The same for the first operand's gradient alone."""
    return of_plain_values(right, i, g, z, *xs) if i == 0 else right(i, g, z, *xs)


# ---- tangents ----------------------------------------------------------------------------------------


def first_tangent_alone(
    self: Any, function: Callable[..., Any], operands: Sequence[NDArray], tangents: Sequence[NDArray]
) -> tuple[Outputs, Outputs]:
    """All tangents but the first are lost."""
    lost = [t if i == 0 else np.zeros_like(t) for i, t in enumerate(tangents)]
    return Walking.jvp(self, function, operands, lost)


def a_millionth_longer(
    self: Any, function: Callable[..., Any], operands: Sequence[NDArray], tangents: Sequence[NDArray]
) -> tuple[Outputs, Outputs]:
    """Tangents come out a millionth too long."""
    outputs, pushed = Walking.jvp(self, function, operands, tangents)
    return outputs, tuple(Tensor(t.value * t.dtype.type(1 + 1e-6)) for t in pushed)


def doubled_when_recorded(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], tangents: Sequence[Any]
) -> Outputs:
    """A tangent that is itself recorded is twice as long."""
    return tuple(t + t for t in Walking.nested_jvp(self, function, arrays, tangents))


# ---- Jacobians ---------------------------------------------------------------------------------------


def doubled_alone(self: Any, output: Tensor, gradient: Any) -> Any:
    """A cotangent with a single entry among several counts twice."""
    given = seed(output, gradient).value
    return given * 2 if given.size > 1 and np.count_nonzero(given) == 1 else given


def first_for_all(self: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """What is mapped over a stack is what its first entry gives, for every entry."""

    def mapped(*stacks: Any) -> Any:
        first = function(*(stack[0] for stack in stacks))
        return apply(CATALOGUE["stack"], (first,) * len(stacks[0]), {"axis": 0})

    return mapped


MUTANTS: tuple[Mutant, ...] = (
    rule("curvature-cut", "The slope of exp is taken from plain values: right once, zero when differentiated.",
        SECOND, ("exp",), of_plain_values),
    rule("products-cut", "The slopes of a product are taken from plain values.",
        (*SECOND, E4("four-orders"), E4("third-order"), E5("commuting")), ("multiply",), of_plain_values),
    rule("half-a-product-cut", "A product's slope by its first operand is taken from plain values.",
        (*SECOND, E4("four-orders"), E5("symmetric"), E5("commuting")), ("multiply",), of_plain_values_for_the_first),
    behaviour("other-tangents-lost", "Of several tangents only the first is pushed forward.",
        ("op/forward", "op/forward-over-reverse", E4("four-orders")), ops=("multiply", "divide"), jvp=first_tangent_alone),
    behaviour("tangents-too-long", "Tangents are a millionth too long.",
        ("op/forward", "contract/E3/columns"), ops=("tanh", "matmul"), jvp=a_millionth_longer),
    behaviour("recorded-tangent-doubled", "A tangent that is itself recorded is twice as long.",
        ("op/reverse-over-forward", E4("four-orders")), ops=("tanh",), nested_jvp=doubled_when_recorded),
    behaviour("lone-cotangent-doubled", "A cotangent with one entry among several that are zero counts twice.",
        ("contract/E3/rows", "op/vjp"), ops=("tanh", "sum"), seed=doubled_alone),
    behaviour("first-for-all", "A function mapped over a stack gives the first entry's result for every entry.",
        ("contract/E3/stacked", "contract/E3/mapped"), vectorized=first_for_all,
        capabilities=Walking.capabilities | {Capability.VECTORIZING}),
)  # fmt: skip
