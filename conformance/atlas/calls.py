"""Calls: a question of the atlas in the engine's own words, with its operands and values on one line."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.case import Array
from conformance.points.point import Place
from conformance.scripts.adapter_source import call_text, modules_of

LETTERS = "xyzw"
CALLS = 2  # of a function that are shown
ENTRIES = 9  # of an array that are shown


def names_for(count: int) -> list[str]:
    """What operands are called."""
    return list(LETTERS[:count]) if count <= len(LETTERS) else [f"x{i}" for i in range(count)]


def call_of(backend: Backend, op: str, names: Sequence[str], parameters: Mapping[str, Any]) -> str:
    """The engine's own call of an op; the catalogue's where the adapter does not name the op."""
    text = _plain_call(backend, op, names, parameters)
    called = ast.parse(text, mode="eval").body
    if isinstance(called, ast.Call) and isinstance(called.func, ast.Name):
        inner = engine_calls(backend, called.func.id)
        return f"{text}, by {', '.join(inner)}" if inner else text
    return text


def _plain_call(backend: Backend, op: str, names: Sequence[str], parameters: Mapping[str, Any]) -> str:
    """A call that may be an operand of another."""
    if op not in backend.ops:
        return f"{op}({', '.join(names)})"
    return call_text(backend, op, list(names), dict(parameters))


def engine_calls(backend: Backend, helper: str) -> list[str]:
    """The engine's calls in a function of the adapter's own, which a call of an op only names."""
    for module in modules_of(backend):
        function = vars(module).get(helper)
        if not inspect.isfunction(function) or function.__module__ != module.__name__:
            continue
        nodes = ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function))))
        calls = [
            node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        ]
        of_module = [c for c in calls if ast.unparse(c.func).partition(".")[0] in vars(module)]
        return [ast.unparse(call) for call in of_module][:CALLS]
    return []


def call_at(backend: Backend, place: Place) -> str:
    """The engine's own call, or calls, of a special point."""
    names = names_for(len(place.operands))
    if not place.point.steps:
        return call_of(backend, place.point.op, names, place.point.parameters)
    for step in place.point.steps:
        names.append(_plain_call(backend, step.op, [names[i] for i in step.inputs], step.parameters))
    return names[-1]


def operands_in_brief(operands: Sequence[Array]) -> str:
    """Every operand with its values: `x = [1 2 2]`."""
    pairs = zip(names_for(len(operands)), operands, strict=True)
    return ", ".join(f"{name} = {array_in_brief(x)}" for name, x in pairs)


def array_in_brief(array: Any) -> str:
    """An array on a part of a line: a matrix by rows, with at most nine entries in all."""
    values = np.asarray(array)
    while values.ndim > 2 and len(values) == 1:
        values = values[0]  # examples and channels of one entry
    if values.ndim < 2 or values.size > ENTRIES:
        entries = [number(v) for v in values.ravel()[:ENTRIES]]
        return (
            f"[{' '.join(entries)}{' …' * (values.size > ENTRIES)}]" if np.ndim(array) else "".join(entries)
        )
    return f"[{' '.join(array_in_brief(row) for row in values)}]"


def number(value: Any) -> str:
    """A number in few digits."""
    return f"{value:.4g}" if np.asarray(value).dtype.kind in "fc" else str(value).lower()
