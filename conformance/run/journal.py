"""The journal: what a worker is doing, written so that its death does not erase it.

A few bytes of a memory-mapped file cost next to nothing per question, and the file is still there when
the process is not.
"""

from __future__ import annotations

import contextlib
import faulthandler
import hashlib
import mmap
import os
import struct
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

NOT_LOADED = (
    "not-loaded"  # the file, in the same folder, in which a worker says why it could not load an adapter
)
SIZE = 4096
WHEN = struct.Struct(
    "d"
)  # when the group that is run must be finished, by the clock that all processes share; 0: none is
SHORTEST = 0.1  # seconds: a watchdog cannot be set to less than none
SEVERAL = 2  # questions that ended with one case
LAST = 2000  # bytes of output that are kept of a worker that died


class Journal:
    """One worker's journal: the id run just now, and what the interpreter wrote when it was killed."""

    def __init__(self, folder: Path, worker: str) -> None:
        path, self._said = folder / f"{worker}.now", folder / f"{worker}.out"
        path.write_bytes(b"\0" * SIZE)
        self._kept, self._asked = (
            os.open(folder / f"{worker}.{what}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            for what in ("kept", "asked")
        )
        self._until, self._count = 0.0, 0  # the questions that were put since something is being run
        self._each, self._armed = 0.0, 0.0  # of a question alone: seconds, and since when
        self._is_asking = False
        self._file = path.open("r+b")
        self._memory = mmap.mmap(self._file.fileno(), SIZE)
        self._words: IO[str] = (folder / f"{worker}.words").open("w", encoding="utf-8")
        faulthandler.enable(file=self._words)
        self._keep_output(self._said)

    def _keep_output(self, path: Path) -> None:
        """From now on, what an engine writes to the terminal goes to a file: a worker's output is nobody's."""
        self._output = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for descriptor in (1, 2):
            os.dup2(self._output, descriptor)

    def trim(self) -> None:
        """Forget what was written to the terminal by questions that are answered."""
        os.ftruncate(self._output, 0)

    def say(self, text: str) -> None:
        """Add a line to the output of the engine, whatever that has closed."""
        with contextlib.suppress(OSError), self._said.open("a", encoding="utf-8") as file:
            file.write(text + "\n")

    def note(self, text: str) -> None:
        """What is being run now."""
        encoded = text.encode()[: SIZE - WHEN.size - 1]
        self._memory[WHEN.size : WHEN.size + len(encoded) + 1] = encoded + b"\0"
        if self._each and self._is_asking and time.monotonic() - self._armed > self._each / 10:
            self._arm(self._each)  # another check of the question: each time would cost too much

    def watch(self, seconds: float, each: float = 0.0) -> None:
        """End this process if nothing is noted as finished within so many seconds, or one question within `each`.

        The standard library's watchdog is a thread of C: it also ends a call that holds the interpreter's
        lock. pytest's own timeout uses the same one, but writes where only a terminal would see it.
        What an engine cancels or stops, the process that keeps the results ends by the time that is written here.
        """
        self._until, self._each = time.monotonic() + seconds, each
        self._arm(seconds)

    def _arm(self, seconds: float) -> None:
        self._armed = time.monotonic()
        self._memory[: WHEN.size] = WHEN.pack(self._armed + seconds)
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._words)

    @contextlib.contextmanager
    def aside(self, answer: str, seconds: float) -> Iterator[None]:
        """While what is done here has a time of its own: where this process does not survive it, `answer` is the answer."""
        left, each = self._until - time.monotonic(), self._each
        _replace(self._kept, answer)
        self.watch(seconds)
        try:
            yield
        finally:
            _replace(self._kept, "")
            self.watch(max(left, SHORTEST), each)

    def ask(self, token: str) -> None:
        """The question that is put to the engine now; empty while none is."""
        self._count += bool(token)
        self._is_asking = bool(token)
        _replace(self._asked, f"{self._count} {token}" if token else "")
        if self._each:
            self._arm(self._each if token else max(self._until - time.monotonic(), SHORTEST))

    def rest(self) -> None:
        """Nothing is being run."""
        self._count, self._each = 0, 0.0
        faulthandler.cancel_dump_traceback_later()
        self._memory[: WHEN.size] = WHEN.pack(0.0)
        self.note("")


def _replace(descriptor: int, text: str) -> None:
    with contextlib.suppress(OSError):  # an engine may have closed every descriptor
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode(), 0)


