"""How a run is reported: a bar on a terminal, plain lines elsewhere, the causes of failures at the end."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from conformance.run.conduct import Request
from conformance.run.failure_text import failure_text
from conformance.run.resume import command_to_resume
from conformance.runfile.causes import Cause, causes_of
from conformance.runfile.known import message_of
from conformance.runfile.patterns import stated_line
from conformance.runfile.records import UNEXPECTED, BackendLine, ResultLine, RunLine, Verdict
from conformance.runfile.severity import SEVERITY_TEXT, Severity
from conformance.runfile.texts import printable, without_commands
from conformance.runfile.whole import FULL

WHOLE = 3  # causes of which one failure is printed as a whole at the end
LISTED = 20  # causes that have a line each
NAMED = 6  # checks whose failures follow from a plainer one
FEW = 2  # results, from which no time can be guessed
WHOLE_TABLE = 120  # columns of a file or a pipe, in which no heading of the table is cut
PAUSE = 10.0  # seconds between plain lines


class Progress:
    """Prints how a run goes."""

    def __init__(self, budget: float = 0.0) -> None:
        self.budget, self.began = budget, time.monotonic()  # of a run that may take no longer, in seconds
        self.console = Console(highlight=False, soft_wrap=True)
        if not self.console.is_terminal:
            self.console.width = max(self.console.width, WHOLE_TABLE)
        self.bar: Bar | None = None
        self.task: TaskID | None = None
        self.total = 0
        self.counts: Counter[str] = Counter()
        self.output = Path()  # the run file, once it is written
        self._unprinted: OSError | None = None  # why something could not be printed
        self._first = self._printed = 0.0  # when the first result came, when a line was printed

    def say(self, text: str) -> None:
        """One line; engines' own words are neither markup nor commands."""
        self._print(Text(without_commands(text)))

    def _print(self, what: RenderableType) -> None:
        try:
            self.console.print(what)
        except OSError as error:
            self._unprinted = error
            raise

    def is_printed(self) -> bool:
        """Whether all is printed that somebody reads; where the disk is full for it, that is said."""
        error = self._unprinted
        if error is None or error.errno not in FULL:
            return True
        print(f"conformance: {error.strerror}: the output; {self.output} has the results", file=sys.stderr)
        return False

    def begin(self, header: RunLine, total: int, uncached: Sequence[str]) -> None:
        """The backends, and those that could not start."""
        self.total = total
        self._printed = time.monotonic()
        for backend in header.backends:
            mode = f" ({backend.mode})" if backend.mode else ""
            state = (
                f"could not start\n  {backend.error}"
                if backend.error
                else f"{backend.engine} {backend.version}{mode}"
            )
            self.say(f"{backend.name:12} {state}")
        for reason in dict.fromkeys(uncached):
            self.say(f"nothing compiled is kept for the next run: {printable(reason)}")
        self.say(f"{total} checks to run, profile {header.profile}, seed {header.seed}")
        for text in left_out_of(header):
            self.say(text)
        if self.console.is_terminal:
            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("· left"),
                TimeRemainingColumn(),
            )
            # Ops cost very different times: what is left is judged by the last minute, not by the last few.
            self.bar = Bar(*columns, console=self.console, transient=True, speed_estimate_period=60)
            self.task = self.bar.add_task("running", total=total)
            self.bar.start()

    def result(self, result: ResultLine) -> None:
        """One more answer."""
        if not self.counts:
            self._first = time.monotonic()
        self.counts[result.verdict.value] += 1
        failed = sum(self.counts[v.value] for v in UNEXPECTED)
        if self.bar is not None and self.task is not None:
            text = f"{result.backend} {failed} failed{self._budget_left()}"
            self.bar.update(self.task, advance=1, description=text)
        elif time.monotonic() - self._printed > PAUSE:
            self._printed = time.monotonic()
            done = sum(self.counts.values())
            left = (
                self._budget_left() or f", {self._left(done)}"
            )  # of a budget, the whole is not what it is spent on
            self.say(f"{done}/{self.total} {result.backend}, {failed} failed{left}")

    def waiting(self, identifier: str, since: float, left: float) -> None:
        """A question that takes long."""
        text = f"still asking {identifier}, for {in_words(since)}; it is ended in {in_words(left)}"
        if self.bar is not None and self.task is not None:
            self.bar.update(self.task, description=text)
        else:
            self.say(text)

    def _left(self, done: int) -> str:
        """A guess from the results after the first, which came when all engines had started."""
        if done <= FEW:
            return "starting"
        left = (self._printed - self._first) / (done - 1) * (self.total - done)
        return f"about {in_words(left)} left"

    def _budget_left(self) -> str:
        left = max(0.0, self.began + self.budget - time.monotonic())
        return f", {in_words(left)} remain of the budget" if self.budget else ""

    def end(
        self,
        header: RunLine,
        results: Sequence[ResultLine],
        request: Request,
        trouble: Sequence[str],
        not_started: Sequence[str],
    ) -> None:
        """The failures that are not known by their causes, the table, and where everything is."""
        self.output = request.output
        if self.bar is not None:
            self.bar.stop()
        self._causes([c for c in causes_of(header.backends, results) if not c.is_known], header)
        fixed = [r.id for r in results if r.verdict is Verdict.FIXED]
        if fixed:
            self.say(
                "\nlisted as known failures, but passing, so take out, or write a * in an id that fails now and then: "
                f"{', '.join(fixed[:LISTED])}"
            )
        self.say("")
        self._print(table_of(header, results))
        self.say("what the words mean: conformance explain verdicts")
        if points := unasked_points(request.queries, results):
            self.say(f"special points were not asked; to add them: {' '.join(points)}")
        for text in trouble:
            self.say(f"problem of the suite, not of an engine: {text}")
        for text in not_started:
            self.say(f"could not start: {text}")
        if request.footer and request.footer.left_out:
            ops = ", ".join(request.footer.left_out)
            self.say(f"ended processes, so that questions about other things were asked without: {ops}")
        for text in request.footer.unexplained if request.footer else ():
            self.say(text)
        again = command_to_resume(header.backends, request.output)
        for text in unanswered(results):
            self.say(f"{text}; to ask again: {again}")
        if request.footer and request.footer.shortfall:
            self.say(f"{request.footer.shortfall}; to run them: {again}")
        is_said = bool(request.footer and request.footer.shortfall) or not results
        missing = "" if len(results) == self.total else f", {self.total - len(results)} checks not run"
        missing += f"; to run them: {again}" if missing and not is_said else ""
        moved = f" (the one before is {request.moved} now)" if request.moved else ""
        self.say(f"run file {request.output}{moved}{missing}")

    def _causes(self, causes: Sequence[Cause], header: RunLine) -> None:
        """The worst result of the worst causes as a whole, then a line per cause."""
        by_name = {backend.name: backend for backend in header.backends}
        for cause in causes[:WHOLE]:
            self.say("\n" + failure_text(cause.worst, by_name.get(cause.worst.backend)))
        if not causes:
            return
        total = sum(len(cause.results) for cause in causes)
        what = "failure that is" if total == 1 else "failures that are"
        self.say(f"\n{total} {what} not known, by cause, the worst first:")
        shown = shown_of(causes)
        for line in lines_of(shown):
            self.say(line)
        if len(causes) > len(shown):
            self.say(f"… and {len(causes) - len(shown)} more causes: conformance report {self.output}")


