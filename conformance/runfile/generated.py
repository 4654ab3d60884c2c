"""What came of mutants made by program, as lines of a run file and as scores of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec


class GeneratedLine(msgspec.Struct, frozen=True, tag="generated", omit_defaults=True):
    """What came of one mutant made by program.

    Attributes:
        name: by which it is found again, for the seed.
        kind: "rules", "engine" or "guarded".
        subject: the op, the module of the engine, or the fault of its bookkeeping.
        how: the operator that made it, or the factors of its condition.
        wrong: what is wrong.
        asked: the profiles that it was asked at, in order; the first that catches it is the last.
        profile: the one that caught it; empty where none did.
        killer: the item that caught it.
        verdict: what that item found, or how the mutant ended its process.
        apart: of a survivor that is no hole, why: it is equivalent, or cannot be reached.
        shows: of any other survivor, the factor by which it differs from what is right, and where.
        seconds: what it cost.
    """

    name: str
    kind: str
    subject: str
    how: str
    wrong: str
    asked: tuple[str, ...] = ()
    profile: str = ""
    killer: str = ""
    verdict: str = ""
    apart: str = ""
    shows: str = ""
    seconds: float = 0.0

    @property
    def is_survivor(self) -> bool:
        """Whether nothing caught it, though it is another engine."""
        return not self.profile and not self.apart


class GeneratedScore(msgspec.Struct, frozen=True):
    """How many mutants of one kind a profile catches, with those that were asked before it.

    Attributes:
        kind: of mutants.
        profile: the most thorough that was asked.
        killed: how many it and those before it caught.
        of: how many there are, without those that stand apart.
        apart: how many are equivalent or cannot be reached.
    """

    kind: str
    profile: str
    killed: int
    of: int
    apart: int

    @property
    def share(self) -> float:
        """The part that is killed, from 0 to 1; 1 where there is none."""
        return self.killed / self.of if self.of else 1.0


def scores_of(lines: Iterable[GeneratedLine]) -> list[GeneratedScore]:
    """The score of each kind at each profile that was asked, in the order in which they come."""
    lines = list(lines)
    found = []
    for kind in dict.fromkeys(line.kind for line in lines):
        own = [line for line in lines if line.kind == kind]
        profiles = max((line.asked for line in own), key=len)  # those of one that none caught early
        apart = sum(bool(line.apart) for line in own)
        for position, profile in enumerate(profiles):
            killed = sum(line.profile in profiles[: position + 1] for line in own if line.profile)
            found.append(GeneratedScore(kind, profile, killed, len(own) - apart, apart))
    return found


def survivors_by_factor(lines: Sequence[GeneratedLine]) -> dict[str, int]:
    """How many survive, by the factor of their condition, or that would have shown them."""
    survivors = [line for line in lines if line.is_survivor]
    return dict(Counter(factor_of(line) for line in survivors).most_common())


def factor_of(line: GeneratedLine) -> str:
    """The factor of a survivor: of its condition, or by which it was seen to differ; else its operator."""
    if line.kind == "guarded":
        return line.how
    return line.shows.partition(":")[0] or f"operator: {line.how}"
