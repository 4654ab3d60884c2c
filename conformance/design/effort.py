"""How much is asked, and what coverage that has to reach."""

from __future__ import annotations

from dataclasses import dataclass, replace

CHEAPER = 4  # times as many signatures are asked of an engine that compiles nothing for them


@dataclass(frozen=True)
class Effort:
    """How much is drawn.

    Attributes:
        signatures: of an op, at least: an engine may compile each.
        draws: values drawn for each signature.
        samples: of each clause's check.
        programs: random ones.
        strength: what the signatures cover (`conformance.design.signatures`); 0 asks for their number alone.
        compiles: whether the engine compiles each signature.
    """

    signatures: int
    draws: int
    samples: int
    programs: int
    strength: int = 0
    compiles: bool = True

    @property
    def few(self) -> int:
        """How many signatures decide a check for each of whose cases an engine compiles again."""
        return max(1, self.signatures // 4)

    def without_compilation(self) -> Effort:
        """The same effort on an engine to which a new signature costs nothing: more of them, one strength higher."""
        strength = self.strength + 1 if self.strength else 0
        draws = max(1, self.draws // CHEAPER) if strength else self.draws
        signatures = CHEAPER * self.signatures if strength else self.signatures
        return replace(self, signatures=signatures, draws=draws, strength=strength, compiles=False)
