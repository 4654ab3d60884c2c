"""All generated mutants, by kind and by name."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from typing import Protocol

from conformance.backend import Backend
from conformance.errors import UsageError
from conformance.ops import CATALOGUE
from conformance.selfcheck.generated import bookkeeping
from conformance.selfcheck.generated.bookkeeping import BookkeepingMutant, bookkeeping_mutants
from conformance.selfcheck.generated.engine import EngineMutant, engine_mutants
from conformance.selfcheck.generated.guarded import GuardedMutant, guarded_mutants
from conformance.selfcheck.generated.rules import RuleMutant, rule_mutants

KINDS = ("rules", "guarded", "engine")


class GeneratedMutant(Protocol):
    """An engine wrong in one way that a program chose."""

    @property
    def name(self) -> str:
        """By which it is found again; the kind is its first part."""

    @property
    def subject(self) -> str:
        """What is changed: an op, a module of the engine, its bookkeeping."""

    @property
    def how(self) -> str:
        """The operator, or the factors of the condition."""

    @property
    def wrong(self) -> str:
        """What is wrong."""

    def backend(self) -> Backend:
        """A fresh engine with the fault."""


def generated_mutants(kind: str, ops: Collection[str] = (), seed: int = 0) -> list[GeneratedMutant]:
    """All mutants of a kind, in a fixed order; only those of some ops where ops are named."""
    wanted = [op for op in CATALOGUE if not ops or op in ops]
    if kind == "rules":
        return list(rule_mutants(wanted))
    if kind == "guarded":
        return [*guarded_mutants(wanted, seed), *([] if ops else bookkeeping_mutants(seed))]
    return [] if ops else list(engine_mutants())


def sampled(names: Sequence[str], count: int, seed: int) -> list[str]:
    """So many of the names, drawn by the seed, in their order; all where there are no more."""
    chosen = set(random.Random(seed).sample(names, min(count, len(names))))
    return [name for name in names if name in chosen]


def found(name: str, seed: int = 0) -> GeneratedMutant:
    """The mutant of a name; UsageError where there is none."""
    kind, *parts = name.split("/")
    try:
        if kind == "rules":
            op, place, number = parts
            return RuleMutant(op, place, int(number))
        if kind == "engine":
            module, place, number = parts
            return EngineMutant(module, place, int(number))
        if name.startswith(bookkeeping.PREFIX):
            _, fault, number = parts
            return BookkeepingMutant(fault, int(number), seed)
        op, number = parts
        return GuardedMutant(op, int(number), seed)
    except ValueError:
        raise UsageError(f"{name!r} is not the name of a generated mutant") from None
