"""known: add a run's failures to the file of known failures, or list the entries that are stale."""

from __future__ import annotations

import argparse
from pathlib import Path

from conformance.cli.console import add_json_flag


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `known` takes."""
    parser.add_argument(
        "action",
        choices=("update", "check"),
        help="update: add the run's unexpected failures; check: list the entries that the run contradicts",
    )
    parser.add_argument("run", type=Path, metavar="RUN", help="a run file")
    parser.add_argument(
        "--known",
        type=Path,
        default=Path("known-failures.toml"),
        metavar="F",
        help="the file of known failures",
    )
    parser.add_argument(
        "--reason", default="", help="the reason written beside new entries (default: the failure's message)"
    )
    add_json_flag(parser)


def expired(path: Path) -> list[str]:
    """A line for each entry of a known-failures file that is in force no more. Raises UsageError as `read_known` does."""
    import datetime

    from conformance.runfile.known import read_known

    today = datetime.date.today()
    return [
        f"expired on {entry.expires}: {', '.join(entry.ids)} in {path}; its failures count again"
        for entry in read_known(path)
        if entry.has_expired(today)
    ]


def command(options: argparse.Namespace) -> int:
    """Update or check; 10 where an entry is stale, 12 where the run is not complete."""
    import sys

    from conformance.cli.console import print_json
    from conformance.errors import AdapterError
    from conformance.run.conduct import INCOMPLETE, STALE
    from conformance.runfile.jsonl import read_results
    from conformance.runfile.known import read_known, stale
    from conformance.runfile.listing import write_known
    from conformance.runfile.texts import printable

    run = read_results(options.run)
    if not run.is_complete:
        print(f"conformance: {options.run} is not complete: {run.missing}", file=sys.stderr)
    absent = [
        f"{backend.name} could not start: {backend.error}" for backend in run.header.backends if backend.error
    ]
    if absent and not run.results:
        raise AdapterError(printable(f"{options.run} has no results: {'; '.join(absent)}"))
    for line in absent:
        print(printable(f"conformance: {line}"), file=sys.stderr)
    if options.action == "update":
        added = write_known(options.known, run.results, options.reason)
        if options.as_json:
            print_json({"known": str(options.known), "added": added, "complete": run.is_complete})
        if not added:
            print(
                f"nothing to add: {options.known} has every failure of this run; with --known {options.known} "
                "the same run ends with 0, and another failure makes it red"
            )
        else:
            print(
                f"{added} failures added to {options.known}; give each entry its reason, and the script that shows it"
            )
            again = f"conformance run … --rerun-failed {options.run} --known {options.known} -o again.jsonl"
            print(
                f"without a list a check ends at its first failure, so others may follow: {again}, and update again"
            )
        return 0 if run.is_complete else INCOMPLETE
    entries = stale(
        read_known(options.known),
        run.results,
        is_complete=run.is_complete and not run.header.is_part,
        backends=run.header.backends,
    )
    if options.as_json:
        print_json({"known": str(options.known), "stale": entries, "complete": run.is_complete})
    for line in expired(options.known):
        print(line)
    for entry in entries:
        print(f"stale: {', '.join(entry.ids)} passes now, or is not run any more")
    return STALE if entries else 0 if run.is_complete else INCOMPLETE