def shown_of(causes: Sequence[Cause]) -> list[Cause]:
    """The worst causes, and some that are not the engine's at all, which are to be corrected before the others are read."""
    ours = [cause for cause in causes[LISTED:] if cause.severity is Severity.OURS]
    return [*causes[:LISTED], *ours[:LISTED]]


def lines_of(causes: Iterable[Cause]) -> Iterator[str]:
    """A cause in two lines: how many failures, of which engine, how bad and what; and the worst of them, with its pattern."""
    for cause in causes:
        evidence = cause.worst.evidence
        pattern = f" ({evidence.pattern})" if evidence and evidence.pattern else ""
        known = ", known" if cause.is_known else ""
        yield f"{len(cause.results):5}  {cause.engine:9} {SEVERITY_TEXT[cause.severity]}{known}: {cause.title}"
        yield f"{'':17}{cause.worst.id}{pattern}"
        if cause.following:
            checks = list(dict.fromkeys(result.check for result in cause.following))
            more = f" and {len(checks) - NAMED} more" if len(checks) > NAMED else ""
            yield f"{'':17}{len(cause.following)} of these may follow from it: {', '.join(checks[:NAMED])}{more}"


def unanswered(results: Iterable[ResultLine]) -> Iterator[str]:
    """The questions that have no answer, which is nobody's fault: a sentence for each reason."""
    said = Counter(
        (r.backend, stated_line(message_of(r))) for r in results if r.verdict is Verdict.INTERRUPTED
    )
    for (backend, reason), count in said.items():
        yield f"no answer to {count} question{'s' * (count > 1)} of {backend}: {reason}"


