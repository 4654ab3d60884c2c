"""Every op in every mode: behind other ops, checkpointed, compiled, mapped over a batch, in another thread (B1, B15, C6, C10).

An engine's rule may take another path there: a saved value that is not a leaf, a batching rule, a scratch buffer of
the thread. The gradients are those of the reference VJP, within the same allowance.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from conformance.backend import Backend, Capability, Function, as_tuple
from conformance.case import Case
from conformance.checks.comparison import Comparison, hold_all_within
from conformance.checks.observation import Observation, Oracle, plain
from conformance.checks.registry import NotThisCase, op_check
from conformance.design.rows import Row
from conformance.errors import ConformanceError, Unsupported, Violation, error_text
from conformance.op import Signature
from conformance.ops.names import NEGATIVE
from conformance.oracle.allowance import Expected, expected_values
from conformance.strategies.cases import build
from conformance.values import TEXTURES, operands

T = TypeVar("T")
DEPTHS = (1, 3, 12, 40)  # pairs of sign changes before an op and behind it
BATCHES = (2, 1, 5, 8)


def pick(seen: Observation, levels: Sequence[T]) -> T:
    """A level for this case: as good as random, and the same for everybody."""
    numbers = [*seen.case.operands, *seen.case.cotangents]
    return levels[sum(int(np.abs(x).sum() * 64) if x.size else 1 for x in numbers) % len(levels)]


def _hold(gradients: Sequence[Any], seen: Observation, where: str) -> list[Comparison]:
    """Claim that an engine's gradients are the expected ones."""
    pairs = enumerate(zip(gradients, seen.expected, strict=True))
    arrays = [
        (None if g is None else plain(seen.backend, g), e, f"{seen.label(i)} {where}") for i, (g, e) in pairs
    ]
    return hold_all_within(arrays)


def _gradients(seen: Observation, function: Function) -> tuple[Any, ...]:
    xs, gs = (list(map(np.array, arrays)) for arrays in (seen.case.operands, seen.case.cotangents))
    return seen.backend.vjp(function, xs, gs, seen.wrt)[1]


def _call(seen: Observation) -> Function:
    return seen.backend.call(seen.op.name, seen.case.parameters)


# ---- behind other ops ---------------------------------------------------------------------------------


@op_check("B1", "in-a-graph", compiles=True)
def op_between_others_has_its_gradient(seen: Observation) -> list[Comparison]:
    """Between ops that change no bit, an op that is called twice with computed operands has the gradient that it has alone.

    Each call has half of the cotangent, which is exact: what arrives by one of them adds to what the other has sent.
    """
    pairs = pick(seen, DEPTHS)
    same, function = _unchanged(seen.backend, pairs), _call(seen)

    def between(*xs: Any) -> tuple[Any, ...]:
        computed = [same(x) if i in seen.wrt else x for i, x in enumerate(xs)]
        first, second = (as_tuple(function(*computed)) for _ in range(2))
        return tuple(map(same, (*first, *second)))

    xs, halves = list(map(np.array, seen.case.operands)), [g / 2 for g in seen.case.cotangents]
    _, gradients = seen.backend.vjp(between, xs, [*halves, *map(np.array, halves)], seen.wrt)
    return _hold(gradients, seen, "called twice between sign changes")


def _unchanged(engine: Backend, pairs: int) -> Callable[[Any], Any]:
    """The identity, as a chain of sign changes."""
    negative = engine.op(NEGATIVE)

    def same(x: Any) -> Any:
        for _ in range(2 * pairs):
            x = negative(x)
        return x

    return same


# ---- in another mode -----------------------------------------------------------------------------------


@op_check("C6", "checkpointed", Capability.CHECKPOINTING, compiles=True)
def checkpointed_op_has_its_gradient(seen: Observation) -> list[Comparison]:
    """A checkpointed op has the gradient that it has outside."""
    return _hold(_gradients(seen, seen.backend.checkpoint(_call(seen))), seen, "of a checkpointed function")


@op_check("C10", "compiled", Capability.COMPILING, compiles=True)
def compiled_op_has_its_gradient(seen: Observation) -> list[Comparison]:
    """A compiled op has the gradient that it has outside."""
    return _hold(_gradients(seen, seen.backend.compiled(_call(seen))), seen, "of a compiled function")


@op_check("B15", "in-a-thread", compiles=True)
def op_in_another_thread_has_its_gradient(seen: Observation) -> list[Comparison]:
    """An op called and differentiated in another thread has the gradient that it has here."""
    found: list[Any] = []

    def call() -> None:
        try:
            found.append(_gradients(seen, _call(seen)))
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    if isinstance(found[0], BaseException):
        raise found[0]
    try:
        return _hold(found[0], seen, "in another thread")
    except Exception as error:
        if issubclass(type(error), ConformanceError):
            raise
        _ = seen.answer  # where nothing can be read, the adapter's conversion is wrong, and raises here
        raise Violation(
            f"a gradient computed in another thread cannot be read here: {error_text(error)}"
        ) from error


# ---- mapped over a batch ----------------------------------------------------------------------------


