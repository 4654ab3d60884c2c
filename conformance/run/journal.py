"""The journal: what a worker is doing, written so that its death does not erase it.

A few bytes of a memory-mapped file cost next to nothing per question, and the file is still there when
the process is not.
"""

from __future__ import annotations

import faulthandler
import mmap
import os
from pathlib import Path
from typing import IO

SIZE = 4096
MAIN = "main"  # the process that keeps the results


class Journal:
    """One worker's journal: the id run just now, and what the interpreter wrote when it was killed."""

    def __init__(self, folder: Path, worker: str) -> None:
        self.is_of_worker = worker != MAIN
        path = folder / f"{worker}.now"
        path.write_bytes(b"\0" * SIZE)
        self._file = path.open("r+b")
        self._memory = mmap.mmap(self._file.fileno(), SIZE)
        self._words: IO[str] = (folder / f"{worker}.words").open("w", encoding="utf-8")
        faulthandler.enable(file=self._words)

    def note(self, text: str) -> None:
        """What is being run now."""
        encoded = text.encode()[: SIZE - 1]
        self._memory[: len(encoded) + 1] = encoded + b"\0"

    def watch(self, seconds: float) -> None:
        """End this process if nothing is noted as finished within so many seconds.

        The standard library's watchdog is a thread of C: it also ends a call that holds the interpreter's
        lock. pytest's own timeout uses the same one, but writes where only a terminal would see it.
        """
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._words)

    def rest(self) -> None:
        """Nothing is being run."""
        faulthandler.cancel_dump_traceback_later()
        self.note("")


def last_noted(folder: Path, worker: str) -> str:
    """What a worker was running when it died."""
    try:
        return (folder / f"{worker}.now").read_bytes().split(b"\0", 1)[0].decode(errors="replace")
    except OSError:
        return ""


def last_words(folder: Path, worker: str) -> str:
    """What the interpreter wrote when the worker died: a traceback, or nothing."""
    try:
        return (folder / f"{worker}.words").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def was_timeout(words: str) -> bool:
    """Whether the watchdog ended the worker."""
    return words.startswith("Timeout")


def add_culprit(folder: Path, identifier: str) -> None:
    """Remember that asking this id kills workers."""
    with (folder / "culprits").open("a", encoding="utf-8") as file:
        file.write(identifier + "\n")


def culprits(folder: Path) -> frozenset[str]:
    """The ids not to be run again."""
    try:
        return frozenset((folder / "culprits").read_text(encoding="utf-8").split("\n"))
    except OSError:
        return frozenset()


def worker_name() -> str:
    """This process among pytest's workers; "main" without workers."""
    return os.environ.get("PYTEST_XDIST_WORKER", MAIN)
