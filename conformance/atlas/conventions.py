"""Conventions: what an engine does where engines legitimately differ.

For every convention of a clause the clause's own checks are run as if the adapter had declared it; the one under which
all of them hold is what the engine does. So the probe agrees with a run, and a new clause needs no probe of its own.
Checks of ops are run on a few ops, which may differ from each other.
"""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from conformance.atlas.answers import (
    ELSEWHERE,
    Answer,
    Answers,
    Failed,
    summed_up,
    without_failures_alike,
)
from conformance.backend import Backend
from conformance.checks import Check, load_all
from conformance.checks.registry import NotThisCase, OtherConvention
from conformance.clauses import STANDARD, Clause
from conformance.errors import Unsupported, Violation, error_text, hold_no_stop, is_ctrl_c
from conformance.ops import CATALOGUE
from conformance.questions import Question, kind_of
from conformance.run.mapped.findings import shortened
from conformance.run.smoke import numbers_of
from conformance.strategies import Effort

FEW = 4  # ops, and cases of each, of a check of ops without a slope
MANY = 16  # ops of a check of the other ops, spread over the catalogue, a case each
COMPILED_ONE_IN = 4  # of these, where each is compiled, for seconds: `run` names the other exceptions
EFFORT = Effort(signatures=FEW, draws=1, samples=3, programs=0)
Note = Callable[[str], None]  # hears of each check before it is run
COMPILED_EFFORT = Effort(signatures=1, draws=1, samples=1, programs=0)


@dataclass(frozen=True)
class MeasuredConvention:
    """What an adapter says of one clause, and what its engine does.

    Attributes:
        clause: the clause.
        declared: the convention that the adapter declares.
        found: the conventions that hold: one, where the checks can tell; several, where they cannot; none, where the
            clause is violated whatever is declared, or (with a `reason`) where no check could be run.
        reason: why no check could be run.
        failures: for each convention that does not hold, how its checks fail.
        exceptions: the ops that do otherwise than `found`, with their convention; "A14/argmax" where it is another clause's.
    """

    clause: Clause
    declared: str | None
    found: tuple[str, ...]
    reason: str = ""
    failures: Mapping[str, str] = field(default_factory=dict)
    exceptions: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_settled(self) -> bool:
        """Whether what is declared is what was found, or there is nothing to declare."""
        return self.declared in self.found if self.found else bool(self.reason)

    @property
    def entries(self) -> dict[str, str]:
        """What to declare: nothing where the checks cannot tell, and nothing is declared."""
        if not self.is_settled and len(self.found) != 1:
            return {}
        number, choice = self.clause.number, self.declared if self.is_settled else self.found[0]
        of_ops = {op if "/" in op else f"{number}/{op}": other for op, other in self.exceptions.items()}
        return {number: choice, **of_ops} if choice else {}


def measure_conventions(
    backend: Backend,
    clauses: Iterable[Clause] = STANDARD.values(),
    *,
    known: Mapping[str, str] | None = None,
    note: Note = lambda check: None,
) -> Iterator[MeasuredConvention]:
    """What the engine does, clause by clause, where `known` is known already; `note` hears of each check before it is run."""
    known = dict(backend.conventions if known is None else known)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for clause in clauses:
            if clause.conventions:
                result = _measured(backend, clause, known, note)
                if len(result.found) == 1:
                    known[clause.number] = result.found[0]  # later clauses may build on it
                yield result


def _measured(backend: Backend, clause: Clause, known: Mapping[str, str], note: Note) -> MeasuredConvention:
    """Every convention, tried on every question of the clause's checks."""
    general: dict[str, str] = {}  # for each convention that does not hold, why
    by_op: dict[str, list[str]] = {}  # for each op, the conventions that hold
    open_to, reasons = [], []
    # What is declared of single ops of this clause is measured as well: kept, it would hold under every convention.
    # Of flat ops, a few of which stand for all, it says which of them do not.
    measured = {f"{clause.number}/{op}" for op in CATALOGUE}
    others = {key: choice for key, choice in known.items() if key not in measured}
    # For each, the ops that turn out to follow another.
    unlike: dict[str, set[str]] = {choice: set() for choice in clause.conventions}
    tried = [
        _tried(backend, clause, {**others, clause.number: choice}, note, unlike[choice])
        for choice in clause.conventions
    ]
    for op in set().union(*unlike.values()):
        by_op[op] = [choice for choice, ops in unlike.items() if op not in ops]
    for convention, answers in zip(clause.conventions, without_failures_alike(clause, tried), strict=True):
        failure, reason, ops = summed_up(answers)
        if reason:
            reasons.append(reason)
        elif failure:
            general[convention] = failure
        else:
            open_to.append(convention)
        for op, holds in ops.items():
            by_op.setdefault(op, []).extend([convention] if holds else [])
    declared = backend.conventions.get(clause.number)
    if len(reasons) == len(clause.conventions):
        return MeasuredConvention(clause, declared, (), reasons[0])
    found, exceptions = _majority(open_to, by_op)
    if len(found) == 1:
        exceptions |= _of_flat_ops(backend, clause, {**known, clause.number: found[0]}, note)
    return MeasuredConvention(clause, declared, found, failures=general, exceptions=exceptions)


