"""A clause: one numbered sentence of the standard."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Level(enum.StrEnum):
    """How binding a clause is; the value is the word used in it."""

    MUST = "must"
    SHOULD = "should"
    MAY = "may"
    REPORTED = "reported"
    SHOWN = "example"


@dataclass(frozen=True)
class Clause:
    """One sentence, how binding it is, and what harm a user suffers where it does not hold.

    `conventions` lists the behaviours that all conform, of which an adapter declares one; empty where only one conforms.
    """

    number: str
    level: Level
    sentence: str
    reason: str
    conventions: tuple[str, ...] = ()

    @property
    def chapter(self) -> str:
        """The chapter's letter."""
        return self.number[0]


CHAPTERS = {
    "A": "Seeding and results",
    "B": "Accumulation and the graph",
    "C": "Modes and transforms",
    "D": "Mutation, views, aliasing",
    "E": "Values",
    "F": "Cost",
    "W": "Worked examples",
}
