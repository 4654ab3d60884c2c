"""The functions that custom() is given use what docs/adapter.md promises: operators and `.T`, on what they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine import custom as custom_of
from conformance_backends.numpy_engine.tensor import detach

from conformance.checks import load_all
from conformance.checks.sample import Sample
from conformance.errors import Violation

# All but those whose rules capture an array, or cast one, which their claims are about.
ASKED = (
    "contract/C5/custom-constant",
    "contract/C5/custom-none",
    "contract/C5/custom-of-three",
    "contract/C5/custom-refused",
    "contract/C5/custom-rule",
    "contract/C5/custom-second",
    "contract/C5/custom-smaller",
    "contract/C5/custom-too-few",
    "contract/C5/second-of-three",
    "contract/F3/work",
    "example/W4/custom-linear",
    "example/W4/trailing-none",
)


class Plain:
    """An array that has operators and `.T`, and nothing else: no engine's op takes it."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __add__(self, other: Any) -> Plain:
        return Plain(self.value + _value(other))

    def __sub__(self, other: Any) -> Plain:
        return Plain(self.value - _value(other))

    def __mul__(self, other: Any) -> Plain:
        return Plain(self.value * _value(other))

    def __matmul__(self, other: Any) -> Plain:
        return Plain(self.value @ _value(other))

    @property
    def T(self) -> Plain:  # noqa: N802, the name that arrays give it
        return Plain(self.value.T)


def _value(operand: Any) -> Any:
    if isinstance(operand, (Plain, int, float)):
        return operand.value if isinstance(operand, Plain) else operand
    raise TypeError(f"{type(operand).__name__} beside an array that was given")


class OperatorsAlone(NumpyTape):
    """What a rule's functions are given has operators alone, in the forward function and in the rule."""

    def custom(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> Any:
        def rule(*given: Any) -> Any:
            pulled = backward(*map(Plain, given))
            return tuple(None if p is None else p.value for p in pulled)

        return custom_of(lambda *xs: forward(*map(Plain, xs)).value, rule)


def asked(name: str, engine: Any) -> None:
    load_all()[name].function(engine, Sample(1, "float64", name))


@pytest.mark.parametrize("name", ASKED)
def test_operators_are_enough(name: str) -> None:
    asked(name, OperatorsAlone())


class Bare:
    """An array of an engine without `@` and `.T`: of those it has ops."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __add__(self, other: Bare) -> Bare:
        return Bare(self.value + other.value)


class OpsForProducts(NumpyTape):
    """An engine whose arrays have fewer operators than a rule may use, though its adapter should have added them."""

    ops: ClassVar[Any] = {
        **NumpyTape.ops,
        "matmul": lambda x, y: Bare(x.value @ y.value),
        "permute_dims": lambda x, axes: Bare(np.transpose(x.value, axes)),
    }

    def custom(self, forward: Any, backward: Any) -> Any:
        def rule(*given: Any) -> Any:
            return tuple(None if p is None else p.value for p in backward(*map(Bare, given)))

        return custom_of(lambda *xs: forward(*map(Bare, xs)).value, rule)


@pytest.mark.parametrize("name", ["example/W4/custom-linear", "example/W4/trailing-none"])
def test_an_op_stands_in_for_an_operator(name: str) -> None:
    asked(name, OpsForProducts())


class StoresOfAll(NumpyTape):
    """An engine that marks no constants: what array() makes stores what a rule returns for it, and None is nothing."""

    conventions: ClassVar[dict[str, str]] = {**NumpyTape.conventions, "C4": "stored"}

    def array(self, value: Any) -> Any:
        return self.leaf(value) if value.dtype.kind in "fc" else super().array(value)


class StoresZeros(StoresOfAll):
    """The same, which stores zeros for None."""

    def custom(self, forward: Any, backward: Any) -> Any:
        def rule(g: Any, *xs: Any) -> Any:
            return [self.instead(x) if p is None else p for p, x in zip(backward(g, *xs), xs, strict=True)]

        return custom_of(forward, rule)

    def instead(self, x: Any) -> Any:
        return np.zeros_like(x)


class StoresOnes(StoresZeros):
    """The same, which stores what nobody returned."""

    def instead(self, x: Any) -> Any:
        return np.ones_like(detach(x))


@pytest.mark.parametrize("engine", [StoresOfAll, StoresZeros])
@pytest.mark.parametrize("name", ["contract/C5/custom-constant", "contract/C5/custom-too-few"])
def test_none_may_stay_none_of_an_engine_that_marks_no_constants(engine: Any, name: str) -> None:
    asked(name, engine())


def test_none_is_nothing_else() -> None:
    with pytest.raises(Violation, match="the rule returned no cotangent, got a gradient"):
        asked("contract/C5/custom-constant", StoresOnes())


def test_a_cotangent_is_stored_where_that_is_declared() -> None:
    class Marks(NumpyTape):
        conventions: ClassVar[dict[str, str]] = StoresOfAll.conventions

    with pytest.raises(Violation, match="got no gradient; the adapter declares 'stored'"):
        asked("contract/C5/custom-constant", Marks())
