"""The recorder: results go to the run file first, and then to whoever listens, whose loss loses nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from conformance.errors import Interrupted, UsageError
from conformance.runfile.records import Line, ResultLine
from conformance.runfile.writer import RunWriter

# A closed pipe, which rich makes a SystemExit, a full disk, an encoding without the character, a closed file.
LOST = (OSError, ValueError, SystemExit)


class Recorder:
    """Writes lines, keeps the results, and notifies a listener as long as it listens.

    Attributes:
        results: every result so far.
        error: why the file can no longer be written; None where it can.
    """

    def __init__(
        self, writer: RunWriter, listen: Callable[[ResultLine], None], waiting: Callable[..., None]
    ) -> None:
        self.writer = writer
        self.results: list[ResultLine] = []
        self.error: OSError | None = None
        self._listen, self._waiting = listen, waiting

    def keep(self, result: ResultLine) -> None:
        """Write a result; raises KeyboardInterrupt where it cannot be written, since the run is then in vain."""
        self.write(result)
        self.results.append(result)
        safely(self._listen, result)

    def take_over(self, results: Sequence[ResultLine]) -> None:
        """Write the results of the run that is resumed; raises Interrupted or UsageError where that run's file stays as it is."""
        try:
            for result in results:
                self.keep(result)
        except KeyboardInterrupt:
            self.writer.discard()
            if self.error is None:
                raise Interrupted("interrupted before the run went on; its file is as it was") from None
            raise UsageError(
                f"cannot write beside the run file, which is as it was: {self.error.strerror}"
            ) from None

    def wait(self, *given: Any) -> None:
        """Notify the listener of a question that takes long."""
        safely(self._waiting, *given)

    def write(self, line: Line) -> None:
        """Write a line; raises KeyboardInterrupt where the file cannot be written."""
        try:
            self.writer.write(line)
        except OSError as error:
            self.error = error
            raise KeyboardInterrupt from None

    def finish(self, footer: Line) -> None:
        """Write the footer and close the file."""
        try:
            if self.error is None:
                self.writer.write(footer)
                self.writer.close()
                return
        except OSError as error:
            self.error = error
        self.writer.abandon()


def safely(listen: Callable[..., None], *given: Any) -> None:
    """Notify a listener; a terminal that is gone is no reason to end a run."""
    with contextlib.suppress(*LOST):
        listen(*given)
