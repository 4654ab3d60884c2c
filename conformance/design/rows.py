"""The rows that an op offers: every call that its law allows, with every choice of operands that need a gradient."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np

from conformance.kept import kept
from conformance.op import Law, Op, Signature, Trait

# Parameters by which no output is empty: those of windows, which laws make no larger than what they move over, and others.
# Not `axis`: of what lies between the entries of an axis, one entry leaves nothing.
KEEPS_SOMETHING = frozenset({"reduction", "stride", "padding", "dilation", "groups", "kernel_size"})
KEEPS_SOMETHING |= {"ceil_mode", "output_padding", "count_include_pad", "divisor_override", "norm_type"}
PROBED = 4096  # entries up to which a row's output is computed to see whether it has any
T = TypeVar("T")
Wrt = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Row:
    """A signature, and which of its operands need a gradient; None stands for all that can have one.

    `has_output` is false where the parameters, such as `repeats=0`, leave nothing of operands that are not empty.
    """

    signature: Signature
    wrt: Wrt | None = None
    has_output: bool = True

    @property
    def key(self) -> str:
        """What an engine may compile again for: shapes, parameters, what is differentiated."""
        return f"{self.signature.shapes} {sorted(self.signature.parameters.items())} {self.wrt}"

    @property
    def entries(self) -> int:
        """The entries of its largest operand."""
        return max((_size(shape) for shape in self.signature.shapes), default=0)

    @property
    def can_decide(self) -> bool:
        """Whether every operand has several entries, or is a scalar beside one that has, and the output has any."""
        sizes = [_size(shape) for shape in self.signature.shapes]
        return bool(sizes) and min(sizes) > 0 and max(sizes) > 1 and self.has_output


def _size(shape: Sequence[int]) -> int:
    size = 1
    for n in shape:
        size *= n
    return size


@lru_cache(maxsize=512)
def leaves(law: Law) -> tuple[Signature, ...]:
    """Every signature that a law allows, the simplest first; each once."""
    # In another domain the same call is another one: a margin is kept in one, and not in the other.
    found = {f"{Row(each).key} {each.domains}": each for each in _traversed(law)}
    return tuple(found.values())


def _traversed(law: Law) -> Iterator[Signature]:
    """Depth first through the choices of a law: `taken[i]` is the option taken at choice i, of `offered[i]`."""
    taken: list[int] = []
    while True:
        offered: list[int] = []

        def choose(options: Sequence[T], /, offered: list[int] = offered) -> T:
            if len(offered) == len(taken):
                taken.append(0)
            offered.append(len(options))
            return options[taken[len(offered) - 1]]

        yield law(choose)
        while taken and taken[-1] + 1 == offered[len(taken) - 1]:
            taken.pop()
        if not taken:
            return
        taken[-1] += 1


@lru_cache(maxsize=512)
def rows_of(op: Op) -> tuple[Row, ...]:
    """Every row of an op."""
    empty = frozenset(_without_output(op))
    counts = {len(leaf.shapes) for leaf in leaves(op.law)}
    choices = {count: needs(op, count) for count in counts}  # a law has thousands of leaves, and few counts
    return tuple(
        Row(leaf, wrt, number not in empty)
        for number, leaf in enumerate(leaves(op.law))
        for wrt in choices[len(leaf.shapes)]
    )


@kept(is_shared=True)
def _without_output(op: Op) -> list[int]:
    """The numbers of the leaves of an op's law that leave nothing of operands that are not empty."""
    return [number for number, leaf in enumerate(leaves(op.law)) if not _has_output(op, leaf)]


def _has_output(op: Op, signature: Signature) -> bool:
    sizes = [_size(shape) for shape in signature.shapes]
    if Trait.ELEMENTWISE in op.traits or signature.parameters.keys() <= KEEPS_SOMETHING:
        return True
    if min(sizes, default=0) == 0 or max(sizes) > PROBED:
        return True
    try:
        with np.errstate(all="ignore"):
            found = op.reference(*map(np.ones, signature.shapes), **signature.parameters)
    except (
        Exception
    ):  # ones are not always operands: no index, no invertible matrix; such calls leave something
        return True
    return any(np.size(output) for output in (found if isinstance(found, tuple) else (found,)))


def needs(op: Op, count: int) -> tuple[Wrt | None, ...]:
    """Which of `count` operands need a gradient: all, each alone, and each left out where there are more than two."""
    every = tuple(i for i in range(count) if op.is_differentiable(i))
    if op.is_flat or len(every) < 2:
        return (None,)
    alone = [(i,) for i in every]
    left_out = [tuple(i for i in every if i != out) for out in every] if len(every) > 2 else []
    return (None, *alone, *left_out)
