"""How an adapter spells an op, read off its own source.

An adapter's `ops` is made of dictionaries of names and expressions. The expression is what a user of the
engine would write, so scripts quote it.
"""

from __future__ import annotations

import ast
import inspect
import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from conformance.backend import Backend


def modules_of(backend: Backend) -> list[ModuleType]:
    """The modules an adapter is written in: its classes', those of their packages, and files beside it with lambdas as ops.

    A class may be derived from an adapter of another package: its ops are spelled there.
    """
    own = sys.modules[type(backend).__module__]
    classes = [base.__module__ for base in type(backend).__mro__]
    adapters = [c.__module__ for c in type(backend).__mro__ if issubclass(c, Backend)]
    names = [*classes, *(getattr(f, "__module__", None) for f in backend.ops.values())]
    modules = [sys.modules[name] for name in dict.fromkeys(names) if name in sys.modules]
    packages = {_package(own), *(name.partition(".")[0] for name in adapters)} - {
        _package(sys.modules[__name__])
    }
    beside = _files_of_lambdas(backend)
    return [m for m in modules if _package(m) in packages or getattr(m, "__file__", None) in beside]


def _package(module: ModuleType) -> str:
    return module.__name__.partition(".")[0]


def _files_of_lambdas(backend: Backend) -> set[str]:
    """Files beside the adapter's that spell ops as lambdas; an engine's own file there has functions with names."""
    folder = Path(inspect.getfile(type(backend))).parent
    codes = (getattr(function, "__code__", None) for function in backend.ops.values())
    files = {code.co_filename for code in codes if code and code.co_name == "<lambda>"}
    return {file for file in files if Path(file).parent == folder}


@dataclass(frozen=True)
class Table:
    """A dictionary that a module's source assigns to a name: of the module, or of the class `owner`."""

    owner: str
    name: str
    entries: dict[str, ast.expr]

    def value(self, backend: Backend, module: ModuleType) -> Mapping[str, Any]:
        """The dictionary itself; empty where the backend has none of that name."""
        owners = [
            c for c in type(backend).__mro__ if (c.__module__, c.__name__) == (module.__name__, self.owner)
        ]
        scopes = owners if self.owner else [module]
        value = vars(scopes[0]).get(self.name) if scopes else None
        return value if isinstance(value, Mapping) else {}


@lru_cache(maxsize=64)
def tree_of(module: ModuleType) -> ast.Module:
    """A module's source, which every script of a failure asks for; nothing where it cannot be read."""
    try:
        return ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return ast.Module([], [])


@lru_cache(maxsize=64)
def _tables(module: ModuleType) -> tuple[Table, ...]:
    """Every dictionary with string keys that a module's source assigns."""
    tree = tree_of(module)
    bodies = [("", tree.body), *((n.name, n.body) for n in ast.walk(tree) if isinstance(n, ast.ClassDef))]
    return tuple(
        Table(owner, *assigned)
        for owner, body in bodies
        for statement in body
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        if (assigned := _assigned(target, statement.value))
    )


def _assigned(target: ast.expr, value: ast.expr) -> tuple[str, dict[str, ast.expr]] | None:
    """The dictionary that `name = {...}` fills, or `name["key"] = value` adds to, and its entries."""
    if isinstance(target, ast.Name):
        return target.id, _entries(value)
    match target:
        case ast.Subscript(ast.Name(name), ast.Constant(str(key))):
            return name, {key: value}
    return None


