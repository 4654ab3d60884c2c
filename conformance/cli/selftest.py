"""selftest: run the checks on engines that are wrong on purpose, each of which must be caught."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli import generated
from conformance.cli.console import add_json_flag, print_json, whole_number
from conformance.cli.settings import add_workers_flag, is_typed
from conformance.errors import UsageError, brief

if TYPE_CHECKING:
    from conformance.selfcheck.selftest import Mutant, Report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `selftest`."""
    parser.add_argument(
        "query",
        nargs="*",
        metavar="QUERY",
        help="only mutants whose name, or a check that they name, matches, such as 'scope-*' or 'op/vjp'; "
        "with --generated, only those of these ops; with --power queries of ids, as of `run`",
    )
    parser.add_argument(
        "--power",
        action="store_true",
        help="instead of mutants: replace each answer of a correct engine by wrong ones, and list the questions that pass",
    )
    parser.add_argument(
        "--variants",
        action="store_true",
        help="instead of mutants: run every check on every op of the controls, the reference engine and engines that "
        "are right in another way",
    )
    parser.add_argument(
        "--matrix",
        action="store_true",
        help="put every check to every mutant, not only those that must catch it: several times as long",
    )
    parser.add_argument("--shard", default="", metavar="I/N", help="one part of the mutants")
    parser.add_argument("--seed", type=whole_number, default=0, help="of everything drawn")
    add_workers_flag(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="RUN", help="also write a run file, for the report"
    )
    add_json_flag(parser)
    generated.add_arguments(parser)


def command(options: argparse.Namespace) -> int:
    """Run the mutants and the checks, and print what was found.

    Returns 1 if a mutant survived, a check has none, or a control was caught; with --power, if a question passes a
    wrong answer.
    """
    if options.shard and (options.generated or options.power or options.variants):
        raise UsageError(
            "--shard is a part of the mutants: --generated takes --sample, --power takes queries"
        )
    _hold_one(options)
    if options.generated:
        return generated.command(options)
    if options.power:
        return _power(options)
    from conformance.selfcheck.recording import write_selftest
    from conformance.selfcheck.selftest import (
        Part,
        registered_controls,
        registered_variants,
        selftest,
    )

    started = time.perf_counter()
    mutants = [] if options.variants else _chosen(options.query, options.shard)
    is_whole = not (options.query or options.shard)
    # Variants compute in Python what others compute in NumPy: minutes each, so that they are asked by themselves.
    controls = list((registered_controls() | (registered_variants() if options.variants else {})).values())
    progress = Progress(len(mutants) + len(controls), "engines", is_silent=options.as_json)
    with progress:
        report = selftest(
            mutants,
            controls,
            seed=options.seed,
            workers=min(options.workers or os.cpu_count() or 1, len(mutants) + len(controls)),
            is_whole=options.variants,
            all_checks=options.matrix,
            part=None if is_whole else Part.of(mutants),
            on_progress=progress.done,
        )
    without = _without_mutant(mutants) if is_whole and not options.variants else []
    has_failed = bool(report.survivors or report.control or without)
    if options.output:
        write_selftest(
            options.output,
            report,
            seed=options.seed,
            seconds=time.perf_counter() - started,
            exit_code=int(has_failed),
        )
    if options.as_json:
        print_json(_as_json(report, without))
    else:
        _print(report, without, time.perf_counter() - started)
    return int(has_failed)


def _hold_one(options: argparse.Namespace) -> None:
    """Raise UsageError for what another of the commands behind this verb takes, which this one would pass over."""
    chosen = [flag for flag in ("generated", "power", "variants") if getattr(options, flag)]
    if len(chosen) > 1:
        raise UsageError(
            f"--{' and --'.join(chosen)} are {len(chosen)} commands, of which one is run at a time; give one of them"
        )
    given = [flag for flag in ("--kind", "--sample", "--at-least") if is_typed(options, flag)]
    if given and not options.generated:
        raise UsageError(
            f"{given[0]} is of the mutants that a program makes: add --generated, or leave it out"
        )
    if options.matrix and chosen:
        raise UsageError(
            f"--matrix is of the mutants written by hand, and not of --{chosen[0]}: leave it out"
        )


