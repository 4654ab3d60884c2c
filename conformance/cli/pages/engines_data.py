"""The recorded part of the engines page: what runs counted, kept as JSON so that no engine has to run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from conformance.errors import UsageError
from conformance.runfile.clause_counts import ClauseCount, count_clauses
from conformance.runfile.jsonl import Run, read_run


class Recorded(msgspec.Struct, frozen=True):
    """What one run counted of one backend."""

    version: str  # of the engine
    profile: str
    seed: int
    clauses: dict[str, ClauseCount]


def read_recorded(path: Path) -> dict[str, Recorded]:
    """The records by backend; raises UsageError where the file is missing or something else."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Recorded])
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}; make it from run files with --runs"
        ) from None
    except msgspec.DecodeError as error:
        raise UsageError(f"{path} does not hold the counts of runs: {error}") from None


def record_runs(path: Path, runs: Sequence[Path]) -> None:
    """Replace the records of the backends in `runs`; those of other backends stay.

    Raises UsageError where a run file is not complete: its counts would be too small.
    """
    recorded = read_recorded(path) if path.exists() else {}
    for file in runs:
        run = read_run(file)
        if not run.is_complete or run.header.queries:
            raise UsageError(
                f"{file} is not a whole run: {run.missing_in(file) or 'it was made with a query'}"
            )
        recorded |= _records(run)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_as_text(recorded), encoding="utf-8")


def _records(run: Run) -> dict[str, Recorded]:
    counts, header = count_clauses(run.results), run.header
    return {
        line.name: Recorded(
            line.version.partition("+")[0], header.profile, header.seed, counts.get(line.name, {})
        )
        for line in header.backends
    }


def _as_text(recorded: Mapping[str, Recorded]) -> str:
    """JSON with a line per clause, so that a renewed file shows what has changed."""
    lines = []
    for name, record in sorted(recorded.items()):
        head = f'"version": "{record.version}", "profile": "{record.profile}", "seed": {record.seed}, "clauses": '
        clauses = [
            f'    "{clause}": {msgspec.json.encode(count).decode()}'
            for clause, count in record.clauses.items()
        ]
        lines.append(f'  "{name}": {{{head}{{\n' + ",\n".join(clauses) + "\n  }}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
