"""The operators: what may stand instead of a node of a syntax tree, by the name of the error that a person would make."""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Replacements = Iterator[
    tuple[str, ast.AST | None]
]  # operator, and what stands there instead; None where nothing does
FunctionNode = ast.FunctionDef | ast.Lambda

ARITHMETIC: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
COMPARISONS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
# Functions of NumPy, and of rules, that are taken for each other.
SIBLINGS = (
    "prod sum, sin cos, sinh cosh, tan tanh, exp expm1, log log1p, max min, maximum minimum, sum mean, argmax argmin, floor ceil, "
    "cumsum cumprod, zeros_like ones_like, tril triu, any all, abs sign, arcsin arccos, zeros ones, isnan isinf, "
    "logical_and logical_or, argsort sort, real imag, square sqrt, greater less, softmax log_softmax, sigmoid log_sigmoid"
)
_PAIRS = [pair.split() for pair in SIBLINGS.split(", ")]
SIBLING = {**{b: a for a, b in _PAIRS}, **{a: b for a, b in _PAIRS}}  # noqa: C416 - of lists, which are no items
CHOICE = np.where.__name__
COMMUTATIVE = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr)
SHAPES = (
    "shape",
    "ndim",
    "size",
    "len",
    "range",
    "tuple",
    "list",
    "isinstance",
    "enumerate",
    "zip",
    "reversed",
    "set",
)
TERMS, FACTORS = (ast.Add, ast.Sub), (ast.Mult, ast.Div)


@dataclass(frozen=True)
class Scope:
    """The names that a function knows: its operands, and the globals by their values."""

    operands: tuple[str, ...]
    values: Mapping[str, Any]
    assigned: set[str] = field(default_factory=set)

    @staticmethod
    def of(node: FunctionNode, values: Mapping[str, Any]) -> Scope:
        """The scope of a function's body: what has a default is no operand."""
        arguments = node.args
        positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        operands = positional[: len(positional) - len(arguments.defaults)]
        return Scope(tuple(name for name in operands if name not in ("self", "index")), values)

    def is_module(self, node: ast.AST) -> bool:
        """Whether an expression names a module, whose attribute is a function and not a method."""
        if isinstance(node, ast.Attribute):
            return self.is_module(node.value)
        return isinstance(node, ast.Name) and isinstance(self.values.get(node.id), types.ModuleType)


def replacements(node: ast.AST, parent: ast.AST, name: str, scope: Scope) -> Replacements:
    """What may stand instead of `node`, the field `name` of `parent`; not in the place of a function that is called."""
    if name != "func":
        for make in OPERATORS:
            yield from make(node, parent, name, scope)


def _copied(node: ast.AST, **changes: Any) -> Any:
    new = copy.copy(node)
    for name, value in changes.items():
        setattr(new, name, value)
    return new


def _constant(value: Any) -> ast.Constant:
    return ast.Constant(value)


def _names(node: ast.AST, parent: ast.AST, name: str, scope: Scope) -> Replacements:
    if not isinstance(node, ast.Name):
        return
    if node.id in scope.operands:
        others = [*scope.operands, *scope.operands][scope.operands.index(node.id) + 1 :]
        if others[0] != node.id:
            yield "other operand", ast.Name(others[0], ast.Load())
    elif isinstance(scope.values.get(node.id), float):
        yield "constant", ast.BinOp(node, ast.Mult(), _constant(2))
        yield "constant", _constant(1.0)


def _arithmetic(node: ast.AST, parent: ast.AST, name: str, scope: Scope) -> Replacements:
    if not isinstance(node, ast.BinOp):
        return
    if type(node.op) in ARITHMETIC:
        yield "operator", _copied(node, op=ARITHMETIC[type(node.op)]())
    if not isinstance(node.op, COMMUTATIVE):
        yield "swapped operands", _copied(node, left=node.right, right=node.left)
    if isinstance(node.op, TERMS):
        yield "dropped term", node.left
        yield "dropped term", node.right
    elif isinstance(node.op, FACTORS):
        yield "dropped factor", node.left
        yield "dropped factor", node.right
    elif isinstance(node.op, (ast.BitAnd, ast.BitOr)):
        yield "dropped condition", node.left
        yield "dropped condition", node.right
    else:
        yield "dropped factor", node.left


def _constants(node: ast.AST, parent: ast.AST, name: str, scope: Scope) -> Replacements:
    if not isinstance(node, ast.Constant):
        return
    if isinstance(node.value, bool):
        if not (isinstance(parent, ast.keyword) and parent.arg == "keepdims"):
            yield "flag", _constant(not node.value)
    elif isinstance(node.value, int):
        is_axis = isinstance(parent, ast.keyword) and parent.arg == "axis"
        is_index = isinstance(parent, (ast.Subscript, ast.Slice))
        for value in (node.value + 1, node.value - 1):
            yield "axis" if is_axis else "index" if is_index else "constant", _constant(value)
    elif isinstance(node.value, float):
        for number in (2 * node.value, 0.0):
            yield "constant", _constant(number)


