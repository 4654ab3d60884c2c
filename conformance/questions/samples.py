"""Questions about the engine as a whole: samples of contracts, worked examples and capabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from conformance.backend import Backend
from conformance.checks import Check, load_all
from conformance.checks.declared_refusals import decline_if_declared, op_to_name
from conformance.checks.registry import FULL, UndeclaredConvention, assumed_convention
from conformance.checks.sample import PREFIX, Sample
from conformance.clauses import STANDARD
from conformance.errors import Unsupported, UsageError, Violation
from conformance.questions.kind import Arguments, Item, Kind, Question, register
from conformance.runfile.records import Verdict
from conformance.strategies import Effort


class NoConvention(Violation):
    """None of the conventions of a clause holds, where the adapter declares none.

    Attributes:
        clause: its number.
        convention: the one whose failure is shown, the first that has numbers.
    """

    def __init__(self, clause: str, failures: Mapping[str, Violation]) -> None:
        said = [
            f"as {name!r}: {str(each).replace(f'; the adapter declares {name!r}', '')}"  # it declares none
            for name, each in failures.items()
        ]
        reasons = {text.partition(": ")[2] for text in said}
        if len(reasons) == 1:
            said = [f"under each convention: {reasons.pop()}"]
        has_numbers = (name for name, each in failures.items() if each.expected is not None)
        self.clause, self.convention = clause, next(has_numbers, next(iter(failures)))
        shown = failures[self.convention]
        super().__init__(
            f"none of the conventions of {clause} holds; {'; '.join(said)}",
            expected=shown.expected,
            got=shown.got,
            allowed=shown.allowed,
            where=shown.where,
        )


class SampleQuestion(Question[Sample]):
    """A sample of one check."""

    def on(self, backend: Backend) -> Arguments:
        """The backend, and a sample that no check has drawn from yet."""
        return backend, replace(self.input)

    def run(self, check: Check, arguments: Arguments) -> Any:
        """Run the check; where the adapter declares no convention, one of them must hold all the same.

        An exception of the engine's that says that it has no gradient of an op, as the adapter declares, is Unsupported.
        """
        try:
            return self._by_some_convention(check, arguments)
        except Exception as failure:
            decline_if_declared(failure, arguments[0])
            raise

    def _by_some_convention(self, check: Check, arguments: Arguments) -> Any:
        try:
            return super().run(check, arguments)
        except UndeclaredConvention as undeclared:
            self._require_some_convention(check, arguments[0], undeclared.clause)
            raise

    def record(self, check: Check, recorder: Backend, failure: BaseException | None) -> None:
        """Where none of a clause's conventions holds, by the one whose failure is shown: without one the check ends too early."""
        by: AbstractContextManager[None] = nullcontext()
        if type(failure) is NoConvention:
            by = assumed_convention(recorder, failure.clause, failure.convention)
        with by:
            super().record(check, recorder, failure)

    def _require_some_convention(self, check: Check, backend: Backend, clause: str) -> None:
        """Raise Violation where the check holds by none of the conventions of the clause."""
        failures: dict[str, Violation] = {}
        for convention in STANDARD[clause].conventions:
            try:
                with assumed_convention(backend, clause, convention):
                    super().run(check, self.on(backend))
            except Violation as failure:
                failures[convention] = failure
            else:
                return
        raise NoConvention(clause, failures)


class SampleKind(Kind):
    """Checks of the engine as a whole, run on a few samples each."""

    prefix = PREFIX

    def items(self, checks: Sequence[Check], backend: str, dtypes: Sequence[str]) -> Iterator[Item]:
        """One item per check: its samples are of several dtypes."""
        for check in checks:
            yield Item(backend, check.key, check.clause, "")

    def path(self, item: Item) -> tuple[str, ...]:
        """Clause, check."""
        return item.definition.clause, item.definition.name

    def require(self, item: Item, backend: Backend) -> None:
        """Raise Unsupported also where the engine has none of the dtypes in which samples are drawn."""
        if not set(backend.dtypes) & set(FULL):
            has = " and ".join(backend.dtypes)
            raise Unsupported(f"asked in {' and '.join(sorted(FULL))}, and {backend.engine} has {has} alone")
        super().require(item, backend)

    def rounds(
        self, items: Sequence[Item], backend: Backend, seed: int, effort: Effort
    ) -> Iterator[tuple[Question[Any], Sequence[Item]]]:
        """The samples of a check, whose dtypes take turns."""
        dtypes = [dtype for dtype in backend.dtypes if dtype in FULL]
        for item in items:
            for n in range(effort.samples):
                yield SampleQuestion(Sample(seed * 1000 + n, dtypes[n % len(dtypes)], item.check)), [item]

    def more_rounds(
        self,
        items: Sequence[Item],
        backend: Backend,
        seed: int,
        effort: Effort,
        is_open: Callable[[Item], bool],
    ) -> Iterator[tuple[Question[Any], Sequence[Item]]]:
        """As many samples again."""
        more = replace(effort, samples=2 * effort.samples)
        for number, (question, takers) in enumerate(self.rounds(items, backend, seed, more)):
            if number % more.samples >= effort.samples and any(map(is_open, takers)):
                yield question, takers

    def read(self, token: str, key: str) -> Iterator[tuple[Check, Question[Any]]]:
        """The sample, for the check that its token names."""
        sample = Sample.from_token(token)
        if sample.check not in load_all():
            raise UsageError(f"the token is of the check {sample.check}, which does not exist here")
        yield load_all()[sample.check], SampleQuestion(sample)


@register
class ContractKind(SampleKind):
    """Checks of clauses about the engine as a whole."""

    name = "contract"


@register
class ExampleKind(SampleKind):
    """The worked examples."""

    name = "example"


OFFERED = "offer that call, whatever else the engine lacks of it, or do not declare it"
UNDECLARED = "declares no convention for"  # what UndeclaredConvention says
OF_A_FAULT = (
    "declare the one that is meant, also where smoke finds that none holds: what the engine does otherwise then fails that "
    "clause's checks, as its fault; or do not declare the capability"
)


@register
class CapabilityKind(SampleKind):
    """Probes of declared capabilities, run whether or not they are declared."""

    name = "capability"

    def path(self, item: Item) -> tuple[str, ...]:
        """The capability."""
        return (item.definition.name,)

    def coverage(self, check: Check) -> str:
        """The engine as a whole, by few ops."""
        return (
            "The engine as a whole, by functions of add and multiply, of sum where a scalar is needed, and of what the sentence "
            "above names; where `ops` lacks one of these ops, it is unsupported, and names it."
        )

    def verdict(self, check: Check, backend: Backend, verdict: Verdict, message: str) -> tuple[Verdict, str]:
        """Declared and working is a pass; declared and broken a failure; not declared but working is reported."""
        is_declared = any(c.label == check.name for c in backend.capabilities)
        if is_declared and verdict is Verdict.UNSUPPORTED and op_to_name(backend, message):
            return verdict, f"{message}, of which the question of {check.name} is made"
        if is_declared and verdict is Verdict.UNSUPPORTED and not FULL.isdisjoint(backend.dtypes):
            way_out = OF_A_FAULT if UNDECLARED in message else OFFERED
            return (
                Verdict.FAIL,
                f"{check.name} is declared, but what its probe asks for is not there: {message}; {way_out}",
            )
        if is_declared:
            return verdict, message if verdict is Verdict.UNSUPPORTED else ""
        if verdict is Verdict.PASS:
            return Verdict.UNSUPPORTED, f"{check.name} is not declared, yet it works: declare it"
        return Verdict.UNSUPPORTED, f"not declared ({message})"
