"""cache: show or clear what is kept from earlier runs: what engines compiled, and what was expected of them."""

from __future__ import annotations

import argparse

from conformance.cli.console import add_json_flag


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `cache` takes."""
    parser.add_argument("--clear", action="store_true", help="remove it")
    add_json_flag(parser)


def command(options: argparse.Namespace) -> int:
    """Print the folder, and how many files of what size there are of each engine and each state of the suite; or remove all of it."""
    from conformance.cli.console import print_columns, print_json
    from conformance.run.process import caches

    folder = caches.root()
    if options.clear:
        removed = caches.clear()
        if options.as_json:
            print_json({"folder": str(folder), "removed": removed})
        print(f"removed {in_megabytes(removed)} from {folder}")
        return 0
    parts = {
        str(part.relative_to(folder)): [file.size for file in caches.kept(part)]
        for name in caches.PARTS
        for part in sorted((folder / name).glob("*"))
    }
    if options.as_json:
        held = [{"of": name, "files": len(sizes), "bytes": sum(sizes)} for name, sizes in parts.items()]
        print_json({"folder": str(folder), "on": caches.is_on(), "parts": held, "largest": caches.LARGEST})
    print(folder)
    if not caches.is_on():
        print(f"switched off by {caches.SWITCH}")
    rows = [[name, str(len(sizes)), in_megabytes(sum(sizes))] for name, sizes in parts.items()]
    if rows:
        print_columns(["of", "files", "size"], rows)
    print(f"it grows to {in_megabytes(caches.LARGEST)}; then what was not used for longest is removed")
    return 0


def in_megabytes(size: float) -> str:
    """A number of bytes, in words."""
    return f"{size / 2**20:.1f} MiB"
