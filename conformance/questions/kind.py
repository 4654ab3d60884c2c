"""The protocol of questions: an item of a plan, the concrete inputs it is run on, and the kind of both.

An item names a check, a subject and a dtype. Its kind draws the questions: concrete inputs that can be run on any
backend, written as a token, read from it, and made smaller where they fail.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from conformance.backend import Backend
from conformance.checks import Check, load_all
from conformance.checks.comparison import Decisive
from conformance.clauses import STANDARD, Level
from conformance.runfile.atlas_cell import AtlasCell
from conformance.runfile.records import Verdict
from conformance.runfile.texts import cut
from conformance.strategies import Effort

Arguments = tuple[Any, ...]  # of a check's function
Fails = Callable[["Question[Any]"], bool]


class Input(Protocol):
    """What a question is made of: a case, a program, a history, a sample, a special point."""

    @property
    def dtype(self) -> str:
        """The dtype of its numbers."""

    @property
    def token(self) -> str:
        """It as one printable word, for `conformance replay`."""

    def as_json(self) -> dict[str, Any]:
        """It for a report."""


T = TypeVar("T", bound=Input)


@dataclass(frozen=True, eq=False)
class Question(abc.ABC, Generic[T]):
    """One concrete input of checks, and how they are run on it."""

    input: T

    @property
    def call(self) -> str:
        """The input in a line: its op, shapes, parameters and dtype; empty where it is no call."""
        return cut(getattr(self.input, "label", ""))

    @property
    def subject(self) -> str:
        """What results call it: an op, a special point; empty where the check's clause is the subject."""
        return ""

    @property
    def deciding(self) -> Decisive:
        """What a comparison must have been able to find wrong, so that it decides."""
        return Decisive.ZERO

    @abc.abstractmethod
    def on(self, backend: Backend) -> Arguments:
        """The arguments of a check's function; checks that share them share the engine's answers."""

    def run(self, check: Check, arguments: Arguments) -> Any:
        """What the check returns; raises what it raises."""
        return check.function(*arguments)

    def record(self, check: Check, recorder: Backend, failure: BaseException | None) -> None:
        """Run the check as it failed, through a backend that writes down the calls."""
        check.function(*self.on(recorder))

    @property
    def is_empty(self) -> bool:
        """Whether it has no entries, so that it decides about shapes alone."""
        return False

    def rows(self, check: Check) -> Sequence[int]:
        """The row of the design that it is, for the one check by which coverage is counted."""
        return ()

    def shrink(self, check: Check, seed: int, effort: Effort, is_failing: Fails) -> Question[Any] | None:
        """The smallest question for which `is_failing`; None where none smaller was found."""
        return None


@dataclass(frozen=True)
class Item:
    """One line of a plan: a check, on a subject of a backend, in a dtype."""

    backend: str
    check: str
    subject: str
    dtype: str

    def __reduce__(self) -> tuple[Any, ...]:
        """It travels to another process by its names: a check holds functions, which do not pickle."""
        return Item, (self.backend, self.check, self.subject, self.dtype)

    @property
    def definition(self) -> Check:
        """The check."""
        return load_all()[self.check]

    @property
    def kind(self) -> Kind:
        """The kind of questions it is run on."""
        return kind_of(self.definition)

    @cached_property
    def id(self) -> str:
        """Its one spelling: `mine/op/matmul/vjp/float32`."""
        return "/".join((self.backend, self.definition.kind, *self.kind.path(self)))

    @property
    def scope(self) -> str:
        """What one worker runs together: items that share their questions, in all modes of the engine."""
        return self.kind.scope(self)

    @property
    def group(self) -> tuple[str, str]:
        """The part of its scope that is run in one go: that of one backend."""
        return self.backend, self.scope

    @property
    def level(self) -> str:
        """The level of the clause; a declared capability must be there."""
        clause = STANDARD.get(self.definition.clause)
        return clause.level.value if clause else Level.MUST.value


