"""known: write or prune the file of known failures."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `known` takes."""
    parser.add_argument(
        "action",
        choices=("update", "check"),
        help="update: add the run's unexpected failures; check: tell which entries the run contradicts",
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


def command(options: argparse.Namespace) -> int:
    """Update or check; 10 where an entry is stale."""
    from conformance.run.known import read_known, stale, write_known
    from conformance.run.results import read_run

    run = read_run(options.run)
    if options.action == "update":
        added = write_known(options.known, run.results, options.reason)
        print(f"{added} added to {options.known}; give each its reason, and the script that shows it")
        return 0
    entries = stale(read_known(options.known), run.results)
    for entry in entries:
        print(f"stale: {entry.id} passes now, or is not asked any more")
    return 10 if entries else 0
