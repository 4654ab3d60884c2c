"""How a process ended, in words; and of what the interpreter wrote at its end, the part that is of an engine."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

from conformance.run.attribution import OURS, STANDARD_LIBRARY

FRAME = re.compile(r'  File "(?P<file>.*)", line \d+ in ')
RUNNERS = ("_pytest", "pluggy", "xdist", "execnet")  # between the interpreter and this project
ORACLE = tuple(f"{OURS}{folder}{os.sep}" for folder in ("oracle", "design", "strategies"))
RULES = f"{OURS}ops{os.sep}"  # the oracle's, and those of an engine that is made of them
NUMBERS = frozenset({"numpy", "scipy", "mpmath"})
INNERMOST = 3  # frames that are kept of a thread that has none of an engine or an adapter


def manner(code: int | None) -> str:
    """How a process with this exit code ended, such as `SIGSEGV` or `exit 7`; empty where it has none."""
    if code is None:
        return ""
    if code >= 0:
        return f"exit {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:  # a real-time signal
        return f"signal {-code}"
    return f"{name}, perhaps for want of memory" if name == "SIGKILL" else name


def without_our_frames(words: str) -> str:
    """Tracebacks of threads as the interpreter writes them, the innermost frame first, without the frames that only lead to an engine."""
    return "\n\n".join(map(_led_to, words.split("\n\n")))


def is_of_oracle(words: str) -> bool:
    """Whether a thread was computing what an engine is compared with: no engine is asked from there."""
    return any(map(_is_in_oracle, words.split("\n\n")))


def _is_in_oracle(thread: str) -> bool:
    """Whether the innermost frame that is none of a library of numbers, or of a rule, is of the oracle or of what draws cases."""
    files = (found["file"] for line in thread.split("\n") if (found := FRAME.match(line)))
    others = (
        file for file in files if not file.startswith(RULES) and not NUMBERS.intersection(Path(file).parts)
    )
    return next(others, "").startswith(ORACLE)


def _led_to(thread: str) -> str:
    lines = thread.split("\n")
    places = [i for i, line in enumerate(lines) if FRAME.match(line)]
    own = [i for i in places if not _is_ours(lines[i])]
    first_left_out = own[-1] + 1 if own else (places[0] + INNERMOST if places else len(lines))
    rest = [line for i, line in enumerate(lines) if i >= first_left_out and i not in places]
    count = sum(i >= first_left_out for i in places)
    said = [f"  … and {count} frames of this suite and of what runs it"] if count else []
    return "\n".join([*lines[:first_left_out], *said, *rest])


def _is_ours(line: str) -> bool:
    found = FRAME.match(line)
    file = found["file"] if found else ""
    parts = Path(file).parts
    is_installed = "site-packages" in parts
    runs = is_installed and parts[parts.index("site-packages") + 1] in RUNNERS
    return runs or file.startswith((OURS, "<")) or (file.startswith(STANDARD_LIBRARY) and not is_installed)


def beginning(text: str, longest: int) -> str:
    """The first lines of a text, as many as are whole in so many characters; of one long line its beginning."""
    if len(text) <= longest:
        return text
    return text[: longest + 1].rpartition("\n")[0] or text[:longest]
