"""A tally: what one check has found so far, over its questions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.checks import Check
from conformance.checks.comparison import Comparison
from conformance.checks.registry import NotThisCase
from conformance.errors import Unsupported, Violation, is_ctrl_c
from conformance.questions import Question
from conformance.questions.kind import Arguments
from conformance.run.accuracy_counter import AccuracyCounter
from conformance.runfile.diagnostics import NotEngineFault


@dataclass
class Tally:
    """What came of the questions that one check was run on."""

    cases: int = 0
    seconds: float = 0.0
    error: float | None = None
    ulp: float | None = None
    accuracy: AccuracyCounter = field(default_factory=AccuracyCounter)
    measured: dict[str, float] | None = None
    failure: BaseException | None = None
    question: Question[Any] | None = None
    arguments: Arguments = ()
    known: tuple[BaseException, Question[Any]] | None = None
    undecided: list[str] = field(default_factory=list)

    def run(self, check: Check, question: Question[Any], arguments: Arguments) -> None:
        """Run the check on one question, and note what came."""
        started = time.perf_counter()
        self.arguments = arguments
        self.cases += self._run(check, question, arguments)
        self.seconds += time.perf_counter() - started

    def set_known_failure_aside(self) -> None:
        """Go on after a failure that is on record: it stands, unless another one comes."""
        if self.failure is not None and self.question is not None:
            self.known = self.known or (self.failure, self.question)
            self.failure = self.question = None

    def settle(self) -> None:
        """Where nothing else failed, the known failure is the failure."""
        if self.failure is None and self.known is not None:
            self.failure, self.question = self.known

    @property
    def reasons(self) -> str:
        """Why questions did not decide."""
        return "; ".join(sorted(set(self.undecided)))

    def _run(self, check: Check, question: Question[Any], arguments: Arguments) -> bool:
        """Whether the question decided anything."""
        try:
            self._note(question.run(check, arguments), question)
        except (NotThisCase, Unsupported) as reason:
            self.undecided.append(str(reason))
            return False
        except BaseException as failure:  # an engine that raises SystemExit has not ended the run
            if is_ctrl_c(failure):
                raise
            self.failure, self.question = failure, question
            if isinstance(failure, Violation) and failure.error is not None:
                self.error, self.ulp = failure.error, failure.ulp
            found = failure.diagnosed if isinstance(failure, NotEngineFault) else failure
            self._count(getattr(found, "comparisons", ()), question)
        return True

    def _note(self, found: Any, question: Question[Any]) -> None:
        """Note what a check that holds returned: its comparisons with the oracle, or measured numbers by name."""
        if isinstance(found, dict):
            self.measured = found if self.measured is None else _least(self.measured, found)
        elif found is not None:
            self._count(found, question)
            worst = max(((c.error, c.ulp) for c in found), default=(0.0, 0.0))
            self.error, self.ulp = max((self.error or 0.0, self.ulp or 0.0), worst)

    def _count(self, compared: Sequence[Comparison], question: Question[Any]) -> None:
        self.accuracy.add(compared, lambda: question.input.token)


def _least(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """Of two measurements the smaller: what disturbs one makes it larger."""
    return {name: min(value, after.get(name, value)) for name, value in before.items()}
