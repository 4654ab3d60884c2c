"""Members: small calls of every op, and of functions that engines build, which checks put into graphs.

What the standard asks of an engine it asks of every op, since engines treat ops in different ways: a view, an
in-place kernel, a custom rule and a checkpoint are each recorded by code of their own. A sample has a third of the
catalogue, so that three samples have all of it; an engine that compiles every signature gets a few of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial, reduce
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array, Case
from conformance.checks.comparison import hold_close, hold_equal
from conformance.checks.engine_calls import full_sum
from conformance.checks.observation import Answer, Observation, Oracle, decided_part, hold_gradients, plain
from conformance.checks.registry import NotThisCase
from conformance.checks.sample import Sample
from conformance.collector import Collector
from conformance.design.rows import Row, rows_of
from conformance.dtype import is_inexact
from conformance.errors import text_of
from conformance.op import Op, Signature, Trait
from conformance.ops import CATALOGUE, family_of
from conformance.ops.names import ADD, MULTIPLY
from conformance.strategies.cases import build

PARTS = 3  # samples that have the whole catalogue between them
FEW = 24  # of a part, one member in so many is given to an engine that compiles each
LARGEST = 32  # entries of an operand
TRIES = 12  # calls drawn from a law until one is small and not empty

Given = Sequence[Array | None]  # gradients
Made = Callable[[Backend], Function]
T = TypeVar("T")

asked = Collector[str]("asked")  # within `asked()`: the families and built functions that a check is run on


@dataclass(frozen=True, eq=False)
class Member:
    """One call: its values, what is known of it, and how an engine makes the function.

    Attributes:
        oracle: the op, the operands, the cotangents and the expected gradients.
        family: that of the op, or how the function is built.
        make: makes the function of the operands.
    """

    oracle: Oracle
    family: str
    make: Made = field(repr=False)
    answers: WeakKeyDictionary[Backend, Answer] = field(default_factory=WeakKeyDictionary, repr=False)

    @property
    def case(self) -> Case:
        """The call."""
        return self.oracle.case

    @property
    def op(self) -> Op:
        """The row."""
        return self.oracle.op

    @property
    def wrt(self) -> tuple[int, ...]:
        """The operands that have a gradient."""
        return self.oracle.wrt

    @property
    def is_built(self) -> bool:
        """Whether the engine built the function, rather than naming it."""
        return self.family != family_of(self.op)

    @property
    def operands(self) -> list[Array]:
        """Fresh copies of its operands."""
        return [np.array(x) for x in self.case.operands]

    @property
    def cotangents(self) -> list[Array]:
        """Fresh copies of its cotangents."""
        return [np.array(g) for g in self.case.cotangents]

    def function(self, engine: Backend) -> Function:
        """The engine's function."""
        return self.make(engine)

    def answer(self, engine: Backend) -> Answer:
        """The engine's outputs and gradients of this call alone; NotThisCase where it gives none."""
        if engine not in self.answers:
            try:
                self.answers[engine] = Observation(engine, self.oracle).answer
            except Exception as error:  # the checks of the op report it
                raise NotThisCase(f"no gradient of {self} alone: {text_of(error)}") from None
        return self.answers[engine]

    def hold(self, got: Given, expected: Given, what: str, times: int = 1) -> None:
        """Claim that gradients are so many times those of the call alone, but for the rounding of two that are right."""
        for position, (i, ours, alone) in enumerate(zip(self.wrt, got, expected, strict=True)):
            x = self.case.operands[i]
            right = np.zeros_like(x) if alone is None else times * alone
            if ours is not None and ours.shape == x.shape:  # an engine may read one triangle
                ours, right = (decided_part(self.op, i, z) for z in (ours, right))
            label = f"the gradient of operand {i} of {self}, {what}"
            if ours is not None and np.array_equal(ours, right):  # the allowance costs more
                hold_equal(ours, right, label)
            else:
                hold_close(ours, right, 2 * abs(times) * self.oracle.expected[position].allowed, label)

    def __str__(self) -> str:
        return f"{self.op.name} by a {self.family}" if self.is_built else self.op.name


