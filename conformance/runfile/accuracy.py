"""Accuracy: how exact the entries are that one check compared, over all its cases.

A number to report, not to pass: whether every entry is near enough is the verdict's.
"""

from __future__ import annotations

import msgspec

# Error over allowance, by powers of two: a good engine's roundings lie between the first edge and the last.
EDGES = tuple(2.0**-k for k in range(8, -1, -1))


class Accuracy(msgspec.Struct, frozen=True, omit_defaults=True):
    """The entries of one result by their error, how far out they typically are, and where the worst is.

    `bins` counts the entries by error over what is allowed: exact; up to 1/256, 1/128, 1/64, 1/32, 1/16, 1/8,
    1/4, 1/2 and the whole of it; more. `typical` (the median) and `worst` are in units in the last place at the
    conditioning of the case: one unit is the last place of the exact entry or, where that is more, what
    moving the operands by one makes of it. None stands for infinitely far. `where` and `token` are of the worst
    entry, if any is inexact: "the gradient of operand 1 at [0, 2]", and its case for `conformance replay`.
    """

    bins: tuple[int, ...]
    typical: float | None = None
    worst: float | None = None
    where: str = ""
    token: str = ""
