"""Measuring: how far every entry that is held to an oracle lies from what is exact.

A check says whether all entries are near enough; what it compared is kept here, so that a result can tell how
near they are. Outside of `measuring` nothing is kept.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass

from conformance.case import Array


@dataclass(frozen=True)
class Comparison:
    """Arrays of one shape: for every entry its error over what is allowed, and in units in the last place.

    `is_decided` tells the entries of which anything is asked. A unit is one at the conditioning of the case.
    """

    what: str
    ratio: Array
    ulps: Array
    is_decided: Array


_kept = ContextVar[list[Comparison] | None]("kept", default=None)


@contextlib.contextmanager
def measuring() -> Iterator[list[Comparison]]:
    """Within the block, every comparison with an oracle is put into a list, and into no list outside."""
    kept: list[Comparison] = []
    token = _kept.set(kept)
    try:
        yield kept
    finally:
        _kept.reset(token)


def keep(comparison: Comparison) -> None:
    """Keep a comparison, where anybody measures."""
    if (kept := _kept.get()) is not None:
        kept.append(comparison)


def forget() -> None:
    """Drop what was compared so far: the question is put anew, and its entries count once."""
    if (kept := _kept.get()) is not None:
        kept.clear()