def _chosen(queries: Sequence[str], shard: str) -> list[Mutant]:
    from fnmatch import fnmatchcase

    from conformance.errors import NothingSelected
    from conformance.run.plan import numbers_of_shard
    from conformance.selfcheck.selftest import registered_mutants

    part, count = numbers_of_shard(shard) if shard else (1, 1)

    def is_chosen(mutant: Mutant) -> bool:
        names = (mutant.name, *mutant.kills)
        return not queries or any(
            fnmatchcase(n, query) or fnmatchcase(n, query.rstrip("/") + "/*")
            for n in names
            for query in queries
        )

    chosen = [mutant for mutant in registered_mutants().values() if is_chosen(mutant)]
    if not chosen:
        raise NothingSelected(
            f"no mutant, and no check that one names, matches {brief(' or '.join(queries))!r}; see: conformance list mutants"
        )
    if not (part_of := chosen[part - 1 :: count]):
        raise NothingSelected(f"part {shard} of {len(chosen)} mutants has none")
    return part_of


def _without_mutant(mutants: Sequence[Mutant]) -> list[str]:
    from conformance.selfcheck.selftest import checks_without_mutant

    return checks_without_mutant(mutants)


def _power(options: argparse.Namespace) -> int:
    from conformance.selfcheck.power import power_of_suite

    report = power_of_suite(options.query, seed=options.seed, workers=options.workers or os.cpu_count() or 1)
    passing = {power.name: list(power.passes) for power in report.passing}
    counts = {
        "questions": len(report.powers),
        "wrong answers noticed": sum(len(power.noticed) for power in report.powers),
        "pass wrong answers": len(passing),
        "undecided": len(report.undecided),
        "about an outcome, without numbers": len(report.outcomes),
    }
    if options.as_json:
        print_json({"counts": counts, "passing": passing, "undecided": report.undecided})
        return int(bool(passing))
    for identifier in report.undecided:
        print(f"undecided  {identifier}")
    for identifier, sorts in passing.items():
        print(f"passes     {identifier}: {'; '.join(sorts)}")
    for name, count in counts.items():
        print(f"{count:8}  {name}")
    return int(bool(passing))


class Progress:
    """A bar on a terminal, a line now and then elsewhere: a log must show that the work goes on."""

    PAUSE = 20.0  # seconds between plain lines

    def __init__(self, total: int, unit: str, *, is_silent: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        console = Console(stderr=True)
        self.bar = Progress(
            *columns, console=console, transient=True, disable=is_silent or not console.is_terminal
        )
        self.task, self.unit = self.bar.add_task(unit, total=total), unit
        self.is_plain = not is_silent and not console.is_terminal
        self.began = self.printed = time.monotonic()

    def __enter__(self) -> Progress:
        self.bar.start()
        return self

    def __exit__(self, *exception: Any) -> None:
        self.bar.stop()

    def done(self, name: str) -> None:
        """One more."""
        self.bar.update(self.task, advance=1, description=name)
        now, task = time.monotonic(), self.bar.tasks[self.task]
        if self.is_plain and now - self.printed >= self.PAUSE:
            print(
                f"{task.completed:.0f}/{task.total:.0f} {self.unit} in {now - self.began:.0f} s, last {name}",
                file=sys.stderr,
                flush=True,
            )
            self.printed = now


def _print(report: Report, without: Sequence[str], seconds: float) -> None:
    """The kill matrix by mutant and by check, then what is wrong, then the score."""
    from rich.console import Console
    from rich.text import Text

    from conformance.selfcheck.selftest import is_killed

    console = Console(highlight=False, soft_wrap=True)
    width = max((len(line.name) for line in report.mutants), default=6)
    console.print(f"{'mutant':{width}}  caught by (others)")
    for line in report.mutants:
        others = len(set(line.killers) - set(line.named))
        named = " ".join(key if key in line.killers else f"NOT:{key}" for key in line.named)
        text = f"{line.name:{width}}  {named}" + (f"  (+{others})" if others else "")
        console.print(Text(text, style="" if is_killed(line) else "bold red"))
    console.print(f"\n{'check':34} named  catches")
    for key, count in report.kills.items():
        times = sum(key in line.named for line in report.mutants)
        if times or count:  # of a few mutants, not the checks that none of them is about
            console.print(f"{key:34} {times:5}  {count:7}")
    console.print("")
    for line in report.survivors:
        missed = ", ".join(key for key in line.named if key not in line.killers)
        console.print(Text(f"survived  {line.name}: {line.wrong}\n          not caught by {missed}"))
    for where in report.control:
        console.print(Text(f"false     {where} catches an engine that is not wrong"))
    for key in without:
        console.print(f"untested  no mutant names {key}")
    console.print(f"mutation score {report.score} in {seconds:.0f} s")


def _as_json(report: Report, without: Sequence[str]) -> dict[str, Any]:
    import msgspec

    return {
        "score": report.score,
        "survivors": [line.name for line in report.survivors],
        "control": report.control,
        "checks without mutant": list(without),
        "mutants": msgspec.to_builtins(report.mutants),
        "catches": report.kills,
    }
