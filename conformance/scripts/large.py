"""Large arrays in a script: their numbers are written once, however many arrays are made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.scripts.literals import literal

LEAST = 1024  # entries of an array whose numbers may have a name
SHORTEST = 500  # characters that are worth a name
IMPORT = re.compile(r"(?:import|from) ")


class LargeValues:
    """The numbers of large arrays, each by a name until the script is done."""

    def __init__(self, fresh: Callable[[str], str]) -> None:
        self._fresh = fresh
        self._names: dict[tuple[Any, ...], str] = {}
        self._texts: dict[str, str] = {}

    def text(self, value: Any) -> str:
        """The numbers as Python writes them, or their name."""
        array = np.asarray(value)
        if array.size < LEAST:
            return literal(value)
        key = (array.shape, array.dtype.str, array.tobytes())
        if key not in self._names:
            text = literal(value)
            name = self._fresh("numbers") if len(text) >= SHORTEST else text
            self._names[key], self._texts[name] = name, text
        return self._names[key]

    def defined(self, script: str) -> str:
        """The script with the numbers in it: where they are used if they are once, else by their name."""
        lines, heads = script.splitlines(), list[str]()
        for name, text in self._texts.items():
            used = re.compile(rf"\b{name}\b") if name != text else None
            places = [n for n, line in enumerate(lines) for _ in used.findall(line)] if used else []
            if used and len(places) == 1:
                lines[places[0]] = lines[places[0]].replace(name, text)
            elif places:
                heads.append(f"{name} = {text}")
        first = _behind_imports(lines)
        return "\n".join((*lines[:first], *heads, *lines[first:]))


def _behind_imports(lines: Sequence[str]) -> int:
    """The number of the first line that imports nothing; an import may go on over several lines, in brackets."""
    is_open = False
    for number, line in enumerate(lines):
        if not is_open and not IMPORT.match(line):
            return number
        is_open = (is_open or line.endswith("(")) and not line.startswith(")")
    return len(lines)