def _of_flat_ops(
    backend: Backend, clause: Clause, conventions: Mapping[str, str], note: Note
) -> dict[str, str]:
    """The flat ops that follow another convention than that of most, each with what to declare of it."""
    exceptions: dict[str, str] = {}
    before = backend.conventions
    general = {key: choice for key, choice in conventions.items() if "/" not in key}
    backend.conventions = general  # type: ignore[misc]  # of this object, not of its class
    try:
        for check in _checks_of(clause):
            for question in _one_of_each_op(check, backend) if check.is_of_flat else ():
                note(check.key)
                try:
                    question.run(check, question.on(backend))
                except OtherConvention as other:
                    number = other.key.partition("/")[0]
                    if other.found in STANDARD[number].conventions:
                        exceptions[other.key] = other.found
                except BaseException as error:  # what else is wrong with the op is for a run to say
                    if is_ctrl_c(error):
                        raise
    finally:
        backend.conventions = before  # type: ignore[misc]
    return exceptions


def _one_of_each_op(check: Check, backend: Backend) -> Iterator[Question[Any]]:
    kind = kind_of(check)
    items = kind.items([check], backend.name, [d for d in backend.dtypes if d in check.dtypes][:1])
    items = (item for item in items if item.subject in backend.asked_ops)
    for item in itertools.islice(items, 0, None, COMPILED_ONE_IN if backend.compiles_signatures else 1):
        rounds = kind.rounds([item], backend, 0, replace(EFFORT, signatures=1))
        yield from (question for question, _ in itertools.islice(rounds, 1))


def _majority(
    candidates: Sequence[str], by_op: Mapping[str, Sequence[str]]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The conventions of most ops, of those that hold of the engine as a whole, and the ops that do otherwise."""
    deciding = {op: held[0] for op, held in by_op.items() if len(held) == 1}
    counts = Counter(choice for choice in deciding.values() if choice in candidates)
    if not counts:
        return tuple(candidates), {}
    most = counts.most_common(1)[0][0]
    return (most,), {op: choice for op, choice in deciding.items() if choice != most}


def _tried(
    backend: Backend, clause: Clause, conventions: Mapping[str, str], note: Note, unlike: set[str]
) -> Answers:
    """The answers of the clause's checks, as if so declared; ops that turn out to follow another are added to `unlike`."""
    before = backend.conventions
    backend.conventions = conventions  # type: ignore[misc]  # of this object, not of its class
    try:
        answers: Answers = []
        for check in _checks_of(clause):
            answers.extend(_answers(check, backend, note, unlike))
        return answers
    finally:
        backend.conventions = before  # type: ignore[misc]


def _checks_of(clause: Clause) -> list[Check]:
    checks = [c for c in load_all().values() if c.clause == clause.number and c.kind in ("contract", "op")]
    checks += [load_all()[key] for key in ELSEWHERE.get(clause.number, ())]
    # Those of every op take long, and few depend on what is declared.
    return [c for c in checks if not c.is_wide]


def _answers(check: Check, backend: Backend, note: Note, unlike: set[str]) -> Iterator[tuple[str, Answer]]:
    """The answer of each item of a check, with its op where it can differ from op to op."""
    kind = kind_of(check)
    items = [
        item
        for item in kind.items([check], backend.name, [d for d in backend.dtypes if d in check.dtypes][:1])
        if kind.name != "op" or item.subject in backend.asked_ops
    ]
    is_of_op = kind.name == "op" and not check.is_of_flat
    if kind.name == "op":
        items = items[:: max(1, len(items) // MANY)] if is_of_op else items[:FEW]
        items = items[:: COMPILED_ONE_IN if backend.compiles_signatures else 1]
    effort = replace(EFFORT, signatures=1) if is_of_op else EFFORT
    effort = COMPILED_EFFORT if backend.compiles_signatures else effort
    for item in items:
        questions = _noted(kind.rounds([item], backend, 0, effort), check, note)
        answer = _run(check, backend, questions, unlike, is_of_op=is_of_op)
        yield (item.subject if is_of_op else ""), answer


def _noted(rounds: Iterator[tuple[Question[Any], Any]], check: Check, note: Note) -> Iterator[Question[Any]]:
    """The questions; of each there is news, so that a check of many that take long does not count as hanging."""
    for question, _ in rounds:
        note(check.key)
        yield question


def _run(
    check: Check, backend: Backend, questions: Iterator[Question[Any]], unlike: set[str], *, is_of_op: bool
) -> Answer:
    """Whether a check holds on the questions; how it fails, or a reason where no question decides."""
    reason = "no case decides"
    for question in questions:
        try:
            check.require(backend)
            arguments = question.on(backend)
            if is_of_op and not _has_gradient(arguments):
                return None
            question.run(check, arguments)
            reason = ""
        except OtherConvention as other:
            if is_of_op or check.is_of_flat:
                return Failed(f"{type(other).__name__}: {other}") if check.is_of_flat else None
            unlike.add(other.key.partition("/")[2])
            reason = ""
        except (Unsupported, NotThisCase) as cannot:
            reason = reason and str(cannot)
        except BaseException as error:
            if is_ctrl_c(error):
                raise
            is_wrong = isinstance(error, Violation)
            said = shortened(" ".join(f"{error_text(error)}{numbers_of(error)}".split()))
            if not (is_wrong and check.is_of_flat):  # an op that raises says nothing of the convention
                return Failed(said, not is_wrong) if is_wrong or not is_of_op else None
            reason = reason and said  # of a wrong value a run says more
    return (None if is_of_op else reason) if reason else True


def _has_gradient(arguments: Sequence[Any]) -> bool:
    """Whether the engine gives an ordinary gradient of an observed case; any refusal would look like a convention."""
    try:
        return bool(arguments[0].answer.gradients)
    except BaseException as error:
        hold_no_stop(error)
        return False