def _calls(node: ast.AST, parent: ast.AST, name: str, scope: Scope) -> Replacements:
    if not isinstance(node, ast.Call):
        return
    called = node.func
    is_method = isinstance(called, ast.Attribute) and not scope.is_module(called.value)
    own = (
        called.attr
        if isinstance(called, ast.Attribute)
        else called.id
        if isinstance(called, ast.Name)
        else ""
    )
    if own == CHOICE and len(node.args) == 3:
        condition, first, second = node.args
        yield "branch of a choice", first
        yield "branch of a choice", second
        yield "branch of a choice", _copied(node, args=[condition, second, first])
    elif is_method and isinstance(called, ast.Attribute):
        yield "removed call", called.value
    elif node.args and own not in SHAPES and not isinstance(node.args[0], ast.Starred):
        yield "removed call", node.args[0]
    if own != CHOICE and len(node.args) >= 2 and not any(isinstance(a, ast.Starred) for a in node.args[:2]):
        yield "swapped operands", _copied(node, args=[node.args[1], node.args[0], *node.args[2:]])
    if own in SIBLING:
        other = SIBLING[own]
        if isinstance(called, ast.Attribute):
            yield "sibling function", _copied(node, func=_copied(called, attr=other))
        elif other in scope.values:
            yield "sibling function", _copied(node, func=ast.Name(other, ast.Load()))
    for keyword in node.keywords:
        if keyword.arg:
            yield "dropped keyword", _copied(node, keywords=[k for k in node.keywords if k is not keyword])


def _keywords(node: ast.AST, parent: ast.AST, name: str, scope: Scope) -> Replacements:
    if not isinstance(node, ast.keyword):
        return
    if node.arg == "keepdims":
        yield "keepdims", _copied(node, value=ast.UnaryOp(ast.Not(), node.value))
    elif node.arg == "axis":
        is_minus_one = ast.unparse(node.value) == "-1"
        yield "axis", _copied(node, value=_constant(0 if is_minus_one else -1))
        if not isinstance(node.value, ast.Constant):
            yield "axis", _copied(node, value=_constant(None))


def _signs(node: ast.AST, parent: ast.AST, name: str, scope: Scope) -> Replacements:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "other sign", node.operand
    elif isinstance(node, ast.expr) and (
        (isinstance(parent, ast.Lambda) and name == "body") or isinstance(parent, ast.Return)
    ):
        yield "other sign", ast.UnaryOp(ast.USub(), node)


def _comparisons(node: ast.AST, parent: ast.AST, name: str, scope: Scope) -> Replacements:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in COMPARISONS.get(type(node.ops[0]), ()):
            yield "comparison", _copied(node, ops=[other()])


def _choices(node: ast.AST, parent: ast.AST, name: str, scope: Scope) -> Replacements:
    if isinstance(node, ast.IfExp):
        yield "branch of a choice", node.body
        yield "branch of a choice", node.orelse
        yield "condition", _copied(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.If):
        yield "condition", _copied(node, test=ast.UnaryOp(ast.Not(), node.test))
        yield "condition", _copied(node, test=_constant(True))
        yield "condition", _copied(node, test=_constant(False))
    elif isinstance(node, ast.BoolOp):
        for dropped in range(len(node.values)):
            rest = [v for i, v in enumerate(node.values) if i != dropped]
            yield "dropped condition", rest[0] if len(rest) == 1 else _copied(node, values=rest)
        yield "dropped condition", _copied(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert)):
        yield "dropped condition", node.operand
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield "dropped condition", _copied(node, ifs=[])


def _statements(node: ast.AST, parent: ast.AST, name: str, scope: Scope) -> Replacements:
    """A statement without which the function still has all its names."""
    is_droppable = isinstance(node, (ast.AugAssign, ast.Raise)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    )
    if isinstance(node, ast.Assign):
        targets = [t.id for t in node.targets if isinstance(t, ast.Name)]
        is_droppable = any(t in scope.assigned or t in scope.operands for t in targets) or not targets
        scope.assigned.update(targets)
    if is_droppable:
        yield "dropped statement", None


OPERATORS: tuple[Callable[[ast.AST, ast.AST, str, Scope], Replacements], ...] = (
    _names, _arithmetic, _constants, _calls, _keywords, _signs, _comparisons, _choices, _statements,
)  # fmt: skip
