"""Scopes in a script: written where they are entered, and by a name where one is entered again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conformance.scripts.builder import ScriptBuilder

MADE = re.compile(r"\s*(scope\d+) = (.*)")


class Scope(AbstractContextManager[Any]):
    """A scope of the engine, each of whose blocks is written down; it may be entered again, as the engine's may."""

    def __init__(self, builder: ScriptBuilder, text: str, inner: AbstractContextManager[Any]) -> None:
        self.builder, self.inner = builder, inner
        self.name, self._before = builder.fresh("scope"), [""][:0]
        builder.write(f"{self.name} = {text}")

    def __enter__(self) -> Any:
        """Begin a block."""
        builder = self.builder
        builder.write(f"with {self.name}:")
        self._before.append(builder.indent)
        builder.indent += "" if builder.is_muted else "    "  # what is asked aside has no block
        try:
            return self.inner.__enter__()
        except BaseException:
            self._end()
            raise

    def __exit__(self, *failure: Any) -> bool | None:
        """End it."""
        try:
            return self.inner.__exit__(*failure)
        finally:
            self._end()

    def _end(self) -> None:
        if self.builder.lines and self.builder.lines[-1].endswith(":"):  # nothing was written inside
            self.builder.write("pass")
        self.builder.indent = self._before.pop()


def written_where_entered(lines: Sequence[str]) -> list[str]:
    """The lines, without the names of scopes that are entered once."""
    texts = {found[1]: found[2] for found in map(MADE.fullmatch, lines) if found}
    entries = {name: sum(line.count(f"with {name}:") for line in lines) for name in texts}
    kept = []
    for line in lines:
        made = MADE.fullmatch(line)
        if made and entries[made[1]] == 1:
            continue
        for name in re.findall(r"with (scope\d+):", line):
            if entries.get(name) == 1:
                line = line.replace(f"with {name}:", f"with {texts[name]}:")
        kept.append(line)
    return kept
