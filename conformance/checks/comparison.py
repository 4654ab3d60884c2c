"""Measuring: how far every entry that is held to an oracle lies from what is exact.

A check says whether all entries are near enough; what it compared is kept here, so that a result can tell how
near they are. Outside of `measuring` nothing is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from conformance.case import Array
from conformance.collector import Collector


@dataclass(frozen=True)
class Comparison:
    """Arrays of one shape: for every entry its error over what is allowed, and in units in the last place.

    `is_decided` tells the entries of which anything is asked. A unit is one at the conditioning of the case.
    """

    what: str
    ratio: Array
    ulps: Array
    is_decided: Array


# Within `measuring()` every comparison with an oracle is put into a list, and into no list outside. Where a question
# is put anew, `measuring.clear()` drops what was compared so far: its entries count once.
measuring = Collector[Comparison]("comparisons")
