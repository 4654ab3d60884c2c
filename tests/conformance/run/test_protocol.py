"""An adapter whose methods are missing, misspelt, or take something else is one error that names them."""

from __future__ import annotations

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Backend, Capability, TapeBackend
from conformance.errors import AdapterError
from conformance.offers import Offers
from conformance.run.claims.protocol import METHODS, slips_of_methods
from conformance.run.declarations import hold_declarations


class Named(NumpyTape):
    """With the name that loading gives."""

    name = "mine"


class Misspelt(Named):
    hook = TapeBackend.hook  # as if this engine's adapter did not define it

    def hoook(self, array: object, seen: object) -> object:
        raise NotImplementedError


class TooFew(Named):
    def hook(self, array: object) -> object:  # type: ignore[override]
        raise NotImplementedError


class TooMany(Named):
    def detach(self, array: object, deep: object) -> object:  # type: ignore[override]
        raise NotImplementedError


class GradientAsked(Named):
    """Cannot be called without a gradient."""

    def backward(self, output: object, gradient: object, *, retain: bool = False) -> None:
        raise NotImplementedError


class Number(Named):
    detach = 3  # type: ignore[assignment]


class Whatever(Named):
    """Takes what it is given."""

    def hook(self, *arrays: object, **others: object) -> object:  # type: ignore[override]
        raise NotImplementedError


@pytest.mark.parametrize(
    ("adapter", "said"),
    [
        (Misspelt, "Misspelt.capabilities: HOOKS is declared, and there is no hook(); is hoook() meant?"),
        (TooFew, "TooFew.hook: it takes (array), where hook(array, seen) is called"),
        (TooMany, "TooMany.detach: it takes (array, deep), where detach(array) is called"),
        (GradientAsked, "backward(output, gradient=None, *, retain=False) is called"),
        (Number, "Number.detach: it is int, where a method is expected: detach(array)"),
    ],
)
def test_a_method_that_cannot_be_called_is_named(adapter: type[Backend], said: str) -> None:
    with pytest.raises(AdapterError) as error:
        hold_declarations(adapter())
    assert said in str(error.value)


@pytest.mark.parametrize("adapter", [NumpyTape, Whatever])
def test_methods_that_can_be_called_are_no_slips(adapter: type[Backend]) -> None:
    assert list(slips_of_methods(adapter())) == []


def test_what_is_optional_is_asked_for_where_its_capability_is_declared() -> None:
    """Each method of `Offers` but that of forward mode's second order, which two capabilities ask for together."""
    methods = {name for name, value in vars(Offers).items() if callable(value) and not name.startswith("_")}
    assert {name for names in METHODS.values() for name in names} == (methods | {"clear"}) - {"nested_jvp"}
    without = {Capability.TAPE, Capability.RETAINING, Capability.DEEP, Capability.COMPLEX}
    assert set(METHODS) == set(Capability) - without
