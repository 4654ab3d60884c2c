"""Writes through a view of a view, through the view, and into their base (D6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.observation import plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.ops.names import BROADCAST_TO, GETITEM, MATRIX_TRANSPOSE, NEGATIVE, RESHAPE

SHAPE = (3, 3)
NAMES = ("the base", "the view", "the view of the view")


@dataclass(frozen=True)
class View:
    """An op that may return a view of its operand, with its parameters; `seen` is the same of a plain array."""

    op: str
    parameters: dict[str, Any]
    seen: Callable[[Array], Array]

    def __str__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.parameters.values()))})"


@contract("D6", "view-of-a-view", Capability.RECORDED_WRITES)
def write_through_a_view_of_a_view_reaches_all_or_one(engine: Backend, sample: Sample) -> None:
    """A write into an array, a view of it, or a view of that changes all three, or the one alone, as the adapter declares; gradients follow."""
    is_shared = declared_convention(engine, "D6") == "views"
    places = np.arange(9).reshape(SHAPE)
    for first in _views(places):
        for second in _views(first.seen(places)):
            inner = second.seen(first.seen(places))
            if not {first.op, second.op} <= set(engine.ops) or not np.shares_memory(inner, places):
                continue  # a reshape of what is not in order is a copy
            for target in range(3):
                # Into copies of one entry none writes.
                if BROADCAST_TO not in (first.op, second.op)[:target]:
                    _hold_written(engine, sample, first, second, target, is_shared=is_shared)


def _views(x: Array) -> Iterator[View]:
    """The views of an array of this shape."""
    for index in ((slice(1, None),), (slice(None), 1), (Ellipsis,)):
        if x.ndim >= len(index):
            yield View(GETITEM, {"index": index}, lambda a, index=index: a[index])  # type: ignore[misc]
    yield View(RESHAPE, {"shape": (x.size,)}, lambda a: a.reshape(-1))
    if x.ndim > 1:
        yield View(MATRIX_TRANSPOSE, {}, lambda a: np.swapaxes(a, -1, -2))
    shape = (2, *x.shape)
    yield View(BROADCAST_TO, {"shape": shape}, lambda a: np.broadcast_to(a, shape))


def _hold_written(
    engine: Backend, sample: Sample, first: View, second: View, target: int, *, is_shared: bool
) -> None:
    """Write w at the first place of one of the three, then read each of them."""
    outer, inner = (engine.call(view.op, view.parameters) for view in (first, second))
    negative = engine.op(NEGATIVE)
    places = np.arange(9).reshape(SHAPE)
    x, w = sample.array(SHAPE), sample.array(_three(places, first, second)[target][0].shape)
    # Each entry is one of -x or, from 9 on, of w.
    written = 9 + np.arange(w.size)
    if is_shared:
        places.flat[_three(places, first, second)[target][0].ravel()] = written
    arrays = [np.array(z) for z in _three(places, first, second)]
    arrays[target][0] = written.reshape(w.shape)
    entries = np.concatenate([-x.ravel(), w.ravel()])
    for number, (z, name) in enumerate(zip(arrays, NAMES, strict=True)):

        def function(a: Any, b: Any, number: int = number) -> Any:
            base = negative(a)
            view = outer(base)
            made = (base, view, inner(view))
            engine.assign(made[target], (0,), b)
            return negative(made[number])

        g, arrived = sample.array(z.shape), np.zeros_like(entries)
        np.add.at(arrived, z.ravel(), -g.ravel())
        (output,), got = engine.vjp(function, [np.array(x), np.array(w)], [np.array(g)])
        what = f"{name} after a write into {NAMES[target]}: {first}, then {second}"
        hold_equal(plain(engine, output), -entries[z], f"what is read of {what}")
        for i, right in enumerate((-arrived[:9].reshape(SHAPE), arrived[9:].reshape(w.shape))):
            given = None if got[i] is None else plain(engine, got[i])
            hold_equal(given, right, f"operand {i}'s gradient of {what}")


def _three(places: Array, first: View, second: View) -> tuple[Array, Array, Array]:
    """An array, its view, and the view of that."""
    view = first.seen(places)
    return places, view, second.seen(view)
