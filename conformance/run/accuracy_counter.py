"""AccuracyCounter: what all comparisons of one check amount to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from conformance.case import Array
from conformance.checks.comparison import Comparison
from conformance.runfile.accuracy import EDGES, Accuracy

DIGITS = 4  # of an error: the rest is noise that does not compress


class AccuracyCounter:
    """Counts the entries of all comparisons of one check."""

    def __init__(self) -> None:
        self._ratios: list[Array] = []
        self._ulps: list[Array] = []
        self._worst = 0.0
        self._where = ""
        self._token: Callable[[], str] = str

    def add(self, comparisons: Sequence[Comparison], token: Callable[[], str]) -> None:
        """Count the entries of what one question compared; `token` gives the question, where it is the worst."""
        for compared in comparisons:
            ulps = compared.ulps[compared.is_decided]
            if not ulps.size:
                continue
            self._ratios.append(compared.ratio[compared.is_decided])
            self._ulps.append(ulps.astype(np.float32))
            worst = float(ulps.max())
            if worst > self._worst:
                self._worst, self._token = worst, token
                self._where = _where(compared)

    def result(self) -> Accuracy | None:
        """What they amount to; None where no entry was compared."""
        if not self._ulps:
            return None
        typical = float(np.median(np.concatenate(self._ulps)))
        bins = tuple(map(int, _counts(np.concatenate(self._ratios))))
        return Accuracy(bins, _brief(typical), _brief(self._worst), self._where, self._token())


def _counts(ratio: Array) -> Array:
    bins = np.where(ratio == 0, 0, 1 + np.searchsorted(EDGES, ratio))
    return np.bincount(bins, minlength=len(EDGES) + 2)


def _where(compared: Comparison) -> str:
    """The entry furthest out, in words."""
    furthest = np.argmax(np.where(compared.is_decided, compared.ulps, -1))
    place = [int(i) for i in np.unravel_index(furthest, compared.ulps.shape)]
    return f"{compared.what} at {place}" if place else compared.what


def _brief(value: float) -> float | None:
    return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None
