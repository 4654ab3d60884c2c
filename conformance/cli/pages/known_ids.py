"""Ids of known failures that name nothing of the suite, so that they can match no result."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from pathlib import Path

OF_CLAIMS = "smoke"  # in place of a kind, in the id of a claim of smoke
ANY = "*?["  # what a pattern has in place of a name


def nameless(path: Path) -> list[str]:
    """A line for each id of a known-failures file that can match nothing, with the nearest name. Raises UsageError as `read_known` does."""
    from conformance.runfile.known_file import read_known

    lines = []
    for identifier in dict.fromkeys(i for entry in read_known(path) for i in entry.ids):
        if (said := _slip_of(identifier)) is not None:
            lines.append(f"{identifier} in {path} can match nothing: {said}")
    return lines


def in_one_line(lines: list[str]) -> Iterator[str]:
    """The first of the lines, with how many others there are."""
    if lines:
        more = (
            f"; and {len(lines) - 1} more ids can match nothing: conformance known check"
            if len(lines) > 1
            else ""
        )
        yield f"{lines[0]}{more}"


def _slip_of(identifier: str) -> str | None:
    """What of an id names nothing, and what is near; None where it may match. A pattern stands for any name."""
    parts = identifier.split("/")
    for place, (what, names) in enumerate(_names(parts), start=1):
        if place >= len(parts) or any(sign in parts[place] for sign in ANY):
            return None
        if parts[place] not in names:
            near = [*_meant(parts[place]), *difflib.get_close_matches(parts[place], names, n=1, cutoff=0.5)]
            hint = (
                f"; did you mean {'/'.join([*parts[:place], near[0], *parts[place + 1 :]])}?" if near else ""
            )
            return f"there is no {what} {parts[place]}{hint}"
    return None


def _names(parts: list[str]) -> Iterator[tuple[str, Collection[str]]]:
    """What the parts of an id behind the backend's may be called, one after the other."""
    from conformance.checks import load_all
    from conformance.ops import ALL_OPS
    from conformance.points import SPECIAL_POINTS
    from conformance.questions import all_kinds

    checks = load_all().values()
    yield "kind of check", [*all_kinds(), OF_CLAIMS]
    kind, subject = parts[1], parts[2] if len(parts) > 2 else ""
    of_kind = [check for check in checks if check.kind == kind]
    if kind == "op":
        yield "op", list(ALL_OPS)
        yield "check of an op", [check.name for check in of_kind]
    elif kind == "point":
        points = [key.split("/") for key in SPECIAL_POINTS]
        yield "op with a special point", list(dict.fromkeys(op for op, _ in points))
        yield f"special point of {subject}", [name for op, name in points if op == subject]
    elif kind in ("contract", "example"):
        yield "clause with such a check", list(dict.fromkeys(check.clause for check in of_kind))
        yield f"check of {subject}", [check.name for check in of_kind if check.clause == subject]
    elif kind == "capability":
        yield "capability", [check.name for check in of_kind]


def _meant(name: str) -> list[str]:
    """The op of which a name is an alias: ids have its own."""
    from conformance.ops import ALL_OPS

    return [op.name for op in ALL_OPS.values() if name in op.aliases]
