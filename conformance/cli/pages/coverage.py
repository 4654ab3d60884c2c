"""list ops --coverage: which levels of the design a run reached, op by op and family by family."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli.console import print_json

if TYPE_CHECKING:
    from conformance.design.coverage import Coverage
    from conformance.runfile.jsonl import Run

MOST = 6  # missing levels that a cell names


def print_coverage(names: Sequence[str], runs: Sequence[Path], *, as_json: bool) -> int:
    """Print what the cases that decided in some runs cover, of the ops that are named; 12 where a run is not complete.

    An engine's rows are those of all its modes, dtypes and runs. Raises NothingSelected where no run has any.
    """
    from conformance.cli.console import print_columns
    from conformance.cli.report import INCOMPLETE, read
    from conformance.errors import NothingSelected

    found = read(runs)
    code = 0 if all(run.is_as_requested for run in found) else INCOMPLETE
    tables = [_table(engine, names, rows, declined) for engine, (rows, declined) in _rows_of(found).items()]
    if not any(tables):
        raise NothingSelected("no result of these runs is of such an op")
    if as_json:
        print_json([line for table in tables for line in table])
        return code
    for table in filter(None, tables):
        headings = list(table[0])
        print_columns(headings, [[str(line[name]) for name in headings] for line in table])
        print()
    return code


def _rows_of(runs: Sequence[Run]) -> dict[str, tuple[dict[str, set[int]], dict[str, set[str]]]]:
    """For each engine the rows of each op that decided, and why some were declined."""
    from conformance.errors import NothingSelected

    found: dict[str, tuple[dict[str, set[int]], dict[str, set[str]]]] = {}
    for run in runs:
        engines = {line.name: line.engine for line in run.header.backends}
        for result in run.results:
            if result.rows:
                rows, declined = found.setdefault(engines.get(result.backend, result.backend), ({}, {}))
                rows.setdefault(result.subject, set()).update(result.rows)
                declined.setdefault(result.subject, set()).update(result.declined)
    if not found:
        raise NothingSelected("no result of these runs says which rows of the design it saw")
    return found


def _table(
    engine: str, names: Sequence[str], rows: dict[str, set[int]], declined: dict[str, set[str]]
) -> list[dict[str, Any]]:
    from conformance.design.coverage import by_family, coverage_of
    from conformance.ops import FAMILIES, find

    asked = [find(name) for name in names if name in rows]
    levels, pairs = ({op.name: coverage_of(op, rows[op.name], n) for op in asked} for n in (1, 2))
    lines = [
        _line(engine, op.name, str(len(rows[op.name])), levels[op.name], pairs[op.name], declined[op.name])
        for op in asked
    ]
    chosen = {name: [op for op in ops if op.name in levels] for name, ops in FAMILIES.items()}
    of_levels, of_pairs = by_family(levels, chosen), by_family(pairs, chosen)
    for name, covered in of_levels.items():
        count = str(sum(len(rows[op.name]) for op in chosen[name]))
        lines.append(_line(engine, f"family {name}", count, covered, of_pairs[name], set()))
    return lines


def _line(
    engine: str, op: str, rows: str, levels: Coverage, pairs: Coverage, declined: set[str]
) -> dict[str, str]:
    reasons = "; ".join(sorted(declined))
    missing = ", ".join(levels.missing[:MOST]) + (" …" if len(levels.missing) > MOST else "")
    return {
        "engine": engine,
        "op": op,
        "rows": rows,
        "levels": "{} of {}".format(*levels.share),
        "pairs": "{} of {}".format(*pairs.share),
        "missing": missing + (f" (the engine declines: {reasons})" if missing and reasons else ""),
    }
