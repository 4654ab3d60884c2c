"""The proof of a row: its rule compared with derivatives of its reference.

For an operand, a direction v and a cotangent g, the rule is right when ⟨rule(g), v⟩ = ⟨g, Jv⟩. The
right side uses the reference alone, not the rule. Everything is evaluated in extended precision, so that a
disagreement is an error of the rule and not of the arithmetic.

The rule of a holomorphic row is proven at complex operands too, along v and along iv: there a complex-linear
derivative (the Cauchy-Riemann equations) differs from one that is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.case import Case
from conformance.op import Domain, Op, OperandKind
from conformance.oracle.allowance import extended
from conformance.oracle.derivative import (
    REAL,
    Array,
    Function,
    Slope,
    complex_step,
    extended_differences,
    is_analytic,
    slope_jump,
)

PROVEN = 1e-10  # the largest relative disagreement of a proven row

COMPLEX_STEP = "complex step"
EXTENDED = "extended precision"
CAUCHY_RIEMANN = "Cauchy-Riemann"
PHASE = (3 + 4j) / 5  # of modulus 1: gives a real direction a real and an imaginary part

# A gradient smaller than this relative to the cotangent is compared as if it were this large. In a saturated
# tail a rule such as 1 - tanh² cancels to zero: its digits are rounding errors, whatever the formula.
TAIL = 1e-6

SMALL = 27  # the largest operand of which every entry is proven alone: a cube of three
DIRECTIONS = 3  # random ones, for operands of any size


@dataclass(frozen=True)
class Proof:
    """How a row was proven: `error` is the worst relative disagreement over `cases`.

    The disagreement includes the oracle's own error estimate. `empty` counts the calls without
    entries, which prove only shapes.
    """

    op: str
    oracle: str
    error: float
    cases: int
    empty: int = 0

    @property
    def holds(self) -> bool:
        """Whether the row counts as proven."""
        return self.cases > 0 and self.error <= PROVEN


def prove(op: Op, cases: Iterable[Case]) -> Proof:
    """Compare the rule of `op` with the derivative by the most exact method that applies, over `cases`."""
    used: set[str] = set()
    worst, proven, empty = 0.0, 0, 0
    with np.errstate(all="ignore"):
        for case in cases:
            call = _Call(op, case)
            worst = max([worst, *call.disagreements(used)])
            proven += bool(call.has_entries)
            empty += not call.has_entries
    return Proof(op.name, ", ".join(sorted(used)) or "none", float(worst), proven, empty)


def slope_of(op: Op, case: Case, index: int, v: Array) -> tuple[str, Any, Any]:
    """How the outputs of a case, times their cotangents, change along `v` of one operand; no rule is used.

    Returns the method's name, the slope, and its estimated error: infinite where no slope can be found.
    """
    with np.errstate(all="ignore"):
        return _Call(op, case).weighed_slope(index, v)


class _Call:
    """One call of an op in extended precision."""

    def __init__(self, op: Op, case: Case) -> None:
        self.op, self.parameters, self.domains = op, case.parameters, case.domains
        self.operands = [extended(x) for x in case.operands]
        self.output = op.reference(*self.operands, **self.parameters)
        self.outputs = self.output if op.has_several_outputs else (self.output,)
        self.wrt = [i for i, x in enumerate(self.operands) if op.is_differentiable(i)]
        self.rng = np.random.default_rng(case.draw)
        signed = [self._signed(np.shape(z)) for z in self.outputs]
        self.cotangents = [[extended(g) for g in case.cotangents], signed]

    @property
    def has_entries(self) -> bool:
        """Whether any operand and any output has entries."""
        sizes = [self.operands[i].size for i in self.wrt]
        return any(sizes) and any(np.size(z) for z in self.outputs)

    def disagreements(self, used: set[str]) -> Iterator[float]:
        """The relative disagreements of all operands, directions and cotangents; adds the methods used to `used`."""
        for index in self.wrt:
            pulled = [self._pulled(index, g) for g in self.cotangents]
            if any(np.shape(p) != self.operands[index].shape for p in pulled):
                yield np.inf
            elif self.operands[index].size and self.has_entries:
                yield from self._along(index, pulled, used)

    def _along(self, index: int, pulled: Sequence[Array], used: set[str]) -> Iterator[float]:
        function, x = self._of(index), self.operands[index]
        directions = self._directions(x.shape)
        has_step = not np.iscomplexobj(x) and all(
            is_analytic(function, x, v) for v in directions[:DIRECTIONS]
        )
        used.add(COMPLEX_STEP if has_step else CAUCHY_RIEMANN if np.iscomplexobj(x) else EXTENDED)
        if np.iscomplexobj(x):
            directions = [phase * v for v in directions[:DIRECTIONS] for phase in (PHASE, 1j * PHASE)]
        max_step = self._max_step(index)
        for v in directions:
            slope = (
                complex_step(function, x, v) if has_step else extended_differences(function, x, v, max_step)
            )
            for g, gradient in zip(self.cotangents, pulled, strict=True):
                yield disagreement(_joined(g), slope, gradient, v)

    def weighed_slope(self, index: int, v: Array) -> tuple[str, Any, Any]:
        """Along `v`, for the case's own cotangents: the method, the slope, and its estimated error."""
        function, x, g = self._of(index), self.operands[index], _joined(self.cotangents[0])
        max_step = self._max_step(index) / float(np.abs(v).max(initial=1e-300))
        if not max_step:
            return EXTENDED, REAL(np.nan), REAL(np.inf)
        if all(is_analytic(function, x, d) for d in (v, *self._directions(x.shape)[:DIRECTIONS])):
            name, slope = COMPLEX_STEP, complex_step(function, x, v)
            error = slope.error
        else:
            name, slope = EXTENDED, extended_differences(function, x, v, max_step)
            error = slope.error + slope_jump(function, x, v, max_step)
        counts = g != 0
        value, total_error = (np.sum(np.where(counts, y, 0)) for y in (g * slope.value, np.abs(g) * error))
        return name, value, total_error

    def _max_step(self, index: int) -> float:
        """The distance from an operand's entries to a kink, an end of the domain, or each other."""
        domain, x = self._domain(index), self.operands[index]
        ends = [end for end in (*domain.kinks, domain.low, domain.high) if np.isfinite(end)]
        distances = [float(np.abs(x - end).min()) for end in ends]
        if domain.kind is OperandKind.DISTINCT:
            distinct = [
                np.ravel(self.operands[i]) for i in self.wrt if self._domain(i).kind is OperandKind.DISTINCT
            ]
            gaps = np.diff(np.sort(np.concatenate(distinct)))
            distances.append(float(gaps.min(initial=np.inf)) / 2)  # two entries may approach each other
        if np.iscomplexobj(x):
            distances.append(1 - float(np.abs(x.imag).max(initial=0)))  # poles are at least as far as ±i
        if domain.kind in (OperandKind.INVERTIBLE, OperandKind.POSITIVE_DEFINITE) and x.size:
            double = np.complex128 if np.iscomplexobj(x) else np.float64
            matrices = domain.as_matrices(x.astype(double))
            singular = np.linalg.svd(matrices, compute_uv=False)
            distances.append(
                float(singular.min()) / matrices.shape[-1]
            )  # the distance to the nearest singular matrix
        return min(distances, default=np.inf)

    def _domain(self, index: int) -> Domain:
        """The domain of an operand: the case's own, where its signature has one."""
        return self.domains[index] if self.domains else self.op.domain(index)

    def _of(self, index: int) -> Function:
        """All outputs as a function of operand `index`."""

        def function(x: Array) -> Array:
            operands = [x if i == index else other for i, other in enumerate(self.operands)]
            z = self.op.reference(*operands, **self.parameters)
            return _joined(z if self.op.has_several_outputs else (z,))

        return function

    def _pulled(self, index: int, g: Sequence[Array]) -> Array:
        given = tuple(g) if self.op.has_several_outputs else g[0]
        return np.asarray(self.op.rule(index, given, self.output, *self.operands, **self.parameters))

    def _directions(self, shape: tuple[int, ...]) -> list[Array]:
        """Random directions, then every axis of a small operand, so that each entry is proven alone."""
        size = int(np.prod(shape))
        axes = list(np.eye(size, dtype=REAL).reshape(size, *shape)) if size <= SMALL else []
        return [self._signed(shape) for _ in range(DIRECTIONS)] + axes

    def _signed(self, shape: tuple[int, ...]) -> Array:
        """Eighths of both signs, at most 1: sums with the operands stay exact."""
        return np.asarray(
            self.rng.integers(1, 9, shape) * self.rng.choice((-0.125, 0.125), shape), dtype=REAL
        )


def disagreement(g: Array, slope: Slope, gradient: Array, v: Array) -> float:
    """The distance of ⟨gradient, v⟩ from ⟨g, Jv⟩ plus the slope's truncation error, relative to their terms.

    It is relative to the terms and not to the sums: a sum may vanish by cancellation, as for softmax with
    a constant cotangent.
    """
    if not g.size:
        return 0.0
    here, there = gradient * v, g * slope.value
    truncation = np.sum(np.abs(g) * slope.truncation)
    distance = np.abs(np.sum(here) - np.sum(there)) + truncation
    scale = max(np.sum(np.abs(here)), np.sum(np.abs(there)), TAIL * np.abs(g).max() * np.abs(v).max())
    if not np.isfinite(distance):
        return np.inf
    return float(distance / scale) if distance else 0.0


def _joined(outputs: Any) -> Array:
    """All outputs as one vector; booleans become numbers, so that they can be subtracted."""
    return np.concatenate(
        [np.ravel(z).astype(REAL) if z.dtype.kind in "biu" else np.ravel(z) for z in outputs]
    )
