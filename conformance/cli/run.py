"""run: run the checks of the standard on one or more backends."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli.console import add_json_flag, whole_number
from conformance.cli.settings import add_workers_flag
from conformance.errors import ConformanceError, Interrupted, UsageError
from conformance.seconds import duration, positive

if TYPE_CHECKING:
    from conformance.cli.progress import Progress
    from conformance.cli.report import Report

TIMING = 120  # seconds that the short timing may take


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `run`."""
    _add_what(parser)
    _add_limits(parser)
    _add_output(parser)
    _add_judgement(parser)
    add_json_flag(parser)


def _add_what(parser: argparse.ArgumentParser) -> None:
    """What is checked, and how thoroughly."""
    parser.add_argument(
        "backends",
        nargs="*",
        metavar="BACKEND",
        help="an engine's name (all its modes), a backend's, module:Name, or file.py; default: every installed engine",
    )
    parser.add_argument(
        "-q",
        "--query",
        action="append",
        default=[],
        metavar="QUERY",
        help="only ids that match, such as 'op/matmul' or 'mine/contract/B*'",
    )
    parser.add_argument(
        "--profile", choices=("quick", "standard", "thorough"), default="quick", help="how much is drawn"
    )
    parser.add_argument(
        "--seed",
        type=whole_number,
        default=0,
        help="of everything drawn; the same seed gives every engine the same cases",
    )
    add_workers_flag(parser)
    parser.add_argument("--shard", default="", metavar="I/N", help="one part of the checks")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    """How long it may take, and what is kept between runs."""
    parser.add_argument(
        "--timeout",
        type=positive,
        default=0.0,
        metavar="S",
        help="seconds that one group of checks may take (default: 300; with --budget, one question may take a thirtieth of the budget, or 30)",
    )
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="compute and compile all again, and keep nothing; see: conformance cache",
    )
    parser.add_argument(
        "--budget",
        type=duration,
        default=0.0,
        metavar="TIME",
        help="end after so long, such as 90s, 5m or 1h: the VJP of every op is checked first, then the contracts, then the "
        "rest; the run says what was left out, which --resume runs, and ends with 0 if nothing failed",
    )
    parser.add_argument(
        "-x",
        "--exitfirst",
        action="store_true",
        help="end at the first failure that is not known; --resume runs what is left",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    """Where the results go."""
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("run.jsonl"), metavar="RUN", help="the run file"
    )
    parser.add_argument(
        "--report",
        action="append",
        default=[],
        type=Path,
        metavar="F",
        help="also write a report; its suffix decides the format; may be given several times",
    )
    parser.add_argument("--html", type=Path, metavar="F", help="also write the report of the format html")
    parser.add_argument("--junit", type=Path, metavar="F", help="also write the report of the format junit")
    parser.add_argument(
        "--no-timing",
        action="store_true",
        help="leave out the short timing that a report of the format html has",
    )


def _add_judgement(parser: argparse.ArgumentParser) -> None:
    """What earlier runs and known failures mean for this one, and when it fails."""
    parser.add_argument("--known", type=Path, metavar="F", help="the known failures")
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace the run file that is there; without it, that gets a number",
    )
    parser.add_argument("--resume", type=Path, metavar="RUN", help="run what this unfinished run file lacks")
    parser.add_argument(
        "--rerun-failed", type=Path, metavar="RUN", help="run what did not pass in this run file"
    )
    parser.add_argument(
        "--trust", action="store_true", help="load the adapters that the run file names by path"
    )
    parser.add_argument(
        "--fail-on",
        choices=("must", "should"),
        default="should",
        help="the level of clauses from which a failure is exit code 1",
    )


