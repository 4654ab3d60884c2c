"""Workers: child processes in which mutants are judged, ended from outside where a mutant hangs or takes all memory."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from conformance.run.process import memory
from conformance.run.process.spawned import safe_path, without_ctrl_c
from conformance.runfile.generated import GeneratedLine

Beat = Callable[[], None]  # says that a mutant was asked something, and still answers
Judge = Callable[[str, Beat], GeneratedLine]
Ended = Callable[[str, str], GeneratedLine]  # the outcome of a mutant, by name, that has none, and why
HANGS, DIES = "timeout", "crash"  # why: it answers no more, or has ended its process; else the judge failed
LIMIT = 30.0  # seconds from one question to the next; the first of an op also draws its cases
OFTEN = 1.0  # seconds from one message to the next that a mutant still answers
WAITING = 8  # times the limit: seconds on the wall, at most
BATCH = 32  # mutants in a row that one worker takes: those of an op share its cases


class _Worker:
    """A process, the batch that it has, and what the first of it has taken."""

    def __init__(self, judge: Judge) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy whatever threads hold
        self.connection, there = context.Pipe()
        self.process: SpawnProcess = context.Process(target=_serve, args=(there, judge), daemon=True)
        with safe_path(), without_ctrl_c():
            self.process.start()
        there.close()
        try:
            self.connection.recv()  # that it is ready; one that ends before has met no mutant
        except EOFError:
            raise RuntimeError("a process for mutants ended before it was given one") from None
        self.batch: deque[str] = deque()
        self.since, self.limit = (0.0, 0.0), 0.0

    def take(self, names: Sequence[str], limit: float) -> None:
        """Give it a batch."""
        self.batch.extend(names)
        self.next(limit)

    def next(self, limit: float) -> None:
        """Send the first of the batch, which may take so many seconds."""
        self.limit = limit
        self.answered()
        self.connection.send(self.batch[0])

    def answered(self) -> None:
        """Begin its seconds anew: it has answered a question."""
        self.since = self._clocks()

    @property
    def is_over(self) -> bool:
        """Whether the first of the batch has taken its seconds for one question: of the processor, which others may be using.

        One that waits for something, and so takes none, is given several times as long.
        """
        wall, own = (now - then for now, then in zip(self._clocks(), self.since, strict=True))
        return own > self.limit or wall > WAITING * self.limit

    def _clocks(self) -> tuple[float, float]:
        """Seconds on the wall, and of the processor; where the system does not report those, on the wall as well."""
        wall = time.monotonic()
        try:
            fields = (
                Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            )
            return wall, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # see proc(5)
        except OSError:
            return wall, wall

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(connection: Connection[Any, Any], judge: Judge) -> None:
    memory.bound()
    connection.send(None)
    while True:
        try:
            name = connection.recv()
        except EOFError:
            return
        try:
            said: GeneratedLine | str = judge(name, _beating(connection))
        except Exception as error:  # the judge's: what a mutant raises is an answer to it
            said = f"{type(error).__name__}: {error}"
        connection.send(said)


def _beating(connection: Connection[Any, Any]) -> Beat:
    """Sends None, every now and then."""
    last = time.monotonic()

    def beat() -> None:
        nonlocal last
        if time.monotonic() - last > OFTEN:
            last = time.monotonic()
            connection.send(None)

    return beat


def judged(
    names: Sequence[str], judge: Judge, ended: Ended, workers: int = 1, limit: float = LIMIT
) -> Iterator[GeneratedLine]:
    """The outcome of every mutant, as they come.

    One that hangs or ends its process is asked once more, in another process: what came of the machine comes once.

    Args:
        names: the mutants; neighbours should share their cases.
        judge: makes the outcome of one, in a child process: a function that pickles.
        ended: makes the outcome of one that hung or ended its process twice, or that the judge failed on, from
            HANGS, DIES, or what was raised.
        workers: child processes.
        limit: seconds from one beat of a mutant to the next; one that is asked much is no one that hangs.
    """
    batches = deque(names[i : i + BATCH] for i in range(0, len(names), BATCH))
    running: list[_Worker] = []
    once: set[str] = set()
    try:
        while batches or running:
            while batches and len(running) < workers:
                running.append(_Worker(judge))
                running[-1].take(batches.popleft(), limit)
            ready = wait([w.connection for w in running], timeout=1.0)
            for worker in list(running):
                said: GeneratedLine | str = HANGS
                if worker.connection in ready:
                    try:
                        heard = worker.connection.recv()
                    except (EOFError, ConnectionError):
                        heard = DIES
                    if heard is None:
                        worker.answered()
                        continue
                    said = heard
                elif not worker.is_over:
                    continue
                name, is_gone = worker.batch[0], said in (HANGS, DIES)
                if not is_gone or name in once:
                    yield ended(name, said) if isinstance(said, str) else said
                    worker.batch.popleft()
                once.add(name)
                if is_gone:
                    worker.end()
                    running.remove(worker)
                    if worker.batch:
                        batches.appendleft(list(worker.batch))
                elif worker.batch:
                    worker.next(limit)
                elif batches:
                    worker.take(batches.popleft(), limit)
                else:
                    worker.end()
                    running.remove(worker)
    finally:
        for worker in running:
            worker.end()
