"""How a run is reported: a bar on a terminal, plain lines elsewhere, the causes of failures at the end."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
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
from rich.text import Text

from conformance.cli.pages.run_end import (
    LISTED,
    in_words,
    left_out_of,
    lines_of,
    shown_of,
    table_of,
    unanswered,
    unasked_points,
    unchecked,
)
from conformance.run.conduct import INTERRUPTED, Request
from conformance.run.failure_text import failure_text
from conformance.run.keeper import STARTING
from conformance.run.process import caches
from conformance.run.resume import command_to_resume
from conformance.runfile.causes import Cause, causes_of
from conformance.runfile.records import UNEXPECTED, EndLine, ResultLine, RunLine, Verdict
from conformance.runfile.texts import in_brief_lines, printable, without_commands
from conformance.runfile.whole import FULL

WHOLE = 3  # causes of which one failure is printed as a whole at the end
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
                f"could not start\n  {in_brief_lines(backend.error)}"
                if backend.error
                else f"{backend.engine} {backend.version}{mode}"
            )
            self.say(f"{backend.name:12} {state}")
        if why := caches.unusable():  # of all engines alike, so that it is said once
            self.say(
                f"nothing is kept for the next run, which computes and compiles all again: {printable(why)}"
            )
        for reason in dict.fromkeys(() if why else uncached):
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
        verb = "waiting for" if identifier.startswith(STARTING) else "asking"
        text = f"still {verb} {identifier}, for {in_words(since)}; it is ended in {in_words(left)}"
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
                "\nlisted as known failures, but passing, so take out, as conformance known prune does from the run file, "
                f"or write a * in an id that fails now and then: {', '.join(fixed[:LISTED])}"
            )
        self.say("")
        if results:  # of none the table would be empty, and look like a good one
            self._print(table_of(header, results))
            self.say("what the words mean: conformance explain verdicts")
        for text in unchecked(header, results):
            self.say(text)
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
        moved = f" (the one before is {request.moved} now)" if request.moved else ""
        self.say(f"run file {request.output}{moved}{self._missing(results, request.footer, again)}")

    def _missing(self, results: Sequence[ResultLine], footer: EndLine | None, again: str) -> str:
        """How many checks were not run, and how they are, at the end of a sentence; empty where none is missing."""
        missing = self.total - len(results)
        if not results:
            is_cut = footer is not None and footer.exit_code == INTERRUPTED
            how = "; nothing was answered yet, so nothing is to resume: run the same again" if is_cut else ""
            return f" has no result{f', {missing} checks not run' if missing else ''}{how}"
        if not missing:
            return ""
        is_said = footer is not None and footer.shortfall
        return f", {missing} checks not run" + ("" if is_said else f"; to run them: {again}")

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