def command(options: argparse.Namespace) -> int:
    """Run, print the results, and return the exit code."""
    from conformance.cli.console import print_json
    from conformance.cli.progress import Progress
    from conformance.cli.report import report_to
    from conformance.gate.github import is_on_github
    from conformance.run.conduct import INTERRUPTED, Request, conduct
    from conformance.run.recorder import safely

    named = [(path, name) for path, name in ((options.html, "html"), (options.junit, "junit")) if path]
    reports = [report_to(path, name) for path, name in (*((path, "") for path in options.report), *named)]
    request = Request(
        specs=tuple(options.backends),
        queries=tuple(options.query),
        profile=options.profile,
        seed=options.seed,
        workers=options.workers,
        shard=options.shard,
        timeout=options.timeout,
        output=options.output,
        known=options.known,
        force=options.force,
        trust=options.trust,
        fail_on=options.fail_on,
        resume=options.resume,
        rerun_failed=options.rerun_failed,
        budget=options.budget,
        is_over_at_first=options.exitfirst,
        no_cache=options.no_cache,
    )
    remark_on(options.known)
    progress = Progress(options.budget)
    try:
        code = conduct(request, progress)
    except KeyboardInterrupt:  # later ones end a run in order
        raise Interrupted("interrupted before anything was asked; there is nothing to resume") from None
    shows_times = any(report.format == "html" for report in reports)
    timings = (
        short_timing(options, progress)
        if shows_times and not options.no_timing and code != INTERRUPTED
        else []
    )
    is_written = True
    for report in reports:  # one that cannot be written costs no other
        try:
            report.write([progress.output, *(timings if report.format == "html" else [])])
        except (OSError, ConformanceError) as error:
            is_written = False
            why = error.strerror if isinstance(error, OSError) else error
            safely(complain, f"conformance: cannot write the report {report.path}: {why}")
        else:
            safely(progress.say, str(report))
    if is_on_github():
        safely(report_on_github, progress.output)
    if options.as_json:
        safely(print_json, summary(progress.output, code, reports))
    is_printed = progress.is_printed()
    return code or (0 if is_written and is_printed else UsageError.exit_code)


def remark_on(known: Path | None) -> None:
    """Print what a list of known failures has that is past its date, or can match nothing."""
    from conformance.cli.known import expired
    from conformance.cli.pages.known_ids import in_one_line, nameless

    for line in (*expired(known), *in_one_line(nameless(known))) if known else ():
        print(f"conformance: {line}", file=sys.stderr)


def complain(text: str) -> None:
    """Print an error."""
    print(text, file=sys.stderr, flush=True)


def summary(path: Path, code: int, reports: Sequence[Report]) -> dict[str, Any]:
    """What a run came to: the counts of each backend, the causes of its failures, and where everything is."""
    from collections import Counter

    from conformance.runfile.causes import causes_of
    from conformance.runfile.jsonl import read_run
    from conformance.runfile.severity import SEVERITY_TEXT

    run = read_run(path)
    counts: dict[str, Counter[str]] = {line.name: Counter() for line in run.header.backends}
    for result in run.results:
        counts[result.backend][result.verdict.value] += 1
    causes = [
        {
            "engine": cause.engine,
            "what": SEVERITY_TEXT[cause.severity],
            "title": cause.title,
            "known": cause.is_known,
            "results": [result.id for result in cause.results],
        }
        for cause in causes_of(run.header.backends, run.results)
    ]
    return {
        "run": str(path),
        "exit_code": code,
        "complete": run.is_complete,
        "missing": run.missing,
        "backends": run.header.backends,
        "counts": counts,
        "causes": causes,
        "reports": {report.format: str(report.path) for report in reports},
    }


def report_on_github(path: Path) -> None:
    """Print the annotations, and add the report of the format markdown to the step's summary."""
    from conformance.cli.report import report_to
    from conformance.gate.github import add_to_summary, annotated
    from conformance.runfile.jsonl import read_run

    run = read_run(path)
    for line in annotated(run):
        print(line, flush=True)
    add_to_summary(report_to(Path("summary.md"), "markdown").render([run]))


def short_timing(options: argparse.Namespace, progress: Progress) -> list[Path]:
    """Time the smallest programs in a process of their own, whose threads are pinned; the run file, or none."""
    import subprocess

    from conformance.runfile.texts import printable

    path = options.output.with_suffix(".timing.jsonl")
    command = [
        sys.executable,
        "-P",
        "-m",
        "conformance",
        "bench",
        *options.backends,
        "--size",
        "small",
        "-o",
        str(path),
    ]
    progress.say("timing the smallest programs; to leave this out: --no-timing")
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMING)
    except subprocess.TimeoutExpired:
        progress.say(f"no times: they took more than {TIMING} s")
        return []
    if done.returncode == 0:
        return [path]
    why = (done.stderr.strip().splitlines() or ["the timing said nothing"])[-1]
    progress.say(f"no times: {printable(why)}")
    return []
