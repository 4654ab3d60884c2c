"""Defaults: what an engine's function computes when it is called with operands alone.

The adapter passes every parameter, so the function is read off the adapter's source, and called without any. Its
value is compared with the reference under each parameter value of the catalogue.
"""

from __future__ import annotations

import ast
import itertools
import random
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.atlas.calls import array_in_brief, names_for
from conformance.backend import Backend
from conformance.case import Array
from conformance.checks.observation import plain
from conformance.errors import hold_no_stop
from conformance.op import REAL, Op, Signature, Trait
from conformance.ops import CATALOGUE, find
from conformance.run.forms import DRAWS, case_of, forms_of
from conformance.scripts.adapter_source import expression_of, modules_of

UNSUITED = {Trait.VARIADIC, Trait.SEVERAL_OUTPUTS}
MOST = 600  # combinations of parameters that are tried
USUAL = (0.0, 1.0)  # numbers that are tried besides those of the law, which avoids them
SPREAD = 4.0  # wide enough for both ends of a range to be met
NEAR = 1e-5  # relative difference of values that count as the same


@dataclass(frozen=True)
class Default:
    """What a function computes without parameters.

    Attributes:
        op: the op.
        call: the call, without parameters.
        operands: their values.
        found: the parameters under which the catalogue computes the same, or another op that does; the numbers
            where nothing does.
    """

    op: str
    call: str
    operands: Sequence[Array]
    found: str


def defaults_of(backend: Backend, names: Sequence[str]) -> Iterator[Default]:
    """The ops of a backend whose functions can be called with operands alone; those that refuse it are left out."""
    for name in names:
        op = find(name)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = _default(backend, op) if name in CATALOGUE and not op.traits & UNSUITED else None
        if found is not None:
            yield found


def _default(backend: Backend, op: Op) -> Default | None:
    drawn = random.Random(0)
    calls = [op.law(lambda options: drawn.choice(list(options))) for _ in range(DRAWS)]
    signature = max(calls, key=_informative)  # of few axes, and none of them short
    case = case_of(op, signature, backend.dtypes[0])
    operands = [x * SPREAD if op.domain(i) == REAL else x for i, x in enumerate(case.operands)]
    letters = names_for(len(operands))
    call = bare_call(backend, op.name, letters)
    value = _evaluated(backend, call, dict(zip(letters, operands, strict=True)))
    if value is None:
        return None
    meant = _meant(op, signature, operands, value)
    return Default(op.name, call, operands, meant or f"another formula: {array_in_brief(value)}")


def _informative(signature: Signature) -> tuple[bool, bool, int, int]:
    """Two axes of unequal length show most; more of either, little."""
    first = signature.shapes[0] if signature.shapes else ()
    is_empty = any(0 in shape for shape in signature.shapes)
    return (not is_empty, not {0, 1} & {*first}, -abs(2 - len(first)), len(set(first)))


def bare_call(backend: Backend, name: str, operands: Sequence[str]) -> str:
    """The engine's function of an op called with operands alone; empty where the adapter's source does not say it."""
    expression = expression_of(backend, name)
    bare = expression
    if isinstance(expression, ast.Lambda) and isinstance(expression.body, ast.Call):
        called = expression.body
        taken = [argument.arg for argument in expression.args.args[: len(operands)]]
        first = [ast.unparse(argument) for argument in called.args[: len(operands)]]
        # Operands that do not come first are not the function's operands in this order.
        bare = called.func if first == taken and (called.keywords or called.args[len(operands) :]) else None
    is_function = isinstance(bare, ast.Attribute) and (bare is not expression or _parameters(name))
    return f"{ast.unparse(bare)}({', '.join(operands)})" if is_function and bare is not None else ""


def _parameters(name: str) -> bool:
    return bool(forms_of(find(name), 1)[0].parameters)


def _evaluated(backend: Backend, call: str, operands: dict[str, Array]) -> Array | None:
    """The value of a call in the adapter's own module; None where there is none, or it is refused."""
    if not call:
        return None
    names = {name: value for module in modules_of(backend) for name, value in vars(module).items()}
    try:
        arrays = {name: backend.array(x) for name, x in operands.items()}
        return plain(backend, eval(call, {**names, **arrays}))  # the adapter's own words, which we run anyway
    except BaseException as error:
        hold_no_stop(error)
        return None


def _meant(op: Op, signature: Signature, operands: Sequence[Array], value: Array) -> str:
    """The parameters, or the other op, with which the catalogue computes the value."""
    tried = list(itertools.islice(_parameters_of(op, signature), MOST))
    matching = [p for p in tried if _same(op, operands, p, value)]
    if matching:
        return ", ".join(_spelt(name, tried, matching) for name in matching[0]) or op.name
    others = CATALOGUE.values() if Trait.ELEMENTWISE in op.traits else ()
    return next((o.name for o in others if o is not op and _is(o, operands, value)), "")


def _parameters_of(op: Op, signature: Signature) -> Iterator[dict[str, Any]]:
    """All combinations of the values that the law gives to the parameters, for operands of these ranks."""
    drawn = random.Random(0)
    ranks = [len(shape) for shape in signature.shapes]
    values: dict[str, dict[str, Any]] = {name: {repr(v): v} for name, v in signature.parameters.items()}
    for _ in range(DRAWS):
        other = op.law(lambda options: drawn.choice(list(options)))
        if [len(shape) for shape in other.shapes] == ranks and set(other.parameters) == set(values):
            for name, value in other.parameters.items():
                values[name].setdefault(repr(value), value)
    for of_name in values.values():
        if any(isinstance(value, float) for value in of_name.values()):
            of_name.update({repr(value): value for value in USUAL})
    for chosen in itertools.product(*(of_name.values() for of_name in values.values())):
        yield dict(zip(values, chosen, strict=True))


def _spelt(name: str, tried: Sequence[dict[str, Any]], matching: Sequence[dict[str, Any]]) -> str:
    """A parameter with the value that matches; of several, the one that counts from the end."""
    held = {repr(p[name]) for p in matching}
    if held == {repr(p[name]) for p in tried}:
        return f"any {name}" if len(held) > 1 else f"{name}={matching[0][name]!r}"
    return f"{name}={min(held, key=lambda text: (text != 'None', not text.startswith('-'), text))}"


def _same(op: Op, operands: Sequence[Array], parameters: Any, value: Array) -> bool:
    try:
        expected = op.reference(*operands, **parameters)
    except Exception:
        return False
    is_array = isinstance(expected, (np.ndarray, np.generic)) and np.shape(expected) == value.shape
    return is_array and np.allclose(value, expected, rtol=NEAR, atol=NEAR, equal_nan=True)


def _is(op: Op, operands: Sequence[Array], value: Array) -> bool:
    """Whether another elementwise op without parameters computes the value."""
    is_like = Trait.ELEMENTWISE in op.traits and len(op.domains) == len(operands)
    return is_like and not forms_of(op, 1)[0].parameters and _same(op, operands, {}, value)
