"""atlas: show what engines do where they may differ, measured."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.atlas.survey import Atlas, Entry, Survey

ABSENT, APART = "–", "≠"
SIGNS = {"unfair": "✗ ", "artefact": "~ "}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `atlas`."""
    parser.add_argument(
        "backends", nargs="*", metavar="BACKEND", help="an engine's name (all its modes), or a backend's"
    )
    parser.add_argument("--json", action="store_true", dest="as_json", help="as JSON, for programs")
    parser.add_argument("-o", "--output", type=Path, metavar="F", help="also write the atlas to a file")
    parser.add_argument(
        "--elections",
        action="store_true",
        help="print what was measured as the adapter's declarations, ready to paste",
    )
    parser.add_argument(
        "--diff", nargs=2, type=Path, metavar=("A", "B"), help="compare two atlas files, of two versions say"
    )


def command(options: argparse.Namespace) -> int:
    """Measure and show; with --diff 1 where the two files differ."""
    from conformance.atlas.survey import surveyed, write_atlas
    from conformance.run.conduct import specs_of

    if options.diff:
        return compare(*options.diff, as_json=options.as_json)
    atlas = surveyed(specs_of(options.backends))
    if options.output:
        write_atlas(options.output, atlas)
    if options.elections:
        for one in atlas.surveys:
            print(declarations(one))
    else:
        show(atlas, as_json=options.as_json)
    return 0


def show(atlas: Atlas, *, as_json: bool) -> None:
    """A row per place, a column per backend; the rows in which backends differ come first."""
    import msgspec

    from conformance.atlas.survey import rows_of
    from conformance.cli.console import print_columns

    rows = rows_of(atlas)
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
        return
    names = [one.backend.name for one in atlas.surveys]
    print_columns(
        ["", "where", "clause", *names],
        [
            [APART * row.is_apart, row.place, row.clause, *(_cell(row.entries.get(name)) for name in names)]
            for row in rows
        ],
    )
    apart = sum(row.is_apart for row in rows)
    print(
        f"{len(rows)} places; backends differ ({APART}) at {apart}; ✗ is outside what is fair, "
        "~ what a composition makes of its ops' conventions"
    )


def _cell(entry: Entry | None) -> str:
    if entry is None:
        return ABSENT
    return SIGNS.get(entry.standing, "") + entry.found


def declarations(survey: Survey) -> str:
    """What was measured, as an adapter declares it: only what a convention's name can say."""
    from conformance.checks.e_values.special_points import RAISES
    from conformance.clauses import STANDARD

    def mapping(name: str, entries: list[Entry]) -> list[str]:
        return [f"{name} = {{", *(f'    "{entry.place}": "{entry.found}",' for entry in entries), "}"]

    named = [e for e in survey.entries if e.found in (*e.among, RAISES) and e.standing != "unfair"]
    clauses = [entry for entry in named if entry.place in STANDARD]
    points = [entry for entry in named if entry.place not in STANDARD and " " not in entry.place]
    told = f"# {survey.backend.name}: {survey.backend.engine} {survey.backend.version}"
    return "\n".join([told, *mapping("conventions", clauses), *mapping("points", points)])


def compare(before: Path, after: Path, *, as_json: bool) -> int:
    """Print what differs between two atlas files; 1 where anything does."""
    import msgspec

    from conformance.atlas.survey import changes, read_atlas
    from conformance.cli.console import print_columns

    found = changes(read_atlas(before), read_atlas(after))
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    elif found:
        cells = [[c.backend, c.place, c.before or ABSENT, c.after or ABSENT] for c in found]
        print_columns(["backend", "where", str(before), str(after)], cells)
    else:
        print("no backend has changed")
    return 1 if found else 0
