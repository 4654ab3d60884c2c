"""Messages as patterns: which line of a message tells what is wrong, and what of it varies."""

from __future__ import annotations

import fnmatch
import random
import re

import pytest

from conformance.runfile.patterns import COUNTED, OF_THE_CASE, VARIES, pattern_of, stated_line

OF_C = 'MXNetError: Traceback (most recent call last):\n  File "../src/a.h", line 183\nMXNetError: Too many axes of [2,1]'
BY_PLACES = (
    "RuntimeError: Error in f at ../function.cpp:514:\n../mx.cpp:459: Cannot evaluate, since x is free."
)
STATED = {
    "": "",
    "ValueError: no axis 3": "ValueError: no axis 3",
    "a gradient is wrong\n  at [0]": "a gradient is wrong",
    BY_PLACES: "../mx.cpp:459: Cannot evaluate, since x is free.",
    "ValueError: no such call; there are:\n    f(int)": "ValueError: no such call; there are:",
    OF_C: "MXNetError: Too many axes of [2,1]",
    "Error in a rule: Traceback (most recent call last):\n  File": "Error in a rule: Traceback (most recent call last):",
}


@pytest.mark.parametrize("message", STATED)
def test_the_stated_line_is_behind_what_heads_the_message(message: str) -> None:
    assert stated_line(message) == STATED[message]
    for has_numbers in (True, False):
        assert fnmatch.fnmatchcase(message, pattern_of(message, has_numbers_of_case=has_numbers))


def test_another_error_with_the_same_heading_is_another_pattern() -> None:
    assert not fnmatch.fnmatchcase(BY_PLACES.replace("Cannot evaluate", "No plugin"), pattern_of(BY_PLACES))
    other = OF_C.replace("Too many axes", "Check failed: axis < ndim")
    assert not fnmatch.fnmatchcase(other, pattern_of(OF_C, has_numbers_of_case=True))
    assert fnmatch.fnmatchcase(OF_C.replace("183", "7"), pattern_of(OF_C))


def test_the_numbers_of_variables_that_an_engine_counts_are_of_the_case_and_those_of_dtypes_are_not() -> None:
    message = "RuntimeError: scatter(r6, r0): operands have incompatible sizes! (sizes: 1, 0)"
    pattern = pattern_of(message, has_numbers_of_case=True)
    assert fnmatch.fnmatchcase(message.replace("r6, r0", "r21, r3").replace("1, 0", "9, 63"), pattern)
    assert not fnmatch.fnmatchcase(message, pattern_of(message.replace("r6", "r7")))
    assert (
        pattern_of("no f32 beside f64, s8 or c64", has_numbers_of_case=True) == "no f32 beside f64, s8 or c64"
    )


# What finds the numbers of a call, written without regard to time: each digit of a list is tried as the one that it must have.
PLAIN = re.compile(
    rf"{VARIES.pattern}|{COUNTED}|[\[(][\d\s,.+-]*\d[\d\s,.+-]*[\])]|(?<!\w)-?\d[\d.]*(?:e[+-]?\d+)?"
)
ALIKE = [
    *STATED,
    "ValueError: operands could not be broadcast together with shapes (3,) (4, 5)",
    "no axis (-1, 2) of [2,,3], [ ], (), [-], (+.), ((1)), [(1, 2), (3)], (1, 2] and [1 2)",
    "(1, 2, and no end [3, 4",
    "1e-5 beside -0.25, a1, x_3, 0xff, 1.e5, (1e5) and (1\n2)",
]


@pytest.mark.parametrize("message", ALIKE)
def test_the_numbers_of_a_call_are_those_that_the_plain_pattern_finds(message: str) -> None:
    assert OF_THE_CASE.split(message) == PLAIN.split(message)


def test_the_numbers_of_drawn_messages_are_those_that_the_plain_pattern_finds() -> None:
    drawn = random.Random(0)
    for _ in range(5000):
        message = "".join(drawn.choices("[]()0123 ,.+-ex_a\n", k=drawn.randrange(20)))
        assert OF_THE_CASE.split(message) == PLAIN.split(message), message


@pytest.mark.parametrize("bracket", ["(", "(" * 1000, "", "(,"])
def test_a_long_list_of_numbers_without_an_end_costs_no_more_than_its_length(bracket: str) -> None:
    # With the plain pattern this takes hours.
    message = f"ValueError: {bracket}{', '.join(map(str, range(200_000)))}"
    assert set(OF_THE_CASE.sub("*", message).removeprefix(f"ValueError: {bracket}")) == {"*", ",", " "}
    assert pattern_of(message, has_numbers_of_case=True).startswith("ValueError: ")
