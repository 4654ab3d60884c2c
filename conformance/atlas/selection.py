"""Selections: the places of the atlas that a query, or the source of a model, asks for."""

from __future__ import annotations

import ast
import fnmatch
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from conformance.backend import Backend
from conformance.errors import UsageError
from conformance.ops import ALL_OPS, find
from conformance.ops.names import (
    ADD,
    DIVIDE,
    FLOOR_DIVIDE,
    GETITEM,
    MATMUL,
    MULTIPLY,
    NEGATIVE,
    POW,
    REMAINDER,
    SUBTRACT,
)
from conformance.points.point import COMPOSED
from conformance.scripts.adapter_source import expression_of

# How ids and pages spell a place of an op, and a clause.
OF_OP, OF_CLAUSE = ("", "op/", "point/"), ("", "contract/", "clause/")
OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**",
    ast.FloorDiv: "//", ast.Mod: "%", ast.USub: "-x", ast.Subscript: "[]",
}  # fmt: skip
OPS = {
    "+": ADD, "-": SUBTRACT, "*": MULTIPLY, "/": DIVIDE, "@": MATMUL, "**": POW, "//": FLOOR_DIVIDE,
    "%": REMAINDER, "-x": NEGATIVE, "[]": GETITEM,
}  # fmt: skip
EXAMPLES = {sign: f"x {sign} y" for sign in OPS} | {"-x": "-x", "[]": "x[0]"}
TAKES = "it takes a program, model.py, or a list of ops, such as relu,MaxPool2d,@"
LAYER = re.compile(r"(loss|function)$|[123]d$")  # what classes of layers and losses end in


class Selection(msgspec.Struct, frozen=True):
    """Which places are asked: those that a query matches, and those of some ops; all where neither is given.

    Attributes:
        queries: a place, or its beginning at a slash: `op/max`, `max/tie-of-2`, `A2`, `contract/A2`.
        ops: the catalogue's names, or an operator of Python.
    """

    queries: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()

    def has(self, place: str) -> bool:
        """Whether a place is asked."""
        if not self.queries and not self.ops:
            return True
        return any(self._matches(place, query) for query in self.queries) or _is_of(place, self.ops)

    def _matches(self, place: str, query: str) -> bool:
        wanted = query.rstrip("/")
        return any(
            fnmatch.fnmatchcase(prefix + place, pattern)
            for prefix in (OF_OP if "/" in place else OF_CLAUSE)
            for pattern in (wanted, f"{wanted}/*")
        )


def _is_of(place: str, ops: Sequence[str]) -> bool:
    """Whether a place is of one of the ops; a composition is, if it names one of them."""
    op, _, name = place.partition("/")
    if op == COMPOSED:
        return bool(set(re.findall(r"[a-z_0-9]+", name)) & set(ops))
    return op in ops


def names_in(text: str, model: str = "the model") -> dict[str, set[str]]:
    """The names that a program calls, each with how it is written; an operator under its sign.

    Raises UsageError, which names the `model` and the line, where the text is no Python.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:  # ValueError: a null byte, of which Python gives no line
        line = f", line {error.lineno}," if isinstance(error, SyntaxError) and error.lineno else ""
        raise UsageError(f"{model}{line} is not Python: {getattr(error, 'msg', error)}") from None
    found: dict[str, set[str]] = {}
    for name, written in _called(tree):
        found.setdefault(name, set()).add(written)
    return found


def _called(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Attribute, ast.Name)):
            written = ast.unparse(node.func)
            yield written.rpartition(".")[2], written
        operator = getattr(node, "op", node)
        if type(operator) in OPERATORS:
            yield OPERATORS[type(operator)], OPERATORS[type(operator)]


def source_of(text: str) -> str:
    """The source in a file, or calls of the names in a list `relu,softmax,@`; UsageError where it is neither."""
    if not text.endswith(".py"):
        names = [name.strip() for name in text.split(",") if name.strip()]
        if not names:
            raise UsageError(f"--ops-of {text!r} names nothing: {TAKES}")
        if text not in ALL_OPS and os.path.exists(text):  # of a long list a Path would raise
            what = "folder" if os.path.isdir(text) else "file whose name does not end in .py"
            raise UsageError(f"{text} is a {what}: {TAKES}")
        return "\n".join(map(_call_of, names))
    try:
        return Path(text).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {text}: {error}") from None


def _call_of(name: str) -> str:
    """A call of an op of that name, or an operator between operands; UsageError where it is neither."""
    if name in EXAMPLES:
        return EXAMPLES[name]
    if not all(part.isidentifier() for part in name.split(".")):
        raise UsageError(f"--ops-of: {name!r} is no name of an op, and no operator: {TAKES}")
    return f"{name}()"


def folded(name: str) -> set[str]:
    """A name as names are compared: `max_pool2d`, `MaxPool2d` are the same, and `MSELoss` is also `mse`."""
    plain = name.casefold().replace("_", "")
    return {plain, LAYER.sub("", plain)} - {""}


def ops_named(names: Iterable[str], spellings: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
    """For each name the catalogue's ops that it may mean; an operator of Python stands for its op.

    `spellings` has, for each op, the engines' and other names.
    """
    by_folded: dict[str, set[str]] = {}
    for op, written in spellings.items():
        for spelling in {op, *written}:
            by_folded.setdefault(spelling.casefold().replace("_", ""), set()).add(op)
    found = {}
    for name in names:
        meant = [by_folded.get(text, set()) for text in folded(name)]
        found[name] = set().union(*meant, {OPS[name]} if name in OPS else ())
    return found


def imported(text: str) -> set[str]:
    """The names that imports bind in a program."""
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    return {(alias.asname or alias.name).partition(".")[0] for node in nodes for alias in node.names}


def spellings_of(backend: Backend) -> dict[str, list[str]]:
    """For each op of a backend its aliases, and the name of the engine's function that the adapter calls for it."""
    found = {}
    for name in backend.asked_ops:
        expression = expression_of(backend, name)
        body = expression.body if isinstance(expression, ast.Lambda) else expression
        calls = (
            [node.func for node in ast.walk(body) if isinstance(node, ast.Call)] if body is not None else []
        )
        outermost = next((f.attr for f in [body, *calls] if isinstance(f, ast.Attribute)), "")
        found[name] = [*find(name).aliases, *([outermost] if outermost else [])]
    return found
