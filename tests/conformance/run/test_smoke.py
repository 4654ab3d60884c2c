"""The smoke test tells slips of an adapter from what is the engine's, op by op."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends import numpy_engine
from conformance_backends.numpy_backend import NumpyTape

from conformance.cli.smoke import _lines, _written
from conformance.errors import AdapterError
from conformance.ops import ALL_OPS
from conformance.run.declarations import hold_declarations
from conformance.run.forms import forms_of
from conformance.run.mapping import MappedOp, try_mapping
from conformance.run.smoke import questions, try_question


def mapped(name: str, function: Any, dtype: str = "float64") -> MappedOp:
    """What came of one op of the reference engine, mapped to `function`."""
    backend = NumpyTape()
    backend.ops = {**backend.ops, name: function}  # type: ignore[misc]  # of this object alone
    return try_mapping(backend, ALL_OPS[name], dtype)


def test_the_reference_engine_has_the_ops_of_the_catalogue() -> None:
    for name in ("batch_norm", "getitem", "argmax"):
        found = try_mapping(NumpyTape(), ALL_OPS[name], "float32")
        assert found == MappedOp(name, found.calls), name


@pytest.mark.parametrize(
    ("name", "function", "explained"),
    [
        ("subtract", lambda x, y: np.subtract(y, x), "the operands in the order (1, 0)"),
        ("batch_norm", lambda x, w, b, eps: NumpyTape.ops["batch_norm"](x, w, b, eps=0.1), "for eps=0.1"),
        ("softmax", lambda x, axis: NumpyTape.ops["softmax"](x, axis=-1), "for axis=-1"),
        ("log2", np.log, "0.693147 times the expected value"),
        ("outer", lambda x, y: np.outer(x, y).T, "operands in the order"),
        ("var", lambda x, axis, keepdims, correction: np.var(x, axis=axis, keepdims=keepdims), "for correction=0"),
    ],
)  # fmt: skip
def test_a_slip_of_the_mapping_is_reported_with_what_came_instead(
    name: str, function: Any, explained: str
) -> None:
    found = mapped(name, function)
    assert found.slips
    assert any(explained in slip.explanation for slip in found.slips), found.slips


def test_a_lambda_that_lacks_a_parameter_is_a_slip_with_its_call() -> None:
    found = mapped("sum", lambda x, axis: np.sum(x, axis=axis))
    assert len(found.slips) == found.calls
    assert "unexpected keyword argument 'keepdims'" in found.slips[0].message


def test_a_value_that_the_engine_refuses_is_lacking_and_others_are_not() -> None:
    def repeat(x: Any, repeats: Any, axis: Any) -> Any:
        if isinstance(repeats, list):
            raise ValueError("no lists")
        return np.repeat(x, repeats, axis=axis)

    found = mapped("repeat", repeat)
    assert found.lacking == {"repeats": (list,)}
    assert not found.slips


def test_where_every_call_is_refused_no_parameter_is_lacking() -> None:
    def refuse(*operands: Any, **parameters: Any) -> Any:
        raise ValueError("no such dtype")

    (line, *_) = _lines(mapped("sum", refuse))
    assert line.startswith("  REF   sum is refused by the engine")


def test_what_is_printed_to_paste_is_python() -> None:
    declared = {"vector_norm": {"ord": (float("-inf"), float("inf"), 2.5), "axis": (tuple,)}}
    assert eval(_written(declared)) == declared


def test_an_op_without_a_gradient_is_one_finding() -> None:
    found = mapped("exp", lambda x: numpy_engine.Tensor(np.exp(x.value)))
    assert not found.slips
    assert found.ungradable or found.suspect


def test_a_wrong_gradient_of_a_right_value_is_the_engines_with_its_worst_entry() -> None:
    wrong = numpy_engine.custom(np.tanh, lambda g, x: (3 * g * (1 - np.tanh(x) ** 2),))
    found = mapped("tanh", wrong)
    assert not found.slips
    assert "the gradient of operand 0 is " in found.suspect[0].message
    assert " at [" in found.suspect[0].message


def test_the_forms_of_a_call_have_every_rank_and_kind_of_parameter() -> None:
    forms = forms_of(ALL_OPS["moveaxis"])
    assert {type(form.parameters["source"]) for form in forms} == {int, tuple}


class Slipping(NumpyTape):
    """Declares what does not exist."""

    ops: ClassVar[dict[str, Any]] = {**NumpyTape.ops, "arcsin": np.arcsin, "tahn": np.tanh, "exp": 3}
    dtypes = ("float64", "flaot32")
    conventions: ClassVar[dict[str, str]] = {"A2": "sumed", "A5/smu": "cast", "A99": "x", "A1": "x"}
    lacks: ClassVar[dict[str, Any]] = {"repeat": {"repeat": (list,)}}
    no_gradient: ClassVar[dict[str, frozenset[str]]] = {"*": frozenset({"inverse"})}
    points: ClassVar[dict[str, str]] = {"relu/at-zero": "zero"}


def test_what_is_declared_must_exist() -> None:
    with pytest.raises(AdapterError) as caught:
        hold_declarations(Slipping())
    said = str(caught.value)
    for slip in (
        "'arcsin' is an alias; the op is called 'asin'",
        "there is no op called 'tahn'",
        "'exp' is int, not a function",
        "there is no 'flaot32'; did you mean float32",
        "there is no 'sumed'; did you mean summed",
        "there is no op called 'smu'",
        "there is no 'A99'",
        "there is no 'repeat'; did you mean repeats",
        "there is no op called 'inverse'",
        "there is no 'relu/at-zero'",
    ):
        assert slip in said, slip


class ReadsNoStrides(NumpyTape):
    """Reads no negative strides."""

    def array(self, value: Any) -> Any:
        """As an engine does that takes memory as it is."""
        if any(step < 0 for step in value.strides):
            raise ValueError("negative strides")
        return super().array(value)


def test_memory_layouts_are_tried_and_the_place_is_printed() -> None:
    answers = {q.claim: try_question(q, ReadsNoStrides()) for q in questions(ReadsNoStrides())}
    bad = {claim: answer for claim, answer in answers.items() if answer}
    assert list(bad) == ["any memory layout goes in"]
    assert "negative strides  at test_smoke.py:" in bad["any memory layout goes in"]


class Float32Only(NumpyTape):
    """Has one dtype."""

    dtypes = ("float32",)

    def array(self, value: Any) -> Any:
        """Refuses doubles."""
        if value.dtype == np.float64:
            raise TypeError("no float64")
        return super().array(value)


def test_an_engine_of_float32_passes() -> None:
    assert not [q.claim for q in questions(Float32Only()) if try_question(q, Float32Only())]
