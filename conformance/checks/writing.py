"""Chapter D: writing into what has been recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Trace
from conformance.case import Array
from conformance.checks.observation import plain
from conformance.checks.registry import contract, elected
from conformance.checks.sample import Sample
from conformance.checks.seeding import is_refused
from conformance.errors import Violation

Slot = Callable[[Trace], Any]

SAVE_OPERANDS = ("multiply", "divide", "matmul")  # ops whose rules look at their operands again
SAVE_OUTPUT = ("exp", "tanh", "sqrt")  # ops whose rules look at their output again


@contract("D4", "raw-writes", Capability.WRITABLE)
def raw_write_does_what_is_elected(engine: Backend, sample: Sample) -> None:
    """A write into an array's memory between the two passes is refused, harmless, or a hazard, as elected."""
    choice = elected(engine, "D4", ("locks", "copies", "hazard"))
    outcomes = {what: _after_raw_write(engine, sample, op, slot) for what, op, slot in _raw_writes(engine)}
    changed = [what for what, outcome in outcomes.items() if outcome == "changed"]
    if choice != "hazard" and changed:
        raise Violation(f"a write into {', '.join(changed)} changes the gradient; {choice!r} is elected")
    if choice == "hazard" and not changed:
        raise Violation("no write into memory changes a gradient; the adapter elects 'hazard'")
    if ("refused" in outcomes.values()) != (choice == "locks") and choice != "hazard":
        raise Violation(f"writes into memory end as {outcomes}; the adapter elects {choice!r}")


def _raw_writes(engine: Backend) -> Iterator[tuple[str, str, Slot]]:
    """What is written to, in which op, and how to find it in a trace."""
    for op in filter(engine.ops.__contains__, SAVE_OPERANDS):
        yield f"the first operand of {op}", op, lambda traced: traced.arrays[0]
        yield f"the second operand of {op}", op, lambda traced: traced.arrays[1]
    for op in filter(engine.ops.__contains__, SAVE_OUTPUT):
        yield f"the output of {op}", op, lambda traced: traced.outputs[0]


def _after_raw_write(engine: Backend, sample: Sample, op: str, slot: Slot) -> str:
    """Whether a write between the passes is refused, leaves every gradient as it was, or changes one."""
    operands = [np.abs(sample.array((3, 3))) for _ in range(1 if op in SAVE_OUTPUT else 2)]
    g = sample.array((3, 3))
    before = _pulled(engine, engine.trace(engine.op(op), [np.array(x) for x in operands]), g)
    traced = engine.trace(engine.op(op), [np.array(x) for x in operands])
    after: list[Array] = []

    def write_and_pull() -> None:
        engine.memory(slot(traced))[...] = 7.0
        after.extend(_pulled(engine, traced, g))

    if is_refused(write_and_pull):
        return "refused"
    return "kept" if all(map(np.array_equal, before, after)) else "changed"


def _pulled(engine: Backend, traced: Trace, g: Array) -> Sequence[Array]:
    return [plain(engine, x) for x in traced.pull([engine.array(np.array(g))])]
