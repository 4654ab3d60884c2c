"""A special point: one call at which the gradient is not simply the rule's.

At a tie or a kink any gradient of a known range is fair, and engines choose; at a removable singularity
and at extreme operands only the limit is right; at the border of a domain nothing is. A point says
which, in numbers, and gives the choices names.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from conformance.case import Array, Case, damaged, pack, unpack
from conformance.program import Program, Step

PREFIX = "s1:"
COMPOSED = "composed"  # stands for the op where a point is of several


class Nature(enum.Enum):
    """What kind of point it is; the value is the name of the check that visits it."""

    TIE = "tie"
    KINK = "kink"
    LIMIT = "limit"
    FINITE = "finite"
    MASK = "mask"
    BORDER = "border"
    COMPOSITION = "composition"


@dataclass(frozen=True)
class Extremes:
    """The largest and smallest numbers of a dtype that a point may be made of.

    `huge` has a square that overflows and sums that do not; the square of `small` vanishes; `least` is
    the smallest number above zero.
    """

    dtype: str

    @property
    def huge(self) -> float:
        """A power of two near the square of whose square root lies the largest number."""
        most = int(np.finfo(self.dtype).maxexp)
        return float(2.0 ** (most - most // 16))

    @property
    def small(self) -> float:
        """Its reciprocal, as near as the exponents allow; it is not subnormal."""
        least = int(np.finfo(self.dtype).minexp)
        return float(2.0 ** (least - least // 16))

    @property
    def least(self) -> float:
        """The smallest subnormal number."""
        return float(np.finfo(self.dtype).smallest_subnormal)


Values = tuple[Any, ...]
Given = Values | Callable[[Extremes], Values]  # of any dtype alike, or as its extremes are
OPEN = None  # in place of a range: nothing is right or wrong, or there is no gradient


@dataclass(frozen=True, eq=False)
class SpecialPoint:
    """One call, what its gradients may be, and what the choices are called.

    Attributes:
        op: the op's name; COMPOSED for a point of several.
        name: of the point among those of the op.
        nature: what kind it is.
        operands: their values.
        within: for every operand the range of fair gradients, entry by entry, or OPEN.
        conventions: by name, the gradients of all operands that an engine may be found to give; some
            lie outside the range, so that they have a name too.
        total: what the entries of all gradients add up to, where that is claimed.
        parameters: the op's.
        cotangent: from upstream; ones where it is not given.
        steps: what a point of several ops computes from its operands.
    """

    op: str
    name: str
    nature: Nature
    operands: Given
    within: Given
    conventions: Mapping[str, Given] = field(default_factory=dict)
    total: float | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cotangent: Any = None
    steps: tuple[Step, ...] = ()

    @property
    def key(self) -> str:
        """Its one spelling: `relu/at-0` in ids, declarations and the atlas."""
        return f"{self.op}/{self.name}"


@dataclass(frozen=True, eq=False)
class Place:
    """A special point in a dtype: what can be asked."""

    point: SpecialPoint
    dtype: str

    @cached_property
    def operands(self) -> tuple[Array, ...]:
        """The values; integers and truth values keep their own type."""
        return tuple(self._array(x) for x in self._given(self.point.operands))

    @cached_property
    def within(self) -> tuple[tuple[Array, Array] | None, ...]:
        """For every operand the least and the largest fair gradient."""
        return tuple(
            None if r is OPEN else (self._gradient(r[0], x), self._gradient(r[1], x))
            for r, x in zip(self._given(self.point.within), self.operands, strict=True)
        )

    @cached_property
    def conventions(self) -> dict[str, tuple[Array | None, ...]]:
        """By name, the gradient of every operand; None where the convention says nothing of it."""
        return {
            name: tuple(
                None if g is None else self._gradient(g, x)
                for g, x in zip(self._given(gradients), self.operands, strict=True)
            )
            for name, gradients in self.point.conventions.items()
        }

    def cotangent(self, shape: tuple[int, ...]) -> Array:
        """The upstream cotangent of an output of that shape."""
        given = 1.0 if self.point.cotangent is None else self.point.cotangent
        return np.array(np.broadcast_to(np.asarray(given, self.dtype), shape))

    def case(self, cotangents: Sequence[Array]) -> Case:
        """The call as a case of its op."""
        count = len(self.operands) + len(cotangents)
        return Case(
            self.point.op,
            self.operands,
            self.point.parameters,
            tuple(cotangents),
            ("C",) * count,
            self.dtype,
        )

    def program(self) -> Program:
        """The call of several ops; they end in one number for every entry of the first operand."""
        return Program(self.operands, self.point.steps, self.cotangent(self.operands[0].shape), self.dtype)

    def as_json(self) -> dict[str, Any]:
        """The call for a report."""
        if self.point.steps:
            return self.program().as_json()
        return self.case(
            [np.asarray(1.0 if self.point.cotangent is None else self.point.cotangent)]
        ).as_json()

    @property
    def token(self) -> str:
        """The point as one printable word."""
        return PREFIX + pack({"point": self.point.key, "dtype": self.dtype})

    @staticmethod
    def named(token: str) -> tuple[str, str]:
        """The key and the dtype that a token says; UsageError if it is damaged."""
        record = unpack(token, PREFIX)
        try:
            return record["point"], record["dtype"]
        except KeyError:  # whole, but of another kind
            raise damaged(token) from None

    def _given(self, given: Given) -> Values:
        return given(Extremes(self.dtype)) if callable(given) else given

    def _array(self, value: Any) -> Array:
        array = np.asarray(value)
        keeps = array.dtype.kind == "b" or (isinstance(value, np.ndarray) and array.dtype.kind == "i")
        return array if keeps else array.astype(self.dtype)

    def _gradient(self, value: Any, operand: Array) -> Array:
        return np.array(np.broadcast_to(np.asarray(value, np.longdouble), operand.shape))