class Kind(abc.ABC):
    """What a kind of question does; the defaults are those of a check of the engine as a whole.

    Attributes:
        name: the second part of ids, and `Check.kind`.
        prefix: of its tokens.
        is_slow: whether one item takes seconds: the self-test then runs it on few mutants.
        has_upstreams: whether its checks give cotangents of other numbers than 1.
    """

    name: ClassVar[str]
    prefix: ClassVar[str]
    is_slow: ClassVar[bool] = False
    has_upstreams: ClassVar[bool] = True

    @abc.abstractmethod
    def items(self, checks: Sequence[Check], backend: str, dtypes: Sequence[str]) -> Iterator[Item]:
        """The items of these checks for a backend with gradients in these dtypes."""

    @abc.abstractmethod
    def path(self, item: Item) -> tuple[str, ...]:
        """The parts of an item's id that follow the backend and the kind."""

    @abc.abstractmethod
    def rounds(
        self, items: Sequence[Item], backend: Backend, seed: int, effort: Effort
    ) -> Iterator[tuple[Question[Any], Sequence[Item]]]:
        """The questions of items of one group, each with the items it is for."""

    @abc.abstractmethod
    def read(self, token: str, key: str) -> Iterator[tuple[Check, Question[Any]]]:
        """The question that a token holds, with the checks it is meant for; UsageError where it is damaged."""

    def more_rounds(
        self,
        items: Sequence[Item],
        backend: Backend,
        seed: int,
        effort: Effort,
        is_open: Callable[[Item], bool],
    ) -> Iterator[tuple[Question[Any], Sequence[Item]]]:
        """Further questions of items that the first ones did not decide, while one of them `is_open`; never endless."""
        yield from ()

    def scope(self, item: Item) -> str:
        """What one worker runs together; an item that shares no question stands alone."""
        return item.id

    def measured_coverage(self, item: Item, rows: Sequence[int]) -> dict[str, tuple[int, int]]:
        """How many levels and pairs of levels some rows of the design cover, by name; nothing where none is counted."""
        return {}

    def coverage(self, check: Check) -> str:
        """What a check is run on, as a sentence of its page."""
        return "The engine as a whole."

    def query(self, check: Check) -> str:
        """The query with which `conformance run -q` runs a check on all of it."""
        return check.key

    def concerns(self, item: Item, ops: Sequence[str]) -> bool:
        """Whether an item is about the engine as a whole, or about one of these ops."""
        return True

    def op_of(self, item: Item) -> str:
        """The one op that an item is about; empty where it is about several, or the engine as a whole."""
        return ""

    def require(self, item: Item, backend: Backend) -> None:
        """Raise Unsupported where the backend does not offer what the item needs."""
        item.definition.require(backend)

    def is_enough(self, item: Item, question: Question[Any], cases: int, effort: Effort) -> bool:
        """Whether an item that has seen so many deciding cases needs this question no more."""
        return False

    def verdict(self, check: Check, backend: Backend, verdict: Verdict, message: str) -> tuple[Verdict, str]:
        """The verdict on an item; the message is given where it is not the failure's own."""
        return verdict, message

    def atlas_cell(self, arguments: Arguments, failure: BaseException | None) -> AtlasCell | None:
        """What was measured for the atlas; None where nothing is."""
        return None


KINDS: dict[str, Kind] = {}


def first_few(names: Sequence[str], count: int = 6) -> str:
    """So many names, the first, and whether there are more."""
    return ", ".join(names[:count]) + (", …" if len(names) > count else "")


def register(kind: type[Kind]) -> type[Kind]:
    """Make a kind known by its name."""
    KINDS[kind.name] = kind()
    return kind


def kind_of(check: Check) -> Kind:
    """The kind of questions that a check is run on."""
    if check.kind not in KINDS:
        from conformance.questions import all_kinds

        all_kinds()
    return KINDS[check.kind]
