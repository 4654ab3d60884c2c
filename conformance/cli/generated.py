"""The part of `selftest` that is about mutants made by program."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from conformance.cli.console import print_document, whole_number
from conformance.seconds import percent

if TYPE_CHECKING:
    from conformance.runfile.generated import GeneratedLine

KINDS = ("rules", "guarded", "engine")
PROFILES = ("quick", "standard")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `selftest --generated`."""
    group = parser.add_argument_group("mutants made by program")
    group.add_argument(
        "--generated",
        action="store_true",
        help="ask the mutants that a program makes: of rules, of the reference engine, under a drawn condition",
    )
    group.add_argument("--kind", choices=KINDS, help="only one kind of them")
    group.add_argument(
        "--profile",
        choices=PROFILES,
        default="standard",
        help="how thoroughly they are asked (default: standard)",
    )
    group.add_argument(
        "--sample", type=whole_number, default=0, metavar="N", help="so many of each kind, drawn by the seed"
    )
    group.add_argument(
        "--at-least", type=percent, default=0.0, metavar="PERCENT", help="fail where less of a kind is caught"
    )


def command(options: argparse.Namespace) -> int:
    """Ask them, and print scores and survivors; returns 1 where a score is below --at-least."""
    import time

    from conformance.run.plan import header_of
    from conformance.runfile.generated import scores_of
    from conformance.runfile.records import EndLine
    from conformance.runfile.writer import RunWriter
    from conformance.selfcheck.generated.mutants import generated_mutants, sampled
    from conformance.selfcheck.generated.score import scored

    started = time.perf_counter()
    profiles = PROFILES[: PROFILES.index(options.profile) + 1]
    ops = _ops(options.query)
    lines: list[GeneratedLine] = []
    writer = None
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        writer = RunWriter(options.output, header_of("selftest", options.seed))
    for kind in (options.kind,) if options.kind else KINDS:
        names = [mutant.name for mutant in generated_mutants(kind, ops, options.seed)]
        names = sampled(names, options.sample, options.seed) if options.sample else names
        workers = options.workers or os.cpu_count() or 1
        for line in scored(names, profiles, seed=options.seed, workers=workers):
            lines.append(line)
            if writer:
                writer.write(line)
    has_failed = any(
        100 * score.share < options.at_least for score in scores_of(lines) if score.profile == options.profile
    )
    if writer:
        writer.write(EndLine(True, {}, round(time.perf_counter() - started, 3), int(has_failed)))
        writer.close()
    if options.as_json:
        print_document(_as_json(lines))
    else:
        _print(lines, time.perf_counter() - started)
    return int(has_failed)


def _ops(names: Sequence[str]) -> list[str]:
    from conformance.ops import find

    return [find(name).name for name in names]


def _print(lines: Sequence[GeneratedLine], seconds: float) -> None:
    """The survivors by name, those that stand apart, the scores, and what would have shown the survivors."""
    from rich.console import Console
    from rich.text import Text

    from conformance.runfile.generated import scores_of, survivors_by_factor

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        if line.is_survivor:
            console.print(
                Text(f"survived  {line.name}: {_flat(line.wrong)}\n          {line.shows or line.how}")
            )
    for line in lines:
        if line.apart:
            console.print(Text(f"apart     {line.name}: {_flat(line.wrong)}\n          {line.apart}"))
    for factor, count in survivors_by_factor(lines).items():
        console.print(Text(f"{count:5} survive by {factor}"))
    for score in scores_of(lines):
        console.print(
            f"{score.kind} at {score.profile}: {score.killed}/{score.of} caught, {100 * score.share:.1f} %"
            f" ({score.apart} apart)"
        )
    cpu = sum(line.seconds for line in lines)
    console.print(f"{len(lines)} mutants in {seconds:.0f} s, {cpu:.0f} s of them for questions")


def _flat(text: str) -> str:
    return "; ".join(part.strip() for part in text.splitlines())


def _as_json(lines: Sequence[GeneratedLine]) -> str:
    import msgspec

    from conformance.runfile.generated import scores_of, survivors_by_factor

    return json.dumps(
        {
            "scores": msgspec.to_builtins(scores_of(lines)),
            "survivors": [line.name for line in lines if line.is_survivor],
            "apart": {line.name: line.apart for line in lines if line.apart},
            "survivors by factor": survivors_by_factor(lines),
            "mutants": msgspec.to_builtins(list(lines)),
        },
        indent=1,
    )
