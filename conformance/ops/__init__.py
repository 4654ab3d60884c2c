"""The specification: one row per op, in modules by family; a large family has several."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from conformance.errors import UsageError, brief
from conformance.op import Op, Trait
from conformance.ops import (
    activations,
    convolution,
    elementwise,
    flat,
    indexing,
    joining,
    layers,
    linear_algebra,
    losses,
    pooling,
    products,
    reductions,
    scans,
    shape,
    softmax,
    special,
    ternary,
    weighted_losses,
)
from conformance.ops.comparisons import correlations, distances, labels, margins, middles, orders, twofold
from conformance.ops.factorings import banded, decompositions, norms, pivoted, reflections, systems, triangles
from conformance.ops.gathered import (
    blocks,
    choices,
    masked,
    numbers,
    picked,
    placed,
    scattered,
    segments,
    weighted,
)
from conformance.ops.networks import (
    alignments,
    attention,
    channels,
    layers_in_time,
    limits,
    pairs,
    recurrent,
    statistics,
)
from conformance.ops.signals import (
    curves,
    frames,
    grids,
    hermitian,
    lines,
    pooled_volumes,
    resampling,
    sampling,
    sequences,
    spectra,
    tables,
    volume_spectra,
    volumes,
)
from conformance.ops.specials import (
    angles,
    bessel,
    dilogarithm,
    entropies,
    factorials,
    fractions,
    gamma_ratios,
    integrals,
    normal,
    oscillating,
    powers,
)

FAMILIES: dict[str, tuple[Op, ...]] = {
    "elementwise": elementwise.ROWS
    + ternary.ROWS
    + special.ROWS
    + normal.ROWS
    + bessel.ROWS
    + oscillating.ROWS
    + entropies.ROWS
    + gamma_ratios.ROWS
    + factorials.ROWS
    + dilogarithm.ROWS
    + integrals.ROWS
    + powers.ROWS
    + angles.ROWS
    + fractions.ROWS
    + numbers.PAIRS,
    "reductions": reductions.ROWS
    + scans.ROWS
    + orders.ROWS
    + middles.ROWS
    + numbers.ROWS
    + weighted.ROWS
    + picked.ROWS
    + twofold.ROWS,
    "shape": shape.ROWS + joining.ROWS + curves.ROWS + lines.ROWS + sequences.ROWS + tables.ROWS,
    "indexing": indexing.ROWS
    + scattered.ROWS
    + placed.ROWS
    + blocks.ROWS
    + choices.ROWS
    + masked.ROWS
    + segments.ROWS,
    "linear_algebra": products.ROWS
    + linear_algebra.ROWS
    + decompositions.ROWS
    + triangles.ROWS
    + pivoted.ROWS
    + norms.ROWS
    + systems.ROWS
    + banded.ROWS
    + reflections.ROWS
    + distances.ROWS
    + correlations.ROWS,
    "activations": activations.ROWS + softmax.ROWS + (special.GELU, limits.THRESHOLD),
    "layers": layers.ROWS
    + convolution.ROWS
    + pooling.ROWS
    + volumes.ROWS
    + pooled_volumes.ROWS
    + resampling.ROWS
    + sampling.ROWS
    + channels.ROWS
    + recurrent.ROWS
    + layers_in_time.ROWS
    + attention.ROWS
    + grids.ROWS
    + pairs.ROWS
    + limits.ROWS
    + statistics.ROWS,
    "spectra": spectra.ROWS + volume_spectra.ROWS + hermitian.ROWS + frames.ROWS,
    "losses": losses.ROWS + weighted_losses.ROWS + margins.ROWS + labels.ROWS + alignments.ROWS,
    "flat": flat.ROWS,
}

ALL_OPS: dict[str, Op] = {op.name: op for rows in FAMILIES.values() for op in rows}

# The ops that have a gradient to compare; and those whose gradient is zero or missing.
CATALOGUE: dict[str, Op] = {name: op for name, op in ALL_OPS.items() if not op.is_flat}
FLAT: dict[str, Op] = {name: op for name, op in ALL_OPS.items() if op.is_flat}


FAMILY: dict[str, str] = {op.name: family for family, rows in FAMILIES.items() for op in rows}


def family_of(op: Op) -> str:
    """The family of a row, its name in words; scans, and what joins or parts arrays, are families of their own."""
    if op in scans.ROWS:
        return "scans"
    if op in joining.ROWS:
        return "joining"
    if (
        op
        in convolution.ROWS
        + pooling.ROWS
        + volumes.ROWS
        + pooled_volumes.ROWS
        + resampling.ROWS
        + sampling.ROWS
    ):
        return "convolution"
    return FAMILY[op.name].replace("_", " ")


def names_of(rows: Iterable[Op]) -> dict[str, Op]:
    """Every row under its name and its aliases; ValueError where two rows share one."""
    named: dict[str, Op] = {}
    for op in rows:
        for name in (op.name, *op.aliases):
            if name in named:
                raise ValueError(f"two ops are called {name!r}: {named[name].name} and {op.name}")
            named[name] = op
    return named


_NAMES = names_of(ALL_OPS.values())


def find(name: str) -> Op:
    """The op called `name`, by its own name or an alias; UsageError names the nearest where there is none."""
    if name in _NAMES:
        return _NAMES[name]
    close = difflib.get_close_matches(name, _NAMES, n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else "`conformance list ops` names them all"
    raise UsageError(f"there is no op called {brief(name)!r}; {hint}")


def require_canonical(name: str, where: str) -> None:
    """Raise UsageError unless `name` is the name of an op, and no alias of it; `where` says who names it."""
    try:
        op = find(name)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    if op.name != name:
        raise UsageError(f"{where}: {name!r} is an alias; the op is called {op.name!r}")


def require_inverses(rows: Iterable[Op]) -> None:
    """Raise UsageError unless every inverse that a row names is an op."""
    for op in rows:
        if op.inverse:
            require_canonical(op.inverse.name, f"the inverse of {op.name}")


require_inverses(ALL_OPS.values())


def with_trait(trait: Trait) -> tuple[str, ...]:
    """The names of the ops with a trait, in the order of the catalogue."""
    return tuple(name for name, op in ALL_OPS.items() if trait in op.traits)


def examples_of(trait: Trait, *names: str) -> tuple[str, ...]:
    """The names as they are given; ValueError where one of these ops does not have the trait."""
    for name in names:
        if trait not in find(name).traits:
            raise ValueError(f"the row of {name} does not state the trait {trait.name}: {trait.value}")
    return names
