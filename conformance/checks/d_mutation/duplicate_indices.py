"""Chapter D: places named twice, by what is picked from them and by what is written to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.case import Array
from conformance.checks.engine_calls import gradients_of, is_refused
from conformance.checks.observation import hold_equal, plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import INDEX_ADD, INDEX_UPDATE

PLACES = [2, 0, -1, 2]  # of three: 0 once, 2 three times, once under another name


@contract("D9", "gather")
def what_is_picked_twice_receives_both(engine: Backend, sample: Sample) -> None:
    """An entry that is picked several times receives the sum of what comes back."""
    x, g = sample.array((3, 2)), sample.array((4, 2))
    expected = np.zeros_like(x)
    np.add.at(expected, PLACES, g)
    along = np.repeat(np.array(PLACES)[:, None] % 3, 2, axis=1)
    calls: dict[str, tuple[dict[str, Any], list[Array]]] = {
        "getitem_integer_array": ({"index": (PLACES,)}, [x]),
        "take": ({"indices": PLACES, "axis": 0}, [x]),
        "take_along_axis": ({"axis": 0}, [x, along]),
    }
    offered = [name for name in calls if name in engine.ops]
    if not offered:
        raise Unsupported(f"the adapter of {engine.engine} names none of {', '.join(calls)}")
    for name in offered:
        parameters, operands = calls[name]
        _, (got,) = engine.vjp(
            engine.call(name, parameters), list(map(np.array, operands)), [np.array(g)], [0]
        )
        hold_equal(plain(engine, got), expected, f"the gradient of {name} at {PLACES}")


@contract("D9", "scatter-add")
def what_is_added_twice_counts_twice(engine: Backend, sample: Sample) -> None:
    """Values added at one place are all in the sum, and each receives that place's cotangent."""
    x, values, g = sample.array((3, 2)), sample.array((4, 2)), sample.array((3, 2))
    expected = np.array(x)
    np.add.at(expected, PLACES, values)
    outputs, gradients = engine.vjp(
        engine.call(INDEX_ADD, {"index": (PLACES,)}), [np.array(x), np.array(values)], [np.array(g)]
    )
    hold_equal(plain(engine, outputs[0]), expected, f"values added at {PLACES}")
    hold_equal(plain(engine, gradients[0]), g, "the gradient of what was added to")
    hold_equal(plain(engine, gradients[1]), g[PLACES], f"the gradient of values added at {PLACES}")


@contract("D9", "scatter-write")
def what_is_written_twice_goes_where_it_is_elected(engine: Backend, sample: Sample) -> None:
    """Of values written at one place the one that stayed has the gradient, or each has, or it is refused."""
    convention = declared_convention(engine, "D9")
    x, g = sample.array((3,)), sample.array((3,))
    values = sample.array((4,)) + 8 * np.arange(4, dtype=sample.dtype)  # all different
    write = engine.call(INDEX_UPDATE, {"index": (PLACES,)})
    (written,) = (
        engine.forward(write, [np.array(x), np.array(values)]) if convention != "refused" else (None,)
    )
    given: list[Any] = []
    was_refused = is_refused(lambda: given.extend(gradients_of(engine, write, [x, values], g)))
    if was_refused != (convention == "refused"):
        raise Violation(
            f"values written at {PLACES} were {'refused' if was_refused else 'taken'}; {convention!r} is elected"
        )
    if was_refused:
        return
    stayed = values == plain(engine, written)[PLACES]
    if stayed.sum() != 2:
        raise Violation(
            f"values written at {PLACES} are not there", expected=values, got=plain(engine, written)
        )
    hold_equal(given[0], g * np.array([0, 1, 0], g.dtype), f"the gradient of what is overwritten at {PLACES}")
    expected = g[PLACES] * (stayed if convention == "winner" else 1)
    hold_equal(
        given[1],
        expected.astype(g.dtype),
        f"the gradient of values written at {PLACES}: {convention!r} elected",
    )
