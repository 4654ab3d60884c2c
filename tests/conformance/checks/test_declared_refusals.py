"""What an adapter declares not to have, or does otherwise than most, is no failure of a contract; the same undeclared is one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine import Tensor, custom
from conformance_backends.numpy_engine.graph import is_recording

from conformance.backend import Backend
from conformance.checks.c_modes.no_grad import backward_pass_in_the_scope_has_its_gradients
from conformance.checks.c_modes.rules.captured import custom_rule_gives_no_wrong_gradient_to_what_it_captures
from conformance.checks.capabilities import graph_can_be_read
from conformance.checks.registry import Check
from conformance.checks.sample import Sample
from conformance.errors import AdapterError, Unsupported, Violation
from conformance.questions import items_of
from conformance.questions.samples import SampleQuestion


def check_of(key: str) -> Check:
    return next(item.definition for item in items_of("mine", ("float64",)) if item.check == key)


def asked(key: str, engine: Backend) -> None:
    question = SampleQuestion(Sample(0, "float64"))
    question.run(check_of(key), question.on(engine))


def refused(x: Any, axes: Any) -> Any:
    """A transpose whose rule raises."""

    def backward(g: Any, a: Any) -> Any:
        raise ValueError(f"transpose of {np.ndim(a)} axes has no gradient")

    return custom(lambda a: np.transpose(a, axes), backward)(x)


class Undeclared(NumpyTape):
    """An engine without the gradient of a transpose."""

    ops: ClassVar[Mapping[str, Any]] = {**NumpyTape.ops, "permute_dims": refused}


class Declared(Undeclared):
    """The same, which says so."""

    no_gradient: ClassVar[Mapping[str, frozenset[str]]] = {"*": frozenset({"permute_dims", "argmax"})}


class OtherFailure(Declared):
    """The same, which fails otherwise in the contract."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        if output.is_leaf:
            raise ValueError("no backward pass of a leaf")
        super().backward(output, gradient, retain=retain)


def test_a_declared_refusal_is_unsupported_in_a_contract() -> None:
    with pytest.raises(Unsupported, match="no gradient of permute_dims, as declared"):
        asked("contract/A11/leaf-is-output", Declared())


@pytest.mark.parametrize("engine", [Undeclared, OtherFailure])
def test_what_is_not_declared_is_raised(engine: type[NumpyTape]) -> None:
    with pytest.raises(ValueError, match=r"has no gradient|no backward pass"):
        asked("contract/A11/leaf-is-output", engine())


class Dropping(NumpyTape):
    """An adapter that makes its gradient argument of ops; a backward pass of a constant does nothing."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        if gradient is not None:
            output = self.ops["sum"](self.ops["multiply"](output, gradient), axis=None, keepdims=False)
        if output.edge is not None:
            super().backward(output, retain=retain)


class Idle(NumpyTape):
    """An engine whose backward passes do nothing in a no_grad scope."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        if is_recording():
            super().backward(output, gradient, retain=retain)


def test_a_product_that_a_scope_does_not_record_is_no_failure_of_the_engine() -> None:
    with pytest.raises(Unsupported, match="which no scope records"):
        backward_pass_in_the_scope_has_its_gradients(Dropping(), Sample(0, "float64"))
    with pytest.raises(Violation):
        backward_pass_in_the_scope_has_its_gradients(Idle(), Sample(0, "float64"))


class Negating(NumpyTape):
    """An engine that negates by multiplying by a constant."""

    ops: ClassVar[Mapping[str, Any]] = {
        **NumpyTape.ops,
        "negative": lambda x: NumpyTape.ops["multiply"](x, Tensor(np.array(-1.0))),
    }


class TwoEdges(NumpyTape):
    """An engine whose negation has two operands."""

    ops: ClassVar[Mapping[str, Any]] = {
        **NumpyTape.ops,
        "negative": lambda x: NumpyTape.ops["multiply"](x, x),
    }


def test_a_constant_is_no_edge_of_a_negation() -> None:
    graph_can_be_read(Negating(), Sample(0, "float64"))
    with pytest.raises(Violation, match="2 inputs"):
        graph_can_be_read(TwoEdges(), Sample(0, "float64"))


class Plain(NumpyTape):
    """An engine whose rules take and return plain arrays alone: of its own it makes an array of objects."""

    def custom(self, forward: Any, backward: Any) -> Any:
        def of_plain(*arrays: Any) -> Any:
            value = forward(*arrays)
            if isinstance(value, Tensor):
                raise AdapterError("numpy() returned an array of objects")
            return value

        return custom(of_plain, backward)


class OfItsOwn(Plain):
    """The same, whose rules are given the engine's arrays."""

    def custom(self, forward: Any, backward: Any) -> Any:
        return super().custom(lambda *arrays: forward(*map(Tensor, arrays)), backward)


def test_a_rule_of_plain_arrays_refuses_what_it_captures() -> None:
    custom_rule_gives_no_wrong_gradient_to_what_it_captures(Plain(), Sample(0, "float64"))
    with pytest.raises(AdapterError):
        custom_rule_gives_no_wrong_gradient_to_what_it_captures(OfItsOwn(), Sample(0, "float64"))
