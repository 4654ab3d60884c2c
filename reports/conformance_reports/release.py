"""What a pass is worth: the record of the release's own self-test and proofs, shipped with the package.

The record has what a run of engines does not measure. Whoever shows it says of which day and specification it is.
Renew it from the run files of a self-test and of the proofs: `python -m conformance_reports.release RUN…`
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from conformance.runfile.jsonl import Run, read_run

NAME = "release.json"


def record() -> dict[str, Any]:
    """The record of this release: `mutants` and `proofs`, each with its date and digest; empty where there is none."""
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
    return found


def main() -> None:
    """Renew the record beside this module; what the run files do not measure stays as it is."""
    kept = record() | measured([read_run(Path(name)) for name in sys.argv[1:]])
    Path(__file__).with_name(NAME).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
