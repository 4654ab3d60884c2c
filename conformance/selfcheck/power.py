"""The power of questions: which of them pass an engine whose answers are wrong.

Every question that a correct engine passes is run again with one of the engine's answers replaced by a wrong one:
scaled, of another entry, NaN, at one entry and at all. An answer is an array that the adapter hands out as numbers. A
question has power where a wrong answer of every sort is noticed in one of its cases. Answers that a claim is not about
may be anything: those for which the check passes NaN, or any other number.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, product
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.checks.comparison import Decisive, decisions, tolerances, undecided
from conformance.checks.registry import NotThisCase
from conformance.errors import Unsupported
from conformance.questions import Item, Question, items_of
from conformance.questions.queries import matches
from conformance.run.plan import PROFILES, select
from conformance.run.process.spawned import pool_of
from conformance.selfcheck.selftest import registered_controls, registered_variants
from conformance.selfcheck.wrong_answers import ELSEWHERE, FORMS, NUMBERS, PROBES, Answers, Wrong
from conformance.strategies import Effort

EFFORT = PROFILES["quick"]
LIMIT = 18  # answers of a question that are replaced, in even steps: a history has hundreds, six calls of three answers 18
FLOOR = 64  # units of rounding: more than what points allow for that of the cotangent
EVERY, ONES = "every wrong answer", "what is right for a cotangent of ones"


# ---- one question ------------------------------------------------------------------------------------


@dataclass
class Power:
    """What became of an item's wrong answers.

    Attributes:
        item: the item.
        cases: those that decided, and were run with wrong answers.
        is_refusal: whether the engine refused, so that there may be no numbers to replace.
        given: the sorts of wrong answers that were given.
        noticed: those of them at which the check failed.
        fair: the sorts that make another answer that the claim allows, in every case where they were not given.
        cotangents: whether the gradient arguments that the check gave were all ones, for each case with any.
    """

    item: Item
    cases: int = 0
    is_refusal: bool = False
    given: set[str] = field(default_factory=set)
    noticed: set[str] = field(default_factory=set)
    fair: set[str] = field(default_factory=set)
    cotangents: list[bool] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The item's id without the control."""
        return _name(self.item)

    @property
    def wrongs(self) -> Mapping[str, Wrong]:
        """The sorts of wrong answers that its check is to notice."""
        return FORMS if self.item.definition.is_about_form else NUMBERS

    @property
    def passes(self) -> tuple[str, ...]:
        """The wrong answers that it passes, but for those that satisfy the claim."""
        check = self.item.definition
        if not self.cases or (self.is_refusal and not self.given):
            return ()
        if not self.noticed:
            return () if self.fair >= set(self.wrongs) else (EVERY,)
        ones = (ONES,) if self.item.kind.has_upstreams and self.cotangents and all(self.cotangents) else ()
        # An array has a shape and a dtype: a check of one of them need not notice the other.
        missed = (
            ()
            if check.is_about_form
            else self.given - self.noticed - {sort for sort, _ in check.satisfied_by}
        )
        return (*(name for name in self.wrongs if name in missed), *ones)

    @property
    def is_unanswered(self) -> bool:
        """Whether cases decided, and none had an answer to replace: None, for which another engine gives zeros."""
        has_no_wrong = self.is_refusal or self.fair >= set(self.wrongs)
        return bool(self.cases) and not (self.given or has_no_wrong)

    @property
    def is_done(self) -> bool:
        """Whether every sort was noticed, and some cotangent was not all ones."""
        return self.noticed | self.fair >= set(self.wrongs) and not (self.cotangents and all(self.cotangents))

    def look(self, backend: Backend, question: Question[Any]) -> None:
        """Run the question rightly; where it decides, with every sort of wrong answer that is not noticed yet."""
        honest = Answers(backend)
        with tolerances() as allowed, undecided() as anything:
            decisive = _decisive(self.item, question, honest)
        if decisive < question.deciding:
            return
        self.cases += 1
        self.is_refusal |= decisive is Decisive.REFUSAL
        self.cotangents += [not any(honest.cotangents)] if honest.cotangents else []
        self.fair |= {name for name, wrong in self.wrongs.items() if _are_allowed(allowed, wrong)}
        missed = self.wrongs.keys() - self.noticed - self.fair
        numbers = self._numbers(backend, question, honest.count, bool(allowed)) if missed else []
        for name in missed:
            wrongs = (self.wrongs[name], *(ELSEWHERE.get(name, ()) if anything else ()))
            self._try(backend, question, name, list(product(wrongs, numbers)))

    def _numbers(
        self, backend: Backend, question: Question[Any], count: int, are_several_allowed: bool
    ) -> list[int]:
        """Which answers of a question are replaced: those that the claim is about.

        The check notices what no rule could make of them; where several answers are allowed, one such at least.
        """
        some: list[int] = np.linspace(0, count - 1, min(LIMIT, count)).round().astype(int).tolist()
        if self.item.definition.is_about_form:
            return some
        noticed = any if are_several_allowed else all
        return [n for n in some if noticed(self._are_noticed(backend, question, n))]

    def _are_noticed(self, backend: Backend, question: Question[Any], number: int) -> list[bool]:
        """Whether the check notices each of the probes in place of an answer, or that changes nothing."""
        tried = [Answers(backend, number, probe) for probe in PROBES]
        is_noticed = [_is_noticed(self.item, question, answers) for answers in tried]
        return [seen or not answers.has_changed for seen, answers in zip(is_noticed, tried, strict=True)]

    def _try(
        self, backend: Backend, question: Question[Any], name: str, tries: Iterable[tuple[Wrong, int]]
    ) -> None:
        floor = FLOOR * self.item.definition.has_floor
        for wrong, number in tries:
            answers = Answers(backend, number, wrong, floor)
            is_noticed = _is_noticed(self.item, question, answers)
            if answers.has_changed:
                self.given.add(name)
                if is_noticed:
                    self.noticed.add(name)
                    return


