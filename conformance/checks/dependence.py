"""Which values depend on an entry of an operand, found from the reference at several numbers in its place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.backend import as_tuple
from conformance.case import Array
from conformance.checks.observation import Observation

FACTORS = (0.75, 1.5, -1.0)  # what the entry is multiplied with, within its domain


def sure_to_be_nan(seen: Observation, index: int, place: int) -> list[Array]:
    """For each output which of its entries change with one of an operand's, and are NaN by the reference where that is."""
    domain, own = seen.op.domain(index), float(seen.case.operands[index].flat[place])
    tried = [own, *(float(np.clip(factor * own, domain.low, domain.high)) for factor in FACTORS)]
    with np.errstate(all="ignore"):
        first, *others, at_nan = (
            as_tuple(
                seen.op.reference(*with_number(seen.case.operands, index, place, x), **seen.case.parameters)
            )
            for x in (*tried, np.nan)
        )
    return [
        np.any([z[n] != first[n] for z in others], axis=0) & np.isnan(at_nan[n]) for n in range(len(first))
    ]


def with_number(operands: Sequence[Array], index: int, place: int, number: float) -> list[Array]:
    """The operands, with another number at a place of one of them."""
    changed = [np.array(x) for x in operands]
    changed[index].flat[place] = number
    return changed
