"""sensitivity: plant errors in an engine's gradients, and find the smallest that is noticed."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.selfcheck.sensitivity import Figure

FALSE_ALARM, NOTHING = "wrong as it is", "none"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `sensitivity`."""
    parser.add_argument(
        "backends", nargs="*", metavar="BACKEND", help="those in whose ops errors are planted (default: all)"
    )
    parser.add_argument(
        "-q", "--query", action="append", default=[], metavar="OP", help="only ops whose name matches"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the cases")
    parser.add_argument("--json", action="store_true", dest="as_json", help="as JSON, for programs")
    parser.add_argument("-o", "--output", type=Path, metavar="F", help="also write the page, as Markdown")


def command(options: argparse.Namespace) -> int:
    """Measure, with progress, and print the summary."""
    import msgspec

    from conformance.errors import NothingSelected
    from conformance.load import registered
    from conformance.ops import CATALOGUE
    from conformance.run.conduct import INTERRUPTED

    ops = [name for name in CATALOGUE if _is_chosen(name, options.query)]
    if not ops:
        raise NothingSelected(
            f"no op matches {' '.join(options.query)}; `conformance list ops` names them all"
        )
    figures, is_whole = _measured(options.backends or list(registered()), ops, options.seed)
    if options.output:
        options.output.write_text("\n".join(page(figures)) + "\n", encoding="utf-8")
    if options.as_json:
        print(msgspec.json.format(msgspec.json.encode(figures), indent=1).decode())
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

    headings, rows = table(figures)
    print_columns(headings, rows)
    print()
    print("\n".join(summary(figures)))


def table(figures: Sequence[Figure]) -> tuple[list[str], list[list[str]]]:
    """The headings, and a row per backend and op."""
    columns = list(dict.fromkeys((f.dtype, f.tester) for f in figures))
    cells: dict[tuple[str, str], dict[tuple[str, str], Figure]] = {}
    for figure in figures:
        cells.setdefault((figure.backend, figure.op), {})[figure.dtype, figure.tester] = figure
    rows = [
        [backend, op, *(_cell(found.get(column)) for column in columns), _why(found.values())]
        for (backend, op), found in cells.items()
    ]
    return ["backend", "op", *(f"{tester} {dtype}" for dtype, tester in columns), "why not less"], rows


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return ""
    if figure.is_false_alarm:
        return FALSE_ALARM
    return NOTHING if figure.smallest is None else f"{figure.smallest:.1e}"


def _why(figures: Iterable[Figure]) -> str:
    return "; ".join(f"{f.dtype}: {f.why}" for f in figures if f.why)


def summary(figures: Sequence[Figure]) -> list[str]:
    """A line per backend, dtype and tester: the median, of how many ops, and the false alarms; then, by dtype, the
    suite's medians over the ops that all backends have.
    """
    from conformance.selfcheck.sensitivity import medians, of_shared_ops

    lines = []
    for (backend, tester, dtype), found in medians(figures).items():
        alarms = f"{found.alarms} called wrong as they are" if found.alarms else ""
        median = f"notices {found.median:.1e} in the median of {found.ops} ops" if found.ops else ""
        lines.append(f"{backend} {dtype}: {tester} {', '.join(filter(None, (median, alarms)))}")
    shared: dict[tuple[str, str, int], list[str]] = {}
    for (backend, tester, dtype), found in medians(of_shared_ops(figures)).items():
        shared.setdefault((tester, dtype, found.ops), []).append(f"{found.median:.1e} on {backend}")
    return lines + [
        f"the ops that all of these have ({count}), {dtype}: {tester} notices {', '.join(medians_by_backend)}"
        for (tester, dtype, count), medians_by_backend in shared.items()
    ]


def page(figures: Sequence[Figure]) -> list[str]:
    """The same as a page of Markdown."""
    headings, rows = table(figures)
    return [
        "# Sensitivity",
        "",
        "The smallest relative error in a gradient that is noticed, by this suite and by the engines' own tests",
        "of gradients at their defaults: each operand's gradient is multiplied by 1 + e, on the same cases, and e is",
        "made smaller until the error passes. `wrong as it is`: called wrong with no error planted, a false alarm or a",
        "fault of the engine's own. `none`: not even an e of 1 is noticed. Measured by `conformance sensitivity`.",
        "",
        *(f"- {line}" for line in summary(figures)),
        "",
        *_markdown(headings, rows),
    ]


def _markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (headings, ["---"] * len(headings), *rows)]
