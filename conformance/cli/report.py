"""report: write a report from one or more run files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

FORMATS = {".html": "html", ".xml": "junit", ".md": "markdown", ".json": "json"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `report`."""
    parser.add_argument(
        "runs", nargs="+", type=Path, metavar="RUN", help="run files; together they are one report"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="F",
        help="the report; its ending says the format: .html, .xml (JUnit), .md or .json",
    )
    parser.add_argument(
        "--format", default="", metavar="NAME", help="the format, where the ending does not say it"
    )


def command(options: argparse.Namespace) -> int:
    """Write the report."""
    from conformance.errors import UsageError

    name = options.format or FORMATS.get(options.output.suffix, "")
    if not name:
        raise UsageError(
            f"{options.output} does not say its format; it ends in {', '.join(FORMATS)}, or use --format"
        )
    write_report(options.runs, options.output, name)
    print(f"{name:8} {options.output}")
    return 0


def write_report(runs: Sequence[Path], output: Path, name: str) -> None:
    """Write the report `name` of run files; raises UsageError where there is no such report or file."""
    import sys
    from importlib.metadata import entry_points

    from conformance.errors import UsageError
    from conformance.runfile.jsonl import read_run

    found = {point.name: point for point in entry_points(group="conformance.reports")}
    if name not in found:
        raise UsageError(f"there is no report {name!r}; there are {', '.join(sorted(found))}")
    read = [read_run(path) for path in runs]
    for path, run in zip(runs, read, strict=True):
        if not run.is_complete:
            print(f"conformance: {path} is not complete: {run.missing}", file=sys.stderr)
    if len({run.header.spec.digest for run in read}) > 1:
        print(
            "conformance: these runs asked different questions (their spec digests differ)", file=sys.stderr
        )
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(found[name].load()(read), encoding="utf-8")
