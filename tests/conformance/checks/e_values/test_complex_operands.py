"""Both conventions can be elected, and a conjugate is told from them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Capability
from conformance.checks import load_all
from conformance.checks.e_values.complex_operands import gradient_at_complex_operands_is_the_rules
from conformance.checks.observation import Observation, Oracle
from conformance.checks.registry import COMPLEX, NotThisCase
from conformance.errors import Unsupported, Violation
from conformance.ops import find
from conformance.strategies import Effort, draw_cases

EFFORT = Effort(signatures=4, draws=2, samples=1, programs=1)


class Ascending(NumpyTape):
    """The reference engine under the other convention: it conjugates what comes in and what goes out."""

    conventions: ClassVar = {**NumpyTape.conventions, "A18": "gradient"}

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """From the conjugate of the cotangent."""
        super().backward(output, np.conj(gradient.value), retain=retain)

    def grad(self, leaf: Any) -> Any:
        """Its conjugate."""
        return np.asarray(np.conj(leaf.grad))


class Refusing(NumpyTape):
    """The reference engine without complex numbers, as it says itself."""

    ops: ClassVar = {**NumpyTape.ops, "exp": lambda x: _refuse(x)}


class Partial(NumpyTape):
    """The reference engine, which has the value of exp and not its gradient."""

    ops: ClassVar = {**NumpyTape.ops, "exp": lambda x: _refuse(x) if x.requires_grad else x}


def _refuse(x: Any) -> Any:
    raise RuntimeError("exp does not support complex numbers")


def asked(backend: Any, name: str, dtype: str = "complex128") -> None:
    for case in draw_cases(find(name), dtype, 0, EFFORT):
        gradient_at_complex_operands_is_the_rules(Observation(backend, Oracle(find(name), case)))


@pytest.mark.parametrize("dtype", sorted(COMPLEX))
@pytest.mark.parametrize("backend", [NumpyTape(), Ascending()], ids=["conjugate", "gradient"])
@pytest.mark.parametrize("name", ["multiply", "exp", "matmul", "solve", "split", "take_along_axis"])
def test_either_convention_is_held_to_the_rule(name: str, backend: Any, dtype: str) -> None:
    asked(backend, name, dtype)


@pytest.mark.parametrize("name", ["multiply", "exp", "matmul", "solve"])
def test_what_was_not_elected_is_a_failure(name: str) -> None:
    for right, other in ((NumpyTape(), "gradient"), (Ascending(), "conjugate")):
        right.conventions = {**right.conventions, "A18": other}  # type: ignore[misc]  # of this object alone
        with pytest.raises(Violation, match="is not the rule's"):
            asked(right, name)


def test_who_elects_nothing_is_not_asked() -> None:
    backend = NumpyTape()
    backend.conventions = {}  # type: ignore[misc]  # of this object alone
    with pytest.raises(Unsupported, match="A18"):
        asked(backend, "exp")


@pytest.mark.parametrize(("backend", "said"), [(Refusing(), "no exp in"), (Partial(), "no gradient of exp")])
def test_an_op_that_is_refused_of_complex_numbers_is_no_failure(backend: Any, said: str) -> None:
    with pytest.raises(NotThisCase, match=said):
        asked(backend, "exp")


def test_only_holomorphic_ops_are_asked_and_nothing_else_is_asked_in_complex_dtypes() -> None:
    check = load_all()["op/complex"]
    assert check.asks_about(find("einsum"))
    assert not check.asks_about(find("vecdot"))
    assert [other.key for other in load_all().values() if other.dtypes & COMPLEX] == [check.key]
    assert Capability.COMPLEX not in check.needs  # which asks for real functions of complex numbers, too