def _are_allowed(allowed: Sequence[Callable[[Wrong], bool]], wrong: Wrong) -> bool:
    """Whether every claim that several answers satisfy is satisfied by the engine's, made wrong."""
    return bool(allowed) and all(is_satisfied(wrong) for is_satisfied in allowed)


def _name(item: Item) -> str:
    return item.id.partition("/")[2]


def _decisive(item: Item, question: Question[Any], answers: Answers) -> Decisive:
    """What a correct engine's answers decide; NOTHING where it does not pass."""
    check = item.definition
    with decisions() as decided, answers.given():
        try:
            question.run(check, question.on(answers.backend))
        except Exception:  # it does not decide, or is of a capability that is not declared and does not work
            return Decisive.NOTHING
    return max(decided, default=Decisive.NOTHING)


def _is_noticed(item: Item, question: Question[Any], answers: Answers) -> bool:
    with answers.given():
        try:
            item.definition.function(*question.on(answers.backend))
        except (NotThisCase, Unsupported):
            return False
        except Exception:  # also of what the check computes from the answer
            return True
    return False


# ---- all questions -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class PowerReport:
    """The power of the questions of a selection.

    Attributes:
        powers: of each item that some correct engine is asked.
        outcomes: the items whose check is about what the engine does, so that there is no answer to replace.
    """

    powers: Sequence[Power]
    outcomes: Sequence[str]

    @property
    def passing(self) -> list[Power]:
        """The items that pass wrong answers."""
        return [power for power in self.powers if power.passes]

    @property
    def undecided(self) -> list[str]:
        """The items without a deciding case."""
        return [power.name for power in self.powers if not power.cases]


def power_of_suite(
    queries: Sequence[str] = (),
    *,
    seed: int = 0,
    effort: Effort = EFFORT,
    workers: int = 1,
    on_progress: Callable[[str], None] = lambda group: None,
) -> PowerReport:
    """The power of the selected items, each measured on the first control that offers what it needs.

    Raises NothingSelected for a query that matches nothing.
    """
    powers: dict[str, Power] = {}
    outcomes: set[str] = set()
    controls = {name: list(items_of(name, c.make().dtypes)) for name, c in registered_controls().items()}
    select([item for items in controls.values() for item in items], queries)
    for name in (*controls, *registered_variants()):
        if name not in controls and not any(power.is_unanswered for power in powers.values()):
            break
        everything = controls.get(name) or items_of(name, registered_variants()[name].make().dtypes)
        items = [item for item in everything if not queries or any(matches(item.id, q) for q in queries)]
        outcomes |= {_name(item) for item in items if item.definition.is_about_outcome}
        groups: dict[tuple[str, str], list[Item]] = {}
        for item in items:
            if not item.definition.is_about_outcome and _is_open(powers.get(_name(item)), name in controls):
                groups.setdefault(item.group, []).append(item)
        asked = partial(_power_on, name, seed=seed, effort=effort)
        for found in _on_all(groups.values(), asked, workers):
            powers |= {power.name: power for power in found if power.cases or power.name not in powers}
            on_progress(found[0].item.subject if found else "")
    return PowerReport(list(powers.values()), sorted(outcomes))


def _is_open(power: Power | None, is_control: bool) -> bool:
    """Whether another control may say more of an item; a variant is asked only for answers that there were none of."""
    return is_control if power is None else power.is_unanswered or (is_control and not power.cases)


def _on_all(
    groups: Iterable[Sequence[Item]], power_of: Callable[[Sequence[Item]], list[Power]], workers: int
) -> Iterator[list[Power]]:
    if workers == 1:
        yield from map(power_of, groups)
        return
    with pool_of(workers) as pool:
        yield from pool.map(power_of, groups)


def _power_on(control: str, items: Sequence[Item], seed: int, effort: Effort) -> list[Power]:
    """The power of the items of one group, those that the control offers; what is printed is nobody's to read."""
    backend, powers = (registered_controls() | registered_variants())[control].make(), {}
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        powers = {item: Power(item) for item in items if _is_offered(item, backend)}
        for question, takers in _questions(powers, backend, seed, effort):
            for item in takers:
                if not (powers[item].is_done or item.kind.is_enough(item, question, 0, effort)):
                    powers[item].look(backend, question)
    return list(powers.values())


def _questions(
    powers: Mapping[Item, Power], backend: Backend, seed: int, effort: Effort
) -> Iterator[tuple[Question[Any], Sequence[Item]]]:
    """Those of a run, and what it would ask further of an item that is not decided."""
    items = list(powers)
    if not items:
        return iter(())
    kind = items[0].kind
    further = kind.more_rounds(items, backend, seed, effort, lambda item: not powers[item].cases)
    return chain(kind.rounds(items, backend, seed, effort), further)


def _is_offered(item: Item, backend: Backend) -> bool:
    try:
        item.kind.require(item, backend)
    except Unsupported:
        return False
    return True
