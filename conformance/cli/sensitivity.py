"""sensitivity: plant errors in an engine's gradients, and find the smallest that is noticed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli.console import add_json_flag, print_document, whole_number

if TYPE_CHECKING:
    from conformance.selfcheck.sensitivity import Figure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `sensitivity`."""
    parser.add_argument(
        "backends", nargs="*", metavar="BACKEND", help="those in whose ops errors are planted (default: all)"
    )
    parser.add_argument(
        "-q", "--query", action="append", default=[], metavar="OP", help="only ops whose name matches"
    )
    parser.add_argument("--seed", type=whole_number, default=0, help="of the cases")
    add_json_flag(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="F",
        help="also write them: .json is data, else a page in Markdown",
    )


def command(options: argparse.Namespace) -> int:
    """Measure, with progress, and tell."""
    from conformance.cli.pages.sensitivity import as_json, page
    from conformance.errors import NothingSelected, brief
    from conformance.load import registered
    from conformance.ops import CATALOGUE
    from conformance.run.conduct import INTERRUPTED
    from conformance.runfile.whole import write_whole

    ops = [name for name in CATALOGUE if _is_chosen(name, options.query)]
    if not ops:
        raise NothingSelected(
            f"no op matches {brief(' '.join(options.query))}; `conformance list ops` names them all"
        )
    figures, is_whole = _measured(options.backends or list(registered()), ops, options.seed)
    if options.output:
        text = as_json(figures) if options.output.suffix == ".json" else page(figures)
        write_whole(options.output, text)
    if options.as_json:
        print_document(as_json(figures))
    else:
        show(figures)
    return 0 if is_whole else INTERRUPTED


def _measured(specs: Sequence[str], ops: Sequence[str], seed: int) -> tuple[list[Figure], bool]:
    """The figures, with progress, and whether they are all of them: Ctrl-C keeps what was measured by then."""
    import time

    from rich.console import Console
    from rich.progress import Progress
    from rich.text import Text

    from conformance.cli.progress import PAUSE
    from conformance.selfcheck.sensitivity import sensitivity

    figures: list[Figure] = []
    console, spoken = Console(stderr=True), time.monotonic()
    try:
        with Progress(transient=True, console=console, disable=not console.is_terminal) as progress:
            task = progress.add_task("", total=None)
            for found in sensitivity(specs, ops, seed=seed):
                here = f"{found[0].backend} {found[0].op} {found[0].dtype}"
                progress.update(task, description=here)
                if not console.is_terminal and time.monotonic() - spoken > PAUSE:
                    spoken = time.monotonic()
                    console.print(Text(f"{here}, {len(figures)} figures so far"))
                figures += found
    except KeyboardInterrupt:
        console.print(Text(f"interrupted after {len(figures)} figures"))
        return figures, False
    return figures, True


def _is_chosen(name: str, queries: Sequence[str]) -> bool:
    from conformance.cli.console import matches

    return not queries or any(matches([name], query) for query in queries)


def show(figures: Sequence[Figure]) -> None:
    """An op a row, a tester and dtype a column; the medians below."""
    from conformance.cli.console import print_columns
    from conformance.cli.pages.sensitivity import summary, table

    headings, rows = table(figures)
    print_columns(headings, rows)
    print()
    print("\n".join(summary(figures)))
