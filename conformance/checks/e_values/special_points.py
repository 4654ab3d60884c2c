"""Chapter E at special points: what engines do at ties, kinks, singularities, borders and extremes."""

from __future__ import annotations

import enum
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.case import Array
from conformance.checks.observation import plain
from conformance.checks.registry import CheckFunction, CheckKind, check
from conformance.errors import AdapterError, ConformanceError, Violation
from conformance.ops import find
from conformance.oracle.allowance import SAFETY_FACTOR, ULPS
from conformance.points.point import Nature, Place
from conformance.program import Program

LIMIT, RAISES = "limit", "raises"


class Standing(enum.StrEnum):
    """Where a gradient lies."""

    FAIR = "fair"
    UNFAIR = "unfair"
    OPEN = "open"  # nothing says what is right
    ARTEFACT = "artefact"  # not the limit, in a composition of ops that may each be right


class Visit:
    """One special point put to one backend."""

    def __init__(self, backend: Backend, place: Place) -> None:
        self.backend = backend
        self.place = place
        self.point = place.point

    @cached_property
    def wrt(self) -> tuple[int, ...]:
        """Which operands have a gradient."""
        if self.point.steps:
            return tuple(range(len(self.place.operands)))
        op = find(self.point.op)
        return tuple(i for i in range(len(self.place.operands)) if op.is_differentiable(i))

    @cached_property
    def gradients(self) -> dict[int, Array]:
        """The engine's gradient of every operand that has one; None stands for zeros."""
        operands = [np.array(x) for x in self.place.operands]
        traced = self.backend.trace(self._function(), operands, self.wrt)
        cotangents = [self.place.cotangent(plain(self.backend, z).shape) for z in traced.outputs]
        pulled = traced.pull([self.backend.array(g) for g in cotangents])
        return {
            i: np.zeros_like(operands[i]) if g is None else plain(self.backend, g)
            for i, g in zip(self.wrt, pulled, strict=True)
        }

    def _function(self) -> Callable[..., Any]:
        if not self.point.steps:
            return self.backend.call(self.point.op, self.point.parameters)
        program = self.place.program()
        return lambda *leaves: program.run(self.backend.call, leaves)[-1]

    # ---- judging ----------------------------------------------------------------------------------

    def room(self, bound: Array) -> Any:
        """What rounding may move: a few units in the last place of the largest entry, or of the cotangent."""
        upstream = self.place.cotangent(np.shape(self.point.cotangent))
        sizes = [np.abs(values[np.isfinite(values)]).max(initial=0) for values in (bound, upstream)]
        return SAFETY_FACTOR * ULPS * np.finfo(self.place.dtype).eps * np.longdouble(max(sizes))

    def is_as(self, convention: str) -> bool:
        """Whether the gradients are those of a convention."""
        given = self.place.conventions[convention]
        held = [(self.gradients[i], expected) for i in self.wrt if (expected := given[i]) is not None]
        return all(_alike(gradient, expected, self.room(expected)) for gradient, expected in held)

    def hold_shapes(self) -> None:
        """Claim that every gradient has its operand's shape."""
        for i, gradient in self.gradients.items():
            if gradient.shape != self.place.operands[i].shape:
                raise Violation(
                    f"the gradient of operand {i} has shape {gradient.shape}, not {self.place.operands[i].shape}"
                )

    def hold_fair(self, claim: str) -> None:
        """Claim that every gradient lies in its range."""
        self.hold_shapes()
        for i in self.wrt:
            held = self.place.within[i]
            if held is None:
                continue
            low, high = held
            got = self.gradients[i].astype(np.longdouble)
            is_fair = (got >= low - self.room(low)) & (got <= high + self.room(high)) | (got == low)
            if not is_fair.all():
                place = np.unravel_index(int(np.argmin(is_fair)), is_fair.shape)
                least, most = float(low[place]), float(high[place])
                fair = f"{least:.9g}" if least == most else f"between {least:g} and {most:g}"
                raise Violation(
                    f"the gradient of operand {i} at {self.point.key} {claim}: {float(got[place]):.9g}, not {fair}",
                    expected=low.astype(float) if (low == high).all() else None,
                    got=self.gradients[i],
                    where=str([int(p) for p in place]) if (low == high).all() else "",
                )

    def hold_total(self) -> None:
        """Claim that the weights of a tie add up to what is shared."""
        if self.point.total is None:
            return
        total = sum((g.astype(np.longdouble).sum() for g in self.gradients.values()), np.longdouble(0))
        if not _alike(np.asarray(total), np.asarray(self.point.total), self.room(np.ones(1))):
            raise Violation(
                f"the weights at {self.point.key} add up to {float(total):.9g}, not to {self.point.total:g}"
            )

    def hold_declared(self) -> None:
        """Claim that the gradients are as the adapter declares, where it does."""
        declared = self.backend.points.get(self.point.key)
        if declared is None or (declared == RAISES and self.point.nature is Nature.BORDER):
            return
        if declared not in self.place.conventions:
            names = ", ".join(self.place.conventions) or "none"
            raise AdapterError(f"{declared!r} is declared for {self.point.key}; the conventions are {names}")
        if not self.is_as(declared):
            raise Violation(
                f"{declared!r} is declared for {self.point.key}, but the engine gives {self.found}"
            )

    # ---- telling ------------------------------------------------------------------------------------

    @property
    def is_limit(self) -> bool:
        """Whether there is one right answer, and the engine gives it."""
        return all(
            (held := self.place.within[i]) is None
            or ((held[0] == held[1]).all() and _alike(self.gradients[i], held[0], self.room(held[0])))
            for i in self.wrt
        )

    @property
    def found(self) -> str:
        """What the engine gives: a convention's name, or the numbers."""
        is_settled = any(self.place.within[i] is not None for i in self.wrt)
        if is_settled and not self.point.conventions and self.is_limit:
            return LIMIT
        named = next((name for name in self.place.conventions if self.is_as(name)), None)
        return named or ", ".join(_in_brief(g) for g in self.gradients.values())

    @property
    def standing(self) -> Standing:
        """Whether the gradients are fair, as far as the point says."""
        if all(self.place.within[i] is None for i in self.wrt):
            return Standing.OPEN
        if self.point.steps:
            return Standing.FAIR if self.is_limit else Standing.ARTEFACT
        try:
            self.hold_fair("")
            self.hold_total()
        except Violation:
            return Standing.UNFAIR
        return Standing.FAIR


