"""Rounding at random moves a result as far as arithmetic may, and no further."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.oracle.allowance import ULPS, expect
from conformance.oracle.rounding import Rounded, RoundedWhole, rounded, rounding_by

RNG = np.random.default_rng(3)
Z = (RNG.standard_normal(200) + 1j * RNG.standard_normal(200) * 1e-6).astype(np.complex64)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_a_complex_number_moves_by_its_modulus_in_both_parts(dtype: Any) -> None:
    z = Z.astype(dtype)
    moved = np.asarray(rounded(z, np.random.default_rng(0)))
    step = np.spacing(np.abs(z))
    assert moved.dtype == dtype
    for before, after in ((z.real, moved.real), (z.imag, moved.imag)):
        assert (np.abs(after - before) <= 1.5 * step).all()
        assert (after != before).any()


def test_what_is_made_of_complex_operands_rounds_as_one_number() -> None:
    with rounding_by(np.random.default_rng(0)):
        z = rounded(Z, np.random.default_rng(1))
        assert isinstance(z * z, RoundedWhole)
        assert isinstance(np.where(Z.real > 0, z, 0), RoundedWhole)
        assert isinstance(np.abs(z), RoundedWhole)
        assert type(rounded(Z.real, np.random.default_rng(1)) * 1j) is Rounded


def test_integers_and_truth_values_are_not_moved() -> None:
    for counted in (np.arange(3), np.array([True])):
        assert rounded(counted, np.random.default_rng(0)) is counted


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_complex_arithmetic_is_allowed_its_rounding_in_the_modulus_and_no_more(dtype: str) -> None:
    x = (RNG.standard_normal(50) + 1j * RNG.standard_normal(50)).astype(dtype)
    y = (RNG.standard_normal(50) + 1j * RNG.standard_normal(50)).astype(dtype)
    (quotient,) = expect(lambda given: [given[0] / given[1]], [x, y], dtype, [0.0], entries="alone")
    other = (x * np.conj(y) / np.abs(y) ** 2).astype(dtype)  # another way to divide, as accurate
    assert (np.abs(other - quotient.exact) <= quotient.allowed).all()
    assert (np.abs(np.conj(other) - quotient.exact) > quotient.allowed).all()
    assert (quotient.allowed <= 16 * ULPS * quotient.ulp).all()
