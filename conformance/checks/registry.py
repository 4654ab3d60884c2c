"""The registry: what a check is, and how one is written.

A check is a plain function that returns when its claim holds and raises `Violation` when it does
not. A case that cannot tell raises `NotThisCase`; a check that saw no case at all has failed.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.backend import Backend, Capability
from conformance.case import Case
from conformance.clauses import STANDARD
from conformance.errors import ConformanceError, Unsupported
from conformance.op import Op
from conformance.strategies import Effort
from conformance.values import TEXTURES

CheckFunction = Callable[..., Any]
FULL = frozenset({"float64", "float32"})  # the precisions in which everything is asked
# In double alone where whole numbers meet real ones: what int64 and float32 make is each library's own affair.
DOUBLE = frozenset({"float64"})
COMPLEX = frozenset({"complex128", "complex64"})  # those in which only holomorphic ops are
Applies = Callable[[Op], bool]


class CheckKind(enum.Enum):
    """What a check is asked about; the value is the second part of its results' ids."""

    OP = "op"
    CONTRACT = "contract"
    PROGRAM = "program"
    HISTORY = "history"
    EXAMPLE = "example"
    CAPABILITY = "capability"
    POINT = "point"


class NotThisCase(ConformanceError):
    """This case cannot decide the claim; the message says why."""


@dataclass(frozen=True)
class Check:
    """One claim about engines.

    `function` takes an `Observation` (op checks), a backend and a `Sample` (contracts, examples,
    capabilities), a backend and a `Program` (programs), a backend and a `History` (histories), or a
    `PointObservation`
    (points). `once_per_signature` asks it of the first value draw only, because it is about shapes, or
    makes the engine compile anew. A `sparing` check is asked of a few signatures, because each of its
    questions is compiled by itself. `dtypes` are those in which an op check is asked, `sparing_in` those of them
    in which it is asked of a few signatures, but of all their value draws. A check `is_of_flat` is asked of the
    ops that have no slope, any other op check of those that have one. `textures` are those of its cases' numbers.
    Of one that `is_diagnosed`, which compares an engine's gradients with the rule's, diagnostics are heard before it
    fails.
    """

    name: str
    clause: str
    kind: CheckKind
    function: CheckFunction
    needs: frozenset[Capability] = frozenset()
    applies: Applies = lambda op: True
    once_per_signature: bool = False
    sparing: bool = False
    dtypes: frozenset[str] = FULL
    sparing_in: frozenset[str] = frozenset()
    is_of_flat: bool = False
    is_diagnosed: bool = False
    textures: tuple[str, ...] = TEXTURES

    @property
    def key(self) -> str:
        """Its unique name among all checks: `op/vjp`, `contract/B1/fan-out`."""
        middle = f"{self.clause}/" if self.kind in (CheckKind.CONTRACT, CheckKind.EXAMPLE) else ""
        return f"{self.kind.value}/{middle}{self.name}"

    @property
    def claim(self) -> str:
        """The first line of its docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0].rstrip(".")

    def asks_about(self, op: Op) -> bool:
        """Whether it is asked of this op."""
        return self.kind is CheckKind.OP and op.is_flat is self.is_of_flat and self.applies(op)

    def is_meant_for(self, case: Case) -> bool:
        """Whether it is asked of numbers of this type and of this size; of a case by hand, whatever the size."""
        return case.dtype in self.dtypes and case.texture in ("", *self.textures)

    def enough(self, dtype: str, effort: Effort) -> float:
        """How many cases of an op decide it: all there are, or, where it is sparing, those of a few signatures."""
        of_each = 1 if self.once_per_signature else effort.draws
        return effort.few * of_each if self.sparing or dtype in self.sparing_in else math.inf

    def require(self, backend: Backend) -> None:
        """Raise Unsupported if the backend does not declare what the check needs."""
        missing = [c for c in self.needs if c not in backend.capabilities]
        if missing:
            names = ", ".join(sorted(f"{c.name.lower()} ({c.value})" for c in missing))
            raise Unsupported(f"{backend.engine} does not declare {names}")


CHECKS: dict[str, Check] = {}


def _register(check: Check) -> None:
    if check.key in CHECKS and CHECKS[check.key].function is not check.function:
        raise ValueError(f"two checks are called {check.key}")
    CHECKS[check.key] = check


def op_check(
    clause: str,
    name: str,
    *needs: Capability,
    applies: Applies = lambda op: True,
    once_per_signature: bool = False,
    sparing: bool = False,
    dtypes: frozenset[str] = FULL,
    sparing_in: frozenset[str] = frozenset(),
    is_diagnosed: bool = False,
    textures: tuple[str, ...] = TEXTURES,
) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check that is asked about every case of every op that it applies to."""

    def register(function: CheckFunction) -> CheckFunction:
        once = once_per_signature or sparing
        _register(
            Check(
                *(
                    name,
                    clause,
                    CheckKind.OP,
                    function,
                    frozenset(needs),
                    applies,
                    once,
                    sparing,
                    dtypes,
                    sparing_in,
                ),
                is_diagnosed=is_diagnosed,
                textures=textures,
            )
        )
        return function

    return register


def flat_check(clause: str, name: str) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check that is asked about the ops that have no slope, once for every signature."""

    def register(function: CheckFunction) -> CheckFunction:
        _register(
            Check(
                name, clause, CheckKind.OP, function, once_per_signature=True, dtypes=DOUBLE, is_of_flat=True
            )
        )
        return function

    return register


def check(
    kind: CheckKind, clause: str, name: str, *needs: Capability
) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check that is asked about the engine as a whole."""

    def register(function: CheckFunction) -> CheckFunction:
        _register(Check(name, clause, kind, function, needs=frozenset(needs)))
        return function

    return register


def contract(clause: str, name: str, *needs: Capability) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check of a clause about the whole engine."""
    return check(CheckKind.CONTRACT, clause, name, *needs)


def declared_convention(backend: Backend, clause: str) -> str:
    """The convention that the backend declares for a clause; Unsupported where it declares none, or an unknown one."""
    convention = backend.conventions.get(clause)
    conventions = STANDARD[clause].conventions
    if convention is None or convention not in conventions:
        declared = "declares no convention" if convention is None else f"declares {convention!r}"
        raise Unsupported(
            f"the adapter {declared} for {clause}; the conventions are {', '.join(conventions)}"
        )
    return convention