# ---- what a sample has ------------------------------------------------------------------------------


def members(engine: Backend, sample: Sample, *, is_built: bool = True) -> Iterator[Member]:
    """The members of a sample that the engine has: ops of every family, then, if `is_built`, built functions."""
    chosen = _fewer(engine, sample, FEW, _calls(engine, sample))
    for member in (*chosen, *(built_members(engine, sample) if is_built else ())):
        asked.put(member.family)
        yield member


def built_members(engine: Backend, sample: Sample) -> list[Member]:
    """The functions of a sample that the engine builds."""
    built = _built(sample.seed, sample.dtype)
    offered = [member for need, member in built.items() if need in engine.capabilities]
    return _fewer(engine, sample, len(Capability), offered)


def _fewer(engine: Backend, sample: Sample, few: int, of: list[T]) -> list[T]:
    """All of these; for an engine that compiles each, one in `few` of them, another for another sample."""
    return of[sample.seed % max(1, min(few, len(of))) :: few] if engine.compiles_signatures else of


def ops_of(engine: Backend, sample: Sample) -> list[Op]:
    """The ops of a sample that the engine has: a third of the catalogue; for one that compiles each call, a few."""
    drawn = list(CATALOGUE.values())[sample.seed % PARTS :: PARTS]
    return _fewer(engine, sample, FEW, [op for op in drawn if op.name in engine.ops])


def calls_where(engine: Backend, sample: Sample, fits: Callable[[Case], bool]) -> list[Member]:
    """Calls that fit, of the sample's ops of several operands that the engine has."""
    drawn = (
        call_of(op, sample.seed, sample.dtype, fits)
        for op in list(CATALOGUE.values())[sample.seed % PARTS :: PARTS]
        if op.name in engine.ops and (len(op.domains) > 1 or Trait.VARIADIC in op.traits)
    )
    return _fewer(engine, sample, FEW, [member for member in drawn if member is not None])


def is_right_alone(engine: Backend, member: Member) -> bool:
    """Whether the engine's gradients of a call alone are within what is allowed."""
    try:
        hold_gradients(Observation(engine, member.oracle))
    except Exception:  # an exception of the engine counts too
        return False
    return True


def is_small(case: Case) -> bool:
    """Whether all arrays of a case are small, not empty, and of its own dtype where they are floating point."""
    arrays = (*case.operands, *case.cotangents)
    dtypes = {x.dtype.name for x in arrays if is_inexact(x.dtype)}
    return all(1 <= x.size <= LARGEST for x in arrays) and dtypes == {case.dtype}


def _calls(engine: Backend, sample: Sample) -> list[Member]:
    """The calls of a sample: those of every third op, where the engine has it. What it lacks is not drawn: that takes longer."""
    named = [name for name in list(CATALOGUE)[sample.seed % PARTS :: PARTS] if name in engine.ops]
    drawn = (_call(name, sample.seed, sample.dtype) for name in named)
    return [member for member in drawn if member is not None]


