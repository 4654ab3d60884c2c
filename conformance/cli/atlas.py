"""atlas: measure and show what engines do where they may differ."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli.console import Doing, add_json_flag, print_json

if TYPE_CHECKING:
    from conformance.atlas.entries import Atlas, Entry, Survey
    from conformance.atlas.selection import Selection

ABSENT = "–"
COLUMNS = 100  # of a line, where there is no terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `atlas`."""
    parser.add_argument(
        "backends", nargs="*", metavar="BACKEND", help="an engine's name (all its modes), or a backend's"
    )
    parser.add_argument(
        "-q",
        "--query",
        action="append",
        default=[],
        metavar="Q",
        help="measure these rows only: op/max, max/tie-of-2, A2, 'clause/*'; may be repeated",
    )
    parser.add_argument(
        "--ops-of",
        metavar="MODEL",
        help="measure the rows of the ops that a program calls (model.py), or of a list: relu,MaxPool2d,@",
    )
    add_json_flag(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="F", help="also write the atlas to a file")
    parser.add_argument(
        "--conventions",
        action="store_true",
        help="print what was measured as the adapter's declarations, ready to paste",
    )
    parser.add_argument(
        "--diff", nargs=2, type=Path, metavar=("A", "B"), help="compare two atlas files, of two versions say"
    )


def command(options: argparse.Namespace) -> int:
    """Measure and show; with --diff 1 where the two files differ."""
    from conformance.atlas.entries import write_atlas
    from conformance.atlas.survey import surveyed
    from conformance.errors import NothingSelected
    from conformance.run.conduct import specs_of

    if options.diff:
        return compare(*options.diff, as_json=options.as_json)
    specs = specs_of(options.backends)
    selection = selected(options.query, options.ops_of, specs)
    print(f"measuring {', '.join(specs)}", file=sys.stderr, flush=True)
    doing = Doing()
    atlas = surveyed(specs, selection, doing)
    doing.erase()
    if not any(one.entries for one in atlas.surveys):
        raise NothingSelected("no row of the atlas matches; rows look like max/tie-of-2 or A2")
    if options.conventions:
        for one in atlas.surveys:
            print(declarations(one))
    else:
        show(atlas, as_json=options.as_json)
    if options.output:  # last: where it cannot be written, what was measured is there nevertheless
        write_atlas(options.output, atlas)
    return 0


def show(atlas: Atlas, *, as_json: bool) -> None:
    """The places at which backends differ, in sentences; then the others, one line each; or all as JSON."""

    from conformance.atlas.lines import lines_of
    from conformance.atlas.rows import rows_of

    rows = rows_of(atlas)
    if as_json:
        print_json(rows)
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else COLUMNS
    print("\n".join(lines_of(rows, width)))


def selected(queries: Sequence[str], model: str | None, specs: Sequence[str]) -> Selection:
    """The places that are asked; the names of a model are looked up as the backends' users write them."""
    from conformance.atlas.selection import Selection, imported, names_in, ops_named, source_of
    from conformance.atlas.survey import spelt_apart
    from conformance.errors import NothingSelected

    if model is None:
        return Selection(tuple(queries))
    text = source_of(model)
    calls = names_in(text, model)
    meant = ops_named(calls, spelt_apart(specs))
    roots = imported(text)
    for name in sorted(calls):
        written = sorted(w for w in calls[name] if w.partition(".")[0] in roots or not model.endswith(".py"))
        if not meant[name] and written:
            print(f"no op of the catalogue is called {', '.join(written)}", file=sys.stderr)
    ops = sorted(set().union(*meant.values())) if meant else []
    if not ops:
        raise NothingSelected(f"{model} calls no op of the catalogue")
    print(f"the ops of {model}: {', '.join(ops)}", file=sys.stderr)
    return Selection(tuple(queries), tuple(ops))


def declarations(survey: Survey) -> str:
    """What was measured, as an adapter declares it: only what a convention's name can say, in every dtype alike."""
    from conformance.checks.point_observation import RAISES
    from conformance.clauses import STANDARD
    from conformance.points import SPECIAL_POINTS
    from conformance.points.point import Nature

    def mapping(name: str, entries: list[Entry]) -> list[str]:
        return [f"{name} = {{", *(f'    "{entry.place}": "{entry.found}",' for entry in entries), "}"]

    found: dict[str, set[str]] = {}
    for entry in survey.entries:
        found.setdefault(entry.place, set()).add(entry.found)
    named = {
        e.place: e
        for e in survey.entries
        if e.found in (*e.among, RAISES) and e.standing != "unfair" and len(found[e.place]) == 1
    }
    clauses = [entry for entry in named.values() if entry.place in STANDARD]
    points = [
        entry
        for entry in named.values()
        if (point := SPECIAL_POINTS.get(entry.place)) is not None
        and (entry.found != RAISES or point.nature is Nature.BORDER)  # elsewhere a refusal is a violation
    ]
    heading = f"# {survey.backend.name}: {survey.backend.engine} {survey.backend.version}"
    return "\n".join([heading, *mapping("conventions", clauses), *mapping("points", points)])


def compare(before: Path, after: Path, *, as_json: bool) -> int:
    """Print what differs between two atlas files; 1 where anything does."""

    from conformance.atlas.entries import read_atlas
    from conformance.atlas.rows import changes
    from conformance.cli.console import print_columns

    found = changes(read_atlas(before), read_atlas(after))
    if as_json:
        print_json(found)
    elif found:
        cells = [[c.backend, c.place, c.before or ABSENT, c.after or ABSENT] for c in found]
        print_columns(["backend", "where", str(before), str(after)], cells)
    else:
        print("no backend has changed")
    return 1 if found else 0
