"""Slips that show when a function, a cotangent or a drawing is another one are named by a claim of smoke."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Backend, Capability
from conformance.run.claims import anew

from .claims_asked import answer_of
from .test_claims_inside import Functional


class HessianIsDiagonal(NumpyTape):
    """Second derivatives by two entries are dropped."""

    def jacobian(self, function: Any, operands: Any, kind: str = "rows") -> Any:
        found = super().jacobian(function, operands, kind)
        return (
            tuple(self.array(np.diag(np.diag(self.numpy(h)))) for h in found) if kind == "hessian" else found
        )


class PullsOnce(Functional):
    """Later calls of one pullback return the first answer."""

    capabilities = Functional.capabilities | {Capability.RETAINING}

    def pullback(self, function: Any, arrays: Sequence[Any]) -> Any:
        output, pull = super().pullback(function, arrays)
        first: list[Any] = []

        def pulled(g: Any) -> Any:
            if not first:
                first.append(pull(g))
            return first[0]

        return output, pulled


class Retains(Functional):
    """A pullback can be called again, as the reference engine's."""

    capabilities = Functional.capabilities | {Capability.RETAINING}


class NoiseIsSeeded(NumpyTape):
    """Each call draws by a generator of its own, of one seed."""

    def noise(self, like: Any) -> Any:
        return self.array(np.random.default_rng(0).integers(0, 2, like.shape).astype(like.dtype))


class Compiles(Functional):
    """A compiled function is the function."""

    capabilities = Functional.capabilities | {Capability.COMPILING}

    def compiled(self, function: Any) -> Any:
        return function


class CompilesByName(Compiles):
    """Compiled functions are kept by name."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Any] = {}

    def compiled(self, function: Any) -> Any:
        return self.kept.setdefault(function.__qualname__, function)


class Scoped(Functional):
    """An engine of functions with a scope in which nothing is recorded."""

    capabilities = Functional.capabilities | {Capability.NO_GRAD}

    def no_grad(self) -> AbstractContextManager[Any]:
        return engine.no_grad()


class ScopeOfNothing(Scoped):
    """The scope is none."""

    def no_grad(self) -> AbstractContextManager[Any]:
        return nullcontext()


class CaptureIsBaked(NumpyTape):
    """What the function computes inside is a constant for the outer one."""

    def nested_vjp(self, function: Any, arrays: Any, cotangents: Any) -> Any:
        return tuple(map(self.detach, super().nested_vjp(function, arrays, cotangents)))


HESSIAN = "a Hessian is of second derivatives"
AGAIN = "a second pass through a graph has the first one's gradient"
SCOPE = "a no_grad scope records nothing"
SLIPS: list[tuple[type[Backend], type[Backend], str, str]] = [
    (HessianIsDiagonal, NumpyTape, HESSIAN, "the Hessian of the square of the sum of x"),
    (PullsOnce, Retains, AGAIN, "by a pass of another cotangent"),
    (NoiseIsSeeded, NumpyTape, "random numbers are others at each call", "drew the same 64 zeros and ones"),
    (
        CompilesByName,
        Compiles,
        "two functions of one name are compiled as two",
        "after another function of this name",
    ),
    (ScopeOfNothing, Scoped, SCOPE, "the gradient where x * x is computed in a no_grad scope"),
    (
        CaptureIsBaked,
        NumpyTape,
        "an inner gradient is differentiated by what its function captures",
        "the derivative, by a, of a times the gradient of y * y * a by y",
    ),
]


@pytest.mark.parametrize(("adapter", "right", "claim", "said"), SLIPS, ids=[s.__name__ for s, *_ in SLIPS])
def test_a_slip_contradicts_its_claim(
    adapter: Callable[[], Backend], right: Callable[[], Backend], claim: str, said: str
) -> None:
    assert said in answer_of(adapter(), claim)
    assert answer_of(right(), claim) == ""


def test_every_claim_has_a_slip() -> None:
    assert {claim for _, claim, _, _ in anew.CLAIMS} <= {claim for *_, claim, _ in SLIPS}


class Refuses(NumpyTape):
    """Its engine differentiates no gradient."""

    refused: ClassVar[str] = "a gradient has no gradient"

    def nested_vjp(self, function: Any, arrays: Any, cotangents: Any) -> Any:
        raise RuntimeError(self.refused)


def test_an_engine_that_refuses_is_no_slip() -> None:
    assert answer_of(Refuses(), "an inner gradient is differentiated by what its function captures") == ""
