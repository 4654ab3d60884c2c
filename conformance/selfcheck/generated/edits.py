"""Edits: the small errors that a program can make in the source of a function.

An edit replaces one node of a syntax tree. Its operator is named after the error that a person would make: a factor
forgotten, operands swapped, sine for cosine.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.selfcheck.generated.operators import FunctionNode, Scope, replacements

NO_CODE = (
    "annotation",
    "returns",
    "decorator_list",
    "args",
    "target",
    "targets",
    "optional_vars",
    "ctx",
    "op",
    "ops",
)


@dataclass(frozen=True)
class Edit:
    """One node replaced.

    Attributes:
        operator: the name of the error.
        parent: the node above, and
        field: its field, and
        index: the place in that field where it is a list.
        new: what stands there instead; None where nothing does.
        before: the source of the function, or of the statement that changes.
        after: the same with the error.
    """

    operator: str
    parent: ast.AST
    field: str
    index: int | None
    new: ast.AST | None
    before: str
    after: str

    @property
    def change(self) -> str:
        """The lines that change, and what they become."""
        lines = [
            line
            for line in difflib.ndiff(self.before.splitlines(), self.after.splitlines())
            if line[:1] in "+-"
        ]
        old, new = ("; ".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+")
        return f"{old or 'nothing'} → {new or 'nothing'}"

    @contextlib.contextmanager
    def applied(self) -> Iterator[None]:
        """Within the block, the tree has the error."""
        old = getattr(self.parent, self.field)
        changed: Any = self.new
        if self.index is not None:
            changed = [*old[: self.index], *([] if self.new is None else [self.new]), *old[self.index + 1 :]]
            if not changed and self.field == "body":
                changed = [ast.Pass()]
        setattr(self.parent, self.field, changed)
        try:
            yield
        finally:
            setattr(self.parent, self.field, old)


def edits_of(node: FunctionNode, values: Mapping[str, Any]) -> list[Edit]:
    """All edits of a function's body, in the order of its source; `values` are the globals that it sees."""
    scope, found, seen = Scope.of(node, values), [], {ast.unparse(node)}
    for parent, name, index, child in _places(node):
        statement = _statement(node, child)
        before = ast.unparse(statement)
        for operator, new in replacements(child, parent, name, scope):
            edit = Edit(operator, parent, name, index, new, before, "")
            with edit.applied():
                whole = ast.unparse(node)
                # A statement that is itself replaced is no longer in the tree.
                after = ast.unparse(statement if child is not statement else new or ast.Module([], []))
            if whole not in seen:  # another edit of the same effect, or none
                seen.add(whole)
                found.append(Edit(operator, parent, name, index, new, before, after))
    return found


def _statement(node: FunctionNode, child: ast.AST) -> ast.AST:
    """The statement of a function in which a node stands; for a lambda, the lambda."""
    if isinstance(node, ast.Lambda):
        return node
    return next(
        (s for s in node.body if any(child is inner for inner in ast.walk(s))),
        node,
    )


def _places(node: FunctionNode) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Every node of the body, by parent, field and index; annotations and the docstring are no code."""
    bodies: Sequence[tuple[ast.AST, str]] = [(node, "body")]
    to_visit = list(bodies)
    while to_visit:
        parent, name = to_visit.pop(0)
        value = getattr(parent, name)
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _is_docstring(child):
                continue
            yield parent, name, index, child
            if isinstance(child, ast.Raise):
                continue  # no clause says of what class an exception is, or what it says: it can only be left out
            fields = [f for f in child._fields if f not in NO_CODE]
            if isinstance(child, ast.Call):
                fields.append("args")
            to_visit.extend((child, f) for f in fields)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
