"""Questions about ops: cases, which all checks of an op share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import accumulate, islice
from typing import Any, cast
from zlib import crc32

from conformance.backend import Backend
from conformance.case import PREFIX, Case
from conformance.checks import Check, load_all
from conformance.checks.comparison import Decisive
from conformance.checks.engine_calls import decline_if_declared
from conformance.checks.observation import Observation, Oracle
from conformance.design.coverage import row_number, share_of
from conformance.diagnosis.diagnose import diagnose
from conformance.errors import Violation
from conformance.op import Trait
from conformance.ops import ALL_OPS, CATALOGUE, FLAT, find
from conformance.oracle.allowance import MANY_PERTURBATIONS, PERTURBATIONS
from conformance.oracle.uncertainty import beyond_doubt
from conformance.parameters import lacked_parameter
from conformance.questions.kind import Arguments, Fails, Item, Kind, Question, first_few, register
from conformance.strategies import Effort, draw_cases, more_cases, smallest_case, windows
from conformance.values import MAGNITUDES

COUNTED = frozenset({"op/vjp", "op/flat"})  # the checks to which every case of an op is put
COUNTS = {"levels": 1, "pairs": 2}  # what is counted, by how many levels are combined
FURTHER = 32  # cases, after those of a profile, in which a check may yet be decided
DRAWN_IN_ALL = 8 * FURTHER  # among which are so many whose parameters the engine takes


class CaseQuestion(Question[Case]):
    """A case of an op."""

    @property
    def subject(self) -> str:
        """The op."""
        return self.input.op

    @property
    def deciding(self) -> Decisive:
        """Of an op whose value and gradient are zero an answer of zeros is the right one."""
        return Decisive.NOT_ZERO if Trait.VANISHING in find(self.input.op).traits else Decisive.ZERO

    @cached_property
    def _oracle(self) -> Oracle:
        return Oracle(find(self.input.op), self.input)

    def on(self, backend: Backend) -> Arguments:
        """One observation for all checks: the engine answers once."""
        return (Observation(backend, self._oracle),)

    def run(self, check: Check, arguments: Arguments) -> Any:
        """Run a check on the observed case.

        Where values differ, the allowance is found again from many trials: a few are enough to let an engine pass,
        not to call it wrong. Before it is, the difference is diagnosed.
        """
        (seen,) = cast("tuple[Observation]", arguments)
        try:
            return check.function(seen)
        except Violation as failure:
            if failure.error is None:
                raise
            if failure.error > beyond_doubt(seen.case.dtype) or seen.perturbations != PERTURBATIONS:
                raise _diagnosed(check, seen, failure) from None
        except Exception as refusal:
            decline_if_declared(refusal, seen.backend, seen.op.name, seen.case.dtype)
            raise
        again = seen.with_perturbations(MANY_PERTURBATIONS)
        try:
            return check.function(again)
        except Violation as failure:
            raise _diagnosed(check, again, failure) from None

    @property
    def is_empty(self) -> bool:
        """Whether it has no outputs, or an operand without entries."""
        return not all(x.size for x in (*self.input.operands, *self.input.cotangents))

    def rows(self, check: Check) -> Sequence[int]:
        """The row of the op that the case is: every case of an op is put to one check."""
        number = row_number(find(self.input.op), self.input) if check.key in COUNTED else None
        return () if number is None else (number,)

    def shrink(self, check: Check, seed: int, effort: Effort, is_failing: Fails) -> Question[Any] | None:
        """The smallest failing case of the op."""
        case = self.input
        smallest = smallest_case(find(case.op), case, lambda c: is_failing(CaseQuestion(c)))
        return None if smallest is None else CaseQuestion(smallest)


def _diagnosed(check: Check, seen: Observation, failure: Violation) -> BaseException:
    is_diagnosed = check.is_diagnosed and failure.error is not None
    return diagnose(seen, failure, MANY_PERTURBATIONS) if is_diagnosed else failure


def _by_textures(items: Sequence[Item]) -> Iterator[tuple[tuple[str, ...], list[Item]]]:
    """The items whose checks want the same textures, for every choice of textures."""
    for textures in dict.fromkeys(item.definition.textures for item in items):
        yield textures, [item for item in items if item.definition.textures == textures]


def _numbered(cases: Sequence[Case]) -> Iterator[tuple[int, Case]]:
    """Each case with the number of its signature, counted from 0."""
    return zip(accumulate((case.draw == 0 for case in cases[1:]), initial=0), cases, strict=True)


def _beginning(item: Item, effort: Effort, choices: int) -> int:
    """With which signature a check of few of them begins: those of one clause take turns, and every op begins elsewhere."""
    check = item.definition
    if choices == 1 or check.enough(item.dtype, effort) == math.inf:
        return 0
    place = _sparing(check.clause).index(check.key) + crc32(f"{check.clause} {item.subject}".encode())
    return effort.few * (place % choices)


@cache
def _sparing(clause: str) -> list[str]:
    """The checks of ops under a clause, some of which take a few signatures."""
    checks = [check for check in load_all().values() if check.kind == "op" and check.clause == clause]
    return sorted(check.key for check in checks if check.sparing or check.sparing_in)


@register
class OpKind(Kind):
    """Checks of ops, run on their cases."""

    name = "op"
    prefix = PREFIX

    def items(self, checks: Sequence[Check], backend: str, dtypes: Sequence[str]) -> Iterator[Item]:
        """Every check of every op that it applies to, in its dtypes."""
        asking = [(op.name, [check for check in checks if check.asks_about(op)]) for op in ALL_OPS.values()]
        for dtype in dtypes:
            for name, of_op in asking:
                for check in of_op:
                    if dtype in check.dtypes:
                        yield Item(backend, check.key, name, dtype)

    def path(self, item: Item) -> tuple[str, ...]:
        """Op, check, dtype."""
        return item.subject, item.definition.name, item.dtype

    def scope(self, item: Item) -> str:
        """The op and the dtype."""
        return f"op/{item.subject}/{item.dtype}"

    def measured_coverage(self, item: Item, rows: Sequence[int]) -> dict[str, tuple[int, int]]:
        """The levels and the pairs of levels that are reached, of those that the op offers."""
        op = find(item.subject)
        return {name: share_of(op, rows, n) for name, n in COUNTS.items()} if rows else {}

    def coverage(self, check: Check) -> str:
        """The ops, which of their cases, and the dtypes."""
        rows, what = (FLAT, "flat ops") if check.is_of_flat else (CATALOGUE, "ops")
        names = [op.name for op in rows.values() if check.asks_about(op)]
        compiled = ", a few of an engine that compiles" if check.compiles else ""
        once = "a few signatures" if check.sparing else f"one draw of every signature{compiled}"
        how = once if check.once_per_signature else "every drawn case"
        how += " of operands of every magnitude" if check.textures == MAGNITUDES else ""
        dtypes = " and ".join(sorted(check.dtypes))
        few = first_few(names)
        return f"{len(names)} of {len(rows)} {what} ({few}), {how}, in {dtypes} where the engine has it."

    def query(self, check: Check) -> str:
        """The check of every op."""
        return f"{self.name}/*/{check.name}"

    def concerns(self, item: Item, ops: Sequence[str]) -> bool:
        """Whether it is about one of the ops."""
        return item.subject in ops

    def op_of(self, item: Item) -> str:
        """Its op."""
        return item.subject

    def require(self, item: Item, backend: Backend) -> None:
        """Raise Unsupported also where the adapter does not have the op."""
        backend.op(item.subject)
        super().require(item, backend)

    def rounds(
        self, items: Sequence[Item], backend: Backend, seed: int, effort: Effort
    ) -> Iterator[tuple[Question[Any], Sequence[Item]]]:
        """The cases of the op for every choice of textures, each for the checks of those textures.

        Checks of a few signatures begin at different ones, so that they see many together; where those that follow
        are not enough one takes those before, too.
        """
        op, dtype = find(items[0].subject), items[0].dtype
        for textures, takers in _by_textures(items):
            cases = draw_cases(op, dtype, seed, effort, textures)
            choices = windows(op, dtype, seed, effort, textures)
            first = {item: _beginning(item, effort, choices) for item in takers}
            for number, case in _numbered(cases):
                yield CaseQuestion(case), [item for item in takers if number >= first[item]]
            for number, case in _numbered(cases):
                if waiting := [item for item in takers if number < first[item]]:
                    yield CaseQuestion(case), waiting

    def more_rounds(
        self,
        items: Sequence[Item],
        backend: Backend,
        seed: int,
        effort: Effort,
        is_open: Callable[[Item], bool],
    ) -> Iterator[tuple[Question[Any], Sequence[Item]]]:
        """Further cases, each as if it were the first of its signature."""
        op, dtype = find(items[0].subject), items[0].dtype
        for textures, takers in _by_textures(items):
            count = FURTHER // 4 if effort.is_compact else FURTHER
            drawn = islice(more_cases(op, dtype, seed, effort, textures), DRAWN_IN_ALL)
            offered = (c for c in drawn if not lacked_parameter(op.name, c.parameters, backend.lacks))
            for case in islice(offered, count):
                if not any(map(is_open, takers)):
                    break
                yield CaseQuestion(replace(case, draw=0)), takers

    def is_enough(self, item: Item, question: Question[Any], cases: int, effort: Effort) -> bool:
        """Whether the check is about signatures and has seen this one, or was decided by as many as it wants."""
        check, case = item.definition, cast("CaseQuestion", question).input
        return (check.once_per_signature and case.draw > 0) or cases >= check.enough(case.dtype, effort)

    def read(self, token: str, key: str) -> Iterator[tuple[Check, Question[Any]]]:
        """The case, for the check that is named or for every one that is meant for its dtype and textures."""
        question = CaseQuestion(Case.from_token(token))
        op = find(question.input.op)
        for check in load_all().values():
            is_wanted = check.key == key if key else check.is_meant_for(question.input)
            if check.asks_about(op) and is_wanted:
                yield check, question
