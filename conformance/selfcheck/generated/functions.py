"""From a function to the source it was made from, and to a copy with one error in it.

The copy shares nothing that was changed: whatever the function reaches on the way to the changed one is copied too,
so that others who call it (a reference that shares a helper with a rule) stay right.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from conformance.selfcheck.generated.edits import Edit, edits_of
from conformance.selfcheck.generated.operators import FunctionNode

OUTER, INNER = "_conformance_outer", "_conformance_inner"


# ---- from a function to its source ------------------------------------------------------------------------


@cache
def tree_of(module: str) -> ast.Module:
    """The syntax tree of an imported module."""
    return ast.parse(inspect.getsource(sys.modules[module]))


@cache
def _nodes_by_line(module: str) -> dict[int, list[FunctionNode]]:
    by_line: dict[int, list[FunctionNode]] = {}
    for node in ast.walk(tree_of(module)):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            lines = [node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))]
            by_line.setdefault(min(lines), []).append(node)
    return by_line


@cache
def node_of(function: types.FunctionType) -> FunctionNode | None:
    """The node from which a function was made; None where it cannot be distinguished."""
    code = function.__code__
    fitting = [
        n for n in _nodes_by_line(function.__module__).get(code.co_firstlineno, ()) if _is_made_of(code, n)
    ]
    return min(fitting, key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0)) if fitting else None


def _is_made_of(code: types.CodeType, node: FunctionNode) -> bool:
    if isinstance(node, ast.FunctionDef):
        return code.co_name == node.name
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    if (
        code.co_name != "<lambda>"
        or list(code.co_varnames[: len(names)]) != names
        or code.co_argcount != len(names)
    ):
        return False
    body = node.body
    start, end = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
    places = [p for p in code.co_positions() if None not in p and p[3] != 0]
    return all((p[0], p[2]) >= start and (p[1], p[3]) <= end for p in places) and any(
        (p[0], p[2]) == start and (p[1], p[3]) == end for p in places
    )


# ---- what a function reaches --------------------------------------------------------------------------------


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _functions_in(value: Any, package: str) -> Iterator[types.FunctionType]:
    """The functions of a package that a value holds; one that arrays may override is an op's reference."""
    if isinstance(value, types.FunctionType):
        if value.__module__.startswith(package) and not hasattr(value, "__wrapped__"):
            yield value
    elif isinstance(value, functools.partial):
        yield from _functions_in(value.func, package)
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _functions_in(item, package)


def _uses(function: types.FunctionType) -> dict[str, Any]:
    """What a function refers to by name: globals, and the variables of the functions around it."""
    used = {
        n: function.__globals__[n]
        for n in dict.fromkeys(_names(function.__code__))
        if n in function.__globals__
    }
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {**used, **{name: cell.cell_contents for name, cell in cells}}


def reached(function: types.FunctionType, package: str) -> list[types.FunctionType]:
    """The functions of a package that a function reaches, itself first."""
    found, to_visit = {function: None}, [function]
    while to_visit:
        for value in _uses(to_visit.pop(0)).values():
            for other in _functions_in(value, package):
                if other not in found:
                    found[other] = None
                    to_visit.append(other)
    return list(found)


# ---- the copy -------------------------------------------------------------------------------------------------


@cache
def edits(function: types.FunctionType) -> tuple[Edit, ...]:
    """The edits of a function's source; none where there is no source."""
    node = node_of(function)
    return tuple(edits_of(node, function.__globals__)) if node is not None else ()


class _Copies:
    """Copies of the functions on the way to a changed one."""

    def __init__(self, changed: types.FunctionType, edit: Edit, package: str) -> None:
        self.changed, self.edit, self.package = changed, edit, package
        self.copies: dict[types.FunctionType, Callable[..., Any]] = {}

    def of(self, function: types.FunctionType) -> Callable[..., Any]:
        """The function's copy; itself where it does not reach the changed one."""
        if function in self.copies:
            return self.copies[function]
        if self.changed not in reached(function, self.package):
            return function
        visible = dict(function.__globals__)
        cells = [types.CellType() for _ in function.__closure__ or ()]
        if function is self.changed:
            copied = self._recompiled(function, visible, cells)
        else:
            copied = types.FunctionType(
                function.__code__, visible, function.__name__, function.__defaults__, tuple(cells)
            )
            copied.__kwdefaults__ = function.__kwdefaults__
        self.copies[function] = copied
        for name in dict.fromkeys(_names(function.__code__)):
            if name in function.__globals__:
                visible[name] = self._value(function.__globals__[name])
        for cell, old in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = self._value(old.cell_contents)
        return copied

    def _value(self, value: Any) -> Any:
        """A value in which functions are replaced by their copies."""
        if not any(True for _ in _functions_in(value, self.package)):
            return value
        if isinstance(value, types.FunctionType):
            return self.of(value)
        if isinstance(value, functools.partial):
            return functools.partial(self._value(value.func), *value.args, **value.keywords)
        return type(value)(self._value(item) for item in value)

    def _recompiled(
        self, function: types.FunctionType, visible: dict[str, Any], cells: list[types.CellType]
    ) -> types.FunctionType:
        node = node_of(function)
        assert node is not None
        with self.edit.applied():
            code = _compiled(node, function)
        by_name = dict(zip(function.__code__.co_freevars, cells, strict=True))
        closure = tuple(
            by_name[name] for name in code.co_freevars
        )  # an edit may drop the last use of a variable
        copied = types.FunctionType(code, visible, function.__name__, function.__defaults__, closure)
        copied.__kwdefaults__ = function.__kwdefaults__
        return copied


def _compiled(node: FunctionNode, function: types.FunctionType) -> types.CodeType:
    """The code of a function, its free variables those of a function written around it."""
    inner: ast.stmt
    if isinstance(node, ast.Lambda):
        inner = ast.Return(node)
    else:
        # Under another name, since a function that calls itself calls what its globals name.
        inner = ast.FunctionDef(INNER, _without_annotations(node.args), node.body, [], None, None)
    free = [ast.arg(name) for name in function.__code__.co_freevars]
    empty = ast.arguments([], free, None, [], [], None, [])
    module = ast.Module([ast.FunctionDef(OUTER, empty, [inner], [], None, None)], [])
    whole = compile(
        ast.fix_missing_locations(module), f"<mutant of {function.__name__}>", "exec", dont_inherit=True
    )
    outer = next(c for c in whole.co_consts if isinstance(c, types.CodeType))
    return next(c for c in outer.co_consts if isinstance(c, types.CodeType))


def _without_annotations(arguments: ast.arguments) -> ast.arguments:
    def bare(argument: ast.arg | None) -> ast.arg | None:
        return ast.arg(argument.arg) if argument else None

    return ast.arguments(
        [ast.arg(a.arg) for a in arguments.posonlyargs],
        [ast.arg(a.arg) for a in arguments.args],
        bare(arguments.vararg),
        [ast.arg(a.arg) for a in arguments.kwonlyargs],
        [
            None if d is None else ast.Constant(None) for d in arguments.kw_defaults
        ],  # kept from the function itself
        bare(arguments.kwarg),
        [ast.Constant(None) for _ in arguments.defaults],
    )


def changed(function: types.FunctionType, where: types.FunctionType, edit: Edit, package: str) -> Any:
    """A copy of `function` in which `where`, one of the functions that it reaches, has the error."""
    return _Copies(where, edit, package).of(function)
