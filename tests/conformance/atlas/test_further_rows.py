"""The rows that no clause and no special point has: defaults, Python operators, dtypes, integers, NaN."""

from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_backend import NumpyTape

from conformance.atlas.behaviours import behaviours
from conformance.atlas.calls import array_in_brief, call_at, operands_in_brief
from conformance.atlas.defaults import bare_call, defaults_of
from conformance.atlas.further_points import FURTHER_POINTS
from conformance.atlas.selection import Selection
from conformance.atlas.survey import survey
from conformance.points import SPECIAL_POINTS
from conformance.points.point import Place


def swapped(x: Any, y: Any) -> Any:
    return np.maximum(y, x)


class Spelt(NumpyTape):
    """The reference engine, with ops spelt as an adapter does."""

    ops: ClassVar = {
        "abs": np.abs,
        "maximum": lambda x, y: swapped(x, y),
        "softmax": lambda x, axis: engine.softmax(x, axis=axis),
        "std": lambda x, axis, keepdims, correction: np.std(x, axis=axis, keepdims=keepdims, ddof=correction),
        "sum": lambda x, axis, keepdims: np.sum(x, axis=axis, keepdims=keepdims),
        "multiply": np.multiply,
        "add": np.add,
    }


def found(*queries: str) -> dict[str, tuple[str, str]]:
    measured = survey("numpy", Selection(queries))
    return {
        entry.place: (entry.found, entry.value)
        for entry in measured.entries
        if entry.dtype in ("", "float64")
    }


def test_parameters_that_are_not_given_are_found_by_the_value() -> None:
    of_op = {d.op: (d.call, d.found) for d in defaults_of(Spelt(), list(Spelt.ops))}
    assert of_op["std"] == ("np.std(x)", "axis=None, keepdims=False, correction=0")
    assert of_op["sum"] == ("np.sum(x)", "axis=None, keepdims=False")
    assert "abs" not in of_op


def test_operands_in_another_order_have_no_call_without_parameters() -> None:
    assert bare_call(Spelt(), "maximum", ["x", "y"]) == ""
    assert bare_call(Spelt(), "std", ["x"]) == "np.std(x)"


def test_the_engine_s_own_call_is_named_with_its_operands() -> None:
    tie = Place(SPECIAL_POINTS["maximum/tie"], "float64")
    assert call_at(Spelt(), tie) == "swapped(x, y), by np.maximum(y, x)"
    twice = Place(SPECIAL_POINTS["composed/maximum(x,y)+minimum(x,y)"], "float64")
    assert call_at(Spelt(), twice) == "np.add(swapped(x, y), minimum(x, y))"
    assert operands_in_brief(tie.operands) == "x = 1, y = 1"
    assert array_in_brief(np.array([[1.0, 2.0], [0.5, np.nan]])) == "[[1 2] [0.5 nan]]"
    assert array_in_brief(np.arange(10.0)) == "[0 1 2 3 4 5 6 7 8 …]"


def test_nan_and_even_medians_have_rows() -> None:
    rows = found("max/with-nan", "median/of-4-entries", "cholesky/of-a-symmetric-matrix")
    assert rows["median/of-4-entries"][1].startswith("2") or rows["median/of-4-entries"][1].startswith("3")
    assert rows["max/with-nan"][0].startswith("nan")
    assert rows["cholesky/of-a-symmetric-matrix"][0] == "[[2 0] [1 2]], symmetric"


def test_every_further_point_is_new() -> None:
    assert not {point.key for point in FURTHER_POINTS} & set(SPECIAL_POINTS)


def test_behaviours_are_reported_by_what_comes_of_the_call() -> None:
    rows = {b.place: b for b in behaviours()}
    numpy = NumpyTape()
    assert rows["pow/scalar-2-at-minus-2"].ask(numpy) == "4, gradient -4"
    assert rows["multiply/second-backward"].ask(numpy) in ("refused", "added to the first")
    assert rows["multiply/float32-and-float64"].ask(numpy) == "float64; gradients float32, float64"
    assert rows["add/shares-cotangent"].ask(numpy) == "own memory"
    assert rows["multiply/integer-leaf"].call(Spelt()) == "np.multiply(x, x)"
    with pytest.raises(Exception, match=r".*"):
        rows["multiply/integer-gradient"].ask(numpy)