def _entries(assigned: ast.expr) -> dict[str, ast.expr]:
    return {
        key.value: value
        for node in ast.walk(assigned)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def expression_of(backend: Backend, name: str) -> ast.expr | None:
    """The expression behind an op's name in the adapter's source; None where it cannot be read.

    A dictionary counts only where its value of that name is the function in the adapter's `ops`: others may
    have keys of the same name.
    """
    op = inspect.unwrap(backend.ops[name])
    for module in modules_of(backend):
        for table in _tables(module):
            found = table.value(backend, module).get(name) if name in table.entries else None
            if found is not None and inspect.unwrap(found) is op:
                return table.entries[name]
    return None


def call_text(backend: Backend, name: str, operands: list[str], parameters: dict[str, Any]) -> str:
    """A call of an op in the engine's own words: a lambda of the table is written out."""
    expression = expression_of(backend, name)
    if expression is None and backend.dialect and backend.dialect.call:
        return backend.dialect.call.format(
            name=name, operands=", ".join(operands), parameters=spelled(parameters)
        )
    arguments = [ast.parse(text, mode="eval").body for text in operands]
    keywords = {k: ast.parse(spelled(v), mode="eval").body for k, v in parameters.items()}
    if isinstance(expression, ast.Lambda) and not expression.args.vararg:
        return ast.unparse(_inlined(expression, arguments, keywords))
    function = (
        ast.parse(_imported_name(backend, name), mode="eval").body if expression is None else expression
    )
    given = [ast.keyword(k, v) for k, v in keywords.items()]
    return ast.unparse(ast.Call(function, arguments, given))


def _imported_name(backend: Backend, name: str) -> str:
    """An op that no table spells, as an attribute of a module that every script imports; its bare name where it is in none."""
    op, imports = backend.ops[name], backend.dialect.imports if backend.dialect else ""
    attributes = (name, getattr(op, "__name__", name))
    for own in modules_of(backend):
        for bound in imported_in(ast.parse(imports)):
            imported = vars(own).get(bound)
            for attribute in attributes if isinstance(imported, ModuleType) else ():
                if getattr(imported, attribute, None) is op:
                    return f"{bound}.{attribute}"
    return name


def spelled(value: Any) -> str:
    """A parameter as Python writes it, an array as NumPy's call that makes it."""
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()})"
    if isinstance(value, tuple):
        return f"({', '.join(map(spelled, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(spelled, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k!r}: {spelled(v)}' for k, v in value.items())}}}"
    is_number = not isinstance(value, float) or math.isfinite(value)
    return repr(value) if is_number else f"float('{value}')"


def _inlined(function: ast.Lambda, arguments: list[ast.expr], keywords: dict[str, ast.expr]) -> ast.expr:
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
    for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if default is not None:
            defaults[argument.arg] = default
    bound = {**defaults, **dict(zip(names, arguments, strict=False)), **keywords}

    class Substitution(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return bound.get(node.id, node)

        def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
            self.generic_visit(node)
            decided = _constant(node.test)
            return node if decided is None else node.body if decided[0] else node.orelse

        def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
            self.generic_visit(node)
            decided = _constant(node)
            return node if decided is None else ast.Constant(decided[0])

    copied = ast.parse(ast.unparse(function.body), mode="eval").body
    return Substitution().visit(copied)  # type: ignore[no-any-return]


def _constant(expression: ast.expr) -> tuple[Any] | None:
    """The value of an expression of constants alone, in a tuple; None for any other."""
    if any(isinstance(node, (ast.Name, ast.Call, ast.Attribute)) for node in ast.walk(expression)):
        return None
    try:
        text = ast.unparse(expression).replace(" is ", " == ").replace(" is not ", " != ")
        return (eval(text, {"__builtins__": {}}),)  # constants and operators, from an adapter we run anyway
    except Exception:
        return None


def imports_of(modules: Iterable[ModuleType], text: str, present: str) -> str:
    """The imports of modules that a script's text uses, and the `present` ones lack.

    This project's own are left out: a script stands alone.
    """
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    missing = used - set(imported_in(ast.parse(present)))
    found: dict[str, str] = {}
    for module in modules:
        every = imported_in(tree_of(module))
        found |= {n: line for n, line in every.items() if n in missing - set(found)}
    return "\n".join(dict.fromkeys(found.values()))


def imported_in(tree: ast.Module) -> dict[str, str]:
    """Each name that a module imports from elsewhere, and a line that does."""
    found: dict[str, str] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            lines = [(a, ast.unparse(ast.Import([a]))) for a in statement.names]
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            home = (statement.module or "").partition(".")[0]
            if home == "__future__" or home.startswith("conformance"):
                continue
            lines = [(a, ast.unparse(ast.ImportFrom(statement.module, [a], 0))) for a in statement.names]
        else:
            continue
        found |= {a.asname or a.name.partition(".")[0]: line for a, line in lines}
    return found


def bare(text: str) -> str:
    """A function without its annotations and docstring, which need imports and lines of their own."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            if ast.get_docstring(node) is not None and len(node.body) > 1:
                node.body = node.body[1:]
    return ast.unparse(tree)
