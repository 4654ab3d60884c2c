"""What a pass is worth: the record of the release's own self-test, proofs and coverage, shipped with the package.

The record has what a run of engines does not measure. Whoever shows it says of which day and specification it is.
Renew it from the run files of a self-test, of the proofs, and of the reference engine: `python -m conformance_reports.release RUN…`
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from conformance.runfile.jsonl import Run, read_run
from conformance.runfile.records import ResultLine

NAME = "release.json"


def record() -> dict[str, Any]:
    """The record of this release: `mutants`, `proofs` and `coverage`, each with its date and digest; empty where there is none."""
    path = files("conformance_reports") / NAME
    held: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return held


def measured(runs: Sequence[Run]) -> dict[str, Any]:
    """The record that complete run files make; a run file that was cut short gives nothing."""
    found: dict[str, Any] = {}
    for run in (run for run in runs if run.is_complete):
        when = {"date": run.header.started[:10], "digest": run.header.spec.digest}
        if run.mutants:
            caught = sum(bool(line.killers) for line in run.mutants)
            found["mutants"] = {**when, "caught": caught, "of": len(run.mutants)}
        if run.proofs:
            worst = max(run.proofs, key=lambda line: line.error)
            found["proofs"] = {
                **when,
                "count": len(run.proofs),
                "cases": sum(line.cases for line in run.proofs),
                "worst": worst.error,
                "op": worst.op,
            }
        if counted := _coverage(run):
            found["coverage"] = {**when, **counted}
    return found


def _coverage(run: Run) -> dict[str, Any]:
    """How many levels of the ops' factors, and pairs of them, the cases of the run's first backend reached that decided.

    Of an op that is asked in several dtypes, the one with the most levels counts.
    """
    best: dict[str, ResultLine] = {}
    for line in run.results:
        if line.backend == run.header.backends[0].name and line.levels and line.pairs:
            best[line.subject] = max(best.get(line.subject, line), line, key=lambda one: one.levels or (0, 0))
    if not best:
        return {}
    levels, pairs = ([getattr(line, name) for line in best.values()] for name in ("levels", "pairs"))
    return {
        "backend": run.header.backends[0].name,
        "profile": run.header.profile,
        "ops": len(best),
        "levels": [sum(part) for part in zip(*levels, strict=True)],
        "pairs": [sum(part) for part in zip(*pairs, strict=True)],
    }


def main() -> None:
    """Renew the record beside this module; what the run files do not measure stays as it is."""
    kept = record() | measured([read_run(Path(name)) for name in sys.argv[1:]])
    Path(__file__).with_name(NAME).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