def unasked_points(queries: Sequence[str], results: Sequence[ResultLine]) -> list[str]:
    """The queries for special points of the ops that were asked whole, where none of theirs was asked."""
    from conformance.points import SPECIAL_POINTS

    named = (re.fullmatch(r"op/([^/*?\[]+)(/\*)?", query.strip("/")) for query in queries)
    asked = [query.strip("/") for query in queries]
    ops = [
        op
        for op in dict.fromkeys(found[1] for found in named if found)
        if not any(
            f"{query}/".startswith(f"point/{op}/") for query in asked
        )  # a run may have ended before them
    ]
    having = {point.op for point in SPECIAL_POINTS.values()}
    return [
        f"-q point/{op}" for op in ops if op in having and not any(f"/point/{op}/" in r.id for r in results)
    ]


def left_out_of(header: RunLine) -> list[str]:
    """What the profile leaves out of engines that compile: a sentence for each, or for its modes that do."""
    by_engine: dict[str, list[BackendLine]] = {}
    for backend in header.backends:
        by_engine.setdefault(backend.engine, []).append(backend)
    counts: dict[str, int] = {}
    for engine, modes in by_engine.items():
        left_out = {mode.name: sum(mode.left_out.values()) for mode in modes if mode.left_out}
        counts |= {engine: sum(left_out.values())} if len(left_out) == len(modes) else left_out
    return [
        f"{who} compiles every call: profile {header.profile} leaves {count} of its checks to other seeds and to "
        "--profile standard, see docs/compiling.md"
        for who, count in counts.items()
    ]


def in_words(seconds: float) -> str:
    """A time that is guessed, in the largest unit of which it has two."""
    if seconds >= 2 * 3600:
        return f"{seconds / 3600:.0f} h"
    return f"{seconds / 60:.0f} min" if seconds >= 2 * 60 else f"{seconds:.0f} s"


def _cases(results: Sequence[ResultLine]) -> tuple[str, str]:
    """How many cases decided, and in how many a wrong answer would have passed too."""
    return str(sum(r.cases for r in results)), str(sum(r.undecided for r in results))


def table_of(header: RunLine, results: Sequence[ResultLine]) -> Table:
    """Verdicts by backend, with their denominators."""
    table = Table(box=None, pad_edge=False)
    shown = [v for v in Verdict if any(r.verdict is v for r in results)]
    for name in ("backend", *(v.value for v in shown), "of", "cases", "not deciding"):
        table.add_column(name, justify="left" if name == "backend" else "right")
    for backend in header.backends:
        own = [r for r in results if r.backend == backend.name]
        if results and not own and not backend.error:
            continue  # the queries are about what it does not have
        counts = [str(sum(r.verdict is v for r in own)) for v in shown]
        table.add_row(Text(backend.name), *counts, str(len(own)), *_cases(own))
    return table
