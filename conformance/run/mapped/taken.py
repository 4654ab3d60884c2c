"""Parameter values that an adapter declares lacking, though its engine computes with them."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from conformance.backend import Backend
from conformance.case import Case
from conformance.op import Op, Signature
from conformance.parameters import is_meant, lacked_parameter
from conformance.run.forms import DRAWS, case_of
from conformance.run.mapped.findings import Finding

CALLS = (
    3  # calls with a value that must all be right, with their gradients, before it is said that it is taken
)

TAKEN = "`lacks` has {name} = {value}, and {calls} of {calls} calls with that are right: leave it out, and they are asked"


def with_every_value(backend: Backend, op: Op) -> Backend:
    """The adapter, as if it declared nothing lacking of the op."""
    other = copy.copy(backend)
    others = {name: values for name, values in backend.lacks.items() if name != op.name}
    other.lacks = others  # type: ignore[misc]  # of this object alone
    other._calls = {}
    return other


def taken_values(backend: Backend, op: Op, dtype: str, is_right: Callable[[Case], bool]) -> Iterator[Finding]:
    """Each value of `lacks` with which every call that is tried is right, by the first of these calls.

    `is_right` tells of a call whether its value and its gradients are. Of a value that the engine takes in some calls
    alone nothing is said: what is declared stands.
    """
    for name, values in backend.lacks.get(op.name, {}).items():
        for value in values:
            signatures = _with_value(backend, op, name, value)
            cases = [case_of(op, signature, dtype) for signature in signatures]
            if cases and all(map(is_right, cases)):
                said = TAKEN.format(
                    name=name,
                    value=value.__name__ if isinstance(value, type) else repr(value),
                    calls=len(cases),
                )
                yield Finding(cases[0].label, said, signature=signatures[0])


def _with_value(backend: Backend, op: Op, name: str, value: Any) -> list[Signature]:
    """A few calls of the op's law with the value, and with no other that is lacking."""
    drawn = random.Random(2)
    found: dict[str, Signature] = {}
    declared = {op.name: {n: v for n, v in backend.lacks[op.name].items() if n != name}}
    for _ in range(DRAWS):
        signature = op.law(lambda options: drawn.choice(list(options)))
        is_with = is_meant(value, signature.parameters.get(name)) and all(all(s) for s in signature.shapes)
        if is_with and not lacked_parameter(op.name, signature.parameters, declared):
            found.setdefault(repr(signature), signature)
        if len(found) == CALLS:
            break
    return list(found.values())
