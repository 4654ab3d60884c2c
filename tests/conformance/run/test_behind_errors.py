"""Behind an error the other cases are asked: wrong numbers are worse than a refusal, and must not hide behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.tensor import detach

from conformance.questions import items_of
from conformance.run.execute import Executor
from conformance.runfile.records import ResultLine, Verdict
from conformance.strategies import Effort

REFUSED = "not these shapes"


FIRST: list[Any] = []


def matmul(a: Any, b: Any) -> Any:
    """With half of the gradients; of the shapes that are asked first an error."""
    FIRST.append((a.shape, b.shape))
    if FIRST[0] == (a.shape, b.shape):
        raise ValueError(REFUSED)
    y = NumpyTape.ops["matmul"](a, b)
    return y * 0.5 + detach(y) * 0.5


def endless(a: Any, b: Any) -> Any:
    """Without memory for anything."""
    raise MemoryError


class Mine(NumpyTape):
    name = "mine"
    ops: ClassVar[Mapping[str, Any]] = {**NumpyTape.ops, "matmul": matmul}


class Full(NumpyTape):
    name = "mine"
    ops: ClassVar[Mapping[str, Any]] = {**NumpyTape.ops, "matmul": endless}


def results(backend: NumpyTape) -> dict[str, ResultLine]:
    keys = {"op/vjp", "op/value"}
    items = [i for i in items_of("mine", ["float64"], {"matmul"}, keys) if i.subject == "matmul"]
    executor = Executor(backend, seed=0, effort=Effort(8, 1, 1, 1), shrink=False, scripts=False)
    return {result.check: result for result in executor.results(items)}


def test_a_wrong_gradient_is_found_behind_an_error() -> None:
    found = results(Mine())
    assert found["vjp"].verdict is Verdict.FAIL
    said = found["vjp"].evidence
    assert said is not None
    assert "differs from the reference VJP" in said.message
    assert any(REFUSED in line for line in said.also)


def test_where_no_number_is_wrong_the_first_error_is_the_answer() -> None:
    found = results(Mine())
    assert found["value"].verdict is Verdict.ERROR
    assert found["value"].evidence is not None
    assert found["value"].evidence.message == f"ValueError: {REFUSED}"


def test_an_engine_without_memory_is_asked_no_further() -> None:
    assert all(result.cases == 1 for result in results(Full()).values())
