"""What `smoke` prints of what an engine wrote to the terminal meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

WORDS, WIDTH = 6, 200  # lines of the engine's own that are printed, and characters of each


def word_lines(words: Sequence[str]) -> Iterator[str]:
    """What the engine, or the adapter, wrote to the terminal meanwhile: each line once, and not many of them."""
    lines = [line.strip() for text in words for line in text.splitlines() if line.strip()]
    shown = list(dict.fromkeys(lines))[:WORDS]
    if shown:
        such = ", such as:" if len(shown) < len(lines) else ":"
        yield f"  meanwhile the engine wrote {len(lines)} lines to the terminal{such}"
        yield from (f"      {line[:WIDTH]}" for line in shown)
