"""How much is asked, and what coverage that has to reach."""

from __future__ import annotations

from dataclasses import dataclass, replace

CHEAPER = 4  # times as many signatures are asked of an engine that compiles nothing for them
COMPACT_DRAWS = 5  # of a signature that stands alone


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
        is_compact: whether coverage is asked of a family as a whole, and its ops share their levels.
    """

    signatures: int
    draws: int
    samples: int
    programs: int
    strength: int = 0
    compiles: bool = True
    is_compact: bool = False

    @property
    def few(self) -> int:
        """How many signatures decide a check for each of whose cases an engine compiles again."""
        return max(1, self.signatures // 4)

    def of_engine(self, *, compiles: bool) -> Effort:
        """The effort on an engine that compiles each signature, or on one that compiles none."""
        if not compiles:
            return self.without_compilation()
        return self.compact() if self.strength == 1 else self

    def compact(self) -> Effort:
        """The same effort where every signature is compiled: few signatures, and many draws of each."""
        return replace(self, signatures=1, draws=COMPACT_DRAWS, samples=1, is_compact=True)

    def without_compilation(self) -> Effort:
        """The same effort on an engine to which a new signature costs nothing: more of them, one strength higher."""
        strength = self.strength + 1 if self.strength else 0
        draws = max(1, self.draws // CHEAPER) if strength else self.draws
        signatures = CHEAPER * self.signatures if strength else self.signatures
        return replace(self, signatures=signatures, draws=draws, strength=strength, compiles=False)