@lru_cache(maxsize=16 * len(CATALOGUE) // PARTS)
def _call(name: str, seed: int, dtype: str) -> Member | None:
    return call_of(CATALOGUE[name], seed, dtype)


def call_of(op: Op, seed: int, dtype: str, fits: Callable[[Case], bool] = lambda case: True) -> Member | None:
    """A small call of an op that `fits`, drawn from its law, of several outputs if it can have them; None where none was found."""
    alone: Member | None = None  # a call of one output
    rows = [row for row in rows_of(op) if row.wrt is None and row.entries <= LARGEST and row.can_decide]
    for attempt, n in enumerate(np.random.default_rng(seed).permutation(len(rows))[:TRIES]):
        case = build(
            op, rows[n], dtype, texture="full", upstream="signed", layouts=("C",), seed=seed + attempt
        )
        if is_small(case) and fits(case):
            found = Member(Oracle(op, case), family_of(op), partial(_op_with, op.name, case.parameters))
            if not op.has_several_outputs or sum(g.size > 0 for g in case.cotangents) > 1:
                return found
            alone = alone or found
    return alone


def _op_with(name: str, parameters: Mapping[str, Any], engine: Backend) -> Function:
    return engine.call(name, parameters)


@lru_cache(maxsize=16)
def _built(seed: int, dtype: str) -> dict[Capability, Member]:
    """Products, by functions that an engine builds."""
    row = Row(Signature(((3,), (3,))))
    case = build(
        CATALOGUE[MULTIPLY], row, dtype, texture="full", upstream="signed", layouts=("C",), seed=seed
    )
    plainly = partial(_op_with, MULTIPLY, {})
    product = Member(Oracle(CATALOGUE[MULTIPLY], case), "", plainly)
    makers: dict[Capability, tuple[str, Made]] = {
        Capability.CUSTOM_RULE: ("custom rule", custom_product),
        Capability.NEEDED_OPERANDS: ("custom rule of each operand", custom_product_by_operand),
        Capability.CHECKPOINTING: ("checkpoint", lambda engine: engine.checkpoint(plainly(engine))),
        Capability.COMPILING: ("compiled function", lambda engine: engine.compiled(plainly(engine))),
        Capability.VECTORIZING: ("vectorized function", lambda engine: engine.vectorized(plainly(engine))),
    }
    return {need: replace(product, family=family, make=make) for need, (family, make) in makers.items()}


def custom_product(engine: Backend) -> Function:
    """The product of two operands, by a custom rule."""
    return engine.custom(lambda a, b: a * b, lambda g, a, b: (g * b, g * a))


def custom_product_by_operand(engine: Backend) -> Function:
    """The same, by a rule for each operand, which is called for those that need a gradient."""
    return engine.custom_by_operand(lambda a, b: a * b, lambda i, gs, xs, zs: gs[0] * xs[1 - i])


# ---- what members are put into ----------------------------------------------------------------------


def tupled(outputs: Any) -> tuple[Any, ...]:
    """One output or several, as a tuple."""
    return tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)


def weighted(engine: Backend, weights: Sequence[Any], outputs: Any) -> Any:
    """The 0-d sum of all entries of the outputs, each times its weight: the weights are then the cotangents."""
    add, multiply, total = engine.op(ADD), engine.op(MULTIPLY), full_sum(engine)
    terms = [total(multiply(w, z)) for w, z in zip(weights, tupled(outputs), strict=True)]
    return reduce(add, terms)


def gradients_in(
    engine: Backend, member: Member, graph: Function, weights: Sequence[Array] = ()
) -> tuple[list[Array | None], list[Array | None]]:
    """The gradients of a scalar `graph(operands, weights)`: of the member's operands, and of the weights.

    `weights` are leaves beside the operands.
    """
    count = len(member.case.operands)
    leaves = [*member.operands, *(np.array(w) for w in weights)]
    wrt = [*member.wrt, *range(count, len(leaves))]
    one = np.ones((), member.case.dtype)
    _, gradients = engine.vjp(lambda *xs: graph(xs[:count], xs[count:]), leaves, [one], wrt)
    given = [None if g is None else plain(engine, g) for g in gradients]
    return given[: len(member.wrt)], given[len(member.wrt) :]


def hold_values(member: Member, got: Sequence[Array | None], values: Sequence[Array], what: str) -> None:
    """Claim that gradients of weights are the values that were weighted, but for the rounding of a sum."""
    for index, (ours, value) in enumerate(zip(got, values, strict=True)):
        unit = np.spacing(np.abs(value).max(initial=1.0).astype(member.case.dtype)).astype(np.longdouble)
        hold_close(ours, value, np.full(value.shape, 4 * unit), f"output {index} of {member} {what}")
