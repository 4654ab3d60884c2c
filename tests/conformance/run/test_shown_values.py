"""Smoke makes the calls in which each value of a parameter changes the value of the op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.case import Case
from conformance.ops import ALL_OPS
from conformance.run.forms import case_of, forms_of
from conformance.run.mapped.shown_values import FURTHER, further_calls
from conformance.run.mapping import try_mapping

from .test_smoke import mapped

R = NumpyTape.ops


def order_of(taken: float, given: float) -> Callable[..., Any]:
    """A norm that takes one order for another."""

    def norm(x: Any, axis: Any, keepdims: Any, ord: Any) -> Any:
        return R["vector_norm"](x, axis=axis, keepdims=keepdims, ord=given if ord == taken else ord)

    return norm


def in_single(value: Any) -> Any:
    return None if value is None else float(np.float32(value))


@pytest.mark.parametrize(("taken", "given"), [(1, 2), (3, 1)])
def test_a_value_that_is_taken_for_another_shows_in_a_call_where_these_differ(
    taken: float, given: float
) -> None:
    found = mapped("vector_norm", order_of(taken, given))
    assert any(f"for ord={given!r}" in slip.explanation for slip in found.slips), found.slips


@pytest.mark.parametrize("name", ["vector_norm", "quantile", "hard_shrink"])
def test_further_calls_are_few_and_show_what_the_forms_do_not(name: str) -> None:
    op = ALL_OPS[name]
    forms = [case_of(op, signature, "float64") for signature in forms_of(op)]
    further: list[Case] = []
    further_calls(op, forms, "float64", FURTHER, lambda case: further.append(case) is None)
    assert 0 < len(further) <= FURTHER
    again: list[Case] = []
    further_calls(op, [*forms, *further], "float64", FURTHER, lambda case: again.append(case) is None)
    assert not {case.label for case in again} & {case.label for case in further}


def test_values_that_are_refused_in_a_further_call_are_not_asked_again_and_again() -> None:
    op = ALL_OPS["leaky_relu"]
    asked: list[Case] = []
    further_calls(op, [], "float64", 100, lambda case: bool(asked.append(case)))
    slopes = [case.parameters["negative_slope"] for case in asked]
    assert 1 < len(slopes) == len(set(slopes))


def test_a_value_that_is_refused_in_every_call_is_left_out() -> None:
    op = ALL_OPS["leaky_relu"]
    slopes = {s.parameters["negative_slope"]: s for s in forms_of(op)}
    first = next(iter(slopes))
    asked: list[Case] = []
    further_calls(op, [], "float64", 100, lambda case: asked.append(case) is None, [slopes[first]])
    assert first not in {case.parameters["negative_slope"] for case in asked}
    case = case_of(op, slopes[first], "float64")
    of_positive = replace(case, operands=tuple(map(np.abs, case.operands)))  # which shows no slope
    further_calls(op, [of_positive], "float64", 100, lambda case: asked.append(case) is None, [slopes[first]])
    assert first in {case.parameters["negative_slope"] for case in asked}


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("clip", lambda x, min, max: R["clip"](x, min=in_single(min), max=in_single(max))),
        ("clip", lambda x, min, max: R["clip"](x, min=in_single(min), max=max)),
        ("leaky_relu", lambda x, negative_slope: R["leaky_relu"](x, negative_slope=in_single(negative_slope))),
        ("celu", lambda x, alpha: R["celu"](x, alpha=in_single(alpha))),
    ],
)  # fmt: skip
def test_a_parameter_that_is_handed_on_in_single_precision_is_a_slip(name: str, function: Any) -> None:
    found = mapped(name, function)
    assert any("single precision" in slip.explanation for slip in found.slips), found.slips


def test_an_engine_of_single_precision_may_have_its_parameters_in_that() -> None:
    function = lambda x, min, max: R["clip"](x, min=in_single(min), max=in_single(max))  # noqa: E731
    assert not mapped("clip", function, "float32").slips


@pytest.mark.parametrize("name", ["clip", "vector_norm", "quantile", "unwrap", "huber"])
def test_the_reference_engine_is_right_in_further_calls(name: str) -> None:
    assert not try_mapping(NumpyTape(), ALL_OPS[name], "float64").slips
