"""What an adapter's expressions name, and a script has to carry: its own functions, and the values that they use."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePath
from types import ModuleType

from conformance.backend import Backend
from conformance.errors import Unsupported
from conformance.op import Op, Trait
from conformance.ops import ALL_OPS
from conformance.scripts.adapter_source import (
    bare,
    call_text,
    imported_in,
    imports_of,
    modules_of,
    tree_of,
)

ERRORS, ADAPTERS = "conformance.errors", "conformance_backends"
NOT_QUOTED = (
    ast.Dict,
    ast.DictComp,
    ast.Lambda,
)  # tables of ops, whose entries are written out where they are used


def carried(backend: Backend, text: str, present: str) -> tuple[str, str]:
    """The imports that a script's text needs beside those `present`, and the adapter's functions and values that it names."""
    helpers, modules = _helpers_in(backend, text)
    return imports_of(modules, f"{helpers}\n{text}", present), helpers


def _helpers_in(backend: Backend, text: str) -> tuple[str, list[ModuleType]]:
    """The source of the adapter's own functions and values that a text names, and of what those name, and the modules they are of."""
    sources: dict[str, tuple[tuple[int, int], str]] = {}  # each with its place: what is named stands before
    modules = modules_of(backend)
    waiting = [(text, tuple(modules))]
    while waiting:
        quoted, scopes = waiting.pop()
        named = {node.id for node in ast.walk(ast.parse(quoted)) if isinstance(node, ast.Name)}
        for scope, name in ((s, n) for s in scopes for n in sorted(named - set(sources))):
            module = _home(scope, name)
            value = vars(module).get(name)
            if inspect.isfunction(value) and (value.__module__, value.__name__) == (module.__name__, name):
                line, own = value.__code__.co_firstlineno, _alone(module, bare(inspect.getsource(value)))
            elif name in (values := _values(module)):
                line, own = values[name]
            else:
                continue
            modules += [module] * (module not in modules)
            sources[name] = ((-modules.index(module), line), own)
            waiting.append((own, (module,)))
    return "\n\n".join(own for _, own in sorted(sources.values())), modules


def _alone(module: ModuleType, source: str) -> str:
    """The source of a function, with Python's own exception where the adapter refuses a call by ours: a script stands alone."""
    ours = {
        alias.asname or alias.name
        for statement in tree_of(module).body
        if isinstance(statement, ast.ImportFrom) and statement.module == ERRORS
        for alias in statement.names
        if alias.name == Unsupported.__name__
    }
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in ours:
            node.id = NotImplementedError.__name__
    return ast.unparse(tree)


def _home(module: ModuleType, name: str) -> ModuleType:
    """The module of the same package from which a module takes a name, or itself."""
    package = module.__name__.partition(".")[0]
    for statement in tree_of(module).body:
        match statement:
            case ast.ImportFrom(str(home), names) if f"{home}.".startswith(f"{package}."):
                if name in {alias.name for alias in names if alias.asname is None}:
                    return sys.modules.get(home, module)
    return module


@lru_cache(maxsize=64)
def _values(module: ModuleType) -> dict[str, tuple[int, str]]:
    """The names that a module's source gives a value made of literals, imports and its own functions; line and statement."""
    tree, found = tree_of(module), dict[str, tuple[int, str]]()
    known = {*imported_in(tree), *(n.name for n in tree.body if isinstance(n, ast.FunctionDef))}
    for statement in tree.body:
        for target, value in _pairs(statement):
            names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
            is_table = names and any(isinstance(node, NOT_QUOTED) for node in ast.walk(value))
            if names <= known | found.keys() and not is_table:
                found[target] = (statement.lineno, f"{target} = {ast.unparse(value)}")
    return found


def _pairs(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The names that an assignment gives values, each with its own: `a, b = x, y` is two."""
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
        yield statement.target.id, statement.value
    if not isinstance(statement, ast.Assign):
        return
    for target in statement.targets:
        if isinstance(target, ast.Name):
            yield target.id, statement.value
        elif isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            for name, value in zip(target.elts, statement.value.elts, strict=False):
                if isinstance(name, ast.Name):
                    yield name.id, value


# ---- whether nothing is missing ------------------------------------------------------------------------------


def _parameters_of(op: Op) -> list[str]:
    named = [
        p.name
        for p in inspect.signature(op.reference).parameters.values()
        if p.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    ]
    return named if Trait.VARIADIC in op.traits else named[len(op.domains) :]


def undefined_in(backend: Backend, op: str) -> set[str]:
    """The names that a script of a call of an op would use and not define, as far as its text shows."""
    row = ALL_OPS[op]
    operands = [f"x{i}" for i in range(max(1, len(row.domains)))]
    drawn = row.law(lambda options: options[0]).parameters
    text = call_text(backend, op, operands, dict.fromkeys((*_parameters_of(row), *drawn)))
    present = backend.dialect.imports if backend.dialect else ""
    whole = "\n".join((present, *carried(backend, text, present), text))
    return _unbound(whole) - set(operands) - _of_this_project(backend)


def missing_in(backend: Backend, text: str) -> str:
    """A comment on the names that a script uses and cannot carry, such as what a table was made of, with the files that have them."""
    try:
        unbound = sorted(_unbound(text))
        modules = _helpers_in(backend, text)[1] if unbound else []
    except SyntaxError:  # a repr that is no Python
        return ""
    homes = {name: next((m for m in modules if name in vars(m)), None) for name in unbound}
    found = [f"{name} (see {_file(home)})" for name, home in homes.items() if home is not None]
    return f"# not the whole program: it does not carry {', '.join(found)}" if found else ""


def _file(module: ModuleType) -> str:
    return PurePath(getattr(module, "__file__", None) or module.__name__).name


def _unbound(text: str) -> set[str]:
    """The names that a program uses and makes nowhere."""
    tree = ast.parse(text)
    named = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {*dir(builtins), *(n.id for n in named if not isinstance(n.ctx, ast.Load))}
    for node in ast.walk(tree):
        match node:
            case (
                ast.FunctionDef(name) | ast.ClassDef(name) | ast.arg(name) | ast.ExceptHandler(name=str(name))
            ):
                bound.add(name)
            case ast.Import(names) | ast.ImportFrom(names=names):
                bound |= {(alias.asname or alias.name).partition(".")[0] for alias in names}
    return {n.id for n in named} - bound


def _of_this_project(backend: Backend) -> set[str]:
    """What an adapter takes from our errors, and a foreign one from our adapters: of a refused call, or an engine on trial, nobody runs a script."""
    found = set[str]()
    for module in modules_of(backend):
        own = module.__name__.partition(".")[0]
        for statement in tree_of(module).body:
            match statement:
                case ast.ImportFrom(str(home), names) if home == ERRORS or (
                    own != ADAPTERS == home.partition(".")[0]
                ):
                    found |= {alias.asname or alias.name for alias in names}
    return found
