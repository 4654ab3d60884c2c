"""Mutants whose first derivatives are right but not the second ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, rule
from conformance_backends.numpy_engine.tensor import detach

Outputs = tuple[Any, ...]


def of_plain_values(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
    """The derivative is computed from detached values, so it is constant when differentiated again."""
    return right(i, g, detach(z), *map(detach, xs), **p)


def of_plain_values_for_the_first(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """The same for the first operand's gradient only."""
    return of_plain_values(right, i, g, z, *xs) if i == 0 else right(i, g, z, *xs)


def constant_at_repeated_singular_values(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """Where a matrix has singular values twice, the derivative is computed from detached values."""
    values = np.linalg.svd(detach(x), compute_uv=False)
    is_repeated = np.any(np.abs(np.diff(values, axis=-1)) < 1e-6 * np.abs(values[..., 1:]))
    return of_plain_values(right, i, g, z, x) if is_repeated else right(i, g, z, x)


def doubled_when_recorded(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], tangents: Sequence[Any]
) -> Outputs:
    """A tangent that is itself recorded is twice as large."""
    return tuple(t + t for t in SteppedTape.nested_jvp(self, function, arrays, tangents))


SECOND = ("op/reverse-over-reverse", "op/forward-over-reverse", "op/reverse-over-forward")
E4 = "contract/E4/{}".format
E5 = "contract/E5/{}".format

MUTANTS: tuple[Mutant, ...] = (
    rule("exp-second-derivative-lost", "The derivative of exp is computed from detached values: right once, zero when differentiated again.",
        SECOND, ("exp",), of_plain_values),
    rule("product-second-derivatives-lost", "The derivatives of a product are computed from detached values.",
        (*SECOND, E4("four-orders"), E4("third-order"), E5("commuting")), ("multiply",), of_plain_values),
    rule("product-second-derivative-lost", "A product's derivative by its first operand is computed from detached values.",
        (*SECOND, E4("four-orders"), E5("symmetric"), E5("commuting")), ("multiply",), of_plain_values_for_the_first),
    rule("second-derivative-lost-at-repeated-singular-values",
        "Where a matrix has singular values twice, the determinant's derivative is computed from detached values.",
        SECOND, ("det",), constant_at_repeated_singular_values),
    rule("norm-second-derivatives-lost", "The derivatives of norms, distances and weights that refuse complex numbers are computed from detached values.",
        SECOND, ("std", "logaddexp2", "cdist", "i1e"), of_plain_values),
    behaviour("recorded-tangent-doubled", "A tangent that is itself recorded is twice as large.",
        ("op/reverse-over-forward", E4("four-orders")), ops=("tanh",), nested_jvp=doubled_when_recorded),
)  # fmt: skip
