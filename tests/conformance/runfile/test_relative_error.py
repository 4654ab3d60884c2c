"""How far are the numbers of a failure from those that are expected?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.case import listed
from conformance.runfile.relative_error import Lost, difference

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("expected", "got", "error"),
    [
        ([1.0, 4.0], [1.0, 5.0], 0.25),
        ([1.0, 4.0], [2.0, 4.0], 0.25),  # an entry counts beside the largest
        ([[1.0, -4.0]], [[1.0, 4.0]], 2.0),
        (3.0, 0.0, 1.0),
        ([3 + 4j, 0], [3 - 4j, 0], 1.6),
        ([NAN, 1.0], [NAN, 1.5], 0.5),
        ([INF, 2.0], [INF, 1.0], 0.5),
        ([1.0, 2.0], [NAN, 2.0], INF),
        ([1.0, 2.0], [INF, 2.0], INF),
        ([1.0, NAN], [1.0, 0.0], INF),
        ([INF, 1.0], [-INF, 1.0], INF),
        ([INF, 1.0], [5.0, 1.0], INF),
        ([1j, complex(0, 1)], [1j, complex(NAN, 1)], INF),
        ([0.0, 0.0], [1e-300, 0.0], INF),  # nothing is small beside zeros
        ([1.0, 2.0], [[1.0, 2.0]], INF),
        ([1.0, 2.0], [1.0], INF),
        ([0.0, 2.0], [-0.0, 2.0], INF),  # no difference of numbers: its signs differ
        ([], [], INF),
        ([1.0], None, INF),
        (None, [1.0], INF),
        (None, None, INF),
        ([[1.0], [1.0, 2.0]], [[1.0], [1.0, 2.5]], INF),
        ("a word", [1.0], INF),
        ({}, {}, INF),
    ],
)
def test_an_error_is_that_of_the_worst_entry_beside_the_largest(
    expected: Any, got: Any, error: float
) -> None:
    assert difference(expected, got).error == pytest.approx(error)


def test_what_may_be_anything_does_not_count() -> None:
    assert difference([1e300, 1.0], [0.0, 1.5], [INF, 0.1]).error == 0.5
    assert difference([1.0, 1.0], [NAN, 1.5], ["inf", 0.1]).error == 0.5


@pytest.mark.parametrize(
    ("expected", "got", "allowed", "words"),
    [
        ([1.0, 2.0], [NAN, 2.0], None, "nan"),
        ([1.0, 2.0], [NAN, 2.1], None, None),  # another entry is wrong, too
        ([1.0, 2.0], [NAN, 2.1], [0.1, 0.2], "nan"),
        ([1.0, 2.0], [NAN, 2.1], 0.2, "nan"),
        ([1.0, 2.0], [NAN, 4.0], [INF, 0.2], None),  # the first may be anything
        ([1.0, 2.0], [NAN, 2.0], [INF, 0.2], None),
        ([1.0, 2.0], [NAN, INF], None, "nan inf"),
        ([1.0, 2.0], [0.0, -INF], None, "zero inf"),
        ([1.0, INF], [NAN, INF], [0.1, 0.1], "nan"),
        ([1.0, INF], [1.0, -INF], None, None),  # in place of a number
        ([1.0, NAN], [1.0, INF], None, None),
        ([1.0, INF], [1.0, 0.0], None, "zero"),
        ([1.0, 2.0], [1.5, 2.0], None, None),
        ([NAN, 2.0], [NAN, 2.0], None, None),
        ([NAN, 2.0], [1.0, NAN], None, None),
        ([1e200, 1e-200], [1e200, 2e-200], None, None),  # its error underflows
        (1 + 1j, complex(NAN, 1), None, "nan"),
        (1 + 1j, complex(1, INF), None, "inf"),
        ([1.0, 2.0], None, None, None),
    ],
)
def test_what_stands_in_place_of_numbers_differs_from_wrong_numbers(
    expected: Any, got: Any, allowed: Any, words: str | None
) -> None:
    found = difference(expected, got, allowed)
    every: tuple[Lost, ...] = ("nan", "zero", "inf")
    assert found.is_within(*every) is (words is not None)
    for left_out in every:
        others = [word for word in every if word != left_out]
        assert found.is_within(*others) is (words is not None and left_out not in words.split())


def test_a_list_has_what_may_stand_in_place_of_numbers_and_how_far_off_the_others_may_be() -> None:
    found = difference([1.0, 2.0, 4.0], [NAN, 2.0, 5.0])
    assert found.is_within(0.25, "nan")
    assert not found.is_within(0.2, "nan")
    assert not found.is_within(0.25)
    assert not found.is_within(0.25, "zero")
    assert difference([1.0, 4.0], [0.0, 4.0]).is_within(0.25)  # 0 is a number


@given(
    st.sampled_from(["float64", "float32", "float16", "longdouble", "complex128", "int64", "bool"]), st.data()
)
def test_a_run_file_has_the_same_error(dtype: str, data: st.DataObject) -> None:
    numbers = st.sampled_from([0, 1, -3, 0.1, NAN, INF, -INF] if dtype[0] not in "ib" else [0, 1])
    drawn = [data.draw(st.lists(numbers, min_size=4, max_size=4)) for _ in range(2)]
    expected, got = (np.array(numbers).astype(dtype).reshape(2, 2) for numbers in drawn)
    assert difference(listed(expected), listed(got)) == difference(expected, got)
