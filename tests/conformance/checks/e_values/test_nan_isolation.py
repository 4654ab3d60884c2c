"""Entries that share no output with a NaN keep their gradients; the others may change."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.mutants.mutant import altered_rule, with_ops
from conformance_backends.numpy_backend import NumpyTape

from conformance.case import Case
from conformance.checks.e_values.nan_isolation import (
    nan_changes_no_gradient_of_unrelated_entries,
    nan_cotangent_reaches_what_it_contributes_to,
)
from conformance.checks.observation import Observation, Oracle
from conformance.checks.registry import NotThisCase
from conformance.errors import Violation
from conformance.ops import CATALOGUE, find
from conformance.strategies import Effort, draw_cases

EFFORT = Effort(signatures=8, draws=1, samples=1, programs=1)
ALONG_ROWS = {"axis": -1}
ROWS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.fixture(autouse=True)
def _floating_point_warnings_are_ignored() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def check(op: str, operands: tuple[Any, ...], parameters: Any = None, altered: Any = None) -> None:
    parameters = parameters or {}
    g = np.random.default_rng(0).standard_normal(find(op).reference(*operands, **parameters).shape)
    case = Case(op, operands, parameters, (g,), ("C",) * (1 + len(operands)), "float64")
    backend = with_ops({op: altered_rule(op, altered)}) if altered else NumpyTape()
    nan_changes_no_gradient_of_unrelated_entries(Observation(backend, Oracle(find(op), case)))


def zero_where_any_is(value: float) -> Any:
    def altered(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
        pulled = right(i, g, z, *xs, **p)
        return (
            0 * pulled if any(np.any(np.isnan(x) if np.isnan(value) else x == value) for x in xs) else pulled
        )

    return altered


@pytest.mark.filterwarnings("ignore:Mean of empty slice:RuntimeWarning")  # nanmean of nothing but NaN
@pytest.mark.parametrize("name", CATALOGUE)
@pytest.mark.filterwarnings(
    "ignore:All-NaN slice:RuntimeWarning"
)  # NumPy's, of a row whose only entry is the NaN
def test_the_reference_engine_isolates_nan(name: str) -> None:
    for case in draw_cases(find(name), "float64", 0, EFFORT):
        with contextlib.suppress(NotThisCase):
            nan_changes_no_gradient_of_unrelated_entries(Observation(NumpyTape(), Oracle(find(name), case)))


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(
    ("op", "operands", "parameters"),
    [
        ("exp", (ROWS,), {}),
        ("multiply", (ROWS, np.array([1.0, 2.0, 3.0])), {}),
        (
            "xlogy",
            (np.array([0.0, 1.0]), np.array([2.0, 3.0])),
            {},
        ),  # 0 · log NaN is 0, but it depends on the NaN
        ("softmax", (ROWS,), ALONG_ROWS),
        ("sort", (ROWS,), ALONG_ROWS),
        ("cumulative_prod", (ROWS,), ALONG_ROWS),
        ("matmul", (ROWS, ROWS.T), {}),
    ],
)
def test_a_nan_that_changes_unrelated_gradients_is_a_failure(
    op: str, operands: Any, parameters: Any, value: float
) -> None:
    check(op, operands, parameters)
    with pytest.raises(Violation, match=f"changes where an unrelated entry is {value}"):
        check(op, operands, parameters, zero_where_any_is(value))


def test_entries_that_share_an_output_may_have_any_gradient() -> None:
    def seven_in_the_row(right: Any, i: int, g: Any, z: Any, x: Any, **p: Any) -> Any:
        return np.where(np.isnan(z).any(axis=-1, keepdims=True), 7.0, right(i, g, z, x, **p))

    check("softmax", (ROWS,), ALONG_ROWS, seven_in_the_row)


@pytest.mark.parametrize(
    ("op", "operand", "parameters"),
    [("sum", ROWS, {"axis": None, "keepdims": False}), ("exp", np.array(1.0), {}), ("exp", np.zeros(0), {})],
)
def test_nothing_is_decided_where_every_output_is_shared(op: str, operand: Any, parameters: Any) -> None:
    with pytest.raises(NotThisCase, match="shares an output"):
        check(op, (operand,), parameters)


def test_a_place_that_is_infinite_may_read_another_entry() -> None:
    image = np.arange(9.0).reshape(1, 1, 3, 3)
    grid = np.full((1, 2, 2, 2), -1.25)  # outside, so that the border's first pixel is read
    parameters = {"mode": "bilinear", "padding_mode": "border", "align_corners": False}
    check("grid_sample", (image, grid), parameters)

    def in_the_last_pixel_too(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
        pulled = right(i, g, z, *xs, **p)
        is_last = np.arange(pulled.size).reshape(pulled.shape) == pulled.size - 1
        return np.where(is_last & (not np.isfinite(xs[1]).all()), 7.0, pulled)

    with pytest.raises(Violation, match="changes where an unrelated entry is"):
        check("grid_sample", (image, grid), parameters, in_the_last_pixel_too)


def test_a_zero_factor_shares_its_outputs_though_blas_skips_it() -> None:
    assert not np.dot(0.0, [np.nan, 3.0]).any()
    check("dot", (np.array(0.0), np.array([2.0, 3.0])))


def test_an_engine_that_refuses_nan_is_undecided() -> None:
    class Refusing(NumpyTape):
        ops = {**NumpyTape.ops, "exp": lambda x: _refused(x)}  # noqa: RUF012

    def _refused(x: Any) -> Any:
        if not np.isfinite(x.value).all():
            raise FloatingPointError("not a number")
        return NumpyTape.ops["exp"](x)

    case = Case("exp", (ROWS,), {}, (np.ones_like(ROWS),), ("C", "C"), "float64")
    with pytest.raises(NotThisCase, match="the engine refuses nan: not a number"):
        nan_changes_no_gradient_of_unrelated_entries(Observation(Refusing(), Oracle(find("exp"), case)))


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_reference_engine_hides_no_nan_of_a_cotangent(name: str) -> None:
    for case in draw_cases(find(name), "float64", 1, EFFORT):
        with contextlib.suppress(NotThisCase):
            nan_cotangent_reaches_what_it_contributes_to(Observation(NumpyTape(), Oracle(find(name), case)))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_hides_one_is_caught(value: float) -> None:
    def hiding(right: Any, i: int, g: Any, z: Any, x: Any, **p: Any) -> Any:
        is_it = np.isnan(g) if np.isnan(value) else np.isinf(g)
        return right(i, np.where(is_it, 1, g).astype(g.dtype), z, x, **p)

    case = Case(
        "sum", (ROWS,), {"axis": -1, "keepdims": False}, (np.array([1.0, -2.0]),), ("C", "C"), "float64"
    )
    seen = Observation(with_ops({"sum": altered_rule("sum", hiding)}), Oracle(find("sum"), case))
    with pytest.raises(Violation, match=f"though the cotangent is {value} at entry 0"):
        nan_cotangent_reaches_what_it_contributes_to(seen)


def test_what_hides_one_of_a_number_is_caught() -> None:
    hiding = altered_rule("exp", lambda right, i, g, z, x: right(i, np.nan_to_num(g), z, x))
    case = Case("exp", (np.array(1.0),), {}, (np.array(2.0),), ("C", "C"), "float64")
    seen = Observation(with_ops({"exp": hiding}), Oracle(find("exp"), case))
    with pytest.raises(Violation, match=r"is 0 at \[\], though the cotangent is nan"):
        nan_cotangent_reaches_what_it_contributes_to(seen)


def test_a_value_of_another_shape_is_the_engines_and_no_defect() -> None:
    case = Case("repeat", (ROWS,), {"repeats": 2, "axis": None}, (np.ones(12),), ("C", "C"), "float64")

    class Rows(NumpyTape):
        """It repeats along the rows, where the array should be flat, and takes a flat cotangent for them."""

        ops: ClassVar = {**NumpyTape.ops, "repeat": lambda x, repeats, axis: np.repeat(x, repeats, axis=-1)}

        def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
            super().backward(output, self.array(gradient.value.reshape(output.shape)), retain=retain)

    seen = Observation(Rows(), Oracle(find("repeat"), case))
    with pytest.raises(Violation, match="shape"):
        nan_changes_no_gradient_of_unrelated_entries(seen)


def test_a_message_says_what_the_derivative_is_by_which_a_cotangent_should_arrive() -> None:
    def finite(right: Any, i: int, g: Any, *given: Any, **p: Any) -> Any:
        return right(i, np.nan_to_num(g, posinf=0, neginf=0), *given, **p)

    case = Case("multiply", (ROWS[0], 2 * ROWS[0]), {}, (ROWS[0],), ("C",) * 3, "float64")
    seen = Observation(
        with_ops({"multiply": altered_rule("multiply", finite)}), Oracle(find("multiply"), case)
    )
    said = r"is 0 at \[1\], though the cotangent is nan at entry 1 of the flattened outputs, whose derivative by this entry is 4"
    with pytest.raises(Violation, match=said):
        nan_cotangent_reaches_what_it_contributes_to(seen)
