"""How what a row states differs from what holds for it numerically."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.op import Homogeneous, Inverse, Op, Shift, Trait
from conformance.ops.unstated import is_unstated

from .laws import (
    degree,
    gain,
    irreducible,
    is_affine,
    obeys_degree,
    obeys_shift,
    subsets,
    undoes,
    undone_by_any,
)
from .traits import EXAMPLES, HOLDS


def disagreements(op: Op) -> Iterator[str]:
    """Every property that a row states and does not have, or has, and neither states nor excuses."""
    for trait, holds in HOLDS.items():
        if trait in op.traits or trait not in EXAMPLES:
            yield from _compared(op, trait, is_stated=_states(op, trait), holds=holds(op))
    for law in op.homogeneities:
        if not obeys_degree(op, law):
            yield f"{op.name} is not {law}"
    degrees = {of: k for of in subsets(op) if (k := degree(op, of)) is not None}
    stated = {law.of for law in op.homogeneities}
    missing = [of for of, _ in irreducible(degrees) if of not in stated]
    yield from _unstated(op, Homogeneous, [f"{op.name} is homogeneous in {of}" for of in missing])
    if op.shift and not obeys_shift(op, op.shift):
        yield f"{op.name} does not obey {op.shift}"
    gains = {of: g for of in subsets(op) if (g := gain(op, of)) is not None}
    missing = [
        of for of, _ in irreducible(gains) if not is_affine(op, of) and not (op.shift and op.shift.of == of)
    ]
    yield from _unstated(op, Shift, [f"{op.name} shifts with {of}" for of in missing])
    if op.inverse and not undoes(op, op.inverse):
        yield f"{op.name} is not undone by {op.inverse.name}"
    found = [] if op.inverse else undone_by_any(op)
    yield from _unstated(op, Inverse, [f"{op.name} is undone by {name}" for name in found])


def _states(op: Op, trait: Trait) -> bool:
    return op.is_piecewise_linear if trait is Trait.PIECEWISE_LINEAR else trait in op.traits


def _compared(op: Op, trait: Trait, *, is_stated: bool, holds: bool) -> Iterator[str]:
    if is_stated and not holds:
        yield f"{op.name} states what does not hold: {trait.value}"
    if not is_stated:
        yield from _unstated(op, trait, [f"{op.name} does not state: {trait.value}"] if holds else [])
    elif is_unstated(trait, op.name):
        yield f"{op.name} states what `unstated` excuses: {trait.value}"


def _unstated(op: Op, kind: Trait | type, found: list[str]) -> Iterator[str]:
    is_excused = is_unstated(kind, op.name)
    if found and not is_excused:
        yield from found
    if is_excused and not found:
        yield f"{op.name} is excused from what does not hold: {kind}"
