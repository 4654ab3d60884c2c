"""Questions about calls in any order: random histories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.backend import Backend
from conformance.checks import Check, load_all
from conformance.checks.registry import FULL
from conformance.history import PREFIX, History
from conformance.ops import find
from conformance.questions.kind import Arguments, Fails, Item, Kind, Question, register
from conformance.strategies import Effort
from conformance.strategies.histories import draw_histories, smallest_history


class HistoryQuestion(Question[History]):
    """A history."""

    def on(self, backend: Backend) -> Arguments:
        """The backend and the history."""
        return backend, self.input

    def shrink(self, check: Check, seed: int, effort: Effort, is_failing: Fails) -> Question[Any] | None:
        """The smallest failing history among those drawn for the seed and around them."""
        smallest = smallest_history(
            find, seed, effort.programs, self.input, lambda h: is_failing(HistoryQuestion(h))
        )
        return HistoryQuestion(smallest)


@register
class HistoryKind(Kind):
    """Checks of calls in any order, run on random histories."""

    name = "history"
    prefix = PREFIX
    is_slow = True

    def items(self, checks: Sequence[Check], backend: str, dtypes: Sequence[str]) -> Iterator[Item]:
        """One item per check: small integers are exact in every dtype."""
        for check in checks:
            yield Item(backend, check.key, "history", "")

    def path(self, item: Item) -> tuple[str, ...]:
        """The check."""
        return (item.definition.name,)

    def coverage(self, check: Check) -> str:
        """Histories."""
        return "Random histories: calls in any order, each on the state that the ones before left."

    def rounds(
        self, items: Sequence[Item], backend: Backend, seed: int, effort: Effort
    ) -> Iterator[tuple[Question[Any], Sequence[Item]]]:
        """The histories drawn for the seed, of the kind that the check is for."""
        dtype = next(dtype for dtype in backend.dtypes if dtype in FULL)
        for item in items:
            for history in draw_histories(item.definition.name, find, dtype, seed, effort.programs):
                yield HistoryQuestion(history), [item]

    def read(self, token: str, key: str) -> Iterator[tuple[Check, Question[Any]]]:
        """The history, for the check of its kind."""
        history = History.from_token(token)
        check = load_all()[f"{self.name}/{history.kind}"]
        if key in ("", check.key):
            yield check, HistoryQuestion(history)
