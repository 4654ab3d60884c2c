"""One special point run on one backend, compared with what the point allows."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.case import Array
from conformance.checks.comparison import decides, tolerances
from conformance.checks.observation import decided_part, plain
from conformance.errors import AdapterError, Violation
from conformance.ops import find
from conformance.oracle.allowance import SAFETY_FACTOR, ULPS
from conformance.points.point import Nature, Place

LIMIT, RAISES = "limit", "raises"


class Standing(enum.StrEnum):
    """How gradients compare with what a point allows."""

    FAIR = "fair"
    UNFAIR = "unfair"
    OPEN = "open"  # the point states no range
    ARTEFACT = "artefact"  # not the limit, in a composition whose ops may each be right


class PointObservation:
    """One special point run on one backend."""

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
    def pulled(self) -> dict[int, Array | None]:
        """What the engine gives for every operand that has a gradient."""
        operands = [np.array(x) for x in self.place.operands]
        traced = self.backend.trace(self.function(), operands, self.wrt)
        pulled = traced.pull([self.backend.array(g) for g in self.upstream(traced.outputs)])
        given = [None if g is None else plain(self.backend, g) for g in pulled]
        return dict(zip(self.wrt, given, strict=True))

    def upstream(self, outputs: Sequence[Any]) -> list[Array]:
        """The cotangents of the engine's outputs; Violation for a value whose shape that of the point does not fit."""
        shapes = [plain(self.backend, z).shape for z in outputs]
        for shape in shapes:
            self.hold_fits(shape)
        return [self.place.cotangent(shape) for shape in shapes]

    def hold_fits(self, shape: tuple[int, ...]) -> None:
        """Claim that a value has a shape that the point's cotangent may have."""
        given = np.shape(self.point.cotangent)
        axes = zip(given[::-1], shape[::-1], strict=False)
        if len(given) > len(shape) or any(size not in (1, of_value) for size, of_value in axes):
            raise Violation(
                f"the value at {self.point.key} has shape {shape}, which its cotangent, of shape {given}, does not fit"
            )

    @cached_property
    def gradients(self) -> dict[int, Array]:
        """The engine's gradient of every operand that has one; None stands for zeros."""
        return {
            i: np.zeros_like(self.place.operands[i]) if g is None else self.decided(i, g)
            for i, g in self.pulled.items()
        }

    def decided(self, index: int, gradient: Array) -> Array:
        """What the op's values decide of a gradient; at a border all of it, which shows what an engine does beside."""
        is_limit = self.point.nature is Nature.LIMIT and not self.point.steps
        return decided_part(find(self.point.op), index, gradient) if is_limit else gradient

    def function(self) -> Callable[..., Any]:
        """The op with its parameters, or the program."""
        if not self.point.steps:
            return self.backend.call(self.point.op, self.point.parameters)
        program = self.place.program()
        return lambda *leaves: program.run(self.backend.call, leaves)[-1]

    # ---- claims -----------------------------------------------------------------------------------

    def rounding(self, bound: Array) -> Any:
        """The error allowed for rounding: a few units in the last place of the largest entry, or of the cotangent.

        Of an entry that is not zero, but smaller than such a unit, a few of its own; a subnormal number may be lost.
        """
        info = np.finfo(self.place.dtype)
        upstream = self.place.cotangent(np.shape(self.point.cotangent))
        sizes = [np.abs(values[np.isfinite(values)]).max(initial=0) for values in (bound, upstream)]
        size, entries = np.longdouble(max(sizes)), np.abs(np.asarray(bound, np.longdouble))
        is_tiny = (entries > 0) & (entries < info.eps * size)
        units = SAFETY_FACTOR * ULPS * info.eps
        return np.where(is_tiny, np.maximum(units * entries, info.tiny), units * size)

    def is_as(self, convention: str, altered: Callable[[Array], Array] = np.asarray) -> bool:
        """Whether the gradients, altered in some way, are those of a convention."""
        given = self.place.conventions[convention]
        pairs = [
            (altered(self.gradients[i]), expected) for i in self.wrt if (expected := given[i]) is not None
        ]
        return all(is_alike(gradient, expected, self.rounding(expected)) for gradient, expected in pairs)

    def hold_shapes(self) -> None:
        """Claim that every gradient has its operand's shape."""
        for i, gradient in self.gradients.items():
            if gradient.shape != self.place.operands[i].shape:
                raise Violation(
                    f"the gradient of operand {i} has shape {gradient.shape}, not {self.place.operands[i].shape}"
                )

    def hold_fair(self, claim: str) -> None:
        """Claim that every gradient is in its range."""
        self.hold_shapes()
        for i in self.wrt:
            what, end = f"the gradient of operand {i}", ", the engine gave None"
            end = end if self.pulled[i] is None else ""
            self.hold_between(self.gradients[i], self.place.within[i], what, claim, end)

    def hold_between(
        self, gradient: Array, interval: tuple[Array, Array] | None, what: str, claim: str, end: str = ""
    ) -> None:
        """Claim that every entry is in a range, where one is stated; the message has the words of `end` at its end."""
        if interval is None:
            return
        low, high = interval
        if gradient.shape != low.shape:
            raise Violation(f"{what} at {self.point.key} has shape {gradient.shape}, not {low.shape}")
        decides((np.isfinite(low) | np.isfinite(high) | (low == high)).any())
        tolerances.put(lambda altered: bool(self._are_between(altered(gradient), low, high).all()))
        got, is_fair = gradient.astype(np.longdouble), self._are_between(gradient, low, high)
        if not is_fair.all():
            place = np.unravel_index(int(np.argmin(is_fair)), is_fair.shape)
            least, most = float(low[place]), float(high[place])
            allowed = f"{least:.9g}" if least == most else f"between {least:.9g} and {most:.9g}"
            raise Violation(
                f"{what} at {self.point.key} {claim}: {float(got[place]):.9g}, not {allowed}{end}",
                expected=low.astype(float) if (low == high).all() else None,
                got=gradient.astype(float),
                where=str([int(p) for p in place]) if (low == high).all() else "",
            )

    def _are_between(self, gradient: Array, low: Array, high: Array) -> Array:
        got = gradient.astype(np.longdouble)
        is_between = (got >= low - self.rounding(low)) & (got <= high + self.rounding(high))
        return np.asarray(is_between | (got == low))

    def hold_total(self, gradients: dict[int, Array] | None = None) -> None:
        """Claim that the weights of a tie add up to the stated total."""
        if self.point.total is None:
            return
        decides(True)
        weights = self.gradients if gradients is None else gradients
        tolerances.put(
            lambda altered: all(self._adds_up({**weights, i: altered(g)}) for i, g in weights.items())
        )
        if not self._adds_up(weights):
            total = sum((g.astype(np.longdouble).sum() for g in weights.values()), np.longdouble(0))
            raise Violation(
                f"the weights at {self.point.key} add up to {float(total):.9g}, not to {self.point.total:g}"
            )

    def _adds_up(self, weights: Mapping[int, Array]) -> bool:
        total = sum((g.astype(np.longdouble).sum() for g in weights.values()), np.longdouble(0))
        return is_alike(np.asarray(total), np.asarray(self.point.total), self.rounding(np.ones(1)))

    def hold_declared(self) -> None:
        """Claim that the gradients are those of the declared convention, where the adapter declares one."""
        declared = self.backend.points.get(self.point.key)
        if declared is None or (declared == RAISES and self.point.nature is Nature.BORDER):
            return
        if declared not in self.place.conventions:
            names = ", ".join(self.place.conventions) or "none"
            raise AdapterError(f"{declared!r} is declared for {self.point.key}; the conventions are {names}")
        decides(True)
        tolerances.put(lambda altered: self.is_as(declared, altered))
        if not self.is_as(declared):
            raise Violation(
                f"{declared!r} is declared for {self.point.key}, but the engine gives {self.found}"
            )

    # ---- report -------------------------------------------------------------------------------------

    @property
    def is_limit(self) -> bool:
        """Whether there is one right gradient, and the engine gives it."""
        return all(
            (interval := self.place.within[i]) is None
            or (
                is_alike(interval[1], interval[0], 0)
                and is_alike(self.gradients[i], interval[0], self.rounding(interval[0]))
            )
            for i in self.wrt
        )

    @property
    def found(self) -> str:
        """The convention that the engine follows, or its numbers where none has a name."""
        has_range = any(self.place.within[i] is not None for i in self.wrt)
        if has_range and not self.point.conventions and self.is_limit:
            return LIMIT
        named = next((name for name in self.place.conventions if self.is_as(name)), None)
        return named or ", ".join(brief(g) for g in self.gradients.values())

    @property
    def standing(self) -> Standing:
        """How the gradients compare with the ranges that the point states."""
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


