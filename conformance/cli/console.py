"""How verbs that describe things find them by a query, and set them out in columns.

Data is never markup: what an engine or an adapter says reaches the terminal as it is.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import fnmatch
import inspect
import os
import random
import re
import sys
import textwrap
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from conformance.errors import brief

if TYPE_CHECKING:
    from rich.console import Console

    from conformance.op import Domain, Op, Signature

T = TypeVar("T")
MACRON = "\u0304"
WIDE = 120  # columns of a terminal on which a table is read as one
BRIEF = 24  # characters of a cell that may share its line
SAMPLES = 80  # calls of a law that are looked at for the values of its parameters


DIGITS = 18  # what the run file can say: 64 bits


def whole_number(text: str) -> int:
    """A whole number, not below zero."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{brief(text)!r} is not a whole number, zero or above")
    if len(text) > DIGITS:
        raise argparse.ArgumentTypeError(f"{brief(text)} is too large: {DIGITS} digits are enough")
    return int(text)


def add_json_flag(parser: argparse.ArgumentParser) -> None:
    """`--json`, which every verb has that prints anything but a report."""
    parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON, for programs")


def print_json(value: Any) -> None:
    """Print records, and what is made of them, as one JSON document; a number that is none is null."""
    import msgspec

    print_document(msgspec.json.format(msgspec.json.encode(value, enc_hook=repr), indent=1).decode())


def print_document(text: str) -> None:
    """Print a document of JSON: within `json_alone` the only thing on standard output."""
    print(text.rstrip("\n"), file=_document_to or sys.stdout, flush=True)


_document_to: TextIO | None = None


@contextlib.contextmanager
def to_errors() -> Iterator[TextIO]:
    """A scope in which what is printed, by us, an engine, or a process that it starts, goes to standard error.

    Yields what standard output was.
    """
    stream = sys.stdout
    stream.flush()
    with contextlib.ExitStack() as scope:
        try:
            number, error = stream.fileno(), sys.stderr.fileno()
        except (OSError, ValueError):  # not a file: what stands in its place in Jupyter or in a test
            kept = stream
        else:
            copy = os.dup(number)
            scope.callback(os.close, copy)
            scope.callback(os.dup2, copy, number)
            kept = scope.enter_context(open(os.dup(copy), "w", encoding="utf-8", errors="backslashreplace"))
            os.dup2(error, number)
        scope.enter_context(contextlib.redirect_stdout(sys.stderr))
        yield kept


@contextlib.contextmanager
def json_alone() -> Iterator[None]:
    """The same, where standard output is for `print_document` alone."""
    global _document_to
    with to_errors() as _document_to:
        try:
            yield
        finally:
            _document_to = None


def matches(names: Iterable[str], query: str) -> bool:
    """Whether any of the names contains the query; with `*`, `?` or `[`, whether any is the whole of it."""
    wanted = query.casefold()
    if any(sign in query for sign in "*?["):
        return any(fnmatch.fnmatchcase(name.casefold(), wanted) for name in names)
    return any(wanted in name.casefold() for name in names)


def nearest(word: str, names: Iterable[str]) -> str:
    """A hint at what may have been meant, ready to follow a semicolon; empty where nothing is near."""
    by_fold = {name.casefold(): name for name in names}
    close = difflib.get_close_matches(word.casefold(), by_fold, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(by_fold[name] for name in close)}?" if close else ""


