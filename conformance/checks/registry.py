"""The registry: what a check is, and how one is written.

A check is a plain function that returns when its claim holds and raises `Violation` when it does
not. For a case that cannot decide the claim it raises `NotThisCase`; an item that no case decides is undecided.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from conformance.backend import Backend, Capability
from conformance.case import Case
from conformance.clauses import STANDARD
from conformance.errors import ConformanceError, Unsupported, Violation
from conformance.op import Op
from conformance.strategies import Effort
from conformance.values import TEXTURES

CheckFunction = Callable[..., Any]
FULL = frozenset({"float64", "float32"})  # the precisions in which everything is checked
# In double alone where whole numbers meet real ones: what int64 and float32 make is each library's own affair.
DOUBLE = frozenset({"float64"})
COMPLEX = frozenset({"complex128", "complex64"})  # those in which only holomorphic ops are
Applies = Callable[[Op], bool]


class NotThisCase(ConformanceError):
    """This case cannot decide the claim; the message says why."""


@dataclass(frozen=True)
class Check:
    """One claim about engines.

    Attributes:
        name: unique among the checks of its kind, or of its clause.
        clause: the number of the clause that it tests.
        kind: the name of the kind of questions that it is run on (`conformance.questions`).
        function: takes what such a question gives: an `Observation` (op), a `PointObservation` (point), or a backend
            and a sample, a program or a history.
        needs: the capabilities without which the engine is not held to the claim.
        is_named_by_clause: whether its key has the clause in it.
        applies: the ops that a check of ops is about.
        once_per_signature: whether it is run on the first value draw of a signature only, because it is about
            shapes, or makes the engine compile again.
        compiles: whether it is run on a few signatures of an engine that compiles, because each of its questions is
            compiled by itself.
        sparing: whether it is run on a few signatures of any engine, because what its answers take, and what rounding makes of them, grows with each order.
        calls_anew: whether it makes calls of other shapes, dtypes or parameters than the case, or without its gradient,
            which an engine that compiles compiles again.
        dtypes: those in which it is run.
        sparing_in: the dtypes in which it is run on a few signatures, but on all their value draws.
        is_of_flat: whether it is about the ops that have no slope; any other is about those that have one.
        is_diagnosed: whether it compares gradients with the reference VJP, so that a failure is diagnosed.
        textures: how the numbers of its cases are drawn.
        is_about_outcome: whether it is about what the engine does, such as that it raises, so that every case decides.
            Of any other a case decides in which a compared value that is not zero was expected, or in which the check
            itself says so (`decides`).
        is_about_form: whether it is about the shapes or dtypes of arrays, so that it cannot notice a wrong number.
        has_floor: whether it allows what a cotangent of one is rounded by, so that a saturated tail is as good as zero.
        satisfied_by: the sorts of wrong answers (`conformance.selfcheck.wrong_answers`) that satisfy the claim, each with why.
        is_wide: whether a sample has it run on very many ops: the self-test then runs it on few mutants.
    """

    name: str
    clause: str
    kind: str
    function: CheckFunction
    needs: frozenset[Capability] = frozenset()
    is_named_by_clause: bool = False
    applies: Applies = lambda op: True
    once_per_signature: bool = False
    compiles: bool = False
    sparing: bool = False
    calls_anew: bool = False
    dtypes: frozenset[str] = FULL
    sparing_in: frozenset[str] = frozenset()
    is_of_flat: bool = False
    is_diagnosed: bool = False
    textures: tuple[str, ...] = TEXTURES
    is_about_outcome: bool = False
    is_about_form: bool = False
    has_floor: bool = False
    satisfied_by: tuple[tuple[str, str], ...] = ()
    is_wide: bool = False

    @property
    def key(self) -> str:
        """Its unique name among all checks: `op/vjp`, `contract/B1/fan-out`."""
        return "/".join((self.kind, *((self.clause,) if self.is_named_by_clause else ()), self.name))

    @property
    def claim(self) -> str:
        """The first line of its docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0].rstrip(".")

    def asks_about(self, op: Op) -> bool:
        """Whether it is run on cases of this op."""
        return self.kind == "op" and op.is_flat is self.is_of_flat and self.applies(op)

    def is_meant_for(self, case: Case) -> bool:
        """Whether it is run on numbers of this dtype and texture; on a case without texture, whatever its numbers."""
        return case.dtype in self.dtypes and case.texture in ("", *self.textures)

    def enough(self, dtype: str, effort: Effort) -> float:
        """How many cases of an op decide it: all there are, or, where each costs much, those of a few signatures."""
        of_each = 1 if self.once_per_signature else effort.draws
        is_sparing = self.sparing or dtype in self.sparing_in or (self.compiles and effort.compiles)
        is_sparing = is_sparing or (effort.is_compact and self.is_compiled_alone)
        return effort.few * of_each if is_sparing else math.inf

    @property
    def is_compiled_alone(self) -> bool:
        """Whether an engine that compiles compiles something for this check alone."""
        return self.sparing or self.compiles or self.calls_anew

    def require(self, backend: Backend) -> None:
        """Raise Unsupported where the backend does not declare what the check needs."""
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
    compiles: bool = False,
    sparing: bool = False,
    calls_anew: bool = False,
    dtypes: frozenset[str] = FULL,
    sparing_in: frozenset[str] = frozenset(),
    is_diagnosed: bool = False,
    textures: tuple[str, ...] = TEXTURES,
    is_about_form: bool = False,
    satisfied_by: tuple[tuple[str, str], ...] = (),
) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check that is run on every case of every op that it applies to."""

    def register(function: CheckFunction) -> CheckFunction:
        _register(
            Check(
                name,
                clause,
                "op",
                function,
                frozenset(needs),
                applies=applies,
                once_per_signature=once_per_signature or sparing or compiles,
                compiles=compiles,
                sparing=sparing,
                calls_anew=calls_anew,
                dtypes=dtypes,
                sparing_in=sparing_in,
                is_diagnosed=is_diagnosed,
                textures=textures,
                is_about_form=is_about_form,
                satisfied_by=satisfied_by,
            )
        )
        return function

    return register


def flat_check(
    clause: str,
    name: str,
    *needs: Capability,
    applies: Applies = lambda op: True,
    compiles: bool = False,
    dtypes: frozenset[str] = DOUBLE,
) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check of the ops that have no slope, run once for every signature."""

    def register(function: CheckFunction) -> CheckFunction:
        _register(
            Check(
                name,
                clause,
                "op",
                function,
                frozenset(needs),
                applies=applies,
                once_per_signature=True,
                compiles=compiles,
                dtypes=dtypes,
                is_of_flat=True,
            )
        )
        return function

    return register


