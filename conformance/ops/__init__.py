"""The specification: one row per op, a module per family."""

from __future__ import annotations

import difflib

from conformance.errors import UsageError
from conformance.op import Op
from conformance.ops import (
    activations,
    elementwise,
    indexing,
    layers,
    linear_algebra,
    losses,
    reductions,
    shape,
)

FAMILIES: dict[str, tuple[Op, ...]] = {
    "elementwise": elementwise.ROWS,
    "reductions": reductions.ROWS,
    "shape": shape.ROWS,
    "indexing": indexing.ROWS,
    "linear_algebra": linear_algebra.ROWS,
    "activations": activations.ROWS,
    "layers": layers.ROWS,
    "losses": losses.ROWS,
}

CATALOGUE: dict[str, Op] = {op.name: op for rows in FAMILIES.values() for op in rows}

_NAMES: dict[str, Op] = CATALOGUE | {alias: op for op in CATALOGUE.values() for alias in op.aliases}


def find(name: str) -> Op:
    """The op called `name`, by its own name or an alias."""
    if name in _NAMES:
        return _NAMES[name]
    close = difflib.get_close_matches(name, _NAMES, n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else "`conformance list ops` names them all"
    raise UsageError(f"there is no op called {name!r}; {hint}")
