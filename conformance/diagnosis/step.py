"""The step of a check: which of its calls the engine answered with an exception.

A check makes many calls in loops, and an exception of the engine's says nothing of which it was. What the loops around
the check's line run through does: it is read from the frames of the exception.
"""

from __future__ import annotations

import ast
import traceback
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import conformance.checks

CHECKS = Path(conformance.checks.__file__).parent
LONGEST = 200  # characters of a step
SENTENCES = (
    "what",
    "words",
    "where",
    "how",
    "when",
)  # names of variables that say by themselves what they are of
PLAIN = (str, int, float, bool, complex, type(None))
Loop = ast.For | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def step_of(trail: TracebackType | None) -> str:
    """Where a check stood, and what the loops around that line ran through; empty where no check was under way.

    Args:
        trail: the traceback of an exception.

    Returns:
        Such as `after a scope was left, count = 2 (no_grad.py:60)`.
    """
    place, found = "", dict[str, str]()
    for frame, line in traceback.walk_tb(trail):
        file = Path(frame.f_code.co_filename)
        if file.parent == CHECKS or CHECKS not in file.parents:
            continue  # what several chapters use has no words for one of them
        place = f"{file.name}:{line}"
        found |= {name: shown for name in _names(frame, line) if (shown := _shown(name, frame.f_locals))}
    words = ", ".join(dict.fromkeys(found.values()))
    words = words if len(words) <= LONGEST else f"{words[: LONGEST - 2]} …"
    return f"{words} ({place})" if words else place


def _names(frame: FrameType, line: int) -> Iterator[str]:
    """The variables that the loops around a line run through, and the parameters of its function, which a loop may have given."""
    code = frame.f_code
    yield from code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    for first, last, names in _loops(code.co_filename):
        if first <= line <= last:
            yield from names


def _shown(name: str, variables: dict[str, Any]) -> str:
    value = variables.get(name)
    if type(value) is str and name in SENTENCES:
        return value.strip(" ,")
    is_plain = type(value) in PLAIN or (type(value) is tuple and all(type(x) in PLAIN for x in value))
    return f"{name} = {value}" if is_plain and name in variables and value is not None else ""


@cache
def _loops(file: str) -> list[tuple[int, int, list[str]]]:
    """The loops of a module: the first and last line of their bodies, and the names of their variables."""
    try:
        module = ast.parse(Path(file).read_text("utf-8"))
    except (OSError, SyntaxError, ValueError):
        return []
    return [
        (
            node.lineno,
            node.end_lineno or node.lineno,
            [n.id for t in _targets(node) for n in ast.walk(t) if isinstance(n, ast.Name)],
        )
        for node in ast.walk(module)
        if isinstance(node, Loop)
    ]


def _targets(node: Loop) -> list[ast.expr]:
    return [node.target] if isinstance(node, ast.For) else [part.target for part in node.generators]
