"""Chapter D: duplicate indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import hold_refusal, unless_refused
from conformance.checks.observation import hold_gradient, plain
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
        hold_gradient(engine, got, expected, f"the gradient of {name} at {INDICES}")


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
    hold_gradient(engine, gradients[0], g, "the gradient of the array that values were added to")
    hold_gradient(engine, gradients[1], g[INDICES], f"the gradient of values added at {INDICES}")


@contract("D9", "scatter-write")
def gradient_of_values_written_at_one_index_is_as_declared(engine: Backend, sample: Sample) -> None:
    """Of values written at one index the last one receives the gradient, or each does, or the write is refused."""
    convention = declared_convention(engine, "D9")
    x, g = sample.array((3,)), sample.array((3,))
    values = sample.array((4,)) + 8 * np.arange(4, dtype=sample.dtype)  # all different
    write = engine.call(INDEX_UPDATE, {"index": (INDICES,)})

    def written_and_gradients() -> tuple[Any, list[Any]]:
        # Which value stands is of this very call: on a GPU another call may keep another.
        outputs, gradients = engine.vjp(write, [np.array(x), np.array(values)], [np.array(g)])
        return plain(engine, outputs[0]), [None if g is None else plain(engine, g) for g in gradients]

    answer = unless_refused(written_and_gradients)
    hold_refusal(convention, answer, f"values written at {INDICES}")
    if answer is None:
        return
    written, given = answer
    is_kept = values == written[INDICES]
    if is_kept.sum() != 2:
        raise Violation(
            f"values written at {INDICES} are missing from the result", expected=values, got=written
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
