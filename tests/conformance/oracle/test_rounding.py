"""A trial rounds every result as its dtype does, and perturbs it where it is asked to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.design.signatures import signatures_of
from conformance.dtype import BFLOAT16, finfo
from conformance.ops import find
from conformance.oracle import rounding
from conformance.oracle.allowance import PER_ENTRY, ROUNDING, ULPS, expect, expected_gradients
from conformance.oracle.draws import Draws
from conformance.oracle.rounding import Rounded, RoundedWhole, library_calls, rounded, rounding_by, trial
from conformance.strategies import Effort, build

RNG = np.random.default_rng(3)
Z = (RNG.standard_normal(200) + 1j * RNG.standard_normal(200) * 1e-6).astype(np.complex64)


def once(evaluate: Any, *inputs: Any, dtype: str = "bfloat16", draws: Draws | None = None) -> Any:
    return trial(lambda xs: [evaluate(*xs)], [np.asarray(x, dtype) for x in inputs], dtype, draws)[0]


def test_a_step_is_wide_within_and_rounded_after() -> None:
    assert once(np.sum, np.ones(1000)) == 1000
    assert once(np.sum, np.ones(257)) == 256
    assert once(lambda x: (x + 256.0) - 256.0, 1.0) == 0  # the sum, 257, takes nine digits


@pytest.mark.parametrize(
    "evaluate",
    [
        np.exp,
        np.cumsum,
        np.linalg.inv,
        lambda x: np.einsum("ij,jk->ik", x, x),
        lambda x: np.where(x > 0, x, 0.1) * x,
    ],
)
def test_results_are_numbers_of_the_type_and_move_by_one_unit(evaluate: Any) -> None:
    x = np.array([[2.0, 0.3], [0.3, 1.0]])
    plain = once(evaluate, x)
    assert plain.dtype == BFLOAT16
    draws = Draws()
    trials = [once(evaluate, x, draws=draws) for _ in range(8)]
    assert all(z.dtype == BFLOAT16 for z in trials)
    assert any((z != plain).any() for z in trials)


def test_a_constant_is_rounded_as_numpy_rounds_it_in_float16() -> None:
    assert once(lambda x: x * 0.1, 1.0) == BFLOAT16.type(0.1)
    assert once(lambda x: x * 0.1, 1.0, dtype="float16") == np.float16(0.1)


def test_numpys_own_types_are_computed_plainly() -> None:
    def evaluate(xs: Any) -> Any:
        assert type(xs[0]) is np.ndarray
        return [np.exp(xs[0])]

    assert trial(evaluate, [np.ones(2)], "float64", None)[0].dtype == "float64"


def test_what_is_not_real_is_neither_rounded_nor_moved() -> None:
    index = np.array([1, 0])
    got = trial(lambda xs: [xs[0][xs[1]]], [np.array([1.0, 2.0], BFLOAT16), index], "bfloat16", Draws())[0]
    np.testing.assert_allclose(got.astype(float), [2, 1], rtol=0.01)


def test_what_is_allowed_in_bfloat16_is_some_units_in_its_last_place() -> None:
    x = np.full(3, 0.7, BFLOAT16)
    (bound,) = expect(lambda xs: [np.exp(xs[0])], [x], "bfloat16", [1.0])
    assert (bound.ulp == float(finfo("bfloat16").eps) * 2).all()  # between 2 and 4
    assert (bound.allowed >= 4 * bound.ulp).all()
    assert (bound.allowed <= 20 * bound.ulp).all()


@pytest.mark.parametrize("name", ["tanh", "matmul", "softmax", "solve", "conv2d", "sum"])
def test_allowances_of_the_half_precisions_are_alike_in_units_of_each(name: str) -> None:
    op = find(name)
    rows = signatures_of(op, "float16", 0, Effort(4, 2, 1, 1))  # the same for both

    def units(dtype: str) -> float:
        cases = (
            build(op, row, dtype, texture="full", upstream="signed", layouts=("C",), seed=seed)
            for seed, row in enumerate(rows)
        )
        bounds = [bound for case in cases for bound in expected_gradients(op, case) if bound.exact.any()]
        return float(np.median([(bound.allowed / bound.ulp.max()).max() for bound in bounds]))

    with np.errstate(all="ignore"):
        assert 1 / 3 < units("bfloat16") / units("float16") < 3


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_a_complex_number_moves_by_its_modulus_in_both_parts(dtype: Any) -> None:
    z = Z.astype(dtype)
    with rounding_by(Draws(), z.dtype.name):
        moved = np.asarray(rounded(z))
    step = np.spacing(np.abs(z))
    assert moved.dtype == dtype
    for before, after in ((z.real, moved.real), (z.imag, moved.imag)):
        assert (np.abs(after - before) <= 1.5 * step).all()
        assert (after != before).any()


def test_what_is_made_of_complex_operands_rounds_as_one_number() -> None:
    with rounding_by(Draws(), "complex64"):
        z = rounded(Z)
        assert isinstance(z * z, RoundedWhole)
        assert isinstance(np.where(Z.real > 0, z, 0), RoundedWhole)
        assert isinstance(np.abs(z), RoundedWhole)
        assert type(rounded(Z.real) * 1j) is Rounded


@pytest.mark.parametrize(
    ("evaluate", "names"),
    [
        (lambda x: np.sqrt(x * x + 1) / 3 - x @ x, set()),
        (lambda x: np.clip(np.where(x > 0, x, -x), 0, 1).sum(), set()),
        (lambda x: np.exp(x) + np.tanh(x), {"exp", "tanh"}),
        (lambda x: np.linalg.inv(x), {"inv"}),
    ],
)
def test_the_functions_that_no_standard_says_how_to_round_are_noted(evaluate: Any, names: set[str]) -> None:
    with library_calls() as called:
        once(evaluate, np.eye(2), dtype="float64", draws=Draws())
    assert set(called) == names


def test_nothing_is_noted_where_nobody_asks() -> None:
    with library_calls() as outside:
        pass
    once(np.exp, np.ones(2), dtype="float64", draws=Draws())
    assert outside == []


def test_four_units_are_a_librarys_and_one_is_everybodys() -> None:
    x = np.array([0.75, 1.5])
    for evaluate, dtype, units in (
        (lambda xs: [np.exp(xs[0])], "float64", ULPS),
        (lambda xs: [xs[0] * xs[0]], "float64", ROUNDING),
        (lambda xs: [xs[0] * xs[0]], "complex128", ULPS),
        (lambda xs: [xs[0] * xs[0]], "bfloat16", ULPS),  # of which the rule carries more than an engine need
    ):
        (expected,) = expect(evaluate, [x.astype(dtype)], dtype, [0.0], scope=PER_ENTRY)
        np.testing.assert_array_equal(expected.allowed, expected.spread + units * expected.ulp)


def test_integers_and_truth_values_are_not_moved() -> None:
    with rounding_by(Draws(), "float64"):
        for counted in (np.arange(3), np.array([True])):
            assert rounded(counted) is counted


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_complex_arithmetic_is_allowed_its_rounding_in_the_modulus_and_no_more(dtype: str) -> None:
    x = (RNG.standard_normal(50) + 1j * RNG.standard_normal(50)).astype(dtype)
    y = (RNG.standard_normal(50) + 1j * RNG.standard_normal(50)).astype(dtype)
    (quotient,) = expect(lambda given: [given[0] / given[1]], [x, y], dtype, [0.0], scope=PER_ENTRY)
    other = (x * np.conj(y) / np.abs(y) ** 2).astype(dtype)  # another way to divide, as accurate
    assert (np.abs(other - quotient.exact) <= quotient.allowed).all()
    assert (np.abs(np.conj(other) - quotient.exact) > quotient.allowed).all()
    assert (quotient.allowed <= 16 * ULPS * quotient.ulp).all()


@pytest.mark.parametrize("name", ["solve", "inv", "det", "cholesky"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_what_is_computed_from_a_system_solved_in_half_precision_rounds(name: str, dtype: str) -> None:
    """Elimination is written out there; what it fills must be an array that rounds, or nothing after it would."""
    matrix = np.array([[4.0, 1.0], [1.0, 3.0]], np.float16 if dtype == "float16" else np.float32)
    operands = (matrix, matrix) if name == "solve" else (matrix,)
    with rounding_by(Draws(), dtype):
        assert isinstance(np.asanyarray(find(name).reference(*map(rounded, operands)) * 1), Rounded)


@pytest.mark.parametrize("shape", [(6, 6), (2, 6), (3, 5, 2), (1, 1)])
def test_a_factoring_moves_by_units_of_the_largest_entry_as_many_as_there_are_rows_or_columns(
    shape: tuple[int, ...],
) -> None:
    matrices = np.full(shape, 2.0**-9)
    matrices[..., 0, 0] = 1.5
    draws = Draws()
    steps = [(rounding._perturbed_in_norm(matrices, draws) - matrices) / np.spacing(1.5) for _ in range(50)]
    assert np.abs(steps).max() == pytest.approx(max(shape[-2:]), abs=1e-6)


def test_the_last_place_in_extended_precision_is_finite_just_below_powers_of_two_too() -> None:
    powers = np.ldexp(np.longdouble(1), np.array([-16382, -100, -1, 0, 1, 3, 100]))
    below = np.nextafter(powers, np.longdouble(0))
    assert np.array_equal(rounding.last_place(powers), np.nextafter(powers, np.inf) - powers)
    assert np.array_equal(rounding.last_place(below), powers - below)
    assert np.array_equal(rounding.last_place(-below), below - powers)
    ends = np.array([0, np.finfo(np.longdouble).smallest_subnormal, np.inf, np.nan], np.longdouble)
    least = np.finfo(np.longdouble).smallest_subnormal
    assert np.array_equal(rounding.last_place(ends), [least, least, np.nan, np.nan], equal_nan=True)
