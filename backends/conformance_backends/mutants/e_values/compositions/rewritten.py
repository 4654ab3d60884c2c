"""Mutants that rewrite neighbours in a graph as fewer ops, wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance_backends.mutants.mutant import Mutant, with_ops
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.tensor import Tensor

REWRITTEN, CANCELLED = "contract/E6/rewritten", "contract/E6/not-cancelled"
RIGHT = NumpyTape.ops


def of_neighbours(first: str, second: str, fused: Any) -> Any:
    """An engine in which the second op of a result of the first is `fused(operand, parameters, parameters)`."""

    def make() -> Backend:
        made: dict[int, tuple[Tensor, Tensor, dict[str, Any]]] = {}

        def noting(x: Tensor, **parameters: Any) -> Any:
            if second == first and id(x) in made:
                return rewritten(x, **parameters)
            result = RIGHT[first](x, **parameters)
            made[id(result)] = result, x, parameters  # the result too: its id stays its own
            return result

        def rewritten(x: Tensor, **parameters: Any) -> Any:
            if id(x) not in made:
                return RIGHT[second](x, **parameters)
            _, operand, before = made[id(x)]
            return fused(operand, before, parameters)

        return with_ops({second: rewritten, first: noting})

    return make


def in_the_other_order(x: Tensor, first: dict[str, Any], second: dict[str, Any]) -> Any:
    """Two permutations as one, composed the wrong way round."""
    if first["axes"] is None or second["axes"] is None or len(first["axes"]) != len(second["axes"]):
        return RIGHT["permute_dims"](RIGHT["permute_dims"](x, **first), **second)
    return RIGHT["permute_dims"](x, axes=tuple(second["axes"][axis] for axis in first["axes"]))


def as_one_power(x: Tensor, first: dict[str, Any], second: dict[str, Any]) -> Any:
    """A power of a power as the power of the product."""
    return RIGHT["power_of"](x, exponent=first["exponent"] * second["exponent"])


def cancelling(op: str, left: float) -> Any:
    """An engine in which an op of one array and itself is a number."""

    def make() -> Backend:
        def call(x: Any, y: Any) -> Any:
            return Tensor(np.full(x.shape, left, x.dtype)) if x is y else RIGHT[op](x, y)

        return with_ops({op: call})

    return make


def nothing_times(x: Any, y: Any) -> Any:
    """A product with a constant 0 is 0."""
    is_nothing = isinstance(y, Tensor) and y.edge is None and not np.any(y.value)
    return Tensor(np.zeros(x.shape, x.dtype)) if is_nothing else RIGHT["multiply"](x, y)


MUTANTS: tuple[Mutant, ...] = (
    Mutant("root-of-a-square", "The square root of a square is the operand.", (REWRITTEN,),
        of_neighbours("square", "sqrt", lambda x, first, second: x), ("square", "sqrt")),
    Mutant("size-of-the-opposite", "The size of what is negated is the operand.", (REWRITTEN,),
        of_neighbours("negative", "abs", lambda x, first, second: x), ("negative", "abs")),
    Mutant("power-of-a-power", "A power of a power is the power of the product.", (REWRITTEN,),
        of_neighbours("power_of", "power_of", as_one_power), ("power_of",)),
    Mutant("permutations-the-other-way", "Two permutations are composed in the wrong order.", (REWRITTEN,),
        of_neighbours("permute_dims", "permute_dims", in_the_other_order), ("permute_dims",)),
    Mutant("last-clip-alone", "Of two clips in a row the last one counts.", (REWRITTEN,),
        of_neighbours("clip", "clip", lambda x, first, second: RIGHT["clip"](x, **second)), ("clip",)),
    Mutant("casts-undone", "What is cast to single precision and back is the operand.", (REWRITTEN,),
        of_neighbours("astype", "astype", lambda x, first, second: RIGHT["astype"](x, **second)), ("astype",)),
    Mutant("difference-of-itself", "x - x is 0 everywhere.", (CANCELLED,), cancelling("subtract", 0.0), ("subtract",)),
    Mutant("quotient-of-itself", "x / x is 1 everywhere.", (CANCELLED,), cancelling("divide", 1.0), ("divide",)),
    Mutant("nothing-times", "x times 0 is 0 everywhere.", (CANCELLED,),
        lambda: with_ops({"multiply": nothing_times}), ("multiply",)),
)  # fmt: skip
