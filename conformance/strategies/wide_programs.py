"""Random programs of the whole catalogue.

The law of an op says what shapes it takes. An earlier value is reshaped, or some of its entries are taken,
to be its operand where it lies in the domain, at a distance from kinks; a leaf is added that brings it there
where it does not; everything else is a fresh leaf. So no step is impossible, and no kink near.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.case import Array
from conformance.op import Domain, Op, OperandKind, Signature
from conformance.ops import FAMILIES
from conformance.ops.names import ADD, ASTYPE, GETITEM, NEGATIVE, RESHAPE, SIGMOID, SIN, SQUARE, TANH
from conformance.program import BRANCH, Program, Step
from conformance.values import cotangent, operands

LONGEST = 30
LONGEST_STEP = 9  # steps that an op of two operands may take, with what brings them into shape
STEPS_OF_OPERAND = 3  # at most: it is reshaped, taken from, reshaped
MOST_OPS = 10
LARGEST_VALUE = 32.0
LARGEST_SIZE = 64
DRAWS = 4  # of an op's law, which knows empty and large arrays, until its operands are neither
DISTANCE = 1 / 16  # from kinks, ties and the ends of a domain
WORST_CONDITION = 20.0
BRANCHES = (SQUARE, SIN, NEGATIVE, TANH)
OTHER = {"float64": "float32", "float32": "float64"}

Draw = Callable[..., Any]
Find = Callable[[str], Op]


@st.composite
def wide_programs(draw: Draw, find: Find, dtype: str) -> Program:
    """Draws a program whose every op takes the latest value, where that lies in its domain."""
    growing = _Growing(find, dtype, draw(st.integers(0, 2**16)))
    growing.leaf(cotangent(draw(st.sampled_from(((3,), (2, 3), (3, 3), ()))), dtype, "signed", growing.rng))
    for _ in range(draw(st.integers(1, MOST_OPS))):
        choice = draw(st.integers(0, 7))
        if choice == 7:
            growing.branch(draw(st.sampled_from(BRANCHES)), draw(st.sampled_from(BRANCHES)))
            continue
        if choice == 6:
            growing.detour(draw(st.sampled_from(BRANCHES)))
            continue
        op = find(draw(st.sampled_from(names())))
        for _ in range(DRAWS):
            signature = op.law(lambda options: draw(st.sampled_from(list(options))))
            if _is_small(signature):
                growing.apply(op, signature, draw(st.integers(0, 3)))
                break
    return growing.program()


@cache
def names() -> tuple[str, ...]:
    """The ops that a program can have: with a slope, one output, and operands that need no symmetry.

    Each is as likely as any other: drawn by family, an op of a large family would hardly ever come.
    """
    return tuple(
        op.name
        for family in sorted(FAMILIES)
        for op in FAMILIES[family]
        if not op.is_flat
        and not op.has_several_outputs
        and all(d.kind is not OperandKind.POSITIVE_DEFINITE for d in op.domains)
    )


class _Growing:
    """A program that grows: values are numbered as they come, leaves from -1 downwards."""

    def __init__(self, find: Find, dtype: str, seed: int) -> None:
        self.find = find
        self.dtype = dtype
        self.rng = np.random.default_rng(seed)
        self.leaves: list[Array] = []
        self.steps: list[Step] = []
        self.values: dict[int, Array] = {}
        self.latest = 0

    def leaf(self, value: Array) -> int:
        """A new leaf."""
        self.leaves.append(value)
        self.values[-len(self.leaves)] = value
        if len(self.leaves) == 1:
            self.latest = -1
        return -len(self.leaves)

    def step(self, op: str, inputs: tuple[int, ...], parameters: Mapping[str, Any]) -> int:
        """A new step."""
        value = self.find(op).reference(*(self.values[i] for i in inputs), **parameters)
        self.steps.append(Step(op, inputs, parameters))
        self.latest = len(self.steps) - 1
        self.values[self.latest] = np.asarray(value)
        return self.latest

    def branch(self, then: str, otherwise: str) -> None:
        """A step on the latest value that the latest value decides."""
        value = self.values[self.latest]
        total = float(value.sum())
        if abs(total) < DISTANCE or np.abs(value).max() > np.sqrt(LARGEST_VALUE):
            return
        taken = self.find(then if total > 0 else otherwise).reference(value)
        self.steps.append(Step(BRANCH, (self.latest, self.latest), {"then": then, "otherwise": otherwise}))
        self.latest = len(self.steps) - 1
        self.values[self.latest] = np.asarray(taken)

    def detour(self, op: str) -> None:
        """An op of the latest value in the other precision, its result brought back; both meet again."""
        start = self.latest
        value = self.values[start]
        is_short = len(self.steps) <= LONGEST - LONGEST_STEP
        if not is_short or value.dtype.kind != "f" or np.abs(value).max() > np.sqrt(LARGEST_VALUE):
            return
        there = self.step(ASTYPE, (start,), {"dtype": OTHER[self.dtype]})
        back = self.step(ASTYPE, (self.step(op, (there,), {}),), {"dtype": self.dtype})
        self.step(ADD, (back, start), {})

    def apply(self, op: Op, signature: Signature, choice: int) -> None:
        """An op, where it gives numbers that can be gone on with; its operands are old values or fresh leaves."""
        count = len(signature.shapes)
        if len(self.steps) > LONGEST - max(LONGEST_STEP, STEPS_OF_OPERAND * count + 2):
            return
        domains = signature.domains or tuple(op.domain(i) for i in range(count))
        fresh = operands(domains, signature.shapes, self.dtype, "round", self.rng)
        chosen = self._chosen(domains, signature, fresh, choice)
        if not chosen:  # the latest value is brought between 0 and 1, where most domains are
            self.step(SIGMOID, (self.latest,), {})
            chosen = self._chosen(domains, signature, fresh, choice)
        if not chosen:
            chosen = self._moved(domains, fresh, choice)
        if not chosen:
            return
        given = [
            self._adapted(self.values[chosen[i]], x.shape) if i in chosen else x for i, x in enumerate(fresh)
        ]
        with np.errstate(all="ignore"):
            value = np.asarray(op.reference(*given, **signature.parameters))
        if value.dtype != self.dtype or not 1 <= value.size <= LARGEST_SIZE or not np.isfinite(value).all():
            return
        if np.abs(value).max() > LARGEST_VALUE:
            return
        inputs = tuple(
            self._adapt(chosen[i], x.shape) if i in chosen else self.leaf(x) for i, x in enumerate(fresh)
        )
        self.step(op.name, inputs, signature.parameters)

    def _chosen(
        self, domains: tuple[Domain, ...], signature: Signature, fresh: tuple[Array, ...], choice: int
    ) -> dict[int, int]:
        """For operands that can be an old value, which: the latest for one, any for the others."""
        chosen: dict[int, int] = {}
        for position in _possible(domains, choice):
            old = self.latest if not chosen else int(self.rng.choice(sorted(self.values)))
            if self.values[old].dtype.kind != "f":
                continue
            value = self._adapted(self.values[old], signature.shapes[position])
            others = [
                x for i, x in enumerate(fresh) if domains[i].kind is OperandKind.DISTINCT and i != position
            ]
            if _lies_in(domains[position], value, others):
                chosen[position] = old
            elif not chosen:
                return {}
        return chosen

    def _moved(self, domains: tuple[Domain, ...], fresh: tuple[Array, ...], choice: int) -> dict[int, int]:
        """The latest value for one operand, a leaf added that brings it to where the fresh operand lies."""
        for position in _possible(domains, choice)[:1]:
            old = self._adapt(self.latest, fresh[position].shape)
            leaf = self.leaf(fresh[position] - self.values[old])
            return {position: self.step(ADD, (old, leaf), {})}
        return {}

    def _adapted(self, value: Array, shape: tuple[int, ...]) -> Array:
        return np.resize(value, shape)

    def _adapt(self, old: int, shape: tuple[int, ...]) -> int:
        """The number of a value of that shape: reshaped, or some entries of it, taken again and again."""
        value, size = self.values[old], int(np.prod(shape))
        if value.shape == shape:
            return old
        if value.size != size:
            flat = old if value.ndim == 1 else self.step(RESHAPE, (old,), {"shape": (value.size,)})
            places = np.arange(size) % value.size
            old = self.step(GETITEM, (flat,), {"index": (places,)})
        return old if self.values[old].shape == shape else self.step(RESHAPE, (old,), {"shape": shape})

    def program(self) -> Program:
        """What has grown, its leaves first."""
        if not self.steps:
            self.step(NEGATIVE, (self.latest,), {})
        count = len(self.leaves)
        steps = tuple(
            Step(s.op, tuple(-i - 1 if i < 0 else count + i for i in s.inputs), s.parameters)
            for s in self.steps
        )
        shape = self.values[len(self.steps) - 1].shape
        return Program(
            tuple(self.leaves), steps, cotangent(shape, self.dtype, "signed", self.rng), self.dtype
        )


def _possible(domains: tuple[Domain, ...], choice: int) -> list[int]:
    """The operands that can be an old value, in an order that `choice` turns."""
    kinds = (OperandKind.REAL, OperandKind.DISTINCT, OperandKind.INVERTIBLE)
    possible = [i for i, d in enumerate(domains) if d.is_differentiable and d.kind in kinds]
    turn = choice % max(len(possible), 1)
    return possible[turn:] + possible[:turn]


def _is_small(signature: Signature) -> bool:
    sizes = [int(np.prod(shape)) for shape in signature.shapes]
    return bool(sizes) and min(sizes) >= 1 and max(sizes) <= LARGEST_SIZE


def _lies_in(domain: Domain, value: Array, others: list[Array]) -> bool:
    """Whether a value is inside a domain, at a distance from its ends, its kinks and its ties."""
    if domain.has_pivots and any(
        np.linalg.cond(part(value.astype(float))).max() >= WORST_CONDITION for part in (np.tril, np.triu)
    ):
        return False
    if domain.is_separated:
        sizes = np.linalg.svd(value.astype(float), compute_uv=False)
        return bool((sizes[..., :-1] >= (1 + DISTANCE) * sizes[..., 1:]).all() and (sizes > DISTANCE).all())
    if domain.has_positive_determinant and (np.linalg.det(value.astype(float)) <= 0).any():
        return False
    if domain.kind is OperandKind.INVERTIBLE:
        return bool(np.linalg.cond(domain.as_matrices(value.astype(float))).max() < WORST_CONDITION)
    if domain.kind is OperandKind.DISTINCT:
        every = np.sort(np.concatenate([value.ravel(), *(x.ravel() for x in others)]))
        return bool(np.diff(every).min(initial=1.0) >= DISTANCE)
    is_inside = (value >= domain.low + DISTANCE).all() and (value <= domain.high - DISTANCE).all()
    return bool(is_inside and all((np.abs(value - kink) >= DISTANCE).all() for kink in domain.kinks))
