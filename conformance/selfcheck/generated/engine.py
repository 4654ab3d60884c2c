"""Mutants of the engine: one error in the source of its graph, its tape, its transforms."""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from conformance.backend import Backend
from conformance.checks import load_all
from conformance.selfcheck.generated.edits import Edit, edits_of
from conformance.selfcheck.generated.functions import tree_of
from conformance.selfcheck.generated.subject import subject


@dataclass(frozen=True, eq=False)
class EngineMutant:
    """The engine with one error in its source.

    Attributes:
        module: the last part of the module's name.
        place: the function that has it: `backward_pass`, `Tensor.backward`.
        number: of the edit of that function.
    """

    module: str
    place: str
    number: int

    @property
    def name(self) -> str:
        """Its name, by which it is found again: `engine/graph/backward_pass/3`."""
        return f"engine/{self.module}/{self.place}/{self.number}"

    @property
    def subject(self) -> str:
        """The module."""
        return self.module

    @property
    def how(self) -> str:
        """The operator."""
        return self.edit.operator

    @property
    def unreachable(self) -> str:
        """Why no question can reach the error; empty where one may."""
        own = self.place.rpartition(".")[2]
        is_called = own.startswith("__") or own in _names_in_use()
        return "" if is_called else f"nothing that the adapter calls names {own}"

    @property
    def edit(self) -> Edit:
        """The error."""
        return _edits(_whole_name(self.module))[self.place][self.number]

    @property
    def wrong(self) -> str:
        """What changes, in the words of the source."""
        return f"{self.edit.operator} in {self.place}: {self.edit.change}"

    def backend(self) -> Backend:
        """The engine imported again with the error in it; the engine that others have stays as it is."""
        module = _whole_name(self.module)
        with self.edit.applied():
            code = compile(
                ast.fix_missing_locations(tree_of(module)),
                f"<mutant of {self.module}>",
                "exec",
                dont_inherit=True,
            )
        adapter, _, name = subject().adapter.partition(":")
        made = _imported_again(adapter, [*subject().modules, adapter], module, code)
        backend: Backend = getattr(made, name)()
        return backend


@cache
def _names_in_use() -> frozenset[str]:
    """The names in the code of the adapter, the checks and the rules, and of every function of the engine that they may mean."""
    trees = [tree_of(module) for module in subject().modules]
    bodies = [(place.rpartition(".")[2], node) for tree in trees for place, node in _functions(tree)]
    used = _names_of(tree_of(importlib.import_module(subject().adapter.partition(":")[0]).__name__))
    load_all()
    for name in [
        name for name in sys.modules if name.startswith(("conformance.checks.", "conformance.ops."))
    ]:
        used |= _names_of(tree_of(name))
    for tree in trees:  # what runs when the modules are imported
        used |= {
            n
            for s in tree.body
            if not isinstance(s, (ast.FunctionDef, ast.ClassDef, ast.ImportFrom))
            for n in _names_of(s)
        }
    while True:
        further = {
            n for name, node in bodies if name in used or name.startswith("__") for n in _names_of(node)
        }
        if further <= used:
            return frozenset(used)
        used |= further


def _names_of(tree: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {
        n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)
    }


@cache
def _whole_name(module: str) -> str:
    return next(name for name in subject().modules if name.rpartition(".")[2] == module)


@cache
def _edits(module: str) -> dict[str, list[Edit]]:
    values = vars(importlib.import_module(module))
    return {place: edits_of(node, values) for place, node in _functions(tree_of(module))}


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a module and the methods of its classes, by name; what only shows a value is left out."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name != "__repr__":
                    yield f"{node.name}.{method.name}", method


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module, with other code than its file has."""

    def __init__(self, name: str, code: object) -> None:
        self.name, self.code = name, code

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module, if it is asked for."""
        return importlib.machinery.ModuleSpec(name, self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed code."""
        exec(self.code, vars(module))  # type: ignore[arg-type]  # a code object


def _imported_again(wanted: str, modules: Sequence[str], changed: str, code: object) -> ModuleType:
    packages = {name.rpartition(".")[0] for name in modules} - {wanted.rpartition(".")[0]}
    inside = [*packages, *modules]
    before = {name: sys.modules.pop(name) for name in inside if name in sys.modules}
    outermost = {*packages, wanted} & set(before)
    for name in outermost:  # `from package import module` would find the attribute and not import
        parent, _, own = name.rpartition(".")
        delattr(sys.modules[parent], own)
    finder = _Changed(changed, code)
    sys.meta_path.insert(0, finder)
    try:
        return importlib.import_module(wanted)
    finally:
        sys.meta_path.remove(finder)
        for name in inside:
            sys.modules.pop(name, None)
        sys.modules.update(before)
        for name in outermost:
            parent, _, own = name.rpartition(".")
            setattr(sys.modules[parent], own, before[name])


def engine_mutants() -> list[EngineMutant]:
    """All mutants of the engine's modules, in the order of their source."""
    found: list[EngineMutant] = []
    for module in subject().modules:
        for place, edits in _edits(module).items():
            own = module.rpartition(".")[2]
            found.extend(EngineMutant(own, place, number) for number in range(len(edits)))
    return found
