"""What the death of a worker is worth: one verdict, of the question that it died of."""

from __future__ import annotations

import datetime
import signal
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from conformance.errors import UsageError
from conformance.ops import ALL_OPS
from conformance.questions import Item, questions_in
from conformance.run import journal
from conformance.run.plan import worth
from conformance.run.process.deadline import Limit
from conformance.run.process.ends import beginning, is_of_oracle, manner, without_our_frames
from conformance.run.verdict import result_for
from conformance.runfile.jsonl import decode
from conformance.runfile.known import KnownFailure, judge
from conformance.runfile.records import Evidence, ResultLine, Verdict

NOT_OF_THE_ENGINE = "the time was taken by what computes the expected numbers, twice, and not by the engine: give more with --timeout, or ask it alone"
NOT_AGAIN = "this ended a process, and the time did not suffice to ask it in another: ask it alone, with -q and without a budget"
BEFORE_IT = "what was asked before it may have damaged its memory:"
BEFORE = 6  # subjects that are named of those that a process was asked about before it ended
NO_ANSWERS = (
    "its answers came no more, and its process had nothing to do: it wrote to, or closed, the descriptor that a worker "
    "answers by"
)
FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM)  # how a process ends that another one ended


def lost(
    item: Item, verdict: Verdict = Verdict.CRASH, message: str = "", cases: int = 0, token: str = ""
) -> ResultLine:
    """The result of a question that ended its process."""
    case = _case(token, item.definition.key)
    evidence = Evidence(message=message or "this ended the process", case=case, token=token if case else "")
    return result_for(item, verdict, cases=cases, seconds=0.0, evidence=evidence)


def not_asked(item: Item, limit: Limit) -> ResultLine:
    """The result of a question that is given up, since others about its subject had no answer in time.

    It has no answer, and is asked when the run is resumed.
    """
    why = f"{limit.late} questions about {item.subject} had no answer within {limit.one:g} s each"
    return lost(item, Verdict.INTERRUPTED, f"not asked, since {why}")


def _case(token: str, key: str) -> dict[str, Any]:
    """The case that a token holds; empty where the process died while it wrote the token."""
    try:
        ((_, question),) = questions_in(token, key)
    except (UsageError, ValueError):
        return {}
    case: dict[str, Any] = question.input.as_json()
    return case


