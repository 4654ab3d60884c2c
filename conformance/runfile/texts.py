"""Engines' words, as a run file keeps them: of bounded length, and without what moves cursors or breaks encodings."""

from __future__ import annotations

LONGEST = 10_000  # characters of one text of an engine's: more is no evidence


def cut(text: str, longest: int = LONGEST) -> str:
    """The text, or its two ends and how much was between them."""
    if len(text) <= longest:
        return text
    half = longest // 2 - 30  # room for what says so: to cut a text again changes nothing
    return f"{text[:half]}\n… ({len(text) - 2 * half} characters left out) …\n{text[-half:]}"


def printable(text: str, longest: int = LONGEST) -> str:
    """Text with control characters and lone surrogates written as escapes, and the middle of a very long one left out.

    Engines' words end up on terminals and in pages, and must not move cursors or break encodings.
    """
    text = cut(text, longest)
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)
