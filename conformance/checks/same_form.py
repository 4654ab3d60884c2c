"""Whether what comes back has the lists, tuples and dicts of what was given."""

from __future__ import annotations

from typing import Any

from conformance.errors import Violation


def hold_same_structure(got: Any, structure: Any, place: str = "structure") -> None:
    """Claim that `got` has the lists, tuples and dicts of `structure`, whatever its leaves are."""
    if not isinstance(structure, (list, tuple, dict)):
        return
    if type(got) is not type(structure) or len(got) != len(structure):
        raise Violation(
            f"the gradient of {place} is {type(got).__name__}, the {place} {type(structure).__name__}"
        )
    keys = structure if isinstance(structure, dict) else range(len(structure))
    for key in keys:
        if isinstance(got, dict) and key not in got:
            raise Violation(f"the gradient of {place} has no {key!r}")
        hold_same_structure(got[key], structure[key], f"{place}[{key!r}]")