def _alike(got: Array, expected: Any, room: Any) -> bool:
    """Whether every entry is the expected one, NaN and the infinities included."""
    with np.errstate(all="ignore"):
        near = np.abs(got.astype(np.longdouble) - expected) <= room
    same = near & np.isfinite(got) | (got == expected) | (np.isnan(got) & np.isnan(expected))
    return got.shape == np.shape(expected) and bool(np.all(same))


def _in_brief(gradient: Array) -> str:
    """A gradient in few letters."""
    entries = [f"{float(x):.4g}" for x in gradient.ravel()]
    if not gradient.ndim:
        return entries[0]
    return "[" + " ".join(entries[:6]) + (" …]" if len(entries) > 6 else "]")


# ---- the checks -----------------------------------------------------------------------------------


def point_check(clause: str, nature: Nature) -> Callable[[CheckFunction], CheckFunction]:
    """Register the check that visits the points of one nature."""
    return check(CheckKind.POINT, clause, nature.value)


@point_check("E11", Nature.TIE)
def weights_at_a_tie_sum_to_one(visit: Visit) -> None:
    """At a tie the weights are not negative, sum to one, and are the declared ones."""
    visit.hold_fair("is no share")
    visit.hold_total()
    visit.hold_declared()


@point_check("E12", Nature.KINK)
def gradient_at_a_kink_is_a_subgradient(visit: Visit) -> None:
    """At a kink the gradient lies in the Clarke subdifferential, and is the declared one."""
    visit.hold_fair("is outside the Clarke subdifferential")
    visit.hold_total()
    visit.hold_declared()


@point_check("E12", Nature.BORDER)
def gradient_at_a_border_is_as_declared(visit: Visit) -> None:
    """Where a domain ends, or the op jumps, the gradient is the declared one; it is shown in the atlas."""
    try:
        visit.hold_fair("is not the one that is settled there")
    except ConformanceError:
        raise
    except Exception as refused:
        if visit.backend.points.get(visit.point.key, RAISES) != RAISES:
            raise Violation(f"the engine refuses {visit.point.key}: {refused}") from refused
        return
    if visit.backend.points.get(visit.point.key) == RAISES:
        raise Violation(f"{visit.point.key} is declared to raise, but the engine gives {visit.found}")
    visit.hold_declared()


@point_check("E12", Nature.COMPOSITION)
def composition_follows_its_ops(visit: Visit) -> None:
    """Where a composed function is smooth, the gradient is right or what the ops' own gradients amount to."""
    visit.hold_shapes()
    if visit.is_limit:
        return
    for i, followed in enumerate(by_the_chain_rule(visit.backend, visit.place.program())):
        if not _alike(visit.gradients[i], followed, visit.room(followed)):
            raise Violation(
                f"the gradient of operand {i} of {visit.point.name} is neither right nor what its ops' own "
                "gradients amount to",
                expected=followed,
                got=visit.gradients[i],
            )


def by_the_chain_rule(backend: Backend, program: Program) -> list[Array]:
    """The gradients of a program's leaves, put together from the engine's own gradients of each op alone."""
    values = [np.array(x) for x in program.leaves]
    for step in program.steps:
        operands = [values[i] for i in step.inputs]
        values.append(plain(backend, backend.forward(backend.call(step.op, step.parameters), operands)[0]))
    adjoints = [np.zeros_like(x) for x in values]
    adjoints[-1] = np.array(program.cotangent)
    for number, step in reversed(list(enumerate(program.steps, start=len(program.leaves)))):
        operands, g = [values[i] for i in step.inputs], adjoints[number]
        _, pulled = backend.vjp(backend.call(step.op, step.parameters), operands, [g])
        for source, cotangent in zip(step.inputs, pulled, strict=True):
            if cotangent is not None:
                adjoints[source] = adjoints[source] + plain(backend, cotangent)
    return adjoints[: len(program.leaves)]


@point_check("E13", Nature.LIMIT)
def gradient_is_the_limit(visit: Visit) -> None:
    """At a removable singularity of the rule the gradient is the limit."""
    visit.hold_fair("is not the limit")


@point_check("E14", Nature.FINITE)
def gradient_at_an_extreme_is_the_true_one(visit: Visit) -> None:
    """At huge, subnormal and infinite operands the gradient is neither NaN nor infinite where the true one is neither."""
    visit.hold_shapes()
    for i, gradient in visit.gradients.items():
        if not np.isfinite(gradient).all() and visit.place.within[i] is not None:
            raise Violation(
                f"the gradient of operand {i} at {visit.point.key} is {_in_brief(gradient)}, where the true one is finite",
                expected=visit.place.within[i][0].astype(float),  # type: ignore[index]  # just seen not to be None
                got=gradient,
            )
    visit.hold_fair("is not the true one")


@point_check("E16", Nature.MASK)
def what_is_not_selected_contributes_zero(visit: Visit) -> None:
    """What a selection does not take contributes zero, be it, or its cotangent, infinite or NaN."""
    visit.hold_fair("is not that of the selection")
