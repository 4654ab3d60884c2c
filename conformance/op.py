"""An op: one row of the specification.

Operands are positional arrays; parameters are static keywords. A row holds a reference in plain
NumPy, its VJP rule in plain NumPy, the domain of each operand, and the law its shapes and
parameters follow. It knows no engine, no tolerance and no test.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

Shape = tuple[int, ...]
T = TypeVar("T")


class OperandKind(enum.Enum):
    """What the entries of an operand may be; the value says it to a reader."""

    REAL = "real numbers"
    DISTINCT = "real numbers, no two equal among all the distinct operands of a call"
    INVERTIBLE = "stacks of well-conditioned square matrices"
    POSITIVE_DEFINITE = "stacks of symmetric positive definite matrices"
    BOOLEAN = "truth values (not differentiable)"
    INDEX = "integers of a range (not differentiable)"


@dataclass(frozen=True)
class Domain:
    """Where one operand lives: an open interval ]low, high[ without its kinks.

    `kinks` are the points at which the op is not differentiable; value generation stays clear of
    them, the special points of the row visit them.
    """

    low: float = -math.inf
    high: float = math.inf
    kinks: tuple[float, ...] = ()
    kind: OperandKind = OperandKind.REAL

    @property
    def is_differentiable(self) -> bool:
        """Whether a gradient with respect to such an operand exists."""
        return self.kind not in (OperandKind.BOOLEAN, OperandKind.INDEX)


REAL = Domain()
POSITIVE = Domain(low=0.0)
NONZERO = Domain(kinks=(0.0,))
UNIT = Domain(low=-1.0, high=1.0)
DISTINCT = Domain(kind=OperandKind.DISTINCT)
INVERTIBLE = Domain(kind=OperandKind.INVERTIBLE)
POSITIVE_DEFINITE = Domain(kind=OperandKind.POSITIVE_DEFINITE)
BOOLEAN = Domain(kind=OperandKind.BOOLEAN)


def index_below(count: int) -> Domain:
    """The domain of integer operands that index an axis of `count` entries."""
    return Domain(low=0, high=count, kind=OperandKind.INDEX)


@dataclass(frozen=True)
class Signature:
    """What is static about one call: the operands' shapes, the parameters, and their domains.

    `domains` is given only where the domain depends on the shapes (an index into an axis).
    """

    shapes: tuple[Shape, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    domains: tuple[Domain, ...] | None = None


class Choose(Protocol):
    """Picks one of the options; the first is the simplest. Whoever calls a law decides how."""

    def __call__(self, options: Sequence[T], /) -> T:
        """One of the options."""
        ...


Law = Callable[[Choose], Signature]
Rule = Callable[..., Any]


class Trait(enum.Enum):
    """A property of an op that a check may ask for; the value says it to a reader."""

    ELEMENTWISE = "acts on every element alone and broadcasts its operands"
    LINEAR = "linear in its only differentiable operand"
    REDUCTION = "reduces along the axes named by its `axis` parameter"
    LOSS = "reduces a loss as its `reduction` parameter says: none, sum or mean"
    SEVERAL_OUTPUTS = "returns a tuple of arrays"
    VARIADIC = "takes any number of operands"
    HOLOMORPHIC = "holomorphic: its reference and its rule hold for complex operands as they are written"
    FLAT = "flat: its value does not change when its operands move a little"


@dataclass(frozen=True, eq=False)
class Op:
    """One row of the specification.

    `rule(index, g, z, *operands, **parameters)` is the cotangent of operand `index`, given the
    upstream cotangent `g` and the output `z` (tuples of them where the op has several outputs).
    Row constructors in `conformance.ops.rows` write it from something shorter.
    """

    name: str
    reference: Callable[..., Any]
    rule: Rule
    domains: tuple[Domain, ...]
    law: Law
    source: str
    formula: str = ""
    traits: frozenset[Trait] = frozenset()
    aliases: tuple[str, ...] = ()

    def domain(self, index: int) -> Domain:
        """The domain of operand `index`; the last one repeats where the op is variadic."""
        return self.domains[min(index, len(self.domains) - 1)]

    def is_differentiable(self, index: int) -> bool:
        """Whether operand `index` has a gradient."""
        return self.domain(index).is_differentiable

    @property
    def has_several_outputs(self) -> bool:
        """Whether the reference returns a tuple."""
        return Trait.SEVERAL_OUTPUTS in self.traits

    @property
    def is_flat(self) -> bool:
        """Whether its derivative is zero wherever it has one."""
        return Trait.FLAT in self.traits

    def __repr__(self) -> str:
        return f"<op {self.name}>"
