"""An op with its parameters set, and what an adapter says of the parameters that its engine lacks."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Collection, Mapping
from typing import Any

from conformance.errors import AdapterError, Lacked
from conformance.trace import Function

# For an op, for a parameter of it, the values that an engine does not take: a value, or a type for all of that type.
Lacking = Mapping[str, Mapping[str, Collection[Any]]]


def require_parameters(engine: str, op: str, parameters: Mapping[str, Any], lacking: Lacking) -> None:
    """Raise Lacked where a parameter has a value that the adapter declares lacking."""
    name = lacked_parameter(op, parameters, lacking)
    if name:
        raise Lacked(f"{engine} has no {op} with {name} = {parameters[name]!r}")


def lacked_parameter(op: str, parameters: Mapping[str, Any], lacking: Lacking) -> str:
    """The parameter whose value the adapter declares lacking; empty where there is none."""
    declared = lacking.get(op, {})
    given = ((name, parameters[name]) for name in declared if name in parameters)
    return next((name for name, value in given if any(is_meant(d, value) for d in declared[name])), "")


def is_meant(declared: Any, given: Any) -> bool:
    """Whether a declared value, or type, is that of a parameter; True is not 1."""
    if isinstance(declared, type):
        return type(given) is declared
    return type(given) is type(declared) and bool(given == declared)


def with_parameters(op: str, function: Function, parameters: Mapping[str, Any]) -> Function:
    """The function with the parameters set; AdapterError where its signature does not take the call."""
    fixed = dict(parameters)

    def call(*operands: Any) -> Any:
        try:
            return function(*operands, **fixed)
        except TypeError as error:
            slip = misfit(function, operands, fixed)
            if slip:
                raise AdapterError(f"the adapter's {op} does not take its call: {slip}") from error
            raise

    return call


def of_engine(function: Function) -> Function:
    """A function that an engine made of another, to be called by a check: what its C code raises has no frame of its own."""

    def call(*operands: Any) -> Any:
        return function(*operands)

    return call


def ignores(function: Function, name: str) -> bool:
    """Whether a Python function takes a parameter and never reads it; False where its code cannot be seen."""
    inner = inspect.unwrap(function)
    code = getattr(inner, "__code__", None)
    if code is None or name not in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        return False
    read = {i.argval for i in dis.get_instructions(code) if i.opname.startswith("LOAD")}
    names = {part for value in read for part in (value if isinstance(value, tuple) else (value,))}
    return name not in names


def misfit(function: Function, operands: Collection[Any], parameters: Mapping[str, Any]) -> str:
    """Why a call does not fit a function's signature; empty where it does, or where there is no signature to read."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    try:
        signature.bind(*operands, **parameters)
    except TypeError as error:
        given = "".join(f", {name}={value!r}" for name, value in parameters.items())
        return f"{error} (called with {len(operands)} operands{given})"
    return ""
