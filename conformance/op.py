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
from functools import cached_property
from typing import Any, Protocol, TypeVar

Shape = tuple[int, ...]
T = TypeVar("T")


class OperandKind(enum.Enum):
    """What the entries of an operand may be; the value says it to a reader."""

    REAL = "real numbers"
    DISTINCT = "real numbers, no two equal among all the distinct operands of a call"
    INVERTIBLE = "stacks of well-conditioned matrices of full rank, mostly square"
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
    is_separated: bool = False  # of matrices: no two singular values are close
    has_pivots: bool = False  # of matrices: a triangle has an inverse too
    has_positive_determinant: bool = False  # of square matrices
    rows: tuple[
        int, ...
    ] = ()  # of tensors that are matrices: the axes that number the rows; the others number columns

    @property
    def is_differentiable(self) -> bool:
        """Whether a gradient with respect to such an operand exists."""
        return self.kind not in (OperandKind.BOOLEAN, OperandKind.INDEX)

    def as_matrices(self, x: Any) -> Any:
        """An operand with its matrices along the last two axes."""
        if not self.rows:
            return x
        columns = (axis for axis in range(x.ndim) if axis not in self.rows)
        return x.transpose(*self.rows, *columns).reshape(math.prod(x.shape[axis] for axis in self.rows), -1)

    def as_tensor(self, matrix: Any, shape: Shape) -> Any:
        """The inverse of `as_matrices`: an operand of that shape."""
        if not self.rows:
            return matrix
        order = (*self.rows, *(axis for axis in range(len(shape)) if axis not in self.rows))
        arranged = matrix.reshape([shape[axis] for axis in order])
        return arranged.transpose([order.index(axis) for axis in range(len(shape))])


REAL = Domain()
POSITIVE = Domain(low=0.0)
NONZERO = Domain(kinks=(0.0,))
UNIT = Domain(low=-1.0, high=1.0)
DISTINCT = Domain(kind=OperandKind.DISTINCT)
INVERTIBLE = Domain(kind=OperandKind.INVERTIBLE)
POSITIVE_DEFINITE = Domain(kind=OperandKind.POSITIVE_DEFINITE)
SEPARATED = Domain(kind=OperandKind.INVERTIBLE, is_separated=True)
WITH_PIVOTS = Domain(kind=OperandKind.INVERTIBLE, is_separated=True, has_pivots=True)
POSITIVE_DETERMINANT = Domain(kind=OperandKind.INVERTIBLE, has_positive_determinant=True)
SYMMETRIC_SEPARATED = Domain(kind=OperandKind.POSITIVE_DEFINITE, is_separated=True)
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
    """A property of an op that selects checks for it; the value is the property as a sentence."""

    ELEMENTWISE = "acts on every element alone and broadcasts its operands"
    LINEAR = "linear in its only differentiable operand"
    REDUCTION = "reduces along the axes named by its `axis` parameter"
    LOSS = "reduces a loss as its `reduction` parameter says: none, sum or mean"
    SEVERAL_OUTPUTS = "returns a tuple of arrays"
    VARIADIC = "takes any number of operands"
    HOLOMORPHIC = "holomorphic: its reference and its rule hold for complex operands as they are written"
    ANTILINEAR = "the conjugate of a linear map of complex numbers, as its rule is"
    FLAT = "flat: its value does not change when its operands change a little"
    PIECEWISE_LINEAR = "its gradients do not depend on its operands, except at kinks and ties"
    QUADRATIC = "its third derivatives are zero, except at kinks and ties, and its second ones are not"
    REAL_REFERENCE = "its reference takes real operands only, so that a complex step through its rule needs the value's slope"
    COMMUTATIVE = "elementwise, and gives the same bits when its two operands are exchanged"
    ORDER_INVARIANT = "its value does not depend on the order of the entries along its axes"
    ORDER_EQUIVARIANT = "reversing its operand along its axis reverses its value"
    VANISHING = "its value and its gradient are zero for real operands"
    SAVES_OPERANDS = "an example of an op whose rule reads its operands again"
    SAVES_OUTPUT = "an example of an op whose rule reads its output again"
    INFINITE_SLOPE_AT_0 = "its slope is infinite at 0"


@dataclass(frozen=True)
class Homogeneous:
    """f(tx) = tᵏ f(x) for t > 0, where the operands `of` are scaled together; k is the degree, or each output has its own."""

    degree: float | tuple[float, ...]
    of: tuple[int, ...] = (0,)

    def degrees(self, count: int) -> tuple[float, ...]:
        """The degrees of so many outputs."""
        return self.degree if isinstance(self.degree, tuple) else count * (self.degree,)


@dataclass(frozen=True)
class Shift:
    """f(x + c) = f(x) + γc, where c is added to each of the operands `of`; γ is the gain.

    To several operands one number is added. To one operand a number is added for each slice along the axes that
    the parameter `axis` names, or along `axis` where there is no such parameter.
    """

    gain: float
    of: tuple[int, ...] = (0,)
    axis: int = -1


@dataclass(frozen=True)
class Inverse:
    """The call that undoes an op: the inverse's name, and its parameters.

    `parameters(shapes, **parameters)` takes the operands' shapes and the op's own parameters; it returns None
    where that call cannot be undone. Where `is_exact`, every entry comes back bit for bit.
    """

    name: str
    parameters: Callable[..., Mapping[str, Any] | None]
    is_exact: bool


Property = Trait | Homogeneous | Shift | Inverse


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
    traits: frozenset[Property] = frozenset()
    aliases: tuple[str, ...] = ()

    def domain(self, index: int) -> Domain:
        """The domain of operand `index`; the last one repeats where the op is variadic."""
        return self.domains[min(index, len(self.domains) - 1)]

    @cached_property
    def _differentiable(self) -> tuple[bool, ...]:
        return tuple(domain.is_differentiable for domain in self.domains)

    def is_differentiable(self, index: int) -> bool:
        """Whether operand `index` has a gradient."""
        known = self._differentiable
        return known[index] if index < len(known) else known[-1]

    @property
    def has_several_outputs(self) -> bool:
        """Whether the reference returns a tuple."""
        return Trait.SEVERAL_OUTPUTS in self.traits

    @property
    def is_piecewise_linear(self) -> bool:
        """Whether its gradients are the same wherever it is differentiable."""
        return Trait.LINEAR in self.traits or Trait.PIECEWISE_LINEAR in self.traits

    @property
    def homogeneities(self) -> tuple[Homogeneous, ...]:
        """In which operands it is homogeneous, and of what degree; an op linear in its operand is, of degree 1."""
        declared = {p for p in self.traits if isinstance(p, Homogeneous)}
        if Trait.LINEAR in self.traits:
            declared.add(Homogeneous(1, (next(filter(self.is_differentiable, range(len(self.domains)))),)))
        return tuple(sorted(declared, key=lambda p: p.of))

    @property
    def shift(self) -> Shift | None:
        """What a common shift of operands does to its value, if that is declared."""
        return next((p for p in self.traits if isinstance(p, Shift)), None)

    @property
    def inverse(self) -> Inverse | None:
        """What undoes it, if that is declared."""
        return next((p for p in self.traits if isinstance(p, Inverse)), None)

    @cached_property
    def has_constants(self) -> bool:
        """Whether some operand has no gradient: truth values, integers."""
        return not all(self._differentiable)

    @cached_property
    def is_flat(self) -> bool:
        """Whether its derivative is zero wherever it has one."""
        return Trait.FLAT in self.traits

    def __repr__(self) -> str:
        return f"<op {self.name}>"
