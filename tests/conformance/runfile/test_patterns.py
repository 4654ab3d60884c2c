"""Messages as patterns: which line of a message tells what is wrong, and what of it varies."""

from __future__ import annotations

import fnmatch

import pytest

from conformance.runfile.patterns import pattern_of, stated_line

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
