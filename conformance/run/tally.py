"""A tally: what one check has seen so far, over its cases."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from conformance.backend import Backend
from conformance.checks import Check
from conformance.checks.comparison import measuring
from conformance.checks.registry import NotThisCase
from conformance.errors import Unsupported, Violation, is_ctrl_c
from conformance.run.accuracy_counter import AccuracyCounter
from conformance.run.asking import Question, token_of

Ask = Callable[[Check, Backend, Question], Any]


@dataclass
class Tally:
    """What came of the questions that were put to one check."""

    cases: int = 0
    seconds: float = 0.0
    error: float | None = None
    ulp: float | None = None
    entries: AccuracyCounter = field(default_factory=AccuracyCounter)
    measured: dict[str, float] | None = None
    failure: BaseException | None = None
    question: Question | None = None
    aside: tuple[BaseException, Question] | None = None
    undecided: list[str] = field(default_factory=list)

    def ask(self, check: Check, backend: Backend, question: Question, ask: Ask) -> None:
        """Put one question, and note what came."""
        started = time.perf_counter()
        with measuring() as compared:
            is_decided = self._ask(check, backend, question, ask)
        if is_decided:
            self.cases += 1
            self.entries.add(compared, partial(token_of, check, question))
        self.seconds += time.perf_counter() - started

    def set_aside(self) -> None:
        """Ask on behind a failure that is on record: it stands, unless another one comes."""
        if self.failure is not None and self.question is not None:
            self.aside = self.aside or (self.failure, self.question)
            self.failure = self.question = None

    def settle(self) -> None:
        """Where nothing else failed, what was set aside is the failure."""
        if self.failure is None and self.aside is not None:
            self.failure, self.question = self.aside

    def _ask(self, check: Check, backend: Backend, question: Question, ask: Ask) -> bool:
        """Whether the question decided anything."""
        try:
            self._note(ask(check, backend, question))
        except (NotThisCase, Unsupported) as reason:
            self.undecided.append(str(reason))
            return False
        except BaseException as failure:  # an engine that raises SystemExit has not ended the run
            if is_ctrl_c(failure):
                raise
            self.failure, self.question = failure, question
            if isinstance(failure, Violation) and failure.error is not None:
                self.error, self.ulp = failure.error, failure.ulp
        return True

    def _note(self, worst: Any) -> None:
        """Note what a check measured that holds: the worst error of its values, or numbers by name."""
        if isinstance(worst, dict):
            self.measured = worst if self.measured is None else _least(self.measured, worst)
        elif worst is not None:
            self.error, self.ulp = max((self.error or 0.0, self.ulp or 0.0), worst)


def _least(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """Of two measurements the smaller: what disturbs one makes it larger."""
    return {name: min(value, after.get(name, value)) for name, value in before.items()}
