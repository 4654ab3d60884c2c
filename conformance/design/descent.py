"""From a failing row to simpler ones."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.design.levels import levels_of
from conformance.design.rows import Row, rows_of
from conformance.op import Op

SIMPLEST = 6  # of all rows that are tried whatever they have in common with the failing one
NEIGHBOURS = 4  # rows that are tried for each factor


def simpler_rows(op: Op, failing: Row) -> Iterator[Row]:
    """Rows simpler than a failing one: the simplest of all, then those that differ from it in ever fewer factors."""
    rows = rows_of(op)
    levels = [levels_of(op, row) for row in rows]
    own, plain = levels_of(op, failing), levels[0]

    def complexity(number: int) -> tuple[int, int, int]:
        far = sum(level != plain.get(factor) for factor, level in levels[number].items())
        return far, rows[number].entries, number

    here = sum(level != plain.get(factor) for factor, level in own.items()), failing.entries
    simpler = sorted((n for n in range(len(rows)) if complexity(n)[:2] < here), key=complexity)
    tried = set(simpler[:SIMPLEST])
    yield from (rows[n] for n in simpler[:SIMPLEST])
    for factor, level in own.items():
        if level == plain.get(factor):
            continue
        kept = [n for n in simpler if levels[n].get(factor) == plain.get(factor) and n not in tried]
        kept.sort(key=lambda n: (sum(levels[n].get(f) != own[f] for f in own), complexity(n)))
        for n in kept[:NEIGHBOURS]:
            tried.add(n)
            yield rows[n]
