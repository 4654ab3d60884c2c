"""An op that the adapter declares to have no gradient is differentiated by no contract and in no composition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine import Tensor

from conformance.questions.kind import Item
from conformance.run.execute import Executor
from conformance.runfile.records import Verdict
from conformance.strategies import Effort

EFFORT = Effort(signatures=1, draws=1, samples=1, programs=1)


def without(*names: str) -> NumpyTape:
    """An engine whose backward passes through these ops are refused, as its adapter declares."""

    def refusing(name: str) -> Callable[..., Any]:
        def op(x: Any) -> Any:
            if isinstance(x, Tensor) and x.edge is not None:
                raise TypeError(f"no gradient of {name}")
            return NumpyTape.ops[name](x)

        return op

    class Without(NumpyTape):
        name = "without"
        no_gradient: ClassVar[Mapping[str, frozenset[str]]] = {"*": frozenset(names)}
        ops: ClassVar = {**NumpyTape.ops, **{name: refusing(name) for name in names}}

    return Without()


@pytest.mark.parametrize("check", ["unrelated-work", "work-in-between", "earlier-failures"])
def test_a_gradient_is_repeated_without_the_op_that_has_none(check: str) -> None:
    item = Item("without", f"contract/E18/{check}", "E18", "")
    for names, verdict in ((["tanh"], Verdict.PASS), (["tanh", "exp"], Verdict.UNSUPPORTED)):
        (result,) = Executor(without(*names), seed=0, effort=EFFORT).results([item])
        assert result.verdict is verdict, result.evidence


def test_a_composition_with_an_op_that_has_no_gradient_is_not_offered() -> None:
    item = Item("without", "point/composition", "composed/asin(sin(x))", "float64")
    (result,) = Executor(without("asin"), seed=0, effort=EFFORT).results([item])
    assert result.verdict is Verdict.UNSUPPORTED, result.evidence
    (result,) = Executor(without("tan"), seed=0, effort=EFFORT).results([item])
    assert result.verdict is Verdict.PASS, result.evidence
