"""The sentence about what a wrong result is beside the expected one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.diagnosis.pattern import pattern_of
from conformance.dtype import BFLOAT16
from conformance.errors import Violation
from conformance.run.evidence import _pattern

RIGHT = np.array([[1.5, -2.25, 3.0], [0.5, 4.75, -1.25]])
SQUARE = np.array([[1.5, -2.25, 3.0], [0.5, 4.75, -1.25], [2.0, 0.75, -3.5]])
DIAGONAL = np.eye(3, dtype=bool)


def sentence(expected: Any, got: Any, allowed: Any = None) -> str:
    return pattern_of(Violation("", expected=np.asarray(expected), got=np.asarray(got), allowed=allowed))


@pytest.mark.parametrize(
    ("expected", "got", "said"),
    [
        (RIGHT, 0 * RIGHT, "zero everywhere"),
        (RIGHT, -RIGHT, "what is expected with the opposite sign"),
        (RIGHT, RIGHT / 6, "what is expected times 0.1667, one over the number of its entries"),
        (RIGHT, 3 * RIGHT, "what is expected times 3, which is also the length of axis 1"),
        (RIGHT, 6 * RIGHT, "what is expected times 6, the number of its entries"),
        ([1.5, -2.25, 3.0], [4.5, -6.75, 9.0], "what is expected times 3, which is also the number of its entries"),
        (RIGHT, 1.1 * RIGHT, "what is expected times 1.1"),
        (RIGHT, (1 + 3e-8) * RIGHT, "what is expected times 1 + 3e-08"),
        (RIGHT, np.abs(RIGHT), "what is expected, without its signs"),
        (RIGHT * (1 + 2j), RIGHT * (1 - 2j), "the complex conjugate of what is expected"),
        (SQUARE, SQUARE.T, "what is expected with its last two axes exchanged"),
        (RIGHT, RIGHT[::-1], "what is expected in reverse order along axis 0"),
        (RIGHT, np.roll(RIGHT, 1, 1), "what is expected, moved by 1 along axis 1"),
        (RIGHT, RIGHT.ravel()[[3, 0, 5, 1, 2, 4]].reshape(2, 3), "the expected entries in other places"),
        (RIGHT, RIGHT + 0.25, "what is expected plus 0.25 in every entry"),
        (RIGHT / 3, (RIGHT / 3).astype("f4").astype("f8"),
            "what is expected to the digits of single precision, and no further"),
        ((RIGHT / 3).astype("f4"), RIGHT / 3, "of float64, where float32 is expected; what is expected to the digits of that"),
        (RIGHT / 3, RIGHT / 3 / (1 + 1e-8 / np.arange(1, 7).reshape(2, 3)),
            "what is expected, every entry too small by 2e-09 to 1e-08 of itself, as of a small number beside a divisor"),
        (RIGHT / 3, RIGHT / 3 * (1 + 3e-7 - 2e-8 * np.arange(6).reshape(2, 3)),
            "what is expected, every entry too large by 2e-07 to 3e-07 of itself, as of a factor in single precision"),
        (SQUARE, np.where(DIAGONAL, 0, SQUARE), "right but for the entries on the diagonal, which are zero"),
        (RIGHT, RIGHT * [1, 1, 7], "right but for the entries with index 2 on axis 1"),
        (RIGHT, np.where(RIGHT == 0.5, np.nan, RIGHT), "right in 5 of 6 entries; the others are NaN"),
        (RIGHT, RIGHT * np.nan, "no finite number anywhere"),
        ([2.0], [4.0], "what is expected times 2"),
        (np.pi, 1.5 * np.pi, "what is expected times 1.5"),
        (np.pi, np.float32(3 * np.pi), "what is expected times 3"),
        ([0.0, np.pi], [0.0, -2 * np.pi], "what is expected times -2"),
    ],
)  # fmt: skip
def test_a_slip_that_has_a_name_is_named(expected: Any, got: Any, said: str) -> None:
    assert sentence(expected, got) == said


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ([2.0], [4.7]),  # one entry is a multiple of every other
        ([2.0], [3.0]),  # of a few digits each, by chance
        (np.pi, 1.5 * np.pi + 1e-13),
        (np.float16(np.pi), np.float16(1.5 * np.pi)),
        (np.pi, 1.7 * np.pi),
        (RIGHT, RIGHT**2),
        (RIGHT, RIGHT.ravel()),
        (RIGHT, RIGHT),
        ([0.0, 0.0], [1.0, 2.0]),
        ([True, False], [False, True]),
        (None, None),
        (np.zeros((0, 2)), np.zeros((0, 2))),
        ([np.inf, 1.0], [1.0, 1.0]),
    ],
)
def test_what_has_no_name_has_no_sentence(expected: Any, got: Any) -> None:
    assert sentence(expected, got) == ""


def test_every_precision_has_patterns() -> None:
    for dtype in ("float16", "float32", BFLOAT16):
        assert (
            sentence(RIGHT, (RIGHT / 3).astype(dtype))
            == "what is expected times 0.3333, which is also one over the length of axis 1"
        )


def test_what_the_first_case_shows_is_said_of_it() -> None:
    first, small = (Violation("", expected=RIGHT[:, :n], got=2 * RIGHT[:, :n] + (n == 1)) for n in (3, 1))
    assert _pattern(first, first) == "what is expected times 2"
    assert _pattern(small, first) == "what is expected times 2, in the case before it was made small"
    assert _pattern(small, None) == ""


def test_a_multiple_is_known_as_far_as_rounding_lets_it() -> None:
    off = RIGHT * (1 + 1e-3 * np.arange(6).reshape(2, 3))
    assert sentence(RIGHT, -off, allowed=np.full((2, 3), 0.05)) == "what is expected with the opposite sign"
    assert sentence(RIGHT, -off) == ""


def test_digits_that_are_lost_in_double_precision_are_not_those_of_single() -> None:
    expected = np.array([-19756.25840159932, 3.0, 5.0, 0.0])
    off = expected * (1 + np.array([7e-14, 5e-14, -3e-13, 0.0]))
    assert sentence(expected, off, np.full(4, 1e-13)) == "right but for the entries with index 0 on axis 0"


def test_a_complex_multiple_that_is_close_to_1_is_read_too() -> None:
    expected = RIGHT * (1 + 2j)
    assert sentence(expected, (1 + 3e-8) * expected) == "what is expected times 1+0j"
