"""Execution: items in, results out.

Items of one group share the questions that are drawn for it. Whatever happens while a check runs becomes a verdict:
the claim does not hold (fail), the engine raised (error), the adapter or this project is wrong (adapter error), the
backend does not offer it (unsupported), no case was drawn in which a wrong answer would have failed (undecided).
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
import numpy as np

from conformance import kept
from conformance.backend import Backend
from conformance.checks import Check
from conformance.errors import error_text, is_ctrl_c
from conformance.questions import Item, Kind, Question
from conformance.run.evidence import bare_evidence_of, entry_of, evidence_of, message_of
from conformance.run.process.deadline import is_over
from conformance.run.process.surroundings import Replaced, Surroundings
from conformance.run.tally import Tally, is_mere_error
from conformance.run.verdict import failure_of, result_for, verdict_of
from conformance.runfile.known import KnownFailure
from conformance.runfile.records import Evidence, ResultLine, Verdict
from conformance.strategies import Effort
from conformance.strategies.search import Patience, search

Note = Callable[[str], None]
Aside = Callable[[ResultLine, float], contextlib.AbstractContextManager[None]]


class Executor:
    """Runs items of one backend.

    Attributes:
        backend: the loaded adapter.
        seed: of everything drawn.
        effort: how much is drawn: more signatures than given, if the engine compiles nothing for them, fewer if it compiles each.
        shrink: whether failures are made small.
        scripts: whether failures are written down as scripts, which takes longer than most questions.
        known: the failures on record, which need not be made small once more.
        note: receives the id of every item before it is run, so that a crash has a name.
        ask: receives the token of every question before it is put, and "" after it, so that a crash has a case.
        surroundings: how the process was before the engine was loaded; by default, how it is now.
        aside: entered while evidence is made, with the result that stands if the process ends, and the question's seconds.
        after_failure: receives what makes the answer; it may end a process whose engine is spoilt.
        until: when to stop; items that are not finished then have no result, and a failure is not made small.
        culprits_of: of a case's token, the questions in which it ended processes, where it is passed over.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        seed: int,
        effort: Effort,
        shrink: bool = True,
        scripts: bool = True,
        note: Note = lambda text: None,
        ask: Note = lambda text: None,
        known: Sequence[KnownFailure] = (),
        surroundings: Surroundings | None = None,
        aside: Aside = lambda result, took: contextlib.nullcontext(),
        after_failure: Callable[[Callable[[], ResultLine]], None] = lambda answer: None,
        until: float | None = None,
        culprits_of: Callable[[str], Sequence[str]] = lambda token: (),
    ) -> None:
        self.known, self.culprits_of = known, culprits_of
        self.backend = backend
        self.note, self.ask = note, ask
        self.seed, self.effort = seed, effort.of_engine(compiles=backend.compiles_signatures)
        self.shrink, self.scripts = shrink, scripts
        self.surroundings = surroundings or Surroundings()
        self.aside, self.after_failure = aside, after_failure
        self.until = until
        self.patience = Patience(has_end=until is not None)

    def results(self, items: Sequence[Item]) -> Iterator[ResultLine]:
        """The results of the items of one group."""
        # Special values are the engine's business, not NumPy's; its own warnings would repeat for every case.
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.surroundings.enter()
            tallies = {item: self._started(item) for item in items}
            is_whole = True
            try:
                is_whole = self._run_all(tallies)
            except BaseException as failure:  # while questions are drawn: it is nobody's answer
                if is_ctrl_c(failure):
                    raise
                for tally in tallies.values():
                    tally.stop(failure)
            for item, tally in tallies.items():
                if not is_whole and not tally.has_failed:
                    continue
                self.note(item.id)
                yield self._safe_result(item, tally)
                self.surroundings.put_back_more()
            self.surroundings.put_all_back()

    def _safe_result(self, item: Item, tally: Tally) -> ResultLine:
        """The result; where making it fails, that is the result."""
        try:
            return self.result(item, tally)
        except BaseException as failure:
            if is_ctrl_c(failure):
                raise
            verdict, message = Verdict.INTERNAL_ERROR, message_of(failure)
            if issubclass(type(failure), MemoryError) and issubclass(type(tally.failure), MemoryError):
                verdict, message = Verdict.ERROR, error_text(failure)  # the engine has it still
            took, evidence = round(tally.seconds, 6), Evidence(message=message)
            return result_for(item, verdict, cases=tally.cases, seconds=took, evidence=evidence)

    def _started(self, item: Item) -> Tally:
        """A fresh tally; closed from the start where the backend does not offer what the item needs."""
        try:
            item.kind.require(item, self.backend)
        except BaseException as failure:
            if is_ctrl_c(failure):
                raise
            return Tally(failure=failure)
        return Tally(surroundings=self.surroundings)

    def _run_all(self, tallies: dict[Item, Tally]) -> bool:
        """Run every item that is still open on every question of the group; returns whether there was time for all."""
        open_items = [item for item, tally in tallies.items() if tally.failure is None]
        if not open_items:
            return True
        kind = open_items[0].kind
        for question, takers in kind.rounds(open_items, self.backend, self.seed, self.effort):
            if is_over(self.until):
                return False
            self._put(kind, question, takers, tallies)
            if all(tally.failure is not None for tally in tallies.values()):
                return True
        return self._decide(kind, tallies)

    def _decide(self, kind: Kind, tallies: dict[Item, Tally]) -> bool:
        """Go on with further questions for the items that none has decided; returns whether there was time for all."""
        items = [item for item, tally in tallies.items() if tally.is_open]
        if not items:
            return True
        is_open: Callable[[Item], bool] = lambda item: tallies[item].is_open  # noqa: E731
        for question, takers in kind.more_rounds(items, self.backend, self.seed, self.effort, is_open):
            if is_over(self.until):
                return False
            self._put(kind, question, [item for item in takers if is_open(item)], tallies)
        return True

    def _put(
        self, kind: Kind, question: Question[Any], takers: Sequence[Item], tallies: dict[Item, Tally]
    ) -> None:
        """Run a question's items that are not failed and have not enough of it."""
        arguments, token = question.on(self.backend), question.input.token
        culprits = self.culprits_of(token)
        asked = []
        self.surroundings.take_replaced()  # by what came between, whose answers are none
        self.ask(token)
        for item in takers:
            tally = tallies[item]
            if tally.failure is None and not kind.is_enough(item, question, tally.cases, self.effort):
                if culprits:
                    tally.pass_over(culprits)
                    continue
                self.note(item.id)
                asked.append(item)
                tally.run(item.definition, question, arguments)
                if tally.failure is not None:
                    self.after_failure(partial(self._bare, item, tally))
                self._look_behind(item, tally)
        self.ask("")
        self.surroundings.put_back_more()
        replaced = self.surroundings.take_replaced()
        if replaced:
            self._find_who_replaced(replaced, question, {item: tallies[item] for item in asked})

    def _find_who_replaced(
        self, names: Sequence[str], question: Question[Any], asked: dict[Item, Tally]
    ) -> None:
        """Ask a question's checks again, one by one: those fail whose calls replace functions; if none does it again, all."""
        kept.distrust()
        has_found = False
        for item, tally in asked.items():
            tally.retract(question)
            kept.forget()
            afresh = replace(question)  # what is expected was computed with functions of the engine's
            tally.run(item.definition, afresh, afresh.on(self.backend))
            self.surroundings.put_back_more()
            again = self.surroundings.take_replaced()
            if again:
                tally.retract(afresh)
                tally.stop(Replaced(again), question)
                has_found = True
        kept.forget()
        if not has_found:
            for tally in asked.values():
                tally.stop(Replaced(names), question)

    def _look_behind(self, item: Item, tally: Tally) -> None:
        """Go on where failures are listed, and behind an error: wrong numbers in another case are worse."""
        if tally.failure is not None and (self.known or is_mere_error(tally.failure)):
            entry = entry_of(self.known, item.id, tally.failure, tally.question)
            tally.go_on(message_of(tally.failure), entry)

    def result(self, item: Item, tally: Tally) -> ResultLine:
        """The result that a tally amounts to."""
        tally.settle()
        line = self._line(item, tally)
        return (
            line if line.verdict is Verdict.PASS or line.evidence else self._with_evidence(line, item, tally)
        )

    def _line(self, item: Item, tally: Tally) -> ResultLine:
        """The result; what a failure is, is its evidence's to say."""
        verdict, message = self._verdict(item, tally)
        return result_for(
            item,
            verdict,
            cases=tally.cases,
            undecided=len(tally.undecided),
            declined=tuple(sorted(set(tally.unsupported))) if tally.cases else (),
            rows=tuple(sorted(tally.rows)),
            **item.kind.measured_coverage(item, tuple(tally.rows)),
            seconds=round(tally.seconds, 6),
            error=tally.error,
            ulp=tally.ulp,
            accuracy=tally.accuracy.result(),
            measured=tally.measured,
            evidence=Evidence(message=message) if message else None,
            atlas=item.kind.atlas_cell(tally.arguments, tally.failure) if tally.arguments else None,
        )

    def _bare(self, item: Item, tally: Tally) -> ResultLine:
        """The result of a failure as it is, for which the engine is not asked again."""
        line = self._line(item, tally)
        evidence = line.evidence or bare_evidence_of(tally.failure, tally.question)
        return msgspec.structs.replace(line, evidence=evidence)

    def _verdict(self, item: Item, tally: Tally) -> tuple[Verdict, str]:
        """The verdict, and its message where that is not the failure's own."""
        if tally.failure is not None:
            verdict = verdict_of(tally.failure, type(self.backend))
            message = message_of(tally.failure) if verdict is Verdict.UNSUPPORTED else ""
        elif tally.cases and not tally.has_passed_over:
            verdict, message = Verdict.PASS, ""
        elif tally.reasons:
            verdict = Verdict.UNSUPPORTED if tally.is_unsupported else Verdict.UNDECIDED
            message = tally.reasons
        else:
            verdict, message = Verdict.ADAPTER_ERROR, "not one case was drawn for this check"
        return item.kind.verdict(item.definition, self.backend, verdict, message)

    def _with_evidence(self, line: ResultLine, item: Item, tally: Tally) -> ResultLine:
        """The result with what makes it believable, which asks the engine again."""
        with self.aside(self._bare(item, tally), tally.took):
            return msgspec.structs.replace(line, evidence=self._evidence(item, tally, line.verdict))

    def _evidence(self, item: Item, tally: Tally, verdict: Verdict) -> Evidence:
        question, failure, unshrunk = tally.question, tally.failure, ""
        # Every try to make a question smaller that takes all memory would take it too.
        is_expensive = issubclass(type(failure), (MemoryError, Replaced)) or is_over(self.until)
        if (
            self.shrink
            and question is not None
            and not is_expensive
            and not entry_of(self.known, item.id, failure, question)
        ):
            shrink = partial(question.shrink, item.definition, self.seed, self.effort)
            found = search(shrink, partial(self._failure_alike, item, verdict), tally.took, self.patience)
            question, failure = found.question or question, found.failure or failure
            unshrunk = found.unshrunk
        made = Evidence(message=message_of(failure))
        if self.scripts:
            made = evidence_of(item.definition, self.backend, question, failure, tally.failure)
        said = dict.fromkeys((message_of(tally.failure), *tally.said))
        return msgspec.structs.replace(
            made, unshrunk=unshrunk, also=tuple(t for t in said if t != made.message)
        )

    def _failure_alike(self, item: Item, verdict: Verdict, candidate: Question[Any]) -> BaseException | None:
        """How a question fails, if that has the same verdict and is not on record."""
        failure = failure_of(item.definition, self.backend, candidate)
        self.surroundings.put_back_more()
        is_alike = failure is not None and verdict_of(failure, type(self.backend)) is verdict
        return failure if is_alike and not entry_of(self.known, item.id, failure, candidate) else None


def result_of(check: Check, backend: Backend, question: Question[Any]) -> ResultLine:
    """The result of one check on one question, as it is."""
    tally = Tally()
    tally.run(check, question, question.on(backend))
    item = Item(backend.name, check.key, question.subject or check.clause, question.input.dtype)
    return Executor(backend, seed=0, effort=Effort(1, 1, 1, 1), shrink=False).result(item, tally)
