"""Both conventions can be declared, and a wrong conjugate is a failure."""

from __future__ import annotations

import contextlib
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine import Tensor

from conformance.backend import Capability
from conformance.case import Case
from conformance.checks import load_all
from conformance.checks.e_values.complex_numbers.derivatives import (
    gradient_of_the_gradient_at_complex_operands,
    tangent_at_complex_operands_is_that_of_the_rule,
)
from conformance.checks.e_values.complex_numbers.operands import (
    gradient_at_complex_operands_equals_reference_vjp,
)
from conformance.checks.observation import Observation, Oracle
from conformance.checks.registry import COMPLEX, NotThisCase
from conformance.errors import Unsupported, Violation
from conformance.ops import find
from conformance.strategies import Effort, draw_cases

EFFORT = Effort(signatures=4, draws=2, samples=1, programs=1)


class Ascending(NumpyTape):
    """The reference engine with the other convention: it conjugates cotangents and gradients."""

    conventions: ClassVar = {**NumpyTape.conventions, "A18": "gradient"}

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """From the conjugate of the cotangent."""
        super().backward(output, np.conj(gradient.value), retain=retain)

    def grad(self, leaf: Any) -> Any:
        """Its conjugate."""
        return None if leaf.grad is None else np.asarray(np.conj(leaf.grad))


class Refusing(NumpyTape):
    """The reference engine, which refuses exp of complex numbers."""

    ops: ClassVar = {**NumpyTape.ops, "exp": lambda x: _refuse(x)}


class Partial(NumpyTape):
    """The reference engine, which computes exp of complex numbers, declares no gradient of it, and refuses it."""

    no_gradient: ClassVar = {"complex128": frozenset({"exp"})}
    ops: ClassVar = {**NumpyTape.ops, "exp": lambda x: _refuse(x) if x.requires_grad else x}


def _refuse(x: Any) -> Any:
    raise RuntimeError("exp does not support complex numbers")


def check(backend: Any, name: str, dtype: str = "complex128") -> None:
    for case in draw_cases(find(name), dtype, 0, EFFORT):
        gradient_at_complex_operands_equals_reference_vjp(Observation(backend, Oracle(find(name), case)))


@pytest.mark.parametrize("dtype", sorted(COMPLEX))
@pytest.mark.parametrize("backend", [NumpyTape(), Ascending()], ids=["conjugate", "gradient"])
@pytest.mark.parametrize("name", ["multiply", "exp", "matmul", "solve", "split", "take_along_axis"])
def test_the_reference_engine_passes_under_either_convention(name: str, backend: Any, dtype: str) -> None:
    check(backend, name, dtype)


@pytest.mark.parametrize("name", ["multiply", "exp", "matmul", "solve"])
def test_the_undeclared_convention_is_a_failure(name: str) -> None:
    for right, other in ((NumpyTape(), "gradient"), (Ascending(), "conjugate")):
        right.conventions = {**right.conventions, "A18": other}  # type: ignore[misc]  # of this object alone
        with pytest.raises(Violation, match="differs from the reference VJP"):
            check(right, name)


def test_without_a_declared_convention_the_check_is_unsupported() -> None:
    backend = NumpyTape()
    backend.conventions = {}  # type: ignore[misc]  # of this object alone
    with pytest.raises(Unsupported, match="A18"):
        check(backend, "exp")


@pytest.mark.parametrize(
    ("backend", "reason"), [(Refusing(), "no exp in"), (Partial(), "no gradient of exp")]
)
def test_an_op_that_is_refused_of_complex_numbers_is_no_failure(backend: Any, reason: str) -> None:
    with pytest.raises(Unsupported, match=reason):
        check(backend, "exp")


def test_an_undeclared_refusal_is_a_failure() -> None:
    backend = Partial()
    backend.no_gradient = {}  # type: ignore[misc]  # of this object alone
    with pytest.raises(RuntimeError, match="does not support complex"):
        check(backend, "exp")