def print_columns(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table: wrapped to its width on a terminal, one line a row elsewhere."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal:
        print("\n".join(lined_up([headings, *rows])))
        return
    if console.width < WIDE and max(map(len, lined_up([headings, *rows]))) > console.width:
        print_blocks(console, rows)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(Text(heading), overflow="fold", no_wrap=heading == headings[0])
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def print_blocks(console: Console, rows: Sequence[Sequence[str]]) -> None:
    """Rows for a narrow terminal: the short cells of a row on a line, its long ones wrapped below."""
    from rich.text import Text

    for row in rows:
        brief = [cell for cell in row[1:] if cell and len(cell) <= BRIEF]
        console.print(Text(row[0], style="bold").append("  " + "  ".join(brief), style="not bold"))
        for cell in (cell for cell in row[1:] if len(cell) > BRIEF):
            for line in textwrap.wrap(cell, max(console.width - 4, BRIEF)):
                console.print(Text("    " + line))


def lined_up(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of text as lines whose columns begin at the same place."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(text.ljust(n) for text, n in zip(row, widths, strict=True)).rstrip() for row in rows]


class Page:
    """A page of text: paragraphs are wrapped, lines are not, headings stand out on a terminal."""

    WIDTH = 88

    def __init__(self) -> None:
        from rich.console import Console

        self.console = Console(highlight=False, soft_wrap=True)
        self.width = min(self.WIDTH, self.console.width) if self.console.is_terminal else self.WIDTH
        self.lines: list[tuple[str, str]] = []

    def title(self, text: str) -> None:
        """What the page, or a further part of it, is about."""
        self.lines += [("", "")] * bool(self.lines) + [(text, "bold underline")]

    def heading(self, text: str) -> None:
        """The beginning of a section."""
        self.lines += [("", ""), (text, "bold")]

    def text(self, text: str, *, indent: int = 2, is_apart: bool = False) -> None:
        """A paragraph, set apart by an empty line where several follow each other."""
        self.lines += [("", "")] * is_apart
        margin = " " * indent
        wrapped = textwrap.wrap(
            " ".join(text.split()), self.width, initial_indent=margin, subsequent_indent=margin
        )
        self.lines += [(line, "") for line in wrapped]

    def line(self, text: str) -> None:
        """A line that stays whole, so that it can be copied."""
        self.lines.append((f"  {text}", ""))

    def value(self, name: str, text: str) -> None:
        """A name and its value, which may have several lines."""
        rows = text.splitlines()
        if len(rows) == 1 and len(name) + len(text) < self.width:
            self.line(f"{name} = {text}" if "=" not in name else f"{name}  →  {text}")
            return
        self.line(f"{name}:")
        self.lines += [(f"    {row}", "") for row in rows]

    def as_json(self) -> list[dict[str, Any]]:
        """Its parts, each with its title and its sections; what stands before the first heading has none."""
        parts: list[dict[str, Any]] = []
        for line, style in self.lines:
            if style == "bold underline":
                parts.append({"title": line, "sections": [{"heading": "", "lines": []}]})
            elif style == "bold":
                parts[-1]["sections"].append({"heading": line, "lines": []})
            elif line:
                parts[-1]["sections"][-1]["lines"].append(line.strip())
        return parts

    def end(self) -> None:
        """Print the page."""
        from rich.text import Text

        for line, style in self.lines:
            self.console.print(Text(line, style=style))


# ---- ops in words --------------------------------------------------------------------------------


class Doing:
    """Says on stderr what long work is at: on a line that changes on a terminal, and elsewhere on a line now and then."""

    PAUSE = 20.0  # seconds between two lines where none can be written over
    WIDTH = 90  # characters that are shown

    def __init__(self) -> None:
        self.is_terminal = sys.stderr.isatty()
        self._printed = time.monotonic()

    def __call__(self, text: str) -> None:
        """What is being done now."""
        if self.is_terminal:
            print(f"\r\x1b[K  {text[: self.WIDTH]}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self._printed > self.PAUSE:
            self._printed = time.monotonic()
            print(f"  {text[: self.WIDTH]}", file=sys.stderr, flush=True)

    def erase(self) -> None:
        """Clear the line of a terminal."""
        if self.is_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def names_of(op: Op, count: int) -> list[str]:
    """What the operands are called: as in our own references, or as the formula calls them."""
    from conformance.op import Trait

    given: list[str] = []
    if not op.reference.__module__.startswith("numpy"):
        positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        given = [n for n, p in inspect.signature(op.reference).parameters.items() if p.kind in positional]
    if len(given) == count:
        return given
    letters = iter(dict.fromkeys(re.findall(rf"(\w){MACRON}", unicodedata.normalize("NFD", op.formula))))
    named = [next(letters, "") if op.is_differentiable(i) else "cij"[i % 3] for i in range(count)]
    if Trait.VARIADIC in op.traits or not all(named) or len(set(named)) < count:
        return [f"x{i}" for i in range(count)]
    return named


def domain_in_brief(domain: Domain) -> str:
    """A domain as a mathematician abbreviates it: `real ≠ 0`, `0 < real < 1`, `distinct`."""
    from conformance.op import OperandKind

    if domain.kind is not OperandKind.REAL:
        return domain.kind.name.lower().replace("_", " ")
    low, high = domain.low > -float("inf"), domain.high < float("inf")
    if low and high:
        text = f"{number(domain.low)} < real < {number(domain.high)}"
    else:
        text = f"real > {number(domain.low)}" if low else f"real < {number(domain.high)}" if high else "real"
    return text + (f" ≠ {', '.join(map(number, domain.kinks))}" if domain.kinks else "")


def number(value: float) -> str:
    """A number without needless digits."""
    return f"{value:g}".replace("-", "−")


def simplest(op: Op) -> Signature:
    """The first call of an op's law."""
    return op.law(lambda options: options[0])


def parameters_of(op: Op) -> Mapping[str, list[Any]]:
    """Every parameter of an op with the values its law gives it, the simplest first."""
    drawn = random.Random(0)

    def choose(options: Sequence[T], /) -> T:
        return drawn.choice(list(options))

    found: dict[str, list[Any]] = {name: [value] for name, value in simplest(op).parameters.items()}
    for _ in range(SAMPLES if found else 0):
        for name, value in op.law(choose).parameters.items():
            known = found.setdefault(name, [])
            if repr(value) not in map(repr, known):
                known.append(value)
    return found
