"""Histories are drawn the same for everybody, and a failing one is left with what it needs."""

from __future__ import annotations

import pytest

from conformance.history import History, Verb
from conformance.ops import find
from conformance.strategies.histories import draw_histories, smallest_history


@pytest.mark.parametrize("kind", ["tape", "threads", "pullbacks"])
def test_a_seed_gives_the_same_histories(kind: str) -> None:
    first = [history.token for history in draw_histories(kind, find, "float64", 3, 6)]
    draw_histories.cache_clear()
    assert [history.token for history in draw_histories(kind, find, "float64", 3, 6)] == first


def test_every_kind_of_call_is_drawn() -> None:
    drawn = [
        m.verb
        for k in ("tape", "pullbacks")
        for h in draw_histories(k, find, "float64", 0, 30)
        for m in h.calls
    ]
    assert set(drawn) == set(Verb)


def test_a_failure_is_left_with_the_calls_it_needs() -> None:
    def clears_what_was_differentiated(history: History) -> bool:
        verbs = [call.verb for call in history.calls]
        return Verb.BACKWARD in verbs and Verb.CLEAR in verbs[verbs.index(Verb.BACKWARD) :]

    failed = next(
        h for h in draw_histories("tape", find, "float64", 0, 30) if clears_what_was_differentiated(h)
    )
    smallest = smallest_history(find, 0, 10, failed, clears_what_was_differentiated)
    assert [call.verb for call in smallest.calls] == [Verb.BACKWARD, Verb.CLEAR]
