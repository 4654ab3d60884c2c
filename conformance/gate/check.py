"""Running checks from Python: `conformance.check("mine.py", query="op/tanh")`, whose result shows itself in Jupyter too."""

from __future__ import annotations

import html
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.run.conduct import Request, conduct
from conformance.run.failure_text import failure_text
from conformance.runfile.jsonl import Run, read_run
from conformance.runfile.records import UNEXPECTED, ResultLine


@dataclass(frozen=True, repr=False)
class Checked:
    """What a run found; true where nothing failed and nothing is missing."""

    run: Run
    exit_code: int

    @property
    def failures(self) -> list[ResultLine]:
        """The results that are unexpected."""
        return [result for result in self.run.results if result.verdict in UNEXPECTED]

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def __repr__(self) -> str:
        counts = (
            ", ".join(f"{count} {verdict}" for verdict, count in self.run.counts().items())
            or "nothing was run"
        )
        lines = {line.name: line for line in self.run.header.backends}
        errors = [f"{line.name} could not start: {line.error}" for line in lines.values() if line.error]
        return "\n\n".join([counts, *errors, *(failure_text(r, lines.get(r.backend)) for r in self.failures)])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


def check(
    backend: str, query: str | Sequence[str] = (), *, profile: str = "quick", seed: int = 0, workers: int = 1
) -> Checked:
    """Run the checks that a query selects on a backend, in processes of their own.

    Args:
        backend: as on the command line: an engine's name, `module:Name`, or a file.
        query: one query or several; everything where there is none.
        profile: how much is drawn.
        seed: of everything drawn.
        workers: how many processes.

    Raises UsageError where there is no such backend, or the query matches nothing.
    """
    queries = (query,) if isinstance(query, str) else tuple(query)
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        path = Path(folder) / "run.jsonl"
        request = Request((backend,), queries, profile, seed, workers, "", 300.0, path, None)
        code = conduct(request, _Silent())
        return Checked(read_run(path), code)


class _Silent:
    """Listens to a run and prints nothing."""

    def begin(self, *given: Any) -> None:
        pass

    def result(self, *given: Any) -> None:
        pass

    def waiting(self, *given: Any) -> None:
        pass

    def end(self, *given: Any) -> None:
        pass
