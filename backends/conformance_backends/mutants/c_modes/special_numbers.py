"""Mutants that simplify an op beside a simple constant, and lose a derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, with_ops
from conformance_backends.numpy_engine.tensor import Tensor


def _is(constant: Any, number: float) -> bool:
    """Whether an operand is that number: a Python one, or a tensor of no axes."""
    value = constant.value if isinstance(constant, Tensor) else constant
    return bool(np.ndim(value) == 0 and value == number)


def simplified(name: str, number: float, short: Callable[[Any, Any], Any]) -> Callable[[], Any]:
    """An op that is another function where its second operand is that number."""
    right = SteppedTape.ops[name]

    def call(a: Any, b: Any) -> Any:
        return short(a, b) if isinstance(a, Tensor) and _is(b, number) else right(a, b)

    return lambda: with_ops({name: call}, SteppedTape)


def _root(x: Any, n: Any) -> Any:
    """The root, whose slope is that of x¹."""
    return engine.detach(SteppedTape.ops["sqrt"](x)) + (x - engine.detach(x))


def _square_of_constant(x: Any, n: Any) -> Any:
    """A product with a copy of x, which is a constant for the second derivative."""
    square = SteppedTape.ops["multiply"]
    return square(square(x, engine.detach(x)), 2) - engine.detach(square(x, x))


def _equals_merged() -> Any:
    """A constant that equals the variable beside it is the variable."""
    right = SteppedTape.ops["multiply"]

    def call(a: Any, b: Any) -> Any:
        is_equal = isinstance(b, Tensor) and b.edge is None and np.array_equal(a.value, b.value)
        return right(a, a if is_equal else b)

    return with_ops({"multiply": call}, SteppedTape)


MUTANTS: tuple[Mutant, ...] = (
    Mutant("equal-constant-merged", "A constant that equals the variable beside it is taken for the variable.",
        ("contract/C4/equal-to-the-variable",), _equals_merged, ("multiply",)),
    Mutant("power-of-a-half-by-root", "A power of a half is a square root with the slope of x.",
        ("contract/C4/special-numbers",), simplified("pow", 0.5, _root), ("pow",)),
    Mutant("square-of-a-constant", "The slope of a power of 2 is a constant where it is differentiated.",
        ("contract/C4/special-numbers-second",), simplified("pow", 2, _square_of_constant), ("pow",)),
)  # fmt: skip
