"""A special point: one call at which the rule alone does not determine the gradient.

At a tie or a kink every gradient in a known range is allowed, and engines follow different conventions; at a
removable singularity and at extreme operands only the limit is right; at the border of a domain no gradient is
defined. A point states the allowed range in numbers, and names the conventions.
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
COMPOSED = "composed"  # in place of an op's name, for a point of several ops


class Nature(enum.Enum):
    """What kind of point it is; the value is the name of its check."""

    TIE = "tie"
    KINK = "kink"
    LIMIT = "limit"
    FINITE = "finite"
    MASK = "mask"
    BORDER = "border"
    TAIL = "tail"
    COMPOSITION = "composition"
    VALUE = "value"


@dataclass(frozen=True)
class Extremes:
    """The largest and smallest numbers of a dtype that points use.

    `huge` has a square that overflows and sums that do not; the square of `small` vanishes; `least` is
    the smallest number above zero. `edge` has an exponential that overflows, half of which does not.
    `offset` is far from zero beside differences of a few units.
    """

    dtype: str

    @property
    def huge(self) -> float:
        """The power of two with 15/16 of the largest exponent."""
        most = int(np.finfo(self.dtype).maxexp)
        return float(2.0 ** (most - most // 16))

    @property
    def small(self) -> float:
        """The power of two with 15/16 of the least normal exponent."""
        least = int(np.finfo(self.dtype).minexp)
        return float(2.0 ** (least - least // 16))

    @property
    def least(self) -> float:
        """The smallest subnormal number."""
        return float(np.finfo(self.dtype).smallest_subnormal)

    @property
    def offset(self) -> float:
        """The power of two beside which small whole numbers and their quarters are exact, but the squares of neither."""
        return float(2.0 ** (np.finfo(self.dtype).nmant - 11))

    @property
    def edge(self) -> float:
        """A quarter more than the logarithm of the largest number."""
        return float(np.dtype(self.dtype).type(int(np.finfo(self.dtype).maxexp) * np.log(2.0) + 0.25))


TAIL = 5e-4  # the relative error allowed in a tail: what an exponential of 40 loses in single precision, and to spare
Values = tuple[Any, ...]
Given = Values | Callable[[Extremes], Values]  # the same for all dtypes, or from the extremes of the dtype
OPEN = None  # in place of a range: every gradient is allowed, or there is none


@dataclass(frozen=True, eq=False)
class SpecialPoint:
    """One call, the range of its allowed gradients, and the named conventions.

    Attributes:
        op: the op's name; COMPOSED for a point of several.
        name: of the point among those of the op.
        nature: what kind it is.
        operands: their values.
        within: for every operand the range of allowed gradients, entry by entry, or OPEN.
        conventions: by name, the gradients of all operands under a convention; some are outside the range, so
            that they can be reported by name too.
        total: the required sum of the entries of all gradients, if there is one.
        parameters: the op's.
        cotangent: the upstream cotangent; ones where it is not given.
        steps: for a point of several ops, what they compute from the operands.
        has_nans_anywhere: whether the place of a NaN in the value is the engine's choice.
        value_error: the relative error allowed of its value; None where that is a few units in the last place of 1, or of
            a larger value.
        also: values that are as fair as the reference's.
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
    has_nans_anywhere: bool = False
    value_error: Callable[[Extremes], float] | None = None
    also: Values = ()

    @property
    def key(self) -> str:
        """Its name in ids, declarations and the atlas, such as `relu/at-0`."""
        return f"{self.op}/{self.name}"


@dataclass(frozen=True, eq=False)
class Place:
    """A special point in one dtype: a call that can be run.

    `way` is how it is differentiated (`conformance.points.ways`); empty for the gradient itself.
    """

    point: SpecialPoint
    dtype: str
    way: str = ""

    @cached_property
    def operands(self) -> tuple[Array, ...]:
        """The values of the operands; integers and booleans keep their own dtype."""
        return tuple(self._array(x) for x in self._given(self.point.operands))

    @cached_property
    def within(self) -> tuple[tuple[Array, Array] | None, ...]:
        """For every operand the least and the largest allowed gradient; None where the point states no range."""
        return tuple(
            None if r is OPEN else (self._gradient(r[0], x), self._gradient(r[1], x))
            for r, x in zip(self._given(self.point.within), self.operands, strict=True)
        )

    @cached_property
    def conventions(self) -> dict[str, tuple[Array | None, ...]]:
        """By name, the gradient of every operand; None where the convention does not include it."""
        return {
            name: tuple(
                None if g is None else self._gradient(g, x)
                for g, x in zip(self._given(gradients), self.operands, strict=True)
            )
            for name, gradients in self.point.conventions.items()
        }

    def ranges(self, values: Values) -> tuple[tuple[Array, Array] | None, ...]:
        """For every operand the least and the largest of values that are numbers, arrays, pairs of bounds, or None."""
        return tuple(
            None if value is None else tuple(self._gradient(side, x) for side in _sides(value))  # type: ignore[misc]
            for value, x in zip(values, self.operands, strict=True)
        )

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
        """The call of several ops; its output has the shape of the first operand."""
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
        way = {"way": self.way} if self.way else {}
        return PREFIX + pack({"point": self.point.key, "dtype": self.dtype, **way})

    @staticmethod
    def from_token(token: str) -> tuple[str, str, str]:
        """The key, the dtype and the way that a token encodes; UsageError if it is damaged."""
        record = unpack(token, PREFIX)
        try:
            return record["point"], record["dtype"], record.get("way", "")
        except KeyError:  # undamaged, but another kind of token
            raise damaged(token) from None

    def _given(self, given: Given) -> Values:
        return given(Extremes(self.dtype)) if callable(given) else given

    def _array(self, value: Any) -> Array:
        array = np.asarray(value)
        keeps = array.dtype.kind == "b" or (isinstance(value, np.ndarray) and array.dtype.kind == "i")
        return array if keeps else array.astype(self.dtype)

    def _gradient(self, value: Any, operand: Array) -> Array:
        return np.array(np.broadcast_to(np.asarray(value, np.longdouble), operand.shape))


def _sides(value: Any) -> tuple[Any, Any]:
    return value if isinstance(value, tuple) else (value, value)
