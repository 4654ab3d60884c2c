"""compare: show what changed from one run to another."""

from __future__ import annotations

import argparse
from pathlib import Path

from conformance.cli.console import add_json_flag

FORMATS = {".md": "markdown", ".json": "json", ".html": "html"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `compare`."""
    parser.add_argument("old", type=Path, metavar="OLD", help="an earlier run file")
    parser.add_argument("new", type=Path, metavar="NEW", help="a later run file")
    add_json_flag(parser)
    parser.add_argument(
        "-o", "--output", action="append", default=[], type=Path, metavar="F",
        help="also write it; the suffix decides the format: .md, .json, .html; may be given several times",
    )  # fmt: skip


def command(options: argparse.Namespace) -> int:
    """Print and write the comparison; 1 for a regression, 12 where the new run is not complete, or nothing is in both."""
    import sys

    import msgspec

    from conformance.cli.console import print_document
    from conformance.errors import UsageError
    from conformance.gate.comparison_text import as_html, as_markdown, as_text
    from conformance.gate.github import add_to_summary
    from conformance.run.conduct import FAILED, INCOMPLETE
    from conformance.runfile.compare import compare
    from conformance.runfile.jsonl import read_results
    from conformance.runfile.texts import without_commands
    from conformance.runfile.whole import write_whole

    old, new = read_results(options.old), read_results(options.new)
    found = compare(old, new)
    encoded = msgspec.json.format(msgspec.json.encode(found), indent=1).decode() + "\n"
    for path in options.output:
        if path.suffix not in FORMATS:
            raise UsageError(f"the suffix of {path} is of no format; the formats are {', '.join(FORMATS)}")
        text = {".md": as_markdown, ".html": as_html}.get(path.suffix, lambda _: encoded)(found)
        write_whole(path, text)
    if options.as_json:
        print_document(encoded)
    else:
        print(without_commands(as_text(found)))
    add_to_summary(as_markdown(found))
    if found.is_regression:
        return FAILED
    is_in_vain = bool(old.results and new.results) and not found.has_common_questions
    if is_in_vain:
        print(
            f"conformance: {options.old} and {options.new} have no question in common: nothing was compared",
            file=sys.stderr,
        )
    return 0 if new.is_as_requested and not is_in_vain else INCOMPLETE
