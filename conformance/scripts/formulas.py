"""Symbols: operands that record what is computed from them.

A custom rule is a Python function of arrays. Called on symbols instead, it returns its own formula, which a
script can then quote.
"""

from __future__ import annotations

import builtins
import dis
import string
from dataclasses import dataclass
from typing import Any

from conformance.backend import Function

OPERANDS = string.ascii_lowercase[:6]  # g is the cotangent's
RAISED = "raised"  # what a script calls where a rule raises: in an expression no statement can stand
RAISER = f"def {RAISED}(error):\n    raise error"


class NoFormula(Exception):
    """The function does more with its operands than a formula says."""

    @property
    def template(self) -> str:
        """The template of a rule in whose place this is raised."""
        text = (
            repr(f"a custom rule that no formula can express: {self}").replace("{", "{{").replace("}", "}}")
        )
        return f"def {{name}}(*operands):\n    raise NotImplementedError({text})"


@dataclass(frozen=True, eq=False)
class Symbol:
    """A formula so far; every operation on it is a longer one."""

    text: str

    def __add__(self, other: Any) -> Symbol:
        return _joined(self, "+", other)

    def __radd__(self, other: Any) -> Symbol:
        return _joined(other, "+", self)

    def __sub__(self, other: Any) -> Symbol:
        return _joined(self, "-", other)

    def __rsub__(self, other: Any) -> Symbol:
        return _joined(other, "-", self)

    def __mul__(self, other: Any) -> Symbol:
        return _joined(self, "*", other)

    def __rmul__(self, other: Any) -> Symbol:
        return _joined(other, "*", self)

    def __matmul__(self, other: Any) -> Symbol:
        return _joined(self, "@", other)

    def __truediv__(self, other: Any) -> Symbol:
        return _joined(self, "/", other)

    def __neg__(self) -> Symbol:
        return Symbol(f"(-{self.text})")

    def __getattr__(self, name: str) -> Symbol:
        if name.startswith("__"):
            raise AttributeError(name)
        return Symbol(f"{self.text}.{name}")

    def __call__(self, *arguments: Any) -> Symbol:
        """A call of it: `g.sum(0)`."""
        return Symbol(f"{self.text}({', '.join(map(_text, arguments))})")

    def __getitem__(self, index: Any) -> Symbol:
        return Symbol(f"{self.text}[{index!r}]")

    def __bool__(self) -> bool:
        raise NoFormula("the rule branches on a value")


def _text(value: Any) -> str:
    if isinstance(value, Symbol):
        return value.text
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    raise NoFormula(f"a {type(value).__name__} has no place in a formula")


def _joined(left: Any, sign: str, right: Any) -> Symbol:
    return Symbol(f"({_text(left)} {sign} {_text(right)})")


def formula_of(function: Function, operands: str) -> str:
    """What `function` makes of operands of those names: one formula, or several in a tuple; the raising of what it raises.

    Raises NoFormula where no formula can express it.
    """
    try:
        made = function(*map(Symbol, operands))
        if isinstance(made, (tuple, list)):
            listed = ", ".join(_plain(part) for part in made)
            return f"({listed},)" if made else "()"
        return _plain(made)
    except NoFormula:
        raise
    except Exception as error:
        if _is_raised_by(function, error):
            kind = type(error) if hasattr(builtins, type(error).__name__) else RuntimeError
            return f"{RAISED}({kind.__name__}({str(error)!r}))"
        raise NoFormula(str(error)) from error


def _is_raised_by(function: Function, error: Exception) -> bool:
    """Whether a statement of the function itself raised it, and not an operation that symbols do not have."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or trace.tb_frame.f_code is not getattr(function, "__code__", None):
        return False
    instruction: int = trace.tb_frame.f_code.co_code[trace.tb_lasti]
    return instruction == dis.opmap["RAISE_VARARGS"]


def _plain(value: Any) -> str:
    text = _text(value)
    return text[1:-1] if isinstance(value, Symbol) and text.startswith("(") and _closes_last(text) else text


def _closes_last(text: str) -> bool:
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place == len(text) - 1
    return False
