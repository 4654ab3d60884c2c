"""The self-test as a run file, which the report shows beside the runs of engines."""

from __future__ import annotations

from pathlib import Path

from conformance.run.plan import header_of
from conformance.runfile.records import EndLine
from conformance.runfile.writer import RunWriter
from conformance.selfcheck.selftest import Report


def write_selftest(path: Path, report: Report, *, seed: int, seconds: float, exit_code: int) -> None:
    """Write a line for each mutant, and the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = RunWriter(path, header_of("selftest", seed))
    for line in report.mutants:
        writer.write(line)
    writer.write(EndLine(True, {}, round(seconds, 3), exit_code))
    writer.close()
