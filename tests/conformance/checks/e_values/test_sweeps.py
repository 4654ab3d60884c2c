"""What is asked all over a domain, and at its ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from conformance_backends.mutants.e_values.sweeps import ends as wrong_ends
from conformance_backends.mutants.e_values.sweeps import numbers as wrong_numbers
from conformance_backends.numpy_backend import NumpyTape

from conformance.case import Case
from conformance.checks.e_values.sweeps.ends import value_at_the_ends_of_the_domain
from conformance.checks.e_values.sweeps.numbers import value_is_right_all_over_the_domain
from conformance.checks.observation import Observation, Oracle
from conformance.checks.registry import NotThisCase
from conformance.dtype import BFLOAT16
from conformance.errors import Violation
from conformance.op import POSITIVE, REAL, UNIT, Domain
from conformance.ops import find
from conformance.values.sweep import COUNT, complex_sweep, ends, sweep

KINKED = Domain(low=-2.0, high=3.0, kinks=(0.0, 1.0))


@pytest.fixture(autouse=True)
def _special_values_are_the_engines_business() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def asked(engine: Any, op: str, count: int = 1, dtype: str = "float64") -> Observation:
    operands = tuple(np.array([0.5, 0.25], dtype) for _ in range(count))
    case = Case(op, operands, {}, (np.ones(2, dtype),), ("C",) * (count + 1), dtype)
    return Observation(engine, Oracle(find(op), case))


@pytest.mark.parametrize("domain", [REAL, POSITIVE, UNIT, KINKED])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", BFLOAT16.name])
def test_a_sweep_stays_inside_the_domain_and_off_its_kinks(domain: Domain, dtype: str) -> None:
    (x,) = sweep([domain], dtype, np.random.default_rng(0))
    values = x.astype(float)
    assert x.shape == (COUNT,)
    assert x.dtype == np.dtype(dtype)
    assert ((domain.low < values) & (values < domain.high)).all()
    assert not np.isin(values, domain.kinks).any()


def test_a_sweep_meets_every_common_binade_and_whole_numbers() -> None:
    (x,) = sweep([POSITIVE], "float64", np.random.default_rng(0))
    exponents = {*np.frexp(x)[1].tolist()}
    assert {*range(-25, 20)} <= exponents
    assert min(exponents) < -900
    assert max(exponents) > 900
    assert (x == np.rint(x)).sum() > 20


@pytest.mark.parametrize("domain", [REAL, UNIT])
def test_a_sweep_has_both_zeros_in_each_operand_where_no_other_is_zero(domain: Domain) -> None:
    for seed in range(20):
        swept = np.array(sweep([domain, domain, POSITIVE], "float32", np.random.default_rng(seed)))
        for i, numbers in enumerate(swept[:2]):
            is_zero = (numbers == 0) & np.all(np.delete(swept, i, axis=0), axis=0)
            assert {*np.signbit(numbers[is_zero]).tolist()} == {True, False}


def test_a_quarter_of_all_pairs_are_about_as_large() -> None:
    x, y = sweep([REAL, REAL], "float64", np.random.default_rng(0))
    assert ((np.abs(x / y) < 2) & (np.abs(x / y) > 0.5)).mean() > 0.2


def test_complex_numbers_are_on_the_right_where_the_domain_is() -> None:
    anywhere, right = complex_sweep([REAL, POSITIVE], "complex128", np.random.default_rng(0))
    assert (anywhere.real < 0).any()
    assert (right.real >= 0).all()


def test_ends_are_kinks_zeros_ones_and_what_ends_the_domain() -> None:
    assert [str(x) for x in ends(KINKED)] == ["-2.0", "-1.0", "0.0", "1.0", "3.0", "-0.0"]
    assert ends(POSITIVE) == [0.0, 1.0, np.inf]


def test_what_fails_is_asked_alone_and_its_operand_is_shown() -> None:
    mutant = next(m for m in wrong_numbers.MUTANTS if m.name == "series-too-long")
    with pytest.raises(Violation, match="the value differs from the reference value") as failure:
        value_is_right_all_over_the_domain(asked(mutant.make(), "erf"))
    assert np.shape(failure.value.got) == (1,)
    assert failure.value.because.startswith("16 times what rounding explains, at ")


class OffFarBehind(NumpyTape):
    """The exponential is wrong where an array has more than one entry."""

    def forward(self, function: Any, operands: Any) -> Any:
        (value,) = super().forward(function, operands)
        return (value if value.value.size == 1 else value * 2,)


def test_what_is_wrong_among_others_alone_stays_a_failure_of_all() -> None:
    with pytest.raises(Violation) as failure:
        value_is_right_all_over_the_domain(asked(OffFarBehind(), "exp"))
    assert np.shape(failure.value.got) == (COUNT,)


@pytest.mark.parametrize(
    ("name", "op", "count", "said"),
    [
        ("sign-of-zero-lost", "reciprocal", 1, "the value at -0 is inf, the reference's -inf"),
        ("mask-times-infinity", "relu", 1, "the value at -inf is nan, the reference's 0"),
        ("pole-is-a-number", "log", 1, "the value at 0 is -708.396, the reference's -inf"),
    ],
)
def test_values_at_ends_are_the_references(name: str, op: str, count: int, said: str) -> None:
    mutant = next(m for m in wrong_ends.MUTANTS if m.name == name)
    with pytest.raises(Violation, match=said):
        value_at_the_ends_of_the_domain(asked(mutant.make(), op, count))


class OffByAQuarter(NumpyTape):
    """Every value is a quarter too large."""

    def forward(self, function: Any, operands: Any) -> Any:
        (value,) = super().forward(function, operands)
        value.value = (value.value.astype(np.float32) * np.float32(1.25)).astype(value.value.dtype)
        return (value,)


@pytest.mark.parametrize("dtype", ["float16", BFLOAT16.name])
def test_in_half_precision_a_quarter_too_much_is_noticed(dtype: str) -> None:
    value_is_right_all_over_the_domain(asked(NumpyTape(), "tanh", dtype=dtype))
    with pytest.raises(Violation, match="the value differs from the reference value"):
        value_is_right_all_over_the_domain(asked(OffByAQuarter(), "tanh", dtype=dtype))


class NotANumberAtPoles(NumpyTape):
    """What is infinite at zero is NaN."""

    def forward(self, function: Any, operands: Any) -> Any:
        (value,) = super().forward(function, operands)
        value.value = np.where((operands[0] == 0) & np.isinf(value.value), np.nan, value.value)
        return (value,)


def test_a_pole_whose_sides_differ_has_no_value() -> None:
    value_at_the_ends_of_the_domain(asked(NotANumberAtPoles(), "digamma"))
    with pytest.raises(Violation, match="the value at 0 is nan, the reference's -inf"):
        value_at_the_ends_of_the_domain(asked(NotANumberAtPoles(), "log"))


class Refusing(NumpyTape):
    """An engine without infinities."""

    def forward(self, function: Any, operands: Any) -> Any:
        if any(np.isinf(x).any() for x in operands):
            raise ValueError("no infinity")
        return super().forward(function, operands)


def test_an_engine_may_refuse_infinities() -> None:
    with pytest.raises(NotThisCase, match="refuses infinite operands"):
        value_at_the_ends_of_the_domain(asked(Refusing(), "exp"))


@pytest.mark.parametrize("op", ["pow", "atan2", "subtract", "divide"])
def test_no_value_is_claimed_that_operands_of_other_sizes_change(op: str) -> None:
    value_at_the_ends_of_the_domain(asked(NumpyTape(), op, 2))


def test_the_references_have_their_limits_at_infinity() -> None:
    at = np.array([np.inf])
    for name, parameters in (("gammaln", {}), ("expi", {}), ("multigammaln", {"p": 2})):
        assert find(name).reference(at, **parameters) == at


def test_log1p_of_complex_numbers_keeps_its_digits_near_zero() -> None:
    (drawn,) = complex_sweep([Domain(low=-1.0)], "complex128", np.random.default_rng(0))
    x = drawn[np.abs(drawn) < 2**-10]
    wide = x.astype(np.clongdouble)
    series = sum((-1) ** (k + 1) * wide**k / k for k in range(1, 8))
    assert x.size > 100
    for of in (x, wide):
        assert (np.abs(find("log1p").reference(of) - series) <= 1e-15 * np.abs(series)).all()
