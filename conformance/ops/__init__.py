"""The specification: one row per op, a module per family."""

from __future__ import annotations

import difflib

from conformance.errors import UsageError
from conformance.op import Op
from conformance.ops import (
    activations,
    elementwise,
    flat,
    holomorphic,
    indexing,
    layers,
    linear_algebra,
    losses,
    reductions,
    shape,
)

FAMILIES: dict[str, tuple[Op, ...]] = {
    family: tuple(map(holomorphic.marked, rows))
    for family, rows in {
        "elementwise": elementwise.ROWS,
        "reductions": reductions.ROWS,
        "shape": shape.ROWS,
        "indexing": indexing.ROWS,
        "linear_algebra": linear_algebra.ROWS,
        "activations": activations.ROWS,
        "layers": layers.ROWS,
        "losses": losses.ROWS,
        "flat": flat.ROWS,
    }.items()
}

ALL_OPS: dict[str, Op] = {op.name: op for rows in FAMILIES.values() for op in rows}

# The ops that have a slope, of which a gradient is asked; and those that have none.
CATALOGUE: dict[str, Op] = {name: op for name, op in ALL_OPS.items() if not op.is_flat}
FLAT: dict[str, Op] = {name: op for name, op in ALL_OPS.items() if op.is_flat}

_NAMES: dict[str, Op] = ALL_OPS | {alias: op for op in ALL_OPS.values() for alias in op.aliases}


def find(name: str) -> Op:
    """The op called `name`, by its own name or an alias."""
    if name in _NAMES:
        return _NAMES[name]
    close = difflib.get_close_matches(name, _NAMES, n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else "`conformance list ops` names them all"
    raise UsageError(f"there is no op called {name!r}; {hint}")
