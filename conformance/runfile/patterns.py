"""Messages as patterns: what of a failure's message is the same in every run, and what is of the call at hand."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence

VARIES = re.compile(
    r"0x[0-9a-fA-F]+|(?<=[A-Za-z]_)\d+\b"
)  # from run to run: memory, and names such as tensor_47
COUNTED = r"(?<=\b[aeghj-rtv-z])\d+\b"  # variables that an engine counts, such as r17; f32, i64, u8, s8 and c64 are dtypes
OF_THE_CASE = re.compile(
    rf"{VARIES.pattern}|{COUNTED}|[\[(][\s,.+-]*+\d[\d\s,.+-]*+[\])]|(?<!\w)-?\d[\d.]*(?:e[+-]?\d+)?"
)  # what a message says of the call at hand: shapes, axes, lengths, values; nothing is tried twice in a long list of numbers
TWO = 2  # messages that differ in numbers alone show that the numbers vary
MOST = 20  # messages that are kept of one check


def stated_line(message: str) -> str:
    """The line that says what is wrong: the first, or what it heads, where it ends in a colon.

    It heads a traceback, behind whose frames the exception stands, or is the place of one: `Error in f at call.cpp:5:`. All
    exceptions of an engine may begin so.
    """
    stated, *further = message.split("\n")
    for line in further:
        if not stated.rstrip().endswith(":"):
            break
        if line.strip() and not line[0].isspace():
            stated = line
    return stated.strip()


def pattern_of(message: str, *, has_numbers_of_case: bool = False) -> str:
    """A message as a pattern of what it says in every run: its stated line, without addresses and counted names.

    Further lines are where something was raised, in a process of a number, at a time. `has_numbers_of_case`: its
    numbers are left out as well.
    """
    line = stated_line(message)
    before, _, after = message.partition(line) if line else ("", "", message)
    parts = (OF_THE_CASE if has_numbers_of_case else VARIES).split(line)
    fixed = "*".join(map(glob.escape, parts))
    return re.sub(r"[*]+", "*", f"{'*' if before else ''}{fixed}{'*' if after else ''}")


def is_further(message: str, before: Sequence[str]) -> bool:
    """Whether a message is to be kept beside those `before`: it says something else, or shows that numbers vary."""
    exact, wide = pattern_of(message), pattern_of(message, has_numbers_of_case=True)
    alike = [text for text in before if pattern_of(text, has_numbers_of_case=True) == wide]
    return len(before) < MOST and len(alike) < TWO and all(pattern_of(text) != exact for text in alike)
