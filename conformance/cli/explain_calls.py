"""What `explain` says of an op to be mapped: its definition, and calls in all its forms with their results."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.cli.console import Page, names_of, simplest
from conformance.op import Op, Signature
from conformance.ops import ALL_OPS
from conformance.run.forms import forms_of

LINES = 24  # of a definition
HELPERS = 6  # functions, numbers and texts that a definition uses
SHORT = 8  # lines of one that is shown
ENTRIES = 12  # of a result that is printed; of a larger one the shape


def list_calls(op: Op, page: Page) -> None:
    """The definition, then calls: what an adapter's function of this op gets, and what it returns."""
    signature = simplest(op)
    names = names_of(op, len(signature.shapes))
    page.heading("To map it")
    given = ", ".join([*names, *(f"{name}=…" for name in signature.parameters)])
    page.line(
        f"An adapter's function is called as {op.name}({given}): operands by position, parameters by keyword."
    )
    page.line(f"Its value is that of {definition(op)}")
    for line in [*source(op), *helpers(op)]:
        page.line(f"    {line}")
    page.heading("Calls, with operands in the numbers of the example below")
    for form in forms_of(op):
        page.line(call(op, form))


def definition(op: Op) -> str:
    """Where the op is defined: NumPy's function, or our own source."""
    reference = op.reference
    module = getattr(reference, "__module__", None) or "numpy"
    if module.startswith("numpy") or isinstance(reference, np.ufunc):
        home = "numpy.linalg" if "linalg" in module else "numpy"
        return f"{home}.{reference.__name__}."
    return "this function of NumPy arrays:"


def source(op: Op) -> list[str]:
    """The lines of our own reference, without its docstring; none for a function of NumPy, or a long one."""
    if not definition(op).endswith(":"):
        return []
    function = inspect.unwrap(_own(op))
    try:
        is_lambda = inspect.isfunction(function) and function.__name__ == "<lambda>"
        written = _lambda(function, op.name) if is_lambda else inspect.getsource(function)
    except (OSError, TypeError):
        return []
    lines = textwrap.dedent(written).rstrip().splitlines()
    return lines if len(lines) <= LINES else [*lines[:LINES], "…"]


def _lambda(function: Any, name: str) -> str:
    """A lambda of a row's constructor as a definition of its own, without the constructor's other arguments."""
    module = inspect.getmodule(function)
    assert module is not None
    begins = [(line, column) for line, _, column, end in function.__code__.co_positions() if line and end]
    found = (
        node
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Lambda) and (node.body.lineno, node.body.col_offset) == min(begins)
    )
    return f"{name} = {ast.unparse(next(found))}"


def helpers(op: Op) -> list[str]:
    """Short functions, numbers and texts of this project that the shown definition uses; `explain` shows those that are ops.

    What only chooses a precision is left out.
    """
    shown: dict[str, list[str]] = {}
    waiting = [op.reference, _own(op)] if source(op) else []
    while waiting and len(shown) < HELPERS:
        for name, value in inspect.getclosurevars(inspect.unwrap(waiting.pop())).globals.items():
            if name in shown or name in ALL_OPS or name.startswith("needs_"):
                continue
            if isinstance(value, (int, float, str)):
                shown[name] = [f"{name} = {value!r}"]
            elif lines := _short_source(value):
                shown[name] = lines
                waiting.append(value)
    return [line for lines in shown.values() for line in ("", *lines)]


def _short_source(value: Any) -> list[str]:
    """The lines of a short function of this project; none of anything else."""
    if not inspect.isfunction(value) or not value.__module__.startswith("conformance."):
        return []
    lines = textwrap.dedent(inspect.getsource(value)).rstrip().splitlines()
    return lines if len(lines) <= SHORT else []


def _own(op: Op) -> Callable[..., Any]:
    """The function that a row's constructor was given, where the reference only wraps it."""
    closure = inspect.getclosurevars(inspect.unwrap(op.reference)).nonlocals
    function: Callable[..., Any] = closure.get("loss", op.reference)
    return function


def call(op: Op, signature: Signature) -> str:
    """One call with its shapes, and its value, or the shape of it."""
    from conformance.cli.explain_op import brief, shown, worked

    example = worked(op, signature)
    operands = " ".join(str(shape).replace(" ", "") for shape in signature.shapes)
    parameters = "".join(f", {name}={brief(value)}" for name, value in signature.parameters.items())
    values = example.output if isinstance(example.output, tuple) else (example.output,)
    results = []
    for value in map(np.asarray, values):
        text = " ".join(shown(value).split())
        results.append(f"{value.shape} {text}" if value.size <= ENTRIES else f"{value.shape}")
    return f"{op.name}({operands}{parameters}) → {'; '.join(results)}"
