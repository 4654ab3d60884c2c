"""Calls of other threads in a script: a function that a thread runs, where one thread works at a time; else the script says so."""

from __future__ import annotations

import ast
import threading
from collections.abc import Iterable, Sequence
from textwrap import indent

BLOCK = "in_other_thread"
HEAD = f"with {BLOCK}():"
IMPORTS = "from concurrent.futures import ThreadPoolExecutor"
RUN = "with ThreadPoolExecutor() as pool:\n    pool.submit({name}).result()"


class Line(str):
    """A line that another thread has written, not the one that began the script."""

    thread: threading.Thread


def like(line: str, text: str) -> str:
    """The text as a line of the thread that wrote `line`."""
    if not isinstance(line, Line):
        return text
    made = Line(text)
    made.thread = line.thread
    return made


class Threads:
    """Which threads write the lines of a script, and whether they do at the same time."""

    def __init__(self) -> None:
        self._own = threading.current_thread()
        self._others: list[threading.Thread] = []  # kept, so that their identities stay their own
        self._at_once: set[threading.Thread] = set()
        self._most = 0
        self._is_unspelled = False

    def line(self, text: str) -> str:
        """The text as a line of the thread that writes it; those that an engine itself starts in C count as this one."""
        thread = threading.current_thread()
        if thread is self._own or type(thread) is not threading.Thread:
            return text
        if thread not in self._others:
            self._others.append(thread)
        living = {other for other in self._others if other.is_alive()}
        self._at_once |= living if len(living) > 1 else set()
        self._most = max(self._most, len(living))
        made = Line(text)
        made.thread = thread
        return made

    def head(self) -> list[str]:
        """What the script lacks, as comments: call it after `blocks`."""
        if self._most > 1:
            count = len(self._others) + 1
            return [
                f"# not the whole program: the calls below were made in {count} threads, {self._most} of them at the same time"
            ]
        lacking = "# not the whole program: another thread made some of the calls below"
        return [lacking] * self._is_unspelled

    def blocks(self, lines: Sequence[str]) -> list[str]:
        """The lines, with what one thread did alone in a block.

        It is none in a function, whose names are its own, nor where the thread begins a scope that another one ends.
        """
        kept, position = list[str](), 0
        while position < len(lines):
            line, start = lines[position], position
            position += 1
            if not isinstance(line, Line) or line.thread in self._at_once:
                kept.append(line)
                continue
            while position < len(lines) and _goes_on(lines[position], line):
                position += 1
            margin = _margin(line)
            is_left_open = position < len(lines) and _margin(lines[position]) > margin
            is_unspelled = is_left_open or _is_within_function(lines[:start], margin)
            self._is_unspelled |= is_unspelled
            if not is_unspelled:
                kept.append(" " * margin + HEAD)
            kept += (each if is_unspelled else indent(each, "    ") for each in lines[start:position])
        return kept


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _goes_on(line: str, first: Line) -> bool:
    return isinstance(line, Line) and line.thread is first.thread and _margin(line) >= _margin(first)


def _is_within_function(before: Sequence[str], margin: int) -> bool:
    for line in reversed(before):
        if _margin(line) < margin:
            margin = _margin(line)
            if line.lstrip().startswith(("def ", "class ")):
                return True
    return False


def is_of_other_thread(statement: ast.stmt) -> bool:
    """Whether a statement is a block of another thread."""
    match statement:
        case ast.With([ast.withitem(ast.Call(ast.Name(name)))]):
            return name == BLOCK
    return False


def in_threads(text: str) -> str:
    """A script whose blocks of other threads are functions that a thread runs, and that hands on what they raise."""
    if HEAD not in text:
        return text
    tree = ast.parse(text)
    lines = ast.unparse(_Running(tree).visit(tree)).splitlines()
    return "\n".join((IMPORTS, *filter(None, lines)))


class _Running(ast.NodeTransformer):
    def __init__(self, tree: ast.Module) -> None:
        self.tree, self.count = tree, 0

    def visit_With(self, node: ast.With) -> ast.With | list[ast.stmt]:
        if not is_of_other_thread(node):
            self.generic_visit(node)
            return node
        name = f"elsewhere{self.count}"
        self.count += 1
        inside = list(_loads([node]))
        outside = list(_loads([self.tree]))
        shared = sorted(n for n in _made(node.body) if outside.count(n) > inside.count(n))
        head = [f"global {', '.join(shared)}"] if shared else []
        body = indent("\n".join((*head, *map(ast.unparse, node.body))), "    ")
        return ast.parse(f"def {name}():\n{body}\n{RUN.format(name=name)}").body


def _loads(nodes: Iterable[ast.AST]) -> Iterable[str]:
    for node in nodes:
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
                yield each.id


def _made(body: Sequence[ast.stmt]) -> set[str]:
    found = set[str]()
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            found.add(statement.name)
        else:
            found |= {
                n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
    return found
