"""What a list of known failures hides: wrong answers that a run would call known.

An entry that says less than what is wrong speaks of other failures as well. Each question that a run found to be known is
asked again with one of the engine's answers replaced by a wrong one, in every case of it: where each failure that comes of
it is explained by an entry, that wrong answer could come tomorrow, and no run would say so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from conformance.backend import Backend
from conformance.errors import Unsupported
from conformance.load import load_backend
from conformance.questions import Item, Question, items_of
from conformance.run.evidence import bare_evidence_of, entry_of
from conformance.run.plan import PROFILES
from conformance.run.process.apart import Ended, messages_of
from conformance.run.verdict import raised_by
from conformance.runfile.known import KnownFailure
from conformance.runfile.records import ResultLine, Verdict
from conformance.runfile.relative_error import Lost, difference
from conformance.selfcheck.wrong_answers import ARRAYS, Answers
from conformance.strategies import Effort

SILENCE = 300.0  # seconds that one case may take, with all of its wrong answers
LIMIT = 4  # answers of a question that are replaced, in even steps: value and gradients


class Found(NamedTuple):
    """What is hidden of one known failure: the sorts of wrong answers, and the ids of each entry that explains them."""

    id: str
    entries: tuple[tuple[str, ...], ...]
    sorts: tuple[str, ...]


@dataclass
class Hidden:
    """What became of a known question's wrong answers.

    Attributes:
        item: the question.
        entries: those that explain its failures, as it is and with wrong answers.
        explained: the sorts of wrong answers with which some case failed as an entry says.
        noticed: the sorts that would be news in some case.
    """

    item: Item
    entries: dict[tuple[str, ...], KnownFailure] = field(default_factory=dict)
    explained: set[str] = field(default_factory=set)
    noticed: set[str] = field(default_factory=set)

    @property
    def sorts(self) -> tuple[str, ...]:
        """The wrong answers that are hidden, in a fixed order."""
        return tuple(name for name in ARRAYS if name in self.explained - self.noticed)

    def look(self, backend: Backend, question: Question[Any], known: Sequence[KnownFailure]) -> None:
        """Ask the question with every sort of wrong answer that is not noticed yet."""
        honest = Answers(backend)
        as_it_is = _failure(self.item, question, honest)
        self._note(as_it_is, question, known, "")
        some = sorted({int(n) for n in np.linspace(0, honest.count - 1, min(LIMIT, honest.count))})
        for name in ARRAYS.keys() - self.noticed:
            for number in some:
                answers = Answers(backend, number, ARRAYS[name])
                failure = _failure(self.item, question, answers)
                if answers.has_changed and _is_another(failure, as_it_is):
                    self._note(failure, question, known, name)
                if name in self.noticed:
                    break

    def _note(
        self,
        failure: BaseException | None,
        question: Question[Any],
        known: Sequence[KnownFailure],
        name: str,
    ) -> None:
        if failure is None:
            return
        entry = entry_of(known, self.item.id, failure, question)
        if entry is not None:
            self.entries[entry.ids] = entry
        if name:
            (self.explained if entry else self.noticed).add(name)


def _is_another(failure: BaseException | None, as_it_is: BaseException | None) -> bool:
    """Whether a failure shows the wrong answer: the check looks at some answers only, and at none once the engine has raised."""
    return bare_evidence_of(failure, None) != bare_evidence_of(as_it_is, None)


def _failure(item: Item, question: Question[Any], answers: Answers) -> BaseException | None:
    """What the check raises, without a diagnosis; None where it holds, or the engine does not offer the case."""
    with answers.given():
        failure = raised_by(lambda: item.definition.function(*question.on(answers.backend)))
    return None if issubclass(type(failure), Unsupported) else failure


def hidden_apart(
    spec: str, identifiers: Sequence[str], known: Sequence[KnownFailure], seed: int, profile: str
) -> Iterator[Found | str]:
    """What is hidden of each of these questions, asked in a process of its own; a sentence for one that ends or hangs it."""
    left = list(identifiers)
    while left:
        now = ""
        try:
            for message in messages_of(_send_hidden, spec, left, known, seed, profile, silence=SILENCE):
                if isinstance(message, Found):
                    left.remove(message.id)
                    yield message
                else:
                    now = message
            return
        except Ended as error:
            if now not in left:  # before anything was asked
                yield f"{spec}: {error}; {len(left)} known failures were not asked"
                return
            left.remove(now)
            yield f"{now} was not asked: {error}"


def _send_hidden(
    send: Callable[[Any], None],
    spec: str,
    identifiers: Iterable[str],
    known: Sequence[KnownFailure],
    seed: int,
    profile: str,
) -> None:
    """Load a backend, and send the id of what is asked, and of each question what is hidden."""
    backend = load_backend(spec)
    for hidden in hidden_on(backend, identifiers, known, seed=seed, effort=PROFILES[profile], note=send):
        send(Found(hidden.item.id, tuple(hidden.entries), hidden.sorts))


def some_of_each(results: Iterable[ResultLine], count: int) -> list[ResultLine]:
    """The known failures with numbers; of each cause and backend so many, in even steps, where the count is not 0."""
    groups: dict[tuple[str, str], list[ResultLine]] = {}
    for result in results:
        if _is_about_numbers(result):
            reason = result.evidence.reason if result.evidence else ""
            groups.setdefault((result.backend, reason), []).append(result)
    chosen: list[ResultLine] = []
    for group in groups.values():
        places = np.linspace(0, len(group) - 1, min(count or len(group), len(group)))
        chosen += [group[place] for place in sorted({int(place) for place in places})]
    return chosen


def within_of(results: Iterable[ResultLine], entry: KnownFailure) -> tuple[float | Lost, ...]:
    """What `within` could say of the failures in a run that an entry explains; nothing where they are no numbers that are off.

    It has "nan", "zero" and "inf" where failures have that in place of numbers, and the largest relative error of the others. A
    run file has the small case of a failure: in others it may be further off.
    """
    those = [
        r.evidence for r in results if r.evidence and r.evidence.reason == entry.reason and entry.covers(r.id)
    ]
    seen = [difference(said.expected, said.got, said.allowed) for said in those]
    words: tuple[Lost, ...] = ("nan", "zero", "inf")
    lost = [word for word in words if any(getattr(each, word) for each in seen)]
    worst = max((each.number for each in seen), default=0.0)
    return () if np.isinf(worst) else (*([worst] if worst else []), *lost)


def _is_about_numbers(result: ResultLine) -> bool:
    """Whether a result is a known failure with numbers: what ended or hung its process says nothing of other answers."""
    ended = {Verdict.CRASH.value, Verdict.TIMEOUT.value}
    return result.verdict is Verdict.KNOWN and not (result.evidence and result.evidence.failed_as in ended)


def hidden_on(
    backend: Backend,
    identifiers: Iterable[str],
    known: Sequence[KnownFailure],
    *,
    seed: int,
    effort: Effort,
    note: Callable[[str], None] = lambda identifier: None,
) -> Iterator[Hidden]:
    """What the entries hide of these questions of a backend, on the cases that a run of that seed and effort has.

    `note` receives the id of what is asked. A question that is about an outcome, without numbers, is left out.
    """
    wanted, effort = set(identifiers), effort.of_engine(compiles=backend.compiles_signatures)
    groups: dict[tuple[str, str], list[Item]] = {}
    for item in items_of(backend.name, backend.dtypes):
        if item.id in wanted and not item.definition.is_about_outcome:
            groups.setdefault(item.group, []).append(item)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for items in groups.values():
            found = {item: Hidden(item) for item in items}
            for question, takers in items[0].kind.rounds(items, backend, seed, effort):
                for item in takers:
                    note(item.id)
                    found[item].look(backend, question, known)
            yield from found.values()