@op_check("C10", "mapped", Capability.VECTORIZING, compiles=True)
def mapped_op_has_the_gradients_of_a_loop(seen: Observation) -> list[Comparison]:
    """An op mapped over a batch of calls has for each the value and the gradient that it has alone."""
    # a batch of one is often a path of its own; an engine that compiles would compile it again
    counts = (0,) if seen.backend.compiles_signatures else (1, 0)
    compared = [compared for count in counts for compared in _hold_mapped(seen, batch_of(seen, count))]
    if seen.backend.compiles_signatures and (other := _along_another_axis(seen)):
        with contextlib.suppress(NotThisCase, Unsupported):
            compared += _hold_mapped(other, batch_of(other))
    return compared


def _along_another_axis(seen: Observation) -> Observation | None:
    """The op along an axis counted from the other end, and not along the first: a map shifts the one, and not the other.

    An engine that compiles is asked few signatures, which may have one of them alone.
    """
    given = seen.case.parameters
    axis, ndim = given.get("axis"), max((x.ndim for x in seen.case.operands), default=0)
    if not isinstance(axis, int) or isinstance(axis, bool) or ndim < 2:
        return None
    other = {**given, "axis": axis - ndim if axis > 0 else ndim - 1}
    signature = Signature(tuple(x.shape for x in seen.case.operands), other, domains=seen.case.domains)
    row, texture, seed = Row(signature, seen.case.wrt), TEXTURES[0], len(seen.case.label)
    dtype, layouts = seen.case.dtype, ("C",)
    try:
        case = build(seen.op, row, dtype, texture=texture, upstream="signed", layouts=layouts, seed=seed)
    except (ValueError, IndexError, TypeError):  # the parameters fit this axis alone
        return None
    return Observation(seen.backend, Oracle(seen.op, case, seen.perturbations))


def _hold_mapped(seen: Observation, batch: Sequence[Case]) -> list[Comparison]:
    """Claim that the mapped op has the values and the gradients of each call of a batch."""
    xs, gs = (
        [np.stack(arrays) for arrays in zip(*parts, strict=True)]
        for parts in ((case.operands for case in batch), (case.cotangents for case in batch))
    )
    mapped = seen.backend.vectorized(_call(seen))
    outputs, gradients = seen.backend.vjp(mapped, xs, gs, seen.wrt)
    expected = [Oracle(seen.op, case, seen.perturbations).expected for case in batch]
    where = f"in a batch of {len(batch)} calls"
    compared = [
        (
            None if g is None else plain(seen.backend, g),
            stacked(bounds),
            f"{seen.label(position)} {where}",
        )
        for position, (g, bounds) in enumerate(zip(gradients, zip(*expected, strict=True), strict=True))
    ]
    return hold_of_batch(seen, batch, (*compared, *stacked_values(seen, outputs, batch, where)))


def hold_of_batch(
    seen: Observation, batch: Sequence[Case], compared: Sequence[tuple[Any, Expected, str]]
) -> list[Comparison]:
    """Claim that mapped calls have the answers that are expected of each; what an engine answers wrongly without a map is no fault of it."""
    try:
        return hold_all_within(compared)
    except Violation as failure:
        if all(_is_right_alone(seen, case) for case in batch):
            raise
        raise NotThisCase("a call alone is not right: other checks report that") from failure


def _is_right_alone(seen: Observation, case: Case) -> bool:
    """Whether the engine has a call's values and gradients."""
    alone = Observation(seen.backend, Oracle(seen.op, case, seen.perturbations))
    values = expected_values(seen.op, case, perturbations=seen.perturbations)
    pairs = zip((*alone.answer.outputs, *alone.answer.gradients), (*values, *alone.expected), strict=True)
    try:
        hold_all_within((got, bound, "alone") for got, bound in pairs)
    except Violation:
        return False
    return True


def stacked_values(
    seen: Observation, outputs: Sequence[Any], batch: Sequence[Case], where: str
) -> list[tuple[Any, Expected, str]]:
    """The engine's values of a batch of calls, and what is expected of them."""
    alone = [expected_values(seen.op, case, perturbations=seen.perturbations) for case in batch]
    pairs = zip(outputs, zip(*alone, strict=True), strict=True)
    return [(plain(seen.backend, z), stacked(bounds), f"the value {where}") for z, bounds in pairs]


def batch_of(seen: Observation, count: int = 0) -> list[Case]:
    """The case and others like it, so many or as many as is drawn: their numbers and cotangents differ, where they are differentiated."""
    case, rng = seen.case, np.random.default_rng(len(seen.case.label))
    domains = case.domains or [seen.op.domain(i) for i in range(len(case.operands))]
    others = operands(domains, [x.shape for x in case.operands], case.dtype, TEXTURES[0], rng)
    # as many calls as an axis is long: a batching rule that takes that axis for the batch's makes no error of shape
    lengths = [n for x in case.operands for n in x.shape if 1 < n <= max(BATCHES)]
    other = replace(case, operands=others)
    return [
        replace(chosen, cotangents=tuple(np.array(g * 2.0 ** (n // 2), g.dtype) for g in case.cotangents))
        for n, chosen in zip(
            range(count or pick(seen, (*BATCHES, *lengths))), [case, other] * max(BATCHES), strict=False
        )
    ]


def stacked(bounds: Sequence[Expected]) -> Expected:
    """What is expected of calls, side by side."""
    exact, allowed, ulp = (
        np.stack([getattr(b, name) for b in bounds]) for name in ("exact", "allowed", "ulp")
    )
    return Expected(exact, allowed, ulp, is_symmetric=bounds[0].is_symmetric)
