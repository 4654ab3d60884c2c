"""The calls of one op that are tried: what came of each, and which are right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from conformance.backend import Backend
from conformance.case import Array, Case
from conformance.checks.observation import Observation, Oracle
from conformance.errors import Unsupported, is_ctrl_c, is_stop
from conformance.importing import error_state
from conformance.op import Op, Signature
from conformance.parameters import lacked_parameter
from conformance.run.explanations import explanation
from conformance.run.forms import FORMS, case_of, signature_of
from conformance.run.mapped.findings import Finding, raised
from conformance.run.mapped.other_numbers import OTHER_NUMBERS
from conformance.run.mapped.shown_values import in_single_precision
from conformance.run.mapped.values import difference
from conformance.run.verdict import is_slip
from conformance.runfile.texts import in_one_line

OF_ERRORS = (
    "the call changes NumPy's error state for the whole process, np.seterr({}): set it within np.errstate(…)"
)
CLOSE = "the value is near the expected one, and is that of other parameters"
MOST_REFUSED = 2 * FORMS  # calls of an op, after which no others are tried in place of those that are refused
ENOUGH = 3  # calls of operands of some ranks that are refused, for others of these ranks not to be tried
NO_CALLS: Mapping[str, str] = MappingProxyType({})


@dataclass
class Calls:
    """The calls of one op in one dtype, and what came of them.

    Attributes:
        backend, op, dtype: the engine, and what is called.
        note: hears of each call before it is made.
        deadly: calls that are not made again, since they ended the process, and in which way.
        made: the calls that count.
        right: those whose values are right.
        slips, refused, not_offered: what came of the others.
    """

    backend: Backend
    op: Op
    dtype: str
    note: Callable[[str], None]
    deadly: Mapping[str, str]
    made: list[Signature] = field(default_factory=list)
    right: list[Case] = field(default_factory=list)
    slips: list[Finding] = field(default_factory=list)
    refused: list[Finding] = field(default_factory=list)
    not_offered: list[Finding] = field(default_factory=list)

    def case(self, signature: Signature) -> Case:
        """A call of this op, in this dtype."""
        return case_of(self.op, signature, self.dtype)

    def tried(self, case: Case) -> tuple[str, Finding | None]:
        """What came of a call: "slip", "refused" or "not offered", with its finding; "" and None where it is right."""
        signature = signature_of(case)
        if case.label in self.deadly:
            return "refused", Finding(case.label, self.deadly[case.label], signature=signature)
        self.note(case.label)
        return called(self.backend, self.op, case, signature)

    def is_offered(self, signature: Signature) -> bool:
        """Whether the call counts as a form: where each may be compiled before it is refused, those not offered do, too.

        What is declared lacking is not called, so that it never counts.
        """
        case = self.case(signature)
        self.made.append(signature)
        kind, finding = self.tried(case)
        if finding is None:
            self.right.append(case)
        else:
            self._of(kind).append(finding)
        return kind != "not offered" or (self.backend.compiles_signatures and not self._is_lacked(signature))

    def replaces(self, signature: Signature) -> bool:
        """Whether the call counts as a form where what the engine refuses does not; each is made once.

        Those that end the process count, of which there may be few, and after many refusals any does, without being made.
        """
        if len(self.refused) > MOST_REFUSED:
            return True
        if signature not in self.made:
            if self._is_hopeless(signature):
                return False
            self.is_offered(signature)
        is_dead = self.case(signature).label in self.deadly
        return is_dead or signature not in self.not_taken

    def is_shown(self, case: Case, seed: int = 0) -> bool:
        """Whether the value of a further call is right; it counts as a call where it is not."""
        signature = signature_of(case)
        if self._is_lacked(signature):
            return False
        kind, finding = self.tried(case)
        if finding is not None and kind != "not offered":
            self.made.append(signature)
            self._of(kind).append(replace(finding, seed=seed))
        return finding is None

    @property
    def not_taken(self) -> list[Signature]:
        """The calls that are refused or not offered."""
        return [finding.signature for finding in self.refused + self.not_offered]

    def _is_hopeless(self, signature: Signature) -> bool:
        """Whether all calls with operands of these ranks are refused, and there were some."""
        alike = [s for s in self.made if _ranks(s) == _ranks(signature)]
        return len(alike) >= ENOUGH and all(s in self.not_taken for s in alike)

    def _is_lacked(self, signature: Signature) -> bool:
        return bool(lacked_parameter(self.op.name, signature.parameters, self.backend.lacks))

    def _of(self, kind: str) -> list[Finding]:
        return {"slip": self.slips, "refused": self.refused, "not offered": self.not_offered}[kind]


def _ranks(signature: Signature) -> list[int]:
    return [len(shape) for shape in signature.shapes]


def called(backend: Backend, op: Op, case: Case, signature: Signature) -> tuple[str, Finding | None]:
    """What came of a call, and of the same with other numbers where those show more."""
    kind, finding = _tried(backend, op, case, signature)
    for further in OTHER_NUMBERS:
        if finding is None and (again := further(op, case)) is not None:
            kind, finding = _tried(backend, op, again, signature)
    return kind, finding


def _tried(backend: Backend, op: Op, case: Case, signature: Signature) -> tuple[str, Finding | None]:
    errors = np.geterr()
    try:
        return _compared(backend, op, case, signature)
    except ErrorState as changed:
        return "slip", Finding(case.label, OF_ERRORS.format(changed), "", signature=signature)
    finally:
        np.seterr(**errors)


class ErrorState(Exception):
    """A call changed how NumPy tells of overflow and the like, for the whole process; the message is what it set."""


def _answered(backend: Backend, op: Op, case: Case) -> Sequence[Array]:
    """The values of a call; ErrorState where it leaves NumPy's error state changed."""
    errors = error_state()
    try:
        return Observation(backend, Oracle(op, case)).forward()
    finally:
        if changed := {kind: how for kind, how in error_state().items() if how != errors[kind]}:
            raise ErrorState(", ".join(f"{kind}={how!r}" for kind, how in changed.items()))


def _compared(backend: Backend, op: Op, case: Case, signature: Signature) -> tuple[str, Finding | None]:
    try:
        values = _answered(backend, op, case)
    except ErrorState:
        raise
    except Unsupported as reason:
        return "not offered", Finding(case.label, in_one_line(str(reason)), signature=signature)
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        # What would end a process is no refusal, whoever raises it; a panic of an engine, no Exception either, is one.
        is_wrong = is_slip(error, type(backend)) or is_stop(error)
        kind = "slip" if is_wrong else "refused"
        return kind, raised(case, error, backend, signature)
    wrong = difference(op, case, values)
    if not wrong and (rounded := in_single_precision(op, case, values)):
        return "slip", Finding(case.label, CLOSE, "", rounded, signature, is_value=True)
    if not wrong:
        return "", None
    return "slip", Finding(case.label, wrong, "", explanation(op, case, values), signature, is_value=True)
