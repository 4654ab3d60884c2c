"""Questions about compositions: random programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.backend import Backend
from conformance.checks import Check, load_all
from conformance.ops import find
from conformance.program import PREFIX, Program
from conformance.questions.kind import Arguments, Fails, Item, Kind, Question, register
from conformance.strategies import Effort
from conformance.strategies.programs import draw_programs, smallest_program


class ProgramQuestion(Question[Program]):
    """A program."""

    def on(self, backend: Backend) -> Arguments:
        """The backend and the program."""
        return backend, self.input

    def shrink(self, check: Check, seed: int, effort: Effort, is_failing: Fails) -> Question[Any] | None:
        """The smallest failing program among those drawn for the seed and around them."""
        smallest = smallest_program(
            find, self.input.dtype, seed, effort.programs, lambda p: is_failing(ProgramQuestion(p))
        )
        return None if smallest is None else ProgramQuestion(smallest)


FEWER = 6  # times as few programs for an engine that compiles each


@register
class ProgramKind(Kind):
    """Checks of compositions, run on random programs."""

    name = "program"
    prefix = PREFIX
    is_slow = True

    def items(self, checks: Sequence[Check], backend: str, dtypes: Sequence[str]) -> Iterator[Item]:
        """Every check in its dtypes."""
        for dtype in dtypes:
            for check in checks:
                if dtype in check.dtypes:
                    yield Item(backend, check.key, "program", dtype)

    def path(self, item: Item) -> tuple[str, ...]:
        """Check, dtype."""
        return item.definition.name, item.dtype

    def coverage(self, check: Check) -> str:
        """Graphs."""
        return "Small random graphs of ops."

    def rounds(
        self, items: Sequence[Item], backend: Backend, seed: int, effort: Effort
    ) -> Iterator[tuple[Question[Any], Sequence[Item]]]:
        """The programs drawn for the seed; few of them where each is compiled."""
        count = max(1, effort.programs // FEWER) if effort.is_compact else effort.programs
        for program in draw_programs(find, items[0].dtype, seed, count):
            yield ProgramQuestion(program), items

    def read(self, token: str, key: str) -> Iterator[tuple[Check, Question[Any]]]:
        """The program, for the check that is named or for every check of programs."""
        question = ProgramQuestion(Program.from_token(token))
        for check in load_all().values():
            if check.kind == self.name and key in ("", check.key):
                yield check, question