class Deaths:
    """Attributes the deaths of workers to questions.

    Attributes:
        items: of the session, by id.
        folder: of the workers' journals.
        known: the failures on record.
        limit: how long a worker may take.
    """

    def __init__(
        self, items: Mapping[str, Item], folder: Path, known: Sequence[KnownFailure], limit: Limit
    ) -> None:
        self.items, self.folder, self.known, self.limit = items, folder, known, limit
        self.asked_again: set[str] = set()
        self._asked: dict[str, dict[str, None]] = {}  # of a worker, the subjects of its results, in order
        self._after: dict[
            str, list[str]
        ] = {}  # of a question that ended a process, what that was asked before
        self._answered: set[str] = set()  # of those, what has an answer in another process
        self._unsettled: dict[
            str, ResultLine
        ] = {}  # of those, the answer where no other process can be asked
        self._deadly: set[tuple[str, str]] = set()  # a backend and an op, of which workers died
        self._left_out: set[tuple[str, str]] = set()
        self._late: Counter[tuple[str, str]] = (
            Counter()
        )  # of a backend and a subject, questions without answer

    def saw(self, worker: str, result: ResultLine) -> ResultLine:
        """Note a result of a worker, and return it: what ends it later may be the doing of what it was asked before.

        What ended a process has no better verdict for having an answer in another one; what is not offered has none.
        """
        if result.verdict is not Verdict.UNSUPPORTED:
            self._asked.setdefault(worker, {})[result.subject] = None
        if result.id in self._after:
            self._answered.add(result.id)
        if result.id not in self._after or result.verdict not in (Verdict.PASS, Verdict.UNDECIDED):
            return result
        answer = lost(self.items[result.id], message=self._ended_after(result.id), cases=result.cases)
        return judge(answer, self.known, datetime.date.today())

    def settle(self) -> list[ResultLine]:
        """The results of what ended a process and has no answer in another one, since none can be started any more."""
        found = {
            name: line
            for name, line in self._unsettled.items()
            if name in self._after.keys() - self._answered
        }
        for name in found:
            del self._after[name]
        return [judge(line, self.known, datetime.date.today()) for line in found.values()]

    def _ended_after(self, culprit: str) -> str:
        return f"this ended a process, and not another: {BEFORE_IT} {self._before(culprit)}"

    def _before(self, culprit: str) -> str:
        return ", ".join(self._after[culprit][-BEFORE:])

    def result(
        self, worker: str, given: str, *, code: int | None, is_overdue: bool, is_silent: bool = False
    ) -> ResultLine | None:
        """The result of what killed a worker: the id in its journal, else the one it was `given`.

        Nothing is noted yet while the cases of a group are drawn, which may take too long as well. What somebody
        else may have killed, such as a system without memory, is asked once more: then there is no result yet. So is
        what is late for computing expected numbers, some of which are kept then; what asks about many ops, without
        those of which workers died before; and what died in a process that had been asked about something else: memory
        that one call damages ends another.
        """
        noted = journal.last_noted(self.folder, worker)
        culprit = noted if noted in self.items else self._next_to(given)
        is_late = is_overdue or journal.was_timeout(journal.last_words(self.folder, worker))
        if answer := self._kept(worker, culprit, is_late=is_late):
            journal.add_culprit(self.folder, culprit)
            return judge(answer, self.known, datetime.date.today())
        was_killed = not (is_overdue or is_silent) and code in FROM_OUTSIDE
        was_ours = is_late and is_of_oracle(journal.last_words(self.folder, worker))
        if (was_killed or was_ours) and culprit not in self.asked_again:
            self.asked_again.add(culprit)
            return None
        if self._leaves_out(self.items[culprit]):
            return None
        before = [each for each in self._asked.pop(worker, ()) if each != self.items[culprit].subject]
        if before and not (was_killed or is_late) and culprit not in self.asked_again:
            self.asked_again.add(culprit)
            self._after[culprit] = before
            message = (
                NO_ANSWERS
                if is_silent
                else self._verdict(worker, code, was_killed=False, is_overdue=False)[1]
            )
            said, token = (
                f"{message}\n{BEFORE_IT} {self._before(culprit)}",
                journal.asked(self.folder, worker),
            )
            self._unsettled[culprit] = lost(self.items[culprit], message=said, cases=1, token=token)
            return None
        if self.items[culprit].subject in ALL_OPS and not was_ours:
            self._deadly.add((self.items[culprit].backend, self.items[culprit].subject))
        self._after.pop(culprit, None)
        journal.add_culprit(self.folder, culprit)
        verdict, message = self._verdict(worker, code, was_killed=was_killed, is_overdue=is_overdue)
        if is_silent:
            verdict, message = Verdict.CRASH, NO_ANSWERS
        if was_ours:  # twice: the machine is too busy for the limit, and the engine has not been slow
            verdict, message = Verdict.INTERRUPTED, f"{NOT_OF_THE_ENGINE}\n{message}"
        token = journal.asked(self.folder, worker)
        answer = lost(self.items[culprit], verdict, message, cases=1, token=token)
        judged = judge(answer, self.known, datetime.date.today())
        # One question took the time, not many: those of a slow engine fit once a few are out of the way.
        has_hung = verdict is Verdict.TIMEOUT and journal.has_hung(self.folder, worker, self.limit.one)
        if answer.evidence and answer.evidence.token and (verdict is Verdict.CRASH or has_hung):
            journal.add_deadly(self.folder, self.items[culprit].backend, token, culprit)
        # Who lists a time-out as known wants the others' answers, whatever it costs.
        if judged.verdict is Verdict.TIMEOUT and has_hung:
            self._give_up_if_often(self.items[culprit])
        return judged

    def _next_to(self, given: str) -> str:
        """The question itself, or, where it has ended a process, one of its group that has not: it is asked no more, so they are."""
        done = journal.culprits(self.folder)
        if given not in done:
            return given
        group, of = self.items[given].group, worth(self.items[given])
        left = [item for item in self.items.values() if item.group == group and item.id not in done]
        return min(left, key=lambda item: worth(item) is not of).id if left else given

    def _give_up_if_often(self, item: Item) -> None:
        """Count a question without an answer in time; after a few of one subject the rest would cost as much, one by one."""
        about = (item.backend, item.subject)
        self._late[about] += 1
        if self._late[about] == self.limit.late:
            journal.give_up(self.folder, *about)

    def _leaves_out(self, item: Item) -> bool:
        """Whether ops are left out from now on, of which this question, which is about other things, may have died.

        Their own questions say what is wrong with them. A contract that is asked of every op would say the same
        once more, and nothing of all the other ops.
        """
        if item.subject in ALL_OPS:
            return False
        found = {(backend, op) for backend, op in self._deadly - self._left_out if backend == item.backend}
        for backend, op in sorted(found):
            journal.leave_out(self.folder, backend, op)
        self._left_out |= found
        return bool(found)

    @property
    def unexplained(self) -> list[str]:
        """A sentence for each process that ended at a question which has another answer in another process, or none yet."""
        return [
            f"{culprit}: {self._ended_after(culprit) if culprit in self._answered else NOT_AGAIN}"
            for culprit in sorted(self._after)
        ]

    @property
    def left_out(self) -> list[str]:
        """The ops that are left out, such as `mine/op/det`."""
        return sorted(f"{backend}/op/{op}" for backend, op in self._left_out)

    def _kept(self, worker: str, culprit: str, *, is_late: bool) -> ResultLine | None:
        """The answer that the culprit had already, where its worker died of asking something smaller, or once more."""
        text = journal.kept(self.folder, worker)
        line = decode(text) if text else None
        if not isinstance(line, ResultLine) or line.id != culprit or line.evidence is None:
            return None
        how = "had no answer in time" if is_late else "ended the process"
        unshrunk = line.evidence.unshrunk or f"a smaller one, or this one once more, {how}"
        evidence = msgspec.structs.replace(line.evidence, unshrunk=unshrunk)
        return msgspec.structs.replace(line, evidence=evidence)

    def _verdict(
        self, worker: str, code: int | None, *, was_killed: bool, is_overdue: bool
    ) -> tuple[Verdict, str]:
        """The verdict, and a message of which only the first line is the same each time that it dies of this."""
        words, output = journal.last_words(self.folder, worker), journal.last_output(self.folder, worker)
        traceback = beginning(without_our_frames(words), journal.LAST)
        said = "".join(f"\n{text}" for text in (traceback, output) if text)
        if is_overdue or journal.was_timeout(words):
            exceeded = self.limit.exceeded(in_question=bool(journal.asked(self.folder, worker)))
            return Verdict.TIMEOUT, f"{exceeded}{said}"
        how = f"\n({manner(code)})" if code is not None else ""
        if was_killed:
            return Verdict.INTERRUPTED, f"its process was killed from outside, twice{how}{said}"
        return Verdict.CRASH, f"this ended the process{how}{said}"
