"""The last lines of a script, which are comments: what the failure says, and its numbers; and what a long script says first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conformance.errors import LONGEST_TEXT, is_violation, said_of
from conformance.scripts.literals import literal
from conformance.scripts.threads import like

LONGEST_VALUE = 400  # characters of an expected value worth printing
MADE = re.compile(r"( *)(\w+) = ")
MANY = 60  # lines of a script of which, where the last one raises, those are kept that bear on it
LONG = 40_000  # characters of a script that nobody reads from its beginning
UNRULED = "# not the whole program: no formula can express one of its custom rules, which raises in its place"
MEASURED = "# no line above prints it: it was measured of these calls"


class LastLine(BaseException):
    """Raised in place of the call that does not return; no `Exception`, which checks and engines may catch."""


def caught(refusal: BaseException) -> str:
    """The clause of a script that catches a refusal as the check did: a panic of an engine is no Exception."""
    kind = "Exception" if issubclass(type(refusal), Exception) else "BaseException"
    return f"except {kind} as refusal:"


def lacking_of(unspelled: Sequence[str]) -> list[str]:
    """That calls are lacking, for which the dialect has no words: a line for the head of a script; none where all are there."""
    said = f"# not the whole program: the adapter's dialect has no words for {', '.join(unspelled)}"
    return [said] * bool(unspelled)


def lacking_at_end(failure: BaseException | None, unspelled: Sequence[str]) -> list[str]:
    """The same for the end, where a reader looks for what shows the failure."""
    said = f"# the lines above may not show it: the calls from {', '.join(unspelled)} on are lacking, of which the dialect has no template"
    return [said] * (bool(unspelled) and failure is not None)


def ending_of(failure: BaseException | None, whole: str, *, has_raised: bool) -> list[str]:
    """What the failure says, as comments; that a program which prints and raises nothing does not show it, too."""
    said = "" if failure is None else said_of(failure)[:LONGEST_TEXT]
    tail = [f"# {line}" for line in said.splitlines()]
    if is_violation(failure):
        for title, value in (("expected", failure.expected), ("got", failure.got)):
            shown = literal(value) if value is not None else ""
            if shown and len(shown) <= LONGEST_VALUE:
                tail.append(f"# {title} {shown}")
        if tail and failure.got is None and not has_raised and whole and "print(" not in whole:
            tail.append(MEASURED)
    return tail


def returned(body: Sequence[str], is_refused: bool) -> list[str]:
    """The lines of a function, which returns what its last line makes where the engine refused that one."""
    made = MADE.match(body[-1]) if body and is_refused else None
    return [*body, *([like(body[-1], f"{made[1]}return {made[2]}")] if made else [])]


def length_of(whole: str) -> list[str]:
    """How long a long script is, and where it says what is wrong."""
    return [f"# {len(whole)} characters; the last lines say what is wrong, and where"] * (len(whole) > LONG)
