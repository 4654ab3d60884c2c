"""Engines' words, as a run file keeps them: of bounded length, and without what moves cursors or breaks encodings."""

from __future__ import annotations

import re

from conformance.errors import brief

LONGEST_LINE = 1000  # characters of one line of an engine's on a terminal
LONGEST = 10_000  # characters of one text of an engine's: more is no evidence
COMMAND = re.compile(r"^([^\S\n]*+)(?=::)", re.MULTILINE)  # GitHub passes over the spaces before one
OLD_COMMAND = "##["  # which GitHub obeys anywhere in a line


def cut(text: str, longest: int = LONGEST) -> str:
    """The text, or its two ends and how much was between them."""
    if len(text) <= longest:
        return text
    half = longest // 2 - 30  # room for what says so: to cut a text again changes nothing
    return f"{text[:half]}\n… ({len(text) - 2 * half} characters left out) …\n{text[-half:]}"


def in_brief_lines(text: str, longest: int = LONGEST_LINE) -> str:
    """The text for a terminal, which a line of many kilobytes would fill: the run file has such a line whole."""
    return "\n".join(brief(line, longest) for line in text.split("\n"))


def in_one_line(text: str) -> str:
    """The text without line ends, for a page of one line each."""
    return " ".join(text.split())


def printable(text: str, longest: int = LONGEST) -> str:
    """Text with control characters and lone surrogates written as escapes, and the middle of a very long one left out.

    Engines' words end up on terminals and in pages, and must not move cursors or break encodings.
    """
    text = cut(text, longest)
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def without_commands(text: str) -> str:
    """A text for a terminal, no line of which is a command to GitHub, whose log may be that terminal.

    An engine's message may hold `::stop-commands::x`, and is no part of the workflow.
    """
    return COMMAND.sub(r"\1| ", text).replace(OLD_COMMAND, "## [")
