"""cache: show or clear what engines compiled in earlier runs."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `cache` takes."""
    parser.add_argument("--clear", action="store_true", help="remove it")


def command(options: argparse.Namespace) -> int:
    """Print the folder, and for each engine how many files it has of what size; or remove all of it."""
    from conformance.cli.console import print_columns
    from conformance.run.process import caches

    folder = caches.root()
    if options.clear:
        print(f"removed {in_megabytes(caches.clear())} from {folder}")
        return 0
    print(folder)
    if not caches.is_on():
        print(f"switched off by {caches.SWITCH}")
    rows = []
    for part in sorted(folder.glob("*/*")):
        sizes = [file.size for file in caches.kept(part)]
        rows.append([str(part.relative_to(folder)), str(len(sizes)), in_megabytes(sum(sizes))])
    if rows:
        print_columns(["of", "files", "size"], rows)
    print(f"it grows to {in_megabytes(caches.LARGEST)}; then what was not used for longest is removed")
    return 0


def in_megabytes(size: float) -> str:
    """A number of bytes, in words."""
    return f"{size / 2**20:.1f} MiB"
