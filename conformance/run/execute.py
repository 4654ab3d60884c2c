"""Asking the questions: items in, results out.

A group of items shares what is drawn for it. Whatever happens while a check runs becomes a verdict:
the claim does not hold (fail), the engine raised (error), the adapter or we did (adapter error), the
backend does not offer it (unsupported).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np

from conformance.backend import Backend
from conformance.case import Case
from conformance.checks import Check, CheckKind
from conformance.checks.observation import Observation
from conformance.checks.point_observation import PointObservation
from conformance.checks.registry import FULL
from conformance.checks.sample import Sample
from conformance.errors import Unsupported
from conformance.history import History
from conformance.ops import find
from conformance.points import SPECIAL_POINTS
from conformance.points.point import Place
from conformance.program import Program
from conformance.run.asking import Question, ask, ask_seen, failure_of, verdict_of
from conformance.run.atlas_cell import atlas_cell_of
from conformance.run.evidence import evidence_of, message_of
from conformance.run.plan import Item
from conformance.run.tally import Tally
from conformance.runfile.known import KnownFailure, entry_for
from conformance.runfile.records import Evidence, ResultLine, Verdict
from conformance.strategies import Effort, draw_cases, smallest_case
from conformance.strategies.histories import draw_histories, smallest_history
from conformance.strategies.programs import draw_programs, smallest_program

Note = Callable[[str], None]


class Executor:
    """Asks items of one backend.

    Attributes:
        backend: the loaded adapter.
        seed: of everything drawn.
        effort: how much is drawn.
        shrink: whether failures are made small before they are told.
        known: the failures on record, which need not be made small once more.
        note: is told the id of every item before it is asked, so that a crash has a name.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        seed: int,
        effort: Effort,
        shrink: bool = True,
        note: Note = lambda text: None,
        known: Sequence[KnownFailure] = (),
    ) -> None:
        self.known = known
        self.backend = backend
        self.note = note
        self.seed = seed
        self.effort = effort
        self.shrink = shrink

    def results(self, items: Sequence[Item]) -> Iterator[ResultLine]:
        """The results of a group of items."""
        # Special values are the engine's business, not NumPy's to warn of; nor are engines' own warnings
        # to be told once per case.
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if items[0].definition.kind is CheckKind.OP:
                yield from self._op_results(items)
            elif items[0].definition.kind is CheckKind.POINT:
                yield from map(self._point_result, items)
            else:
                for item in items:
                    yield self._whole_engine_result(item)

    # ---- ops: one case, many questions ---------------------------------------------------------

    def _op_results(self, items: Sequence[Item]) -> Iterator[ResultLine]:
        op, dtype = find(items[0].subject), items[0].dtype
        if op.name not in self.backend.ops:
            for item in items:
                reason = Unsupported(f"the adapter of {self.backend.engine} names no {op.name}")
                yield self.told(item, Tally(failure=reason))
            return
        tallies = {item: self._started(item) for item in items}
        for textures in dict.fromkeys(item.definition.textures for item in items):
            asked = {item: tally for item, tally in tallies.items() if item.definition.textures == textures}
            for case in draw_cases(op, dtype, self.seed, self.effort, textures):
                self._ask_all(asked, Observation(self.backend, op, case))
        for item, tally in tallies.items():
            self.note(item.id)
            yield self.told(item, tally)

    def _ask_all(self, tallies: Mapping[Item, Tally], seen: Observation) -> None:
        """Put one case to every check that is still open."""
        case = seen.case
        for item, tally in tallies.items():
            check = item.definition
            if tally.failure is not None or (check.once_per_signature and case.draw):
                continue
            if tally.cases < check.enough(case.dtype, self.effort):
                self.note(item.id)
                tally.ask(check, self.backend, case, partial(ask_seen, seen))
                self._look_behind(item, tally)

    # ---- special points: one question each, told with what was found ------------------------------

    def _point_result(self, item: Item) -> ResultLine:
        self.note(item.id)
        place, tally = Place(SPECIAL_POINTS[item.subject], item.dtype), Tally()
        observed = PointObservation(self.backend, place)
        tally.ask(
            item.definition, self.backend, place, lambda check, backend, question: check.function(observed)
        )
        return msgspec.structs.replace(self.told(item, tally), atlas=atlas_cell_of(observed, tally.failure))

    # ---- everything else --------------------------------------------------------------------------

    def _whole_engine_result(self, item: Item) -> ResultLine:
        check, tally = item.definition, self._started(item)
        self.note(item.id)
        if tally.failure is not None:
            return self.told(item, tally)
        for question in self.questions(check, item.dtype):
            tally.ask(check, self.backend, question, ask)
            self._look_behind(item, tally)
            if tally.failure is not None:
                break
        return self.told(item, tally)

    def _look_behind(self, item: Item, tally: Tally) -> None:
        """Go on where a failure is on record by what it says: nothing else shall hide behind it."""
        entry = self._entry_for(item, tally.failure) if tally.failure else None
        if entry and entry.says:
            tally.set_aside()

    def _entry_for(self, item: Item, failure: BaseException | None) -> KnownFailure | None:
        return entry_for(self.known, item.id, message_of(failure)) if self.known else None

    def _started(self, item: Item) -> Tally:
        """A fresh tally; closed from the start where the backend does not declare what the check needs."""
        try:
            item.definition.require(self.backend)
        except Unsupported as reason:
            return Tally(failure=reason)
        return Tally()

    def questions(self, check: Check, dtype: str) -> Iterable[Question]:
        """What a check that is not about an op is asked with."""
        if check.kind is CheckKind.PROGRAM:
            return draw_programs(find, dtype, self.seed, self.effort.programs)
        dtypes = [dtype for dtype in self.backend.dtypes if dtype in FULL]
        if check.kind is CheckKind.HISTORY:
            return draw_histories(check.name, find, dtypes[0], self.seed, self.effort.programs)
        return [Sample(self.seed * 1000 + n, dtypes[n % len(dtypes)]) for n in range(self.effort.samples)]

    # ---- from a tally to a result ---------------------------------------------------------------------

    def told(self, item: Item, tally: Tally) -> ResultLine:
        """The result that a tally amounts to."""
        check = item.definition
        tally.settle()
        verdict = verdict_of(tally.failure, type(self.backend)) if tally.failure else Verdict.PASS
        evidence = None
        if verdict is Verdict.PASS and not tally.cases and check.kind is CheckKind.CAPABILITY:
            verdict, tally.failure = Verdict.UNSUPPORTED, Unsupported("; ".join(sorted(set(tally.undecided))))
        if check.kind is CheckKind.CAPABILITY:
            verdict, evidence = self._judge_capability(check, verdict, tally)
        if verdict is Verdict.PASS and not tally.cases:
            reasons = "; ".join(sorted(set(tally.undecided)))
            verdict = Verdict.UNSUPPORTED if reasons else Verdict.ADAPTER_ERROR
            evidence = Evidence(message=reasons or "not one case was drawn for this check")
        if verdict is not Verdict.PASS and evidence is None:
            evidence = self._evidence(item, tally, verdict)
        return result_for(
            item,
            verdict,
            cases=tally.cases,
            seconds=round(tally.seconds, 6),
            error=tally.error,
            ulp=tally.ulp,
            accuracy=tally.entries.told(),
            measured=tally.measured,
            evidence=evidence,
        )

    def _judge_capability(
        self, check: Check, verdict: Verdict, tally: Tally
    ) -> tuple[Verdict, Evidence | None]:
        """Declared and working is a pass; declared and broken a failure; denied but working is told."""
        is_declared = any(c.label == check.name for c in self.backend.capabilities)
        if is_declared:
            if verdict is Verdict.UNSUPPORTED:
                message = f"{check.name} is declared, but the adapter does not offer it: {tally.failure}"
                return Verdict.FAIL, Evidence(message=message)
            return verdict, None
        if verdict is Verdict.PASS:
            return Verdict.UNSUPPORTED, Evidence(
                message=f"{check.name} is not declared, yet it works: declare it"
            )
        return Verdict.UNSUPPORTED, Evidence(message=f"not declared ({tally.failure})")

    def _evidence(self, item: Item, tally: Tally, verdict: Verdict) -> Evidence:
        if verdict is Verdict.UNSUPPORTED:
            return Evidence(message=str(tally.failure))
        question, failure = tally.question, tally.failure
        # Every try to make a question smaller that takes all memory would take it too.
        is_dear = isinstance(failure, MemoryError)
        if self.shrink and question is not None and not is_dear and not self._entry_for(item, failure):
            question, failure = self._smallest(item, verdict, question, failure)
        return evidence_of(item.definition, self.backend, question, failure)

    def _smallest(
        self, item: Item, verdict: Verdict, question: Question, failure: BaseException | None
    ) -> tuple[Question, BaseException | None]:
        """The smallest question with the same verdict, and how it fails."""
        check, backend = item.definition, type(self.backend)

        def is_failing(candidate: Question) -> bool:
            error = failure_of(check, self.backend, candidate)
            is_alike = error is not None and verdict_of(error, backend) is verdict
            return is_alike and not self._entry_for(item, error)

        smallest: Question | None = None
        if isinstance(question, Case):
            op = find(question.op)
            smallest = smallest_case(
                op, item.dtype, self.seed, self.effort, question, is_failing, check.textures
            )
        elif isinstance(question, Program):
            smallest = smallest_program(find, item.dtype, self.seed, self.effort.programs, is_failing)
        elif isinstance(question, History):
            smallest = smallest_history(find, self.seed, self.effort.programs, question, is_failing)
        if smallest is None:
            return question, failure
        return smallest, failure_of(check, self.backend, smallest) or failure


def result_for(item: Item, verdict: Verdict, **measured: Any) -> ResultLine:
    """The line of an item: what it is follows from it, what was `measured` is given."""
    check = item.definition
    return ResultLine(
        id=item.id,
        backend=item.backend,
        kind=check.kind.value,
        subject=item.subject,
        check=check.name,
        clause=check.clause,
        level=item.level,
        dtype=item.dtype,
        verdict=verdict,
        **measured,
    )


def result_of(check: Check, backend: Backend, question: Question) -> ResultLine:
    """The result of one check on one question, as it is."""
    tally = Tally()
    tally.ask(check, backend, question, ask)
    dtype = question.dtype
    subject = check.clause
    if isinstance(question, (Case, Place)):
        subject = question.op if isinstance(question, Case) else question.point.key
    item = Item(backend.name, check.key, subject, dtype)
    executor = Executor(backend, seed=0, effort=Effort(1, 1, 1, 1), shrink=False)
    return executor.told(item, tally)
