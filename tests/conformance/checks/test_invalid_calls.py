"""A call without a meaning that an adapter answers by leaving out what was asked is the adapter's fault, not the engine's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.parameters import ignores
from conformance.questions import items_of
from conformance.run.execute import Executor
from conformance.runfile.records import ResultLine, Verdict
from conformance.strategies import Effort

SOFTMAX = NumpyTape.ops["softmax"]
EFFORT = Effort(signatures=4, draws=1, samples=1, programs=1)


def asked(softmax: Callable[..., Any]) -> ResultLine:
    class Mapped(NumpyTape):
        ops: ClassVar = {**NumpyTape.ops, "softmax": softmax}

    items = [i for i in items_of("numpy", ("float64",)) if i.id == "numpy/op/softmax/invalid-call/float64"]
    (result,) = Executor(Mapped(), seed=0, effort=EFFORT).results(items)
    return result


def test_an_adapter_that_never_reads_the_axis_is_named() -> None:
    result = asked(lambda x, axis: SOFTMAX(x, axis=-1))
    assert result.verdict is Verdict.ADAPTER_ERROR
    assert result.evidence is not None
    assert "takes axis and never reads it" in result.evidence.message


def test_an_engine_that_answers_for_an_axis_it_was_given_is_wrong() -> None:
    assert asked(lambda x, axis: SOFTMAX(x, axis=min(axis, x.ndim - 1))).verdict is Verdict.FAIL


def read_inside(x: Any, axis: int) -> Any:
    return [(lambda: axis)() for _ in x]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x, axis: x, True),
        (lambda x, axis=0: x + axis, False),
        (lambda x, **parameters: x, False),
        (read_inside, False),
        (np.sin, False),
    ],
)
def test_a_parameter_is_ignored_where_the_code_never_reads_it(function: Any, expected: bool) -> None:
    assert ignores(function, "axis") is expected


def of_objects(x: Any, y: Any) -> Any:
    """As NumPy does it by hand: operands whose shapes do not fit become an array of objects."""
    try:
        return NumpyTape.ops["maximum"](x, y)
    except ValueError:
        return np.array([x, y], dtype=object)


@pytest.mark.parametrize(
    ("maximum", "verdict"),
    [(of_objects, Verdict.FAIL), (lambda x, y: np.array([x, y], dtype=object), Verdict.ADAPTER_ERROR)],
)
def test_an_array_of_objects_is_an_answer_to_an_invalid_call_alone(maximum: Any, verdict: Verdict) -> None:
    class Mapped(NumpyTape):
        ops: ClassVar = {**NumpyTape.ops, "maximum": maximum}

        def numpy(self, array: Any) -> Any:
            return array if isinstance(array, np.ndarray) else super().numpy(array)

    items = [i for i in items_of("numpy", ("float64",)) if i.id == "numpy/op/maximum/invalid-call/float64"]
    (result,) = Executor(Mapped(), seed=0, effort=EFFORT).results(items)
    assert result.verdict is verdict
    assert result.evidence is not None
    if verdict is Verdict.FAIL:
        assert "was answered, with operand" in result.evidence.message
