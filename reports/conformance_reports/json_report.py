"""The united run as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from conformance.runfile.generated import scores_of
from conformance.runfile.jsonl import Run
from conformance_reports.united import unite


def document(run: Run) -> dict[str, Any]:
    """What the JSON report says, and what the HTML report embeds."""
    return {
        "run": run.header,
        "complete": run.is_complete,
        "damage": run.missing,
        "counts": run.counts(),
        "results": run.results,
        "timings": run.timings,
        "proofs": run.proofs,
        "mutants": run.mutants,
        "generated": scores_of(run.generated),
        "end": run.end,
    }


def render(runs: Sequence[Run]) -> str:
    """The runs as one JSON document, its lines as they stand in the run files."""
    return msgspec.json.format(msgspec.json.encode(document(unite(runs))), indent=1).decode() + "\n"