def last_noted(folder: Path, worker: str) -> str:
    """What a worker was running when it died."""
    try:
        now = (folder / f"{worker}.now").read_bytes()[WHEN.size :]
        return now.split(b"\0", 1)[0].decode(errors="replace")
    except OSError:
        return ""


def deadline(folder: Path, worker: str) -> float:
    """When the worker must have finished what it runs, by `time.monotonic()`; 0 where it runs nothing."""
    try:
        return float(WHEN.unpack((folder / f"{worker}.now").read_bytes()[: WHEN.size])[0])
    except (OSError, struct.error):
        return 0.0


def last_words(folder: Path, worker: str) -> str:
    """What the interpreter wrote when the worker died: tracebacks of its threads, or nothing.

    A thread that only waits for messages of the session says nothing of the engine, and would stand first.
    """
    try:
        words = (folder / f"{worker}.words").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
    parts = (_title_of(part) if _is_of_messages(part) else part for part in words.split("\n\n"))
    return "\n\n".join(part for part in parts if part)


def _is_of_messages(thread: str) -> bool:
    """Whether all that a thread was doing is execnet's."""
    frames = [line for line in thread.splitlines() if line.startswith("  File ")]
    return bool(frames) and all("/execnet/" in line for line in frames)


def _title_of(thread: str) -> str:
    """What stands before a thread, without an empty line between: that the time is over."""
    first, _, _ = thread.partition("\n")
    return "" if "hread 0x" in first else first


def last_output(folder: Path, worker: str) -> str:
    """The end of what a worker's engine wrote to the terminal, from the beginning of a line where one is in it."""
    try:
        with (folder / f"{worker}.out").open("rb") as file:
            before = max(0, file.seek(0, os.SEEK_END) - LAST)
            file.seek(before)
            text = file.read(LAST).decode(errors="replace").strip()
    except OSError:
        return ""
    return (text.partition("\n")[2] if before else "") or text


def kept(folder: Path, worker: str) -> str:
    """The answer that was set aside while the worker did what it died of; empty where there is none."""
    return _read(folder / f"{worker}.kept")


def asked(folder: Path, worker: str) -> str:
    """The token of the question that the worker died of; empty where it died of none."""
    return _read(folder / f"{worker}.asked").partition(" ")[2]


def has_hung(folder: Path, worker: str, seconds: float) -> bool:
    """Whether, of so many seconds, one question took most: the first that was put, or one that took half of them.

    Before the first, its cases are drawn and what is expected is computed.
    """
    path = folder / f"{worker}.asked"
    count, _, token = _read(path).partition(" ")
    if not token:
        return False
    return count == "1" or time.time() - path.stat().st_mtime > seconds / 2


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
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


def leave_out(folder: Path, backend: str, op: str) -> None:
    """Remember that an op of a backend ends workers, so that only questions about it call it."""
    _add_pair(folder / "left-out", backend, op)


def left_out(folder: Path) -> frozenset[tuple[str, str]]:
    """Backends and the ops that are left out of questions about other things."""
    return _pairs(folder / "left-out")


def add_deadly(folder: Path, backend: str, token: str, culprit: str) -> None:
    """Remember that a worker ended with this case, in the question `culprit`."""
    _add_pair(folder / f"deadly-{_digest(backend)}", _digest(token), culprit)


class DeadlyCases:
    """The cases of which workers ended in several questions, so that the case is to blame and no other question asks it."""

    def __init__(self, folder: Path, backend: str) -> None:
        self._culprits: dict[str, list[str]] = {}
        for case, culprit in sorted(_pairs(folder / f"deadly-{_digest(backend)}")):
            self._culprits.setdefault(case, []).append(culprit)

    def culprits(self, token: str) -> Sequence[str]:
        """The questions in which a process ended with the case of a token; none where it was not several."""
        found = self._culprits.get(_digest(token), ()) if self._culprits else ()
        return found if len(found) >= SEVERAL else ()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def give_up(folder: Path, backend: str, subject: str) -> None:
    """Remember that questions about a subject of a backend have no answer in time, so that no more of them are asked."""
    _add_pair(folder / "given-up", backend, subject)


def given_up(folder: Path) -> frozenset[tuple[str, str]]:
    """Backends and the subjects that are not asked about any more."""
    return _pairs(folder / "given-up")


def _add_pair(path: Path, first: str, second: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{first}\t{second}\n")


def _pairs(path: Path) -> frozenset[tuple[str, str]]:
    lines = _read(path).splitlines()
    return frozenset((first, second) for first, _, second in (line.partition("\t") for line in lines))
