"""Testimony: what diagnostics that do not use the rule say where a gradient differs from the reference VJP."""

from __future__ import annotations

import enum

import msgspec

from conformance.errors import ConformanceError, Violation


class Agreement(enum.StrEnum):
    """With whom a diagnostic agrees."""

    ENGINE = "engine"
    RULE = "rule"
    NEITHER = "neither"
    UNKNOWN = ""  # it cannot tell


class Fault(enum.StrEnum):
    """Whose fault it is that a gradient differs from the reference VJP; only the first is counted as a failure."""

    ENGINE = "engine wrong"
    RULE = "rule wrong"
    ADAPTER = "adapter wrong"
    CONDITIONING = "ill-conditioned"


class Diagnostic(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one diagnostic says of the entry that is furthest out."""

    name: str
    says: str
    agrees_with: Agreement = Agreement.UNKNOWN

    @property
    def told(self) -> str:
        """Its testimony in a line."""
        return f"{self.name}: {self.says} ({AGREEMENT_TEXT[self.agrees_with]})"


AGREEMENT_TEXT = {
    Agreement.ENGINE: "agrees with the engine",
    Agreement.RULE: "agrees with the rule",
    Agreement.NEITHER: "agrees with neither",
    Agreement.UNKNOWN: "cannot tell",
}


class DiagnosedViolation(Violation):
    """A violation with what the diagnostics say of it, and whose fault that makes it.

    `operand` is the one whose gradient they were asked about, at the entry `where`.
    """

    def __init__(
        self, violation: Violation, fault: Fault, diagnostics: tuple[Diagnostic, ...], operand: int
    ) -> None:
        super().__init__(
            str(violation),
            expected=violation.expected,
            got=violation.got,
            allowed=violation.allowed,
            where=violation.where,
            error=violation.error,
            ulp=violation.ulp,
            because=violation.because,
        )
        self.fault = fault
        self.diagnostics = diagnostics
        self.operand = operand


class NotEngineFault(ConformanceError):
    """A gradient differs from the reference VJP, and by the diagnostics that is not the engine's fault."""

    def __init__(self, message: str, diagnosed: DiagnosedViolation) -> None:
        super().__init__(message)
        self.diagnosed = diagnosed
