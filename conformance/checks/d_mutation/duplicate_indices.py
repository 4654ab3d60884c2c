"""Chapter D: duplicate indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of, is_refused
from conformance.checks.observation import plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import GETITEM_INTEGER_ARRAY, INDEX_ADD, INDEX_UPDATE, TAKE, TAKE_ALONG_AXIS

INDICES = [2, 0, -1, 2]  # into three entries: 0 once, 2 three times, one of them written as -1


@contract("D9", "gather")
def entry_read_twice_receives_both_cotangents(engine: Backend, sample: Sample) -> None:
    """An entry that is read several times receives the sum of the cotangents."""
    x, g = sample.array((3, 2)), sample.array((4, 2))
    expected = np.zeros_like(x)
    np.add.at(expected, INDICES, g)
    along = np.repeat(np.array(INDICES)[:, None] % 3, 2, axis=1)
    calls: dict[str, tuple[dict[str, Any], list[Array]]] = {
        GETITEM_INTEGER_ARRAY: ({"index": (INDICES,)}, [x]),
        TAKE: ({"indices": INDICES, "axis": 0}, [x]),
        TAKE_ALONG_AXIS: ({"axis": 0}, [x, along]),
    }
    offered = [name for name in calls if name in engine.ops]
    if not offered:
        raise Unsupported(f"the adapter of {engine.engine} names none of {', '.join(calls)}")
    for name in offered:
        parameters, operands = calls[name]
        _, (got,) = engine.vjp(
            engine.call(name, parameters), list(map(np.array, operands)), [np.array(g)], [0]
        )
        hold_equal(plain(engine, got), expected, f"the gradient of {name} at {INDICES}")


@contract("D9", "scatter-add")
def values_added_at_one_index_accumulate(engine: Backend, sample: Sample) -> None:
    """Values added at one index are all in the sum, and each receives the cotangent of that entry."""
    x, values, g = sample.array((3, 2)), sample.array((4, 2)), sample.array((3, 2))
    expected = np.array(x)
    np.add.at(expected, INDICES, values)
    outputs, gradients = engine.vjp(
        engine.call(INDEX_ADD, {"index": (INDICES,)}), [np.array(x), np.array(values)], [np.array(g)]
    )
    hold_equal(plain(engine, outputs[0]), expected, f"values added at {INDICES}")
    hold_equal(plain(engine, gradients[0]), g, "the gradient of the array that values were added to")
    hold_equal(plain(engine, gradients[1]), g[INDICES], f"the gradient of values added at {INDICES}")


@contract("D9", "scatter-write")
def gradient_of_values_written_at_one_index_is_as_declared(engine: Backend, sample: Sample) -> None:
    """Of values written at one index the last one receives the gradient, or each does, or the write is refused."""
    convention = declared_convention(engine, "D9")
    x, g = sample.array((3,)), sample.array((3,))
    values = sample.array((4,)) + 8 * np.arange(4, dtype=sample.dtype)  # all different
    write = engine.call(INDEX_UPDATE, {"index": (INDICES,)})
    (written,) = (
        engine.forward(write, [np.array(x), np.array(values)]) if convention != "refused" else (None,)
    )
    given: list[Any] = []
    was_refused = is_refused(lambda: given.extend(gradients_of(engine, write, [x, values], g)))
    if was_refused != (convention == "refused"):
        raise Violation(
            f"values written at {INDICES} were {'refused' if was_refused else 'accepted'}; the adapter declares {convention!r}"
        )
    if was_refused:
        return
    is_kept = values == plain(engine, written)[INDICES]
    if is_kept.sum() != 2:
        raise Violation(
            f"values written at {INDICES} are missing from the result",
            expected=values,
            got=plain(engine, written),
        )
    hold_equal(
        given[0], g * np.array([0, 1, 0], g.dtype), f"the gradient of the entries overwritten at {INDICES}"
    )
    expected = g[INDICES] * (is_kept if convention == "winner" else 1)
    hold_equal(
        given[1],
        expected.astype(g.dtype),
        f"the gradient of values written at {INDICES}, by the declared convention {convention!r}",
    )
