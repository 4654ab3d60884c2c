"""Mutants of rules: one error in the source that computes the VJP of one op."""

from __future__ import annotations

import random
import types
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from conformance.backend import Backend
from conformance.op import Op
from conformance.ops import ALL_OPS, CATALOGUE
from conformance.selfcheck.generated.edits import Edit
from conformance.selfcheck.generated.functions import changed, edits, reached
from conformance.selfcheck.generated.subject import subject

PACKAGE = "conformance.ops"


@dataclass(frozen=True, eq=False)
class RuleMutant:
    """One op whose rule has one error.

    Attributes:
        op: the op.
        place: the function that has it: a name, or `rule-1` for the second lambda that the rule reaches.
        number: of the edit of that function.
    """

    op: str
    place: str
    number: int

    @property
    def name(self) -> str:
        """Its name, by which it is found again: `rules/tanh/rule-0/3`."""
        return f"rules/{self.op}/{self.place}/{self.number}"

    @property
    def subject(self) -> str:
        """The op."""
        return self.op

    @property
    def how(self) -> str:
        """The operator."""
        return self.edit.operator

    @property
    def edit(self) -> Edit:
        """The error."""
        return edits(_places(ALL_OPS[self.op])[self.place])[self.number]

    @property
    def wrong(self) -> str:
        """What changes, in the words of the source."""
        return f"{self.edit.operator} in {self.place}: {self.edit.change}"

    def rule(self) -> Any:
        """The op's rule with the error in it."""
        op = ALL_OPS[self.op]
        return changed(_function(op), _places(op)[self.place], self.edit, PACKAGE)

    def backend(self) -> Backend:
        """A fresh engine with this rule."""
        return subject().with_rules({self.op: self.rule()})


def _function(op: Op) -> types.FunctionType:
    if not isinstance(op.rule, types.FunctionType):
        raise TypeError(f"the rule of {op.name} is no function with a source")
    return op.rule


@cache
def _places(op: Op) -> dict[str, types.FunctionType]:
    """The functions that a rule reaches, by a name that is unique among them."""
    named: dict[str, types.FunctionType] = {}
    for function in reached(_function(op), PACKAGE):
        if function.__name__ in ("<lambda>", "rule"):
            stem, number = "rule", sum(key.startswith("rule-") for key in named)
            named[f"{stem}-{number}"] = function
        else:
            named.setdefault(function.__name__, function)
    return named


def rule_mutants(ops: Iterable[str] = CATALOGUE, seed: int = 0) -> list[RuleMutant]:
    """All mutants of the rules, in the order of the catalogue.

    An error in a function that several rules reach is given to one of them, drawn by the seed: it is an error of that
    op alone, so that its references stay right.
    """
    owners: dict[types.CodeType, list[tuple[str, str]]] = {}
    functions: dict[types.CodeType, types.FunctionType] = {}
    for op in CATALOGUE.values():
        for place, function in _places(op).items():
            owners.setdefault(function.__code__, []).append((op.name, place))
            functions[function.__code__] = function
    wanted, found = set(ops), list[RuleMutant]()
    for code, among in owners.items():
        for number, _ in enumerate(edits(functions[code])):
            key = f"{seed} {functions[code].__module__} {code.co_qualname} {among[0]} {number}"
            name, place = random.Random(key).choice(among)
            if name in wanted:
                found.append(RuleMutant(name, place, number))
    order = {name: position for position, name in enumerate(CATALOGUE)}
    return sorted(found, key=lambda mutant: order[mutant.op])
