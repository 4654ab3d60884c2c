"""Diagnostics: findings that do not use the rule, where a gradient differs from the reference VJP."""

from __future__ import annotations

import enum

import msgspec

from conformance.errors import ConformanceError, Violation


class Agreement(enum.StrEnum):
    """Whether a diagnostic agrees with the engine or with the rule."""

    ENGINE = "engine"
    RULE = "rule"
    NEITHER = "neither"
    UNKNOWN = ""  # it does not decide


class Fault(enum.StrEnum):
    """Why a gradient differs from the reference VJP; only the first is counted as a failure."""

    ENGINE = "engine wrong"
    RULE = "rule wrong"
    ADAPTER = "adapter wrong"
    CONDITIONING = "ill-conditioned"


class Diagnostic(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one diagnostic finds at the worst entry."""

    name: str
    says: str
    agrees_with: Agreement = Agreement.UNKNOWN

    @property
    def line(self) -> str:
        """The finding as a line of text."""
        return f"{self.name}: {self.says} ({AGREEMENT_TEXT[self.agrees_with]})"


AGREEMENT_TEXT = {
    Agreement.ENGINE: "agrees with the engine",
    Agreement.RULE: "agrees with the rule",
    Agreement.NEITHER: "agrees with neither",
    Agreement.UNKNOWN: "does not decide",
}


class DiagnosedViolation(Violation):
    """A violation with its diagnosis: the diagnostics, and the fault that they amount to.

    `operand` is the one whose gradient was diagnosed, at the entry `where`.
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
            comparisons=violation.comparisons,
        )
        self.fault = fault
        self.diagnostics = diagnostics
        self.operand = operand


class NotEngineFault(ConformanceError):
    """A gradient differs from the reference VJP, and by the diagnosis that is not the engine's fault."""

    def __init__(self, message: str, diagnosed: DiagnosedViolation) -> None:
        super().__init__(message)
        self.diagnosed = diagnosed