def is_alike(got: Array, expected: Any, rounding: Any) -> bool:
    """Whether every entry is within `rounding` of the expected one; NaN and the infinities equal themselves."""
    return got.shape == np.shape(expected) and bool(np.all(_are_alike(got, expected, rounding)))


def first_apart(got: Array, expected: Any, rounding: Any) -> str:
    """The indices of the first entry that is not alike, as evidence writes them; empty where there is none to name."""
    if got.shape != np.shape(expected):
        return ""
    place = np.argwhere(~np.atleast_1d(_are_alike(got, expected, rounding)))[:1]
    return str([int(p) for p in place[0][: got.ndim]]) if len(place) else ""


def _are_alike(got: Array, expected: Any, rounding: Any) -> Any:
    with np.errstate(all="ignore"):
        near = np.abs(got.astype(np.longdouble) - expected) <= rounding
        return near & np.isfinite(got) | (got == expected) | (np.isnan(got) & np.isnan(expected))


def brief(gradient: Array, beside: Array | None = None) -> str:
    """A gradient in few characters: at most six entries, with digits that tell it from the one beside it."""
    enough = (
        digits for digits in (4, 9) if beside is None or _brief(gradient, digits) != _brief(beside, digits)
    )
    return _brief(gradient, next(enough, 17))


def _brief(gradient: Array, digits: int) -> str:
    entries = [f"{float(x):.{digits}g}" for x in np.ravel(gradient)]
    if not np.ndim(gradient):
        return entries[0]
    return "[" + " ".join(entries[:6]) + (" …]" if len(entries) > 6 else "]")
