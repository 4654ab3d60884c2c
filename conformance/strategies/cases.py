"""From an op to its cases.

The design says which signatures are asked; what compiles nothing rides along: how numbers are drawn, how arrays lie in
memory. The numbers come from a seed.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, cycle, islice, product

import numpy as np

from conformance.case import Array, Case
from conformance.design import Effort, Row, count_of_ready, signatures_of
from conformance.design.descent import simpler_rows
from conformance.design.levels import is_square
from conformance.design.rows import rows_of
from conformance.dtype import HALF, carried
from conformance.layout import LAYOUTS
from conformance.op import Op, OperandKind, Signature
from conformance.values import COTANGENTS, MAGNITUDES, MODERATE, STEEP, TEXTURES, cotangent, operands

UNMIRRORED = 4  # of so many cases whose axes are equal one does not have all arrays in Fortran order
LEVELS = 7  # a prime that is no smaller than the number of levels of any factor that rides along
AGAIN = 3  # further draws of a compiled signature before another one is compiled
MOST_OUTPUTS = 64  # of an op


def build(
    op: Op,
    row: Row,
    dtype: str,
    *,
    texture: str,
    upstream: str,
    layouts: Sequence[str],
    seed: int,
) -> Case:
    """The case that follows from a row, the levels that ride along and a seed; the same for everybody."""
    signature, rng = row.signature, np.random.default_rng(seed)
    domains = signature.domains or tuple(op.domain(i) for i in range(len(signature.shapes)))
    values = operands(domains, signature.shapes, dtype, texture, rng)
    chosen = tuple(layouts[i % len(layouts)] for i in range(len(values) + MOST_OUTPUTS))
    values = tuple(
        _repeated(x) if layout == "expanded" and domain.kind is OperandKind.REAL else x
        for x, domain, layout in zip(values, domains, chosen, strict=False)
    )
    with np.errstate(all="ignore"):
        output = op.reference(*map(carried, values), **signature.parameters)
    outputs = [np.asarray(z) for z in (output if isinstance(output, tuple) else (output,))]
    # Some functions of NumPy answer half precision in single; an engine does only where `dtype` says so. Whole
    # numbers and truth values have no cotangents: theirs are those of what they are multiplied with.
    answers_in_kind = dtype in HALF and "dtype" not in signature.parameters
    dtypes = [dtype if answers_in_kind or z.dtype.kind in "biu" else z.dtype.name for z in outputs]
    cotangents = tuple(cotangent(z.shape, d, upstream, rng) for z, d in zip(outputs, dtypes, strict=True))
    cotangents = tuple(
        _repeated(g) if chosen[len(values) + i] == "expanded" else g for i, g in enumerate(cotangents)
    )
    return Case(
        *(op.name, values, dict(signature.parameters), cotangents),
        chosen[: len(values) + len(cotangents)],
        dtype,
        domains=signature.domains,
        texture=texture,
        wrt=row.wrt,
    )


def _repeated(array: Array) -> Array:
    """The array with its first row again and again, which can lie in memory with stride 0."""
    return (
        np.array(np.broadcast_to(array[:1], array.shape), order="C") if array.ndim and len(array) else array
    )


@dataclass(frozen=True)
class Rider:
    """The levels of the factors that compile nothing, for the n-th case of an op.

    Every pair of levels comes within LEVELS² cases: they are the rows of an orthogonal array (Bose 1938).
    """

    number: int
    seed: int

    def __call__(self, factor: int, levels: Sequence[str]) -> str:
        """The level of a factor."""
        line, column = divmod(self.number, LEVELS)
        order = _order(self.seed, factor, max(LEVELS, len(levels)))
        return levels[order[(column + factor * line) % LEVELS] % len(levels)]


@lru_cache(maxsize=256)
def _order(seed: int, factor: int, length: int) -> tuple[int, ...]:
    """In which order an op meets the levels of a factor."""
    return tuple(np.random.default_rng([seed, factor]).permutation(length).tolist())


def _case(op: Op, dtype: str, row: Row, number: int, seed: int, textures: tuple[str, ...]) -> Case:
    """The n-th case of an op."""
    rider = Rider(number, seed)
    # Where axes are equal, no error of shape shows that an engine takes columns for rows.
    is_mirrored = is_square(row.signature.shapes) and number % UNMIRRORED != 0
    texture = rider(0, textures)
    upstream = rider(1, MODERATE if textures == MAGNITUDES else COTANGENTS)
    return build(
        op,
        row,
        dtype,
        texture=texture,
        upstream="largest" if texture == STEEP else upstream,
        layouts=["F"] if is_mirrored else [rider(factor, LAYOUTS) for factor in (2, 3, 4)],
        seed=seed + number,
    )


@lru_cache(maxsize=64)
def draw_cases(
    op: Op, dtype: str, seed: int, effort: Effort, textures: tuple[str, ...] = TEXTURES
) -> tuple[Case, ...]:
    """The cases of an op for a seed: `effort.draws` of every signature of the design.

    Where an op has few signatures, they come again with other numbers until there are `effort.signatures` cases.
    """
    effort = _about(effort, textures)
    wanted = max(len(_first_draws(signatures_of(op, dtype, seed, effort), effort)), effort.signatures)
    return tuple(islice(_endless(op, dtype, seed, effort, textures), wanted))


def windows(op: Op, dtype: str, seed: int, effort: Effort, textures: tuple[str, ...] = TEXTURES) -> int:
    """How many times a few signatures there are among those of `draw_cases` on which every check can decide.

    One where every signature is compiled: what is compiled for one check serves the others.
    """
    ready = count_of_ready(signatures_of(op, dtype, seed, _about(effort, textures)))
    return 1 if effort.compiles else max(1, ready // effort.few)


def more_cases(
    op: Op, dtype: str, seed: int, effort: Effort, textures: tuple[str, ...] = TEXTURES
) -> Iterator[Case]:
    """What comes after `draw_cases`, for a check that none of them decided: without end, and first what differs most."""
    drawn = len(draw_cases(op, dtype, seed, effort, textures))
    return islice(_endless(op, dtype, seed, _about(effort, textures), textures), drawn, None)


def _about(effort: Effort, textures: tuple[str, ...]) -> Effort:
    """The effort where numbers are what is asked about: as many signatures as it names, whatever they cover."""
    return replace(effort, strength=0) if textures == MAGNITUDES else effort


def _endless(op: Op, dtype: str, seed: int, effort: Effort, textures: tuple[str, ...]) -> Iterator[Case]:
    """The signatures of the design, then each of them again and again, with another signature after each.

    Where every signature is compiled, another one comes only after a few numbers of each that is compiled already.
    """
    own, rows = _seed_of(op, seed), signatures_of(op, dtype, seed, effort)
    others = cycle(np.random.default_rng(own).permutation(len(rows_of(op))).tolist())
    first = _first_draws(rows, effort)
    times = AGAIN if effort.is_compact else 1
    pairs = ((*[row] * times, rows_of(op)[next(others)]) for row in cycle(rows))
    again = ((row, effort.draws + number // len(rows)) for number, pair in enumerate(pairs) for row in pair)
    for number, (row, draw) in enumerate(chain(first, again)):
        yield replace(_case(op, dtype, row, number, own, textures), draw=draw)


def _first_draws(rows: Sequence[Row], effort: Effort) -> list[tuple[Row, int]]:
    """Each row with its draws; of a compact effort the first row has most, since checks of a few signatures take that one."""
    fewer = effort.draws // AGAIN if effort.is_compact else effort.draws
    return [
        (row, draw) for number, row in enumerate(rows) for draw in range(fewer if number else effort.draws)
    ]


def smallest_case(op: Op, failed: Case, is_failing: Callable[[Case], bool]) -> Case | None:
    """The smallest case for which `is_failing`; None where none smaller than `failed` was found.

    It descends: of the rows that differ from the failing one in fewer and fewer factors the first that fails is gone on
    from, then what rides along is made plain. It takes some twenty questions; `is_failing` may raise to end it.
    """
    smallest: Case | None = None
    row = Row(
        Signature(tuple(x.shape for x in failed.operands), failed.parameters, failed.domains), failed.wrt
    )
    texture = failed.texture or TEXTURES[0]

    def fails(row: Row, texture: str, layouts: Sequence[str]) -> bool:
        nonlocal smallest
        for upstream, seed in product(("largest",) if texture == STEEP else ("signed", "full"), range(2)):
            case = build(
                op, row, failed.dtype, texture=texture, upstream=upstream, layouts=layouts, seed=seed
            )
            if is_failing(case):
                smallest = case
                return True
        return False

    simpler = simpler_rows(op, row)
    while (found := next((r for r in simpler if fails(r, texture, failed.layouts)), None)) is not None:
        row, simpler = found, simpler_rows(op, found)
    plain = TEXTURES[0] if texture in TEXTURES else texture if texture == STEEP else MAGNITUDES[0]
    any(fails(row, *rider) for rider in ((plain, ("C",)), (texture, ("C",)), (plain, failed.layouts)))
    return smallest


def _seed_of(op: Op, seed: int) -> int:
    """A seed of the op's own, so that adding a row changes no other row's cases."""
    return seed * 1_000_003 + zlib.crc32(op.name.encode())
