"""The notebook of a script: its lines, and what the engine's arrays are called in it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Dialect, NDArray
from conformance.errors import Violation
from conformance.run import source

LONGEST_VALUE = 400  # characters of an expected value worth printing


class Notebook:
    """The lines of a script being written, and the names of the engine's arrays in it."""

    def __init__(self, backend: Backend, dialect: Dialect) -> None:
        self.backend = backend
        self.dialect = dialect
        self.lines: list[str] = []
        self.indent = ""
        self._names: dict[int, tuple[str, Any]] = {}
        self._counts: dict[str, int] = {}
        self._functions: dict[tuple[str, ...], str] = {}

    def fresh(self, prefix: str) -> str:
        """A name not used so far."""
        number = self._counts.get(prefix, 0)
        self._counts[prefix] = number + 1
        return f"{prefix}{number}"

    def write(self, line: str) -> None:
        """Add a line, unless it repeats the last."""
        if not self.lines or self.lines[-1] != self.indent + line:
            self.lines.append(self.indent + line)

    @contextlib.contextmanager
    def definition(self, arguments: Sequence[str], named: list[str]) -> Iterator[None]:
        """The lines written inside are a function; one with the same body as an earlier is not written again."""
        start, indent, counted = len(self.lines), self.indent, self._counts.get("t", 0)
        self.indent, self._counts["t"] = indent + "    ", 0
        try:
            yield
        finally:
            body = tuple(self.lines[start:])
            self.indent, self._counts["t"] = indent, counted
            del self.lines[start:]
            if body not in self._functions:
                self._functions[body] = self.fresh("f")
                self.write(f"def {self._functions[body]}({', '.join(arguments)}):")
                self.lines.extend(body)
            named.append(self._functions[body])

    def name(self, array: Any, name: str) -> Any:
        """Remember what an array is called; the array is kept, so that its identity stays its own."""
        self._names[id(array)] = (name, array)
        return array

    def called(self, array: Any) -> str:
        """What an array is called."""
        return self._names[id(array)][0] if id(array) in self._names else repr(array)

    def made(self, prefix: str, template: str, value: NDArray, make: Callable[[NDArray], Any]) -> Any:
        """Write how an array is made, and make it."""
        name, dtype = self.fresh(prefix), value.dtype.name
        buffer, view = spread(value)
        array = self.dialect.array.format(values=literal(buffer), dtype=dtype) + view
        lost = "  # does not lie in C order" if view and "{array}" not in template else ""
        self.write(f"{name} = {template.format(values=literal(value), dtype=dtype, array=array)}{lost}")
        return self.name(make(value), name)

    def text(self, failure: BaseException | None) -> str:
        """The script."""
        is_about_values = any(word in str(failure) for word in ("value", "output"))
        kept = [
            x for x in self.lines if is_about_values or not x.lstrip().startswith(("print(out", "print(y"))
        ]
        body = "\n".join(kept)
        tail = [f"# {line}" for line in str(failure).splitlines()]
        if isinstance(failure, Violation):
            for title, value in (("expected", failure.expected), ("got", failure.got)):
                shown = literal(value) if value is not None else ""
                if shown and len(shown) <= LONGEST_VALUE:
                    tail.append(f"# {title} {shown}")
        try:
            helpers = source.helpers_in(self.backend, body)
        except SyntaxError:  # a repr that is no Python: the script is still worth reading
            helpers = ""
        return "\n".join(part for part in (self.dialect.imports, helpers, body, *tail) if part)


def spread(value: NDArray) -> tuple[NDArray, str]:
    """A buffer in C order, and the indexing that makes of it an array that lies as `value` does."""
    if value.flags.c_contiguous or not value.size:
        return value, ""
    if value.flags.f_contiguous and value.ndim == 2:
        return value.T, ".T"
    if value.strides[-1] == 2 * value.itemsize:
        buffer = np.zeros((*value.shape[:-1], 2 * value.shape[-1]), value.dtype)
        buffer[..., ::2] = value
        return buffer, "[..., ::2]"
    return value, ""


def literal(value: Any) -> str:
    """Numbers as Python writes them; an empty array keeps its shape."""
    array = np.asarray(value)
    if array.dtype.kind == "f":
        array = array.astype(np.float64)
    if array.size == 0 and array.ndim > 1:
        return f"np.zeros({array.shape})"
    return repr(array.tolist()).replace("nan", "float('nan')").replace("inf", "float('inf')")
