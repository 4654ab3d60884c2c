"""How a run is reported: a bar on a terminal, plain lines elsewhere, the worst failures at the end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from conformance.run.conduct import Request
from conformance.run.failure_text import failure_text
from conformance.runfile.records import UNEXPECTED, ResultLine, RunLine, Verdict

WORST = 10  # failures shown at the end
PAUSE = 10.0  # seconds between plain lines


class Progress:
    """Prints how a run goes."""

    def __init__(self) -> None:
        self.console = Console(highlight=False, soft_wrap=True)
        self.bar: Bar | None = None
        self.task: TaskID | None = None
        self.total = 0
        self.counts: Counter[str] = Counter()
        self._printed = 0.0

    def say(self, text: str) -> None:
        """One line; engines' own words are not markup."""
        self.console.print(Text(text))

    def begin(self, header: RunLine, total: int) -> None:
        """The backends, and those that could not start."""
        self.total, self._printed = total, time.monotonic()
        for backend in header.backends:
            mode = f" ({backend.mode})" if backend.mode else ""
            state = (
                f"could not start\n  {backend.error}"
                if backend.error
                else f"{backend.engine} {backend.version}{mode}"
            )
            self.say(f"{backend.name:12} {state}")
        self.say(f"{total} checks to run, profile {header.profile}, seed {header.seed}")
        if self.console.is_terminal:
            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
            )
            self.bar = Bar(*columns, console=self.console, transient=True)
            self.task = self.bar.add_task("running", total=total)
            self.bar.start()

    def result(self, result: ResultLine) -> None:
        """One more answer."""
        self.counts[result.verdict.value] += 1
        failed = sum(self.counts[v.value] for v in UNEXPECTED)
        if self.bar is not None and self.task is not None:
            self.bar.update(self.task, advance=1, description=f"{result.backend} {failed} failed")
        elif time.monotonic() - self._printed > PAUSE:
            self._printed = time.monotonic()
            self.say(f"{sum(self.counts.values())}/{self.total} {result.backend}, {failed} failed")

    def end(
        self, header: RunLine, results: Sequence[ResultLine], request: Request, trouble: Sequence[str]
    ) -> None:
        """The table, the ten worst failures, and where everything is."""
        if self.bar is not None:
            self.bar.stop()
        by_name = {backend.name: backend for backend in header.backends}
        failures = [r for r in results if r.verdict in UNEXPECTED or r.verdict is Verdict.FIXED]
        for result in sorted(failures, key=_gravity)[:WORST]:
            self.say("\n" + failure_text(result, by_name.get(result.backend)))
        if len(failures) > WORST:
            self.say(f"\n… and {len(failures) - WORST} more, in the run file")
        self.say("")
        self.console.print(table_of(header, results))
        for text in trouble:
            self.say(f"problem of the suite, not of an engine: {text}")
        missing = "" if len(results) == self.total else f", {self.total - len(results)} checks not run"
        self.say(f"run file {request.output}{missing}")


def _gravity(result: ResultLine) -> tuple[int, float]:
    order = list(Verdict)
    return -order.index(result.verdict), -(result.error or 0.0)


def table_of(header: RunLine, results: Sequence[ResultLine]) -> Table:
    """Verdicts by backend, with their denominators."""
    table = Table(box=None, pad_edge=False)
    shown = [v for v in Verdict if any(r.verdict is v for r in results)]
    for name in ("backend", *(v.value for v in shown), "of", "cases"):
        table.add_column(name, justify="left" if name == "backend" else "right")
    for backend in header.backends:
        own = [r for r in results if r.backend == backend.name]
        counts = [str(sum(r.verdict is v for r in own)) for v in shown]
        table.add_row(Text(backend.name), *counts, str(len(own)), str(sum(r.cases for r in own)))
    return table