def test_a_declared_op_that_has_a_gradient_is_checked() -> None:
    backend = Ascending()
    backend.conventions = NumpyTape.conventions  # type: ignore[misc]  # of this object alone
    backend.no_gradient = {"complex128": frozenset({"exp"})}  # type: ignore[misc]  # of this object alone
    with pytest.raises(Violation, match="differs from the reference VJP"):
        check(backend, "exp")


def test_complex_dtypes_are_asked_by_these_checks_alone_and_tangents_of_ops_that_are_not_holomorphic() -> (
    None
):
    registered = load_all()["op/complex"]
    assert registered.asks_about(find("einsum"))
    assert not registered.asks_about(find("vecdot"))
    asked = load_all()
    assert all(asked["op/complex-forward"].asks_about(find(op)) for op in ("einsum", "vecdot", "conj"))
    assert [op for op in ("angle", "sign", "floor") if asked["op/flat-complex"].asks_about(find(op))] == [
        "angle",
        "sign",
    ]
    keys = {other.key for other in load_all().values() if other.dtypes & COMPLEX}
    others = ("value", "value-swept", "forward", "second")
    assert keys == {
        registered.key,
        "op/conjugated",
        "op/flat-complex",
        *(f"op/complex-{name}" for name in others),
    }
    assert (
        Capability.COMPLEX not in registered.needs
    )  # that capability includes real functions of complex numbers


class Both(Ascending):
    """The same, whose gradients of gradients are conjugated, too."""

    def nested_vjp(self, function: Any, arrays: Any, cotangents: Any) -> Any:
        """The conjugates of the gradients for the conjugated cotangents."""
        given = [type(g)(np.conj(g.value)) for g in cotangents]
        return tuple(_conjugate(g) for g in super().nested_vjp(function, arrays, given))


def _conjugate(x: Any) -> Any:
    """The conjugate of a tensor, whose rule conjugates a cotangent, as the convention has it for all that the tape pulls."""
    rule = engine.custom(
        lambda a: np.conj(a), lambda g, a: (_conjugate(g) if isinstance(g, Tensor) else np.conj(g),)
    )
    return None if x is None else rule(x)


def test_a_second_derivative_that_cancels_is_allowed_the_rounding_of_its_terms() -> None:
    x = np.array(
        [
            [7.125 - 0.328125j, -12 - 0.65625j, -12.125 - 0.546875j],
            [-7.25 - 0.21875j, 14.75 + 0.4375j, -13.5 + 0.21875j],
        ]
    )
    g = np.array([[-11 + 8j, -9 - 10j, 1 + 3j], [12 - 10j, -5 + 1j, -11 - 2j]]) * 2.0**18
    case = Case("log_softmax", (x,), {"axis": -1}, (g,), ("C", "C"), "complex128")
    gradient_of_the_gradient_at_complex_operands(Observation(NumpyTape(), Oracle(find("log_softmax"), case)))


@pytest.mark.parametrize("name", ["exp", "pow", "solve"])
def test_second_derivatives_follow_the_declared_convention(name: str) -> None:
    for case in draw_cases(find(name), "complex128", 0, EFFORT):
        for backend in (NumpyTape(), Both()):
            with contextlib.suppress(NotThisCase):
                gradient_of_the_gradient_at_complex_operands(Observation(backend, Oracle(find(name), case)))


def test_products_whose_terms_cancel_on_one_side_alone_agree() -> None:
    """A cotangent that is the same along a softmax's axis has no gradient, and each term of ⟨w, Jv⟩ is large."""
    x = np.tile(np.linspace(-2, 2, 16).reshape(1, 16), (2, 1)) * [[1.0 + 0.5j], [0.25 - 0.75j]]
    g = np.tile(np.linspace(-1, 1, 16) * (3e7 + 2e7j), (2, 1))
    for op in ("softmax", "softmin"):
        case = Case(op, (x,), {"axis": 0}, (g,), ("C", "C"), "complex128")
        assert tangent_at_complex_operands_is_that_of_the_rule(
            Observation(NumpyTape(), Oracle(find(op), case))
        )
