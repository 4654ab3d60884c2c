"""Testimony: what witnesses that do not use the rule say where a gradient is not the rule's."""

from __future__ import annotations

import enum

import msgspec

from conformance.errors import ConformanceError, Violation


class Side(enum.StrEnum):
    """With whom a witness agrees."""

    ENGINE = "engine"
    RULE = "rule"
    NEITHER = "neither"
    UNKNOWN = ""  # it cannot tell


class Fault(enum.StrEnum):
    """Whose fault it is that a gradient is not the rule's; only the first is counted as a failure."""

    ENGINE = "engine wrong"
    RULE = "rule wrong"
    ADAPTER = "adapter wrong"
    CONDITIONING = "ill-conditioned"


class Witness(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one witness says of the entry that is furthest out."""

    name: str
    says: str
    agrees_with: Side = Side.UNKNOWN

    @property
    def told(self) -> str:
        """Its testimony in a line."""
        return f"{self.name}: {self.says} ({AGREEING[self.agrees_with]})"


AGREEING = {
    Side.ENGINE: "agrees with the engine",
    Side.RULE: "agrees with the rule",
    Side.NEITHER: "agrees with neither",
    Side.UNKNOWN: "cannot tell",
}


class Heard(Violation):
    """A violation with what the witnesses say of it, and whose fault that makes it.

    `operand` is the one whose gradient they were asked about, at the entry `where`.
    """

    def __init__(
        self, violation: Violation, fault: Fault, witnesses: tuple[Witness, ...], operand: int
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
        self.witnesses = witnesses
        self.operand = operand


class Acquitted(ConformanceError):
    """A gradient is not the rule's, and by the witnesses that is not the engine's fault."""

    def __init__(self, message: str, heard: Heard) -> None:
        super().__init__(message)
        self.heard = heard
