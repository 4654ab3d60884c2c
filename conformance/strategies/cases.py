"""From an op to its cases.

Hypothesis draws the structure: shapes, parameters, texture, layouts. The numbers come from a seed it
draws too, since drawing each would cost more than calling the engine.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.case import Case
from conformance.dtype import HALF, carried
from conformance.layout import LAYOUTS
from conformance.op import Op, Signature
from conformance.strategies import explore
from conformance.values import COTANGENTS, MAGNITUDES, MODERATE, TEXTURES, cotangent, operands

DrawFunction = Callable[..., Any]
TRIES = 4  # draws for every signature wanted: repeats are dropped, and a law may not offer that many


@dataclass(frozen=True)
class Effort:
    """How much is drawn: signatures per op and dtype (an engine may compile each), value draws of each."""

    signatures: int
    draws: int
    samples: int  # of each clause's check
    programs: int

    @property
    def few(self) -> int:
        """How many signatures decide a check for each of whose cases an engine compiles again."""
        return max(1, self.signatures // 4)


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
        output = op.reference(*map(carried, values), **signature.parameters)
    outputs = [np.asarray(z) for z in (output if isinstance(output, tuple) else (output,))]
    # Some functions of NumPy answer half precision in single; an engine does only where `dtype` says so. Whole
    # numbers and truth values have no cotangents: theirs are those of what they are multiplied with.
    answers_in_kind = dtype in HALF and "dtype" not in signature.parameters
    dtypes = [dtype if answers_in_kind or z.dtype.kind in "biu" else z.dtype.name for z in outputs]
    cotangents = tuple(cotangent(z.shape, d, upstream, rng) for z, d in zip(outputs, dtypes, strict=True))
    chosen = tuple(layouts[i % len(layouts)] for i in range(len(values) + len(cotangents)))
    parameters = dict(signature.parameters)
    return Case(
        *(op.name, values, parameters, cotangents, chosen, dtype),
        domains=signature.domains,
        texture=texture,
    )


@dataclass(frozen=True)
class Structure:
    """Everything about a case but its numbers."""

    op: Op
    dtype: str
    signature: Signature
    texture: int
    upstream: int
    layouts: tuple[str, ...]
    seed: int
    textures: tuple[str, ...] = TEXTURES

    @property
    def key(self) -> str:
        """What an engine may compile again for: shapes and parameters."""
        return f"{self.signature.shapes} {sorted(self.signature.parameters.items())}"

    def draw(self, number: int) -> Case:
        """Value draw `number`: other numbers, the next texture and layouts, the same signature."""
        upstreams = MODERATE if self.textures == MAGNITUDES else COTANGENTS
        case = build(
            self.op,
            self.signature,
            self.dtype,
            texture=self.textures[(self.texture + number) % len(self.textures)],
            upstream=upstreams[(self.upstream + number) % len(upstreams)],
            layouts=[LAYOUTS[(LAYOUTS.index(name) + number) % len(LAYOUTS)] for name in self.layouts],
            seed=self.seed + number,
        )
        return replace(case, draw=number)


@st.composite
def structures(draw: DrawFunction, op: Op, dtype: str, signature: Signature | None = None) -> Structure:
    """Draws everything about a case but its numbers; the signature too, unless it is given."""
    return Structure(
        op,
        dtype,
        signature or op.law(lambda options: draw(st.sampled_from(list(options)))),
        draw(st.integers(0, len(TEXTURES) - 1)),
        draw(st.integers(0, len(COTANGENTS) - 1)),
        tuple(draw(st.lists(st.sampled_from(LAYOUTS), min_size=1, max_size=3))),
        draw(st.integers(0, 2**16)),
    )


@st.composite
def batches(draw: DrawFunction, op: Op, dtype: str, count: int) -> tuple[Structure, ...]:
    """Draws structures of `count` different signatures, fewer where the law has no more to offer."""
    drawn: dict[str, Structure] = {}
    for _ in range(TRIES * count):
        structure = draw(structures(op, dtype))
        drawn.setdefault(structure.key, structure)
        if len(drawn) == count:
            break
    return tuple(drawn.values())


@lru_cache(maxsize=64)
def draw_cases(
    op: Op, dtype: str, seed: int, effort: Effort, textures: tuple[str, ...] = TEXTURES
) -> tuple[Case, ...]:
    """The cases of an op for a seed: `effort.signatures` structures, `effort.draws` value draws of each."""
    batch = _fullest_batch(op, seed, effort.signatures)
    drawn = [replace(structure, dtype=dtype, textures=textures) for structure in batch]
    return tuple(structure.draw(number) for structure in drawn for number in range(effort.draws))


@lru_cache(maxsize=1024)
def _fullest_batch(op: Op, seed: int, count: int) -> tuple[Structure, ...]:
    """The structures of an op for a seed: the same in every dtype, and more expensive to draw than their numbers."""
    drawn = explore.draw(
        batches(op, "float64", count), seed=_seed_of(op, seed), is_enough=lambda batch: len(batch) == count
    )
    return max(drawn, key=len)


def smallest_case(
    op: Op,
    dtype: str,
    seed: int,
    effort: Effort,
    failed: Case,
    is_failing: Callable[[Case], bool],
    textures: tuple[str, ...] = TEXTURES,
) -> Case | None:
    """The smallest case for which `is_failing`; None where none smaller than `failed` was found.

    Any signature is tried first; then, should the failure be rare, the one that failed.
    """
    own = Signature(tuple(x.shape for x in failed.operands), failed.parameters, failed.domains)
    for signature in (None, own):

        def failing_draw(structure: Structure) -> Case | None:
            drawn = map(replace(structure, textures=textures).draw, range(effort.draws))
            return next((case for case in drawn if is_failing(case)), None)

        smallest = explore.shrink(
            structures(op, dtype, signature),
            lambda structure: failing_draw(structure) is not None,
            seed=_seed_of(op, seed),
            examples=2 * effort.signatures,
        )
        if smallest is not None:
            return failing_draw(smallest)
    return None


def _seed_of(op: Op, seed: int) -> int:
    """A seed of the op's own, so that adding a row changes no other row's cases."""
    return seed * 1_000_003 + zlib.crc32(op.name.encode())
