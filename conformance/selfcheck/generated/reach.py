"""What the documented calls of an op are, as far as its law and its traits say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from conformance.design.rows import leaves
from conformance.op import Op, Trait


@dataclass(frozen=True)
class Reach:
    """What the calls of an op are: whether any shape will do, else the ranks and sizes that its law knows."""

    is_free: bool
    count: int
    ranks: tuple[tuple[int, ...], ...]
    last: tuple[tuple[int, ...], ...]
    parameters: Mapping[str, tuple[Any, ...]]


@cache
def reach(op: Op) -> Reach:
    """What the law of an op and its traits say of its calls."""
    known = [s for s in leaves(op.law) if s.shapes]
    count = min(len(s.shapes) for s in known)
    ranks = tuple(tuple(sorted({len(s.shapes[i]) for s in known})) for i in range(count))
    last = tuple(tuple(sorted({s.shapes[i][-1] for s in known if s.shapes[i]})) for i in range(count))
    values: dict[str, dict[str, Any]] = {}
    for signature in known:
        for name, value in signature.parameters.items():
            if isinstance(value, (bool, int, float, str, tuple, type(None))) and len(repr(value)) < 40:
                values.setdefault(name, {})[repr(value)] = value
    parameters = {name: tuple(v.values()) for name, v in values.items() if len(v) > 1}
    is_free = Trait.ELEMENTWISE in op.traits or Trait.REDUCTION in op.traits
    return Reach(is_free, count, ranks, last, parameters)