def check(
    kind: str,
    clause: str,
    name: str,
    *needs: Capability,
    is_named_by_clause: bool = False,
    is_about_outcome: bool = False,
    has_floor: bool = False,
    is_wide: bool = False,
) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check that is run on questions of a kind."""

    def register(function: CheckFunction) -> CheckFunction:
        _register(
            Check(
                name,
                clause,
                kind,
                function,
                frozenset(needs),
                is_named_by_clause,
                is_about_outcome=is_about_outcome,
                has_floor=has_floor,
                is_wide=is_wide,
            )
        )
        return function

    return register


def contract(
    clause: str, name: str, *needs: Capability, is_about_outcome: bool = False, is_wide: bool = False
) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check of a clause about the whole engine."""
    return check(
        "contract",
        clause,
        name,
        *needs,
        is_named_by_clause=True,
        is_about_outcome=is_about_outcome,
        is_wide=is_wide,
    )


class OtherConvention(Violation):
    """An op follows another convention of a clause than the adapter declares for it.

    Attributes:
        key: what to declare, for this op alone: "E19/floor".
        found: the convention that the op follows.
    """

    def __init__(self, message: str, clause: str, op: str, found: str) -> None:
        self.key, self.found = f"{clause}/{op}", found
        super().__init__(f'{message} (for this op alone: "{self.key}")')


class UndeclaredConvention(Unsupported):
    """The adapter declares no convention for a clause, so that its checks have nothing to hold the engine to."""

    def __init__(self, clause: str, convention: str | None) -> None:
        self.clause = clause
        declared = "declares no convention" if convention is None else f"declares {convention!r}"
        conventions = ", ".join(STANDARD[clause].conventions)
        super().__init__(f"the adapter {declared} for {clause}; the conventions are {conventions}")


def declared_convention(backend: Backend, clause: str, op: str = "") -> str:
    """The convention that the backend declares for a clause, or for an op ("A5/sum").

    Raises UndeclaredConvention, which is Unsupported, where it declares none, or an unknown one.
    """
    convention = backend.conventions.get(f"{clause}/{op}", backend.conventions.get(clause))
    if convention is None or convention not in STANDARD[clause].conventions:
        raise UndeclaredConvention(clause, convention)
    return convention


@contextlib.contextmanager
def assumed_convention(backend: Backend, clause: str, convention: str) -> Iterator[None]:
    """A scope in which the backend declares this convention for a clause."""
    before = backend.conventions
    backend.conventions = {**before, clause: convention}  # type: ignore[misc]  # of this object, not of its class
    try:
        yield
    finally:
        backend.conventions = before  # type: ignore[misc]
