"""What is asked of an engine that promotes no dtypes: the same, with its own cast where it has one."""

from __future__ import annotations

from typing import Any

import pytest
from conformance_backends.mutants.controls.conventions import OneDtype
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks import load_all
from conformance.checks.registry import NotThisCase
from conformance.checks.sample import Sample
from conformance.errors import Unsupported
from conformance.ops import find
from conformance.questions import Question
from conformance.questions.cases import CaseQuestion
from conformance.questions.samples import SampleQuestion
from conformance.scripts.script import script_of
from conformance.strategies import Effort, draw_cases

FLAT, CUSTOM = "op/flat", "contract/C5/custom-dtype"
BESIDE = "contract/A16/integers-beside"
WITH_MASKS = ("argmax", "count_nonzero", "isnan", "less", "logical_not")


def masked(name: str) -> Question:
    return CaseQuestion(draw_cases(find(name), "float64", 0, Effort(2, 1, 1, 1))[0])


def ruled(dtype: str) -> Question:
    return SampleQuestion(Sample(1, dtype, CUSTOM))


def asked(check: str, question: Question, engine: Any) -> None:
    load_all()[check].function(*question.on(engine))


class WithoutCast(OneDtype):
    def __init__(self) -> None:
        super().__init__()
        self.ops = {name: op for name, op in self.ops.items() if name != "astype"}


@pytest.mark.parametrize("name", WITH_MASKS)
def test_a_mask_is_cast_by_the_engine(name: str) -> None:
    asked(FLAT, masked(name), OneDtype())
    with pytest.raises(NotThisCase, match="names no astype"):
        asked(FLAT, masked(name), WithoutCast())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_custom_rule_of_two_dtypes_casts_by_the_engine(dtype: str) -> None:
    asked(CUSTOM, ruled(dtype), OneDtype())
    with pytest.raises(NotThisCase, match="names no astype"):
        asked(CUSTOM, ruled(dtype), WithoutCast())


def test_the_script_quotes_the_cast_and_not_the_refused_product() -> None:
    text = script_of(OneDtype(), lambda engine: asked(CUSTOM, ruled("float64"), engine), None)
    assert "apply(ALL_OPS['astype'], (b,), {'dtype': 'float64'})" in text
    assert text.count(" = custom(") == 1
    exec(compile(text, "script", "exec"), {})


class Later:
    """What a lazy engine returns for a call that it refuses once it computes it."""

    def __init__(self, refusal: TypeError) -> None:
        self.refusal = refusal


class LazyOneDtype(OneDtype):
    """It refuses operands of two dtypes where the value is computed, and not where the op is called."""

    def op(self, name: str) -> Any:
        op = super().op(name)

        def called(*operands: Any, **parameters: Any) -> Any:
            try:
                return op(*operands, **parameters)
            except TypeError as refusal:
                return Later(refusal)

        return called

    def finish(self, array: Any) -> None:
        if isinstance(array, Later):
            raise array.refusal


@pytest.mark.parametrize("engine", [OneDtype, LazyOneDtype])
def test_integers_beside_real_numbers_may_be_refused_as_late_as_the_value_is_computed(
    engine: type[OneDtype],
) -> None:
    asked(BESIDE, SampleQuestion(Sample(1, "float64", BESIDE)), engine())
    for check in ("contract/A16/integer-operand", "contract/A16/integer-partner"):
        with pytest.raises(NotThisCase, match="does not multiply operands of these dtypes"):
            asked(check, SampleQuestion(Sample(1, "float64", check)), engine())


def test_a_chain_asks_for_no_list_where_the_adapter_names_indices_without_lists() -> None:
    class WithoutLists(NumpyTape):
        def __init__(self) -> None:
            super().__init__()
            self.ops = {name: op for name, op in self.ops.items() if name != "getitem_integer_array"}

        def call(self, name: str, parameters: Any) -> Any:
            if name == "getitem" and any(isinstance(part, list) for part in parameters["index"]):
                raise TypeError("Invalid index type: list")
            return super().call(name, parameters)

    for seed in range(4):
        asked("contract/B1/several-leaves", SampleQuestion(Sample(seed, "float64", "B1")), WithoutLists())


class OnePrecision(NumpyTape):
    """An engine that has one precision, in which it keeps whatever it is given."""

    def __init__(self, dtype: str) -> None:
        super().__init__()
        self.dtypes = (dtype,)  # type: ignore[misc]  # of this object alone

    def array(self, value: Any) -> Any:
        return super().array(value.astype(self.dtypes[0]) if value.dtype.kind == "f" else value)

    def leaf(self, value: Any) -> Any:
        return super().leaf(value.astype(self.dtypes[0]))


@pytest.mark.parametrize(
    ("check", "dtype"),
    [("op/mixed-dtype", "float64"), ("op/mixed-dtype", "float32"), ("op/mixed-value", "float32")],
)
def test_an_engine_of_one_precision_is_not_given_operands_of_another(check: str, dtype: str) -> None:
    mixed = CaseQuestion(draw_cases(find("multiply"), dtype, 0, Effort(2, 1, 1, 1))[0])
    with pytest.raises(Unsupported, match="declares no gradients in float"):
        asked(check, mixed, OnePrecision(dtype))
    asked(check, mixed, NumpyTape())
