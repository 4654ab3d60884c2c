"""known: add a run's failures to the file of known failures, take out what passes, or list the entries that are stale, or that hide others."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli.console import add_json_flag, whole_number

if TYPE_CHECKING:
    from conformance.cli.selftest import Progress
    from conformance.runfile.jsonl import Run
    from conformance.runfile.known import KnownFailure
    from conformance.runfile.records import ResultLine
    from conformance.runfile.relative_error import Lost
    from conformance.selfcheck.hidden import Found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `known` takes."""
    parser.add_argument(
        "action",
        choices=("update", "prune", "check", "hides"),
        help="update: add the run's unexpected failures; prune: take out the ids that the run calls fixed; "
        "check: list the entries that the run contradicts; "
        "hides: ask its known failures again with wrong answers, and list the entries that call these known as well",
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
    parser.add_argument(
        "--kind",
        choices=("fault", "documented"),
        help="the kind of the entries that update writes: what smoke --known needs; documented needs the two that follow",
    )
    parser.add_argument("--sentence", default="", help="with --kind documented: the engine's own words")
    parser.add_argument("--link", default="", help="with --kind: where that stands, or where it is reported")
    parser.add_argument(
        "--trust", action="store_true", help="with hides: load the adapter that the run file names by path"
    )
    parser.add_argument(
        "--each",
        type=whole_number,
        default=3,
        metavar="N",
        help="with hides: known failures that are asked of each cause, in even steps; 0 for all (default: 3)",
    )
    add_json_flag(parser)


def expired(path: Path) -> list[str]:
    """A line for each entry of a known-failures file that is in force no more. Raises UsageError as `read_known` does."""
    import datetime

    from conformance.runfile.known_file import read_known

    today = datetime.date.today()
    return [
        f"expired on {entry.expires}: {', '.join(entry.ids)} in {path}; its failures count again"
        for entry in read_known(path)
        if entry.has_expired(today)
    ]


def command(options: argparse.Namespace) -> int:
    """Update, check, or list what hides; 10 where an entry is stale, 12 where the run is not complete."""
    import sys

    from conformance.errors import AdapterError
    from conformance.runfile.jsonl import read_results
    from conformance.runfile.texts import printable

    run = read_results(options.run)
    if warning := run.warning(options.run):
        print(f"conformance: {warning}", file=sys.stderr)
    absent = [
        f"{backend.name} could not start: {backend.error}" for backend in run.header.backends if backend.error
    ]
    if absent and not run.results:
        raise AdapterError(printable(f"{options.run} has no results: {'; '.join(absent)}"))
    for line in absent:
        print(printable(f"conformance: {line}"), file=sys.stderr)
    actions = {"update": _update, "prune": _prune, "check": _check, "hides": _hides}
    return actions[options.action](options, run)


def _update(options: argparse.Namespace, run: Run) -> int:
    """Add the failures of the run, and say what of the list passes; 12 where the run is not complete."""
    from conformance.cli.console import print_json
    from conformance.errors import UsageError
    from conformance.run.conduct import INCOMPLETE
    from conformance.runfile.known_file import DOCUMENTED
    from conformance.runfile.listing import write_known
    from conformance.runfile.records import Verdict

    judged = (
        {"kind": options.kind, "sentence": options.sentence, "link": options.link} if options.kind else {}
    )
    if options.kind == DOCUMENTED and not all(judged.values()):
        raise UsageError(
            "what is documented needs --sentence, the engine's own, and --link to where it stands"
        )
    judged = {name: value for name, value in judged.items() if value}
    added = write_known(options.known, run.results, options.reason, run.header.backends, judged)
    if options.as_json:
        print_json({"known": str(options.known), "added": added, "complete": run.is_complete})
    fixed = [result.id for result in run.results if result.verdict is Verdict.FIXED]
    if fixed:
        more = f", and {len(fixed) - 1} more" if len(fixed) > 1 else ""
        print(
            f"listed, but passing: {fixed[0]}{more}; write a * where a failure comes and goes, and "
            f"conformance known prune {options.run} takes out what is mended"
        )
    if not added and not fixed and not run.is_complete:
        print(
            f"nothing to add: {options.known} has every failure that stands in {options.run}, which is not complete: "
            "what it lacks may have failed too"
        )
    elif not added and not fixed:
        print(
            f"nothing to add: {options.known} has every failure of this run; with --known {options.known} "
            "the same run ends with 0, and another failure makes it red"
        )
    elif added:
        print(
            f"{added} failure{'s' * (added != 1)} added to {options.known}; give each entry its reason, and the script that shows it"
        )
        again = f"conformance run … --rerun-failed {options.run} --known {options.known} -o again.jsonl"
        print(
            f"without a list a check ends at its first wrong number, so others may follow: {again}, and update again"
        )
    return 0 if run.is_complete else INCOMPLETE


def _prune(options: argparse.Namespace, run: Run) -> int:
    """Take out what the run calls fixed, and say what; 12 where the run is not complete."""
    from conformance.cli.console import print_json
    from conformance.run.conduct import INCOMPLETE
    from conformance.runfile.mended import take_out_mended

    mended = take_out_mended(options.known, run.results, run.header.backends)
    if options.as_json:
        print_json({"known": str(options.known), "taken": mended.ids, "entries": mended.entries})
    for identifier in mended.ids:
        print(f"taken out: {identifier}")
    for reason in mended.entries:
        print(f"the entry had no other id: {reason}")
    if not mended.ids:
        print(
            f"nothing to take out: {options.run} calls no id of {options.known} fixed; an id with a * is no promise, "
            f"and conformance known check {options.run} --known {options.known} lists the entries of which nothing fails"
        )
    return 0 if run.is_complete else INCOMPLETE


def _check(options: argparse.Namespace, run: Run) -> int:
    """Print the entries that the run contradicts; 10 where there are any, 12 where the run is not complete."""
    from conformance.cli.console import print_json
    from conformance.cli.pages.known_ids import nameless
    from conformance.run.conduct import INCOMPLETE, STALE
    from conformance.runfile.known import stale
    from conformance.runfile.known_file import read_known

    entries = stale(
        read_known(options.known),
        run.results,
        is_complete=run.is_complete and not run.header.is_part,
        backends=run.header.backends,
    )
    if options.as_json:
        print_json({"known": str(options.known), "stale": entries, "complete": run.is_complete})
    for line in (*expired(options.known), *nameless(options.known)):
        print(line)
    for entry in entries:
        print(f"stale: {', '.join(entry.ids)} passes now, or is not run any more")
    return STALE if entries else 0 if run.is_complete else INCOMPLETE


def _hides(options: argparse.Namespace, run: Run) -> int:
    """Print the entries that hide wrong answers, what hides most first; 0 whatever they hide."""
    from conformance.cli.console import print_json
    from conformance.cli.selftest import Progress
    from conformance.runfile.known import in_force
    from conformance.runfile.known_file import read_known
    from conformance.selfcheck.hidden import some_of_each

    known = in_force(read_known(options.known), run.header.backends)
    asked = some_of_each(run.results, options.each)
    with Progress(len(asked), "known failures", is_silent=options.as_json) as progress:
        found = [
            f
            for name in dict.fromkeys(r.backend for r in asked)
            for f in _found(options, run, name, asked, known, progress)
        ]
    by_entry: dict[tuple[str, ...], list[Found]] = {}
    for each in found:
        for ids in each.entries if each.sorts else ():
            by_entry.setdefault(ids, []).append(each)
    ordered = sorted(by_entry.items(), key=lambda pair: -sum(len(each.sorts) for each in pair[1]))
    hiding = sum(bool(each.sorts) for each in found)
    if options.as_json:
        entries = [
            {"ids": ids, "hides": {each.id: each.sorts for each in those}, "seen": _seen(run, known, ids)}
            for ids, those in ordered
        ]
        print_json({"known": str(options.known), "asked": len(found), "hiding": hiding, "entries": entries})
        return 0
    for ids, those in ordered:
        sorts = ", ".join(dict.fromkeys(sort for each in those for sort in each.sorts))
        more = f", and {len(those) - 1} more" if len(those) > 1 else ""
        print(f"{', '.join(ids)}\n  hides an answer that is {sorts}: {those[0].id}{more}")
        if seen := _seen(run, known, ids):
            print(f"  {_advice(seen)}")
    advice = "; `calls`, `within` or a longer `says` makes an entry say less" if ordered else ""
    print(
        f"{hiding} of {len(found)} known failures would hide a wrong answer, by {len(ordered)} entries{advice}"
    )
    return 0


def _seen(run: Run, known: Sequence[KnownFailure], ids: tuple[str, ...]) -> tuple[float | Lost, ...]:
    """What `within` could say of the run's failures that the entry of these ids explains, where there is one, and it does not say it yet."""
    from conformance.selfcheck.hidden import within_of

    entry, *others = (entry for entry in known if entry.ids == ids)
    return () if others or entry.within is not None else within_of(run.results, entry)


def _advice(seen: Sequence[float | Lost]) -> str:
    """How an entry could say less, from what a run shows of it."""
    words = ", ".join(f'"{each}"' if isinstance(each, str) else f"{each:.2g}" for each in seen)
    return f"in this run its failures are within = {words if len(seen) == 1 else f'[{words}]'}"


def _found(
    options: argparse.Namespace,
    run: Run,
    name: str,
    asked: Sequence[ResultLine],
    known: Sequence[KnownFailure],
    progress: Progress,
) -> list[Found]:
    """What is hidden of the known failures of one backend, asked in a process of its own, which an engine may end."""
    import sys

    from conformance.cli.replay import hold_trusted
    from conformance.selfcheck.hidden import hidden_apart

    spec = next(backend.spec or name for backend in run.header.backends if backend.name == name)
    hold_trusted(options.run, name, spec, options.trust)
    identifiers = [result.id for result in asked if result.backend == name]
    found: list[Found] = []
    for each in hidden_apart(spec, identifiers, known, run.header.seed, run.header.profile):
        if isinstance(each, str):
            print(f"conformance: {each}", file=sys.stderr)
        elif each.entries:
            found.append(each)
            progress.done(each.id)
    return found
