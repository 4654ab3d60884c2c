"""From an op to its cases.

Hypothesis draws the structure: shapes, parameters, texture, layouts. The numbers come from a seed it
draws too, since drawing each would cost more than asking the engine.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.case import Case
from conformance.layout import LAYOUTS
from conformance.op import Op, Signature
from conformance.strategies import explore
from conformance.strategies.values import COTANGENTS, TEXTURES, cotangent, operands

DrawFunction = Callable[..., Any]
Structure = Callable[[int], Case]  # the number of a value draw -> the case


@dataclass(frozen=True)
class Effort:
    """How much is drawn: signatures per op and dtype (an engine may compile each), value draws of each."""

    signatures: int
    draws: int
    samples: int  # of each clause's check
    programs: int


def build(
    op: Op,
    signature: Signature,
    dtype: str,
    *,
    texture: str,
    upstream: str,
    layouts: Sequence[str],
    seed: int,
) -> Case:
    """The case that follows from a structure and a seed; the same for everybody."""
    rng = np.random.default_rng(seed)
    domains = signature.domains or tuple(op.domain(i) for i in range(len(signature.shapes)))
    values = operands(domains, signature.shapes, dtype, texture, rng)
    with np.errstate(all="ignore"):
        output = op.reference(*values, **signature.parameters)
    outputs = output if isinstance(output, tuple) else (output,)
    cotangents = tuple(cotangent(np.shape(z), np.asarray(z).dtype.name, upstream, rng) for z in outputs)
    lying = tuple(layouts[i % len(layouts)] for i in range(len(values) + len(cotangents)))
    return Case(op.name, values, dict(signature.parameters), cotangents, lying, dtype)


@st.composite
def structures(draw: DrawFunction, op: Op, dtype: str) -> Structure:
    """Draws everything about a case but its numbers."""
    signature = op.law(lambda options: draw(st.sampled_from(list(options))))
    texture = draw(st.sampled_from(TEXTURES))
    upstream = draw(st.sampled_from(COTANGENTS))
    layouts = draw(st.lists(st.sampled_from(LAYOUTS), min_size=1, max_size=3))
    seed = draw(st.integers(0, 2**16))

    def at(number: int) -> Case:
        """Value draw `number`: other numbers, other textures, the same signature."""
        return build(
            op,
            signature,
            dtype,
            texture=TEXTURES[(TEXTURES.index(texture) + number) % len(TEXTURES)],
            upstream=COTANGENTS[(COTANGENTS.index(upstream) + number) % len(COTANGENTS)],
            layouts=layouts,
            seed=seed + number,
        )

    return at


@lru_cache(maxsize=64)
def draw_cases(op: Op, dtype: str, seed: int, effort: Effort) -> tuple[Case, ...]:
    """The cases of an op for a seed: `effort.signatures` structures, `effort.draws` value draws of each."""
    drawn = explore.draw(structures(op, dtype), seed=_seed_of(op, seed), examples=effort.signatures)
    return tuple(case for at in drawn for case in _draws(at, effort))


def smallest_case(
    op: Op, dtype: str, seed: int, effort: Effort, is_failing: Callable[[Case], bool]
) -> Case | None:
    """The smallest case for which `is_failing`, among those drawn for the same seed and around them."""

    def failing_draw(at: Structure) -> Case | None:
        return next((case for case in _draws(at, effort) if is_failing(case)), None)

    smallest = explore.shrink(
        structures(op, dtype),
        lambda at: failing_draw(at) is not None,
        seed=_seed_of(op, seed),
        examples=effort.signatures,
    )
    return failing_draw(smallest) if smallest else None


def _draws(at: Structure, effort: Effort) -> Iterator[Case]:
    return (replace(at(number), draw=number) for number in range(effort.draws))


def _seed_of(op: Op, seed: int) -> int:
    """A seed of the op's own, so that adding a row changes no other row's cases."""
    return seed * 1_000_003 + zlib.crc32(op.name.encode())
