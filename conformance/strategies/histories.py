"""Random histories: Hypothesis interleaves the calls of a tape, or of pullbacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from conformance.history import History
from conformance.op import Op
from conformance.strategies import explore
from conformance.strategies.machine import Drawing
from conformance.strategies.pullback_machine import PullbackCalls
from conformance.strategies.tape_machine import Tape, Threads

Find = Callable[[str], Op]
Visit = Callable[[History], None]

LONGEST = 30

MACHINES: dict[str, type[Drawing]] = {"tape": Tape, "threads": Threads, "pullbacks": PullbackCalls}


def _machine(kind: str, find: Find, dtype: str, visit: Visit) -> type[Drawing]:
    bound = {"kind": kind, "find": staticmethod(find), "dtype": dtype, "visit": staticmethod(visit)}
    return type(MACHINES[kind].__name__, (MACHINES[kind],), bound)


@lru_cache(maxsize=8)
def draw_histories(kind: str, find: Find, dtype: str, seed: int, count: int) -> tuple[History, ...]:
    """The histories of a kind for a seed."""
    drawn: list[History] = []
    count = max(1, int(count * MACHINES[kind].per_program))
    explore.run_machine(_machine(kind, find, dtype, drawn.append), seed=seed, examples=count, steps=LONGEST)
    return tuple(drawn)


def smallest_history(
    find: Find, seed: int, count: int, failed: History, is_failing: Callable[[History], bool]
) -> History:
    """The smallest failing history among those drawn for the same seed and around them, no call of it needless."""
    smallest = explore.shrink_machine(
        lambda visit: _machine(failed.kind, find, failed.dtype, visit),
        is_failing,
        seed=seed,
        examples=count,
        steps=LONGEST,
    )
    return _without_needless(smallest or failed, is_failing)


def _without_needless(history: History, is_failing: Callable[[History], bool]) -> History:
    """The history without the calls that the failure does not need: Hypothesis is slow with long ones."""
    for number in reversed(range(len(history.calls))):
        shorter = replace(history, calls=history.calls[:number] + history.calls[number + 1 :])
        if is_failing(shorter):
            history = shorter
    return history
