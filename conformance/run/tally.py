"""A tally: what one check has found so far, over its questions."""

from __future__ import annotations

import datetime
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance import kept
from conformance.checks import Check
from conformance.checks.comparison import Comparison, decisions
from conformance.checks.registry import NotThisCase
from conformance.errors import ConformanceError, Lacked, Unsupported, Violation, is_ctrl_c, is_violation
from conformance.questions import Question
from conformance.questions.kind import Arguments
from conformance.run.accuracy_counter import AccuracyCounter
from conformance.run.attribution import cut_traceback
from conformance.run.process.surroundings import Surroundings, keeps_small_numbers
from conformance.runfile.diagnostics import NotEngineFault
from conformance.runfile.known import KnownFailure
from conformance.runfile.patterns import is_further

NOTHING_COMPARED = "an answer of zeros would have passed too"


@dataclass
class Tally:
    """What came of the questions that one check was run on; `cases` counts those that decided."""

    cases: int = 0
    seconds: float = 0.0
    took: float = 0.0  # seconds, of the latest question
    error: float | None = None
    ulp: float | None = None
    accuracy: AccuracyCounter = field(default_factory=AccuracyCounter)
    measured: dict[str, float] | None = None
    failure: BaseException | None = None
    question: Question[Any] | None = None
    arguments: Arguments = ()
    known: tuple[BaseException, Question[Any]] | None = None  # the first failure on record
    news: tuple[BaseException, Question[Any]] | None = (
        None  # the worst that is not, where others are looked for: the first with wrong numbers, or the first
    )
    lacking: tuple[BaseException, Question[Any]] | None = (
        None  # the first case that is on record as not implemented
    )
    said: list[str] = field(default_factory=list)  # the messages of failures after which it went on
    unsupported: list[str] = field(default_factory=list)
    lacked: int = 0  # of those, for a parameter: other cases may be offered
    undecided: list[str] = field(default_factory=list)
    has_passed_over: bool = False  # whether a case was not asked
    rows: set[int] = field(
        default_factory=set
    )  # of the op's design: those that decided, or have no entries that could
    surroundings: Surroundings | None = None  # makes the process what it was

    def run(self, check: Check, question: Question[Any], arguments: Arguments) -> None:
        """Run the check on one question, and note what came."""
        started = time.perf_counter()
        self.arguments = arguments
        before = len(self.unsupported)
        has_decided = self._run(check, question, arguments)
        self.cases += has_decided
        if has_decided or (question.is_empty and len(self.unsupported) == before):
            self.rows.update(question.rows(check))
        self.took = time.perf_counter() - started
        self.seconds += self.took

    def pass_over(self, culprits: Sequence[str]) -> None:
        """Note a case that is not asked, since processes ended with it: what is right of the others is no pass."""
        self.has_passed_over = True
        self.undecided.append(
            f"a case of which {' and '.join(culprits)} ended the process is not asked again"
        )

    def stop(self, failure: BaseException, question: Question[Any] | None = None) -> None:
        """Note a failure that is no answer; one that is an answer already stands."""
        if self.failure is None:
            self.failure, self.question = failure, question

    def retract(self, question: Question[Any]) -> None:
        """Forget a failure on a question whose answers cannot be trusted."""
        if self.question is question:
            self.failure = self.question = None
        if self.news and self.news[1] is question:
            self.news = None

    def go_on(self, message: str, entry: KnownFailure | None) -> None:
        """Go on after a failure: no other shall hide behind one on record, or behind an error, and one run shall give the whole list.

        A case that the entry says is not implemented is declined, and the others decide. One on record stands unless
        another failure comes, and an error unless numbers are wrong; an entry that covers whatever goes wrong ends the question.
        """
        if self.failure is None or self.question is None:
            return
        found = (self.failure, self.question)
        if entry and entry.declines(datetime.date.today()):
            self.lacking = self.lacking or found
            self.cases -= 1
            self.unsupported.append(message)
        elif entry and not entry.is_narrow:
            return
        else:
            if entry:
                self.known = self.known or found
            elif self.news is None or (is_mere_error(self.news[0]) and not is_mere_error(found[0])):
                self.news = found
            if is_further(message, self.said):
                self.said.append(message)
        self.failure = self.question = None

    def settle(self) -> None:
        """Of the failures after which it went on, one that is not on record is the failure, else the known one.

        Where no case was answered, what the engine does not offer is the answer.
        """
        found = self.news or self.known or (None if self.cases else self.lacking)
        if self.failure is None and found is not None:
            self.failure, self.question = found

    @property
    def has_failed(self) -> bool:
        """Whether its answer stands, whatever other questions would say."""
        return self.failure is not None or self.news is not None

    @property
    def is_open(self) -> bool:
        """Whether nothing is decided, though the engine offers what was asked, or may offer other calls."""
        return not self.has_failed and not self.cases and len(self.unsupported) == self.lacked

    @property
    def is_unsupported(self) -> bool:
        """Whether what is not offered is why there is no answer: a case that was not asked might have one."""
        return bool(self.unsupported) and not self.has_passed_over

    @property
    def reasons(self) -> str:
        """Why questions were not answered, or did not decide."""
        return "; ".join(sorted(set(self.unsupported if self.is_unsupported else self.undecided)))

    def _run(self, check: Check, question: Question[Any], arguments: Arguments) -> bool:
        """Whether the question decided anything."""
        try:
            raised: BaseException | None = None
            with decisions() as decided:
                try:
                    self._note(self._answer(check, question, arguments), question)
                except BaseException as failure:  # no exception passes a context manager, which would use it
                    raised = failure
            if raised is not None:
                raise raised
        except Unsupported as reason:
            self.unsupported.append(str(reason))
            self.lacked += isinstance(reason, Lacked)
            return False
        except NotThisCase as reason:
            self.undecided.append(str(reason))
            return False
        except BaseException as failure:  # an engine that raises SystemExit has not ended the run
            if is_ctrl_c(failure):
                raise
            self.failure, self.question = failure, question
            found = failure.diagnosed if type(failure) is NotEngineFault else failure
            if is_violation(found):
                self._note_violation(found, question)
            return True
        if not (check.is_about_outcome or max(decided, default=0) >= question.deciding):
            self.undecided.append(NOTHING_COMPARED)
            return False
        return True

    def _answer(self, check: Check, question: Question[Any], arguments: Arguments) -> Any:
        """What the check returns or raises; the process is put back before anything else is done."""
        try:
            found = question.run(check, arguments)
        except BaseException as error:
            # What the adapter declines is no failure that is looked into: the end of the question puts back all.
            if self.surroundings is not None and not isinstance(error, (Unsupported, NotThisCase)):
                self.surroundings.put_back_more()
            if isinstance(error, MemoryError):
                traceback.clear_frames(
                    error.__traceback__
                )  # which hold what was taken as long as the failure is kept
                cut_traceback(error)
                kept.distrust()  # what was being computed when memory ended may be cut short
            raise
        finally:
            if self.surroundings is not None:
                self.surroundings.put_back()
            if not keeps_small_numbers():
                kept.distrust()
        return found

    def _note_violation(self, found: Violation, question: Question[Any]) -> None:
        if found.error is not None:
            self.error, self.ulp = found.error, found.ulp
        self._count(found.comparisons, question)

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


def is_mere_error(failure: BaseException) -> bool:
    """Whether an engine raised, and has the memory to answer other cases: whoever gets an error knows of it."""
    kind = type(failure)
    return (
        issubclass(kind, Exception)
        and not issubclass(kind, (ConformanceError, MemoryError, NotEngineFault))
        and not is_violation(failure)
    )


def _least(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """Of two measurements the smaller: what disturbs one makes it larger."""
    return {name: min(value, after.get(name, value)) for name, value in before.items()}
