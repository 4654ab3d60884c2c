"""At special points, too, an op without a gradient is not offered, if its adapter declares so."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks import load_all
from conformance.points import find_point
from conformance.points.point import Place
from conformance.questions.points import PointQuestion
from conformance.run.execute import result_of


def refuse(x: Any) -> Any:
    """An inverse without a gradient."""
    if x.requires_grad:
        raise RuntimeError("inv is not implemented for arrays that need a gradient")
    return NumpyTape.ops["inv"](x)


class Undeclared(NumpyTape):
    """The reference engine, which refuses the gradient of inv."""

    ops: ClassVar = {**NumpyTape.ops, "inv": refuse}


class Declared(Undeclared):
    """The same, and its adapter says so."""

    no_gradient: ClassVar = {"*": frozenset({"inv"})}


@pytest.mark.parametrize(("backend", "verdict"), [(Undeclared(), "error"), (Declared(), "unsupported")])
def test_a_declared_refusal_is_no_failure(backend: NumpyTape, verdict: str) -> None:
    point = find_point("inv/one-entry")
    check = load_all()[f"point/{point.nature.value}"]
    result = result_of(check, backend, PointQuestion(Place(point, "float64", "")))
    assert result.verdict == verdict, result.evidence
