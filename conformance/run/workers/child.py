"""A worker for a pytest that has none: its questions are run in a child process, and a death of it is one answer.

pytest with and without xdist, in an engine's own repository, is then no more in danger than `conformance run`: an
engine that ends, hangs or replaces anything does so in the child. Nothing here needs xdist. On Linux the child has a
warden, a parent that ends all that it started; elsewhere its process group is ended, and what has left that is not.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec

from conformance.errors import AdapterError, ConformanceError, NothingSelected, UsageError, error_text
from conformance.load import start_timeout
from conformance.questions import Item
from conformance.run import journal
from conformance.run.describe import Description
from conformance.run.plan import PROFILES, parted, together
from conformance.run.process import processes
from conformance.run.process.deadline import Limit, is_over
from conformance.run.process.ends import manner
from conformance.run.process.threads import SETTINGS
from conformance.run.workers.deaths import Deaths, lost
from conformance.run.workers.worker import Worker, group_of, planned
from conformance.runfile.jsonl import decode, encode
from conformance.runfile.known import in_force
from conformance.runfile.known_file import read_known
from conformance.runfile.records import BackendLine, ResultLine

STARTS = 3  # children in a row that may die before they have collected anything
GRACE = 3.0  # seconds that the child's own watchdog has, before it is ended from here
PERIOD = 0.25  # seconds between two looks at a child that says nothing
MODULE = "conformance.run.workers." + ("warden" if sys.platform == "linux" else "child")
ERRORS = {kind.__name__: kind for kind in (UsageError, NothingSelected, AdapterError)}


class Asked(msgspec.Struct, frozen=True):
    """What a session is to ask: the options of the pytest plugin."""

    specs: tuple[str, ...]
    queries: tuple[str, ...]
    profile: str
    seed: int
    shard: str
    known: str
    timeout: float
    until: float | None = None


class Start(msgspec.Struct, frozen=True):
    """What the child is started with: what is asked, and where modules are looked for."""

    asked: Asked
    path: tuple[str, ...]


class Started(msgspec.Struct, frozen=True):
    """What the child answers: its backends, or the class and the text of the error that hinders it."""

    descriptions: tuple[Description, ...] = ()
    error: str = ""
    kind: str = ""


class Supervisor:
    """Has the questions of a session run in a child; a dead one is replaced.

    Raises what hinders the first child as a ConformanceError.
    """

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self._folder = tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True)
        self.folder = Path(self._folder.name)
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Connection
        self._count = 0
        self._overdue = False
        self._latest: tuple[tuple[str, str], dict[str, ResultLine]] = (("", ""), {})
        try:
            descriptions = self._start()
        except BaseException:
            self.close()
            raise
        self._described = {d.line.name: d for d in descriptions}
        parts = parted(descriptions, asked.seed, PROFILES[asked.profile])
        self._planned = planned(parts, asked.queries, asked.shard, until=asked.until)
        lines = [d.line for d in self._described.values()]
        known = in_force(read_known(Path(asked.known)), lines) if asked.known else ()
        by_id = {item.id: item for item in self._planned}
        self._deaths = Deaths(by_id, self.folder, known, Limit(asked.timeout))

    def items(self) -> list[Item]:
        """Every question of this session, in the order in which it is run."""
        return self._planned

    def described(self, name: str) -> BackendLine:
        """A backend's line of the header."""
        return self._described[name].line

    def scope_of(self, item: Item) -> str:
        """What one worker runs together."""
        return together(item, self.asked.until)

    def run(self, item: Item) -> tuple[list[ResultLine], ResultLine | None]:
        """The results that asking this item brought to light, its group's if it is the first, and its own.

        It has none where the time did not suffice.
        """
        fresh: list[ResultLine] = []
        group = group_of(item, self.asked.until)
        if self._latest[0] != group:
            fresh = self._run_group(group)
            self._latest = (group, {result.id: result for result in fresh})
        found = self._latest[1].get(item.id)
        return fresh, found if found or is_over(self.asked.until) else lost(item)

    def close(self) -> None:
        """End the child, and remove what it wrote."""
        self._end()
        self._folder.cleanup()

    # ---- a group ------------------------------------------------------------------------------------

    def _run_group(self, group: tuple[str, str]) -> list[ResultLine]:
        waiting = [item.id for item in self._planned if group_of(item, self.asked.until) == group]
        found: list[ResultLine] = []
        while waiting:
            try:
                found += self._answers(group)
                break
            except (EOFError, OSError):
                found += self._died(waiting[0])
                waiting = [name for name in waiting if name not in {result.id for result in found}]
        return found

    def _answers(self, group: tuple[str, str]) -> list[ResultLine]:
        if self._process is None:
            self._start_again()
        self._channel.send_bytes(msgspec.json.encode(group))
        lines = [decode(text) for text in msgspec.json.decode(self._received(), type=list[str])]
        return [line for line in lines if isinstance(line, ResultLine)]

    def _died(self, given: str) -> list[ResultLine]:
        code = self._end()
        result = self._deaths.result(self._name, given, code=code, is_overdue=self._overdue)
        return [] if result is None else [result]

    # ---- the child ----------------------------------------------------------------------------------

    @property
    def _name(self) -> str:
        return f"child{self._count}"

    def _start(self) -> tuple[Description, ...]:
        """Start a child, and return its backends once it has loaded them."""
        self._count += 1
        self._overdue = False
        self._channel, theirs = Pipe()
        environment = {**dict.fromkeys(SETTINGS, "1"), **os.environ, "PYTHONSAFEPATH": "1"}
        command = [sys.executable, "-P", "-m", MODULE]
        self._process = subprocess.Popen(
            [*command, str(theirs.fileno()), str(self.folder), self._name],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env=environment,
        )
        theirs.close()
        path = tuple(os.path.abspath(place) for place in sys.path)
        try:
            self._channel.send_bytes(msgspec.json.encode(Start(self.asked, path)))
            started = msgspec.json.decode(self._received(time.monotonic() + start_timeout()), type=Started)
        except (EOFError, OSError):
            raise AdapterError(self._why_not_started()) from None
        if started.error:
            raise ERRORS.get(started.kind, AdapterError)(started.error)
        return started.descriptions

    def _why_not_started(self) -> str:
        code = self._end()
        name = ", ".join(self.asked.specs)
        if self._overdue:
            return f"the adapter {name} did not start within {start_timeout():g} s"
        said = journal.last_words(self.folder, self._name) or journal.last_output(self.folder, self._name)
        return (
            f"the adapter {name} ended its process ({manner(code) or 'its exit code is unknown'}) while starting"
            + (said and f": {said}")
        )

    def _start_again(self) -> None:
        for attempt in range(STARTS):
            try:
                self._start()
            except AdapterError:
                if attempt == STARTS - 1:
                    raise
            else:
                return

    def _received(self, start_by: float = 0.0) -> bytes:
        """What the child says next; raises EOFError where it is dead, or ended because it says nothing in time."""
        assert self._process is not None
        while not self._channel.poll(PERIOD):
            # A process that it started may keep its end of the channel open.
            if self._process.poll() is not None and not self._channel.poll(0):
                raise EOFError
            deadline = journal.deadline(self.folder, self._name)
            until = start_by or (deadline and deadline + GRACE)
            if until and time.monotonic() > until:
                self._overdue = True
                self._process.terminate()  # its warden ends it, however it hangs
                raise EOFError
        return self._channel.recv_bytes()

    def _end(self) -> int | None:
        """End the child, where there is one, and all that it started; its exit code, if it ended by itself.

        It does so when its channel is closed.
        """
        if self._process is None:
            return None
        process, self._process = self._process, None
        self._channel.close()
        code: int | None = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(timeout=GRACE)
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=GRACE)
        processes.end_group(process.pid)
        process.kill()
        process.wait()
        return code


# ---- in the child -----------------------------------------------------------------------------------


class Child(Worker):
    """A worker that ends when its channel is gone: what an engine closed is then what it died of."""

    def __init__(self, asked: Asked, folder: Path, name: str, channel: Connection) -> None:
        super().__init__(
            specs=asked.specs,
            queries=asked.queries,
            profile=asked.profile,
            seed=asked.seed,
            shard=asked.shard,
            known=Path(asked.known) if asked.known else None,
            limit=Limit(asked.timeout),
            journal=folder,
            name=name,
            until=asked.until,
        )
        self._channel = channel

    def note(self, text: str) -> None:
        """What is run now; the end of this process, where the question before has closed the channel."""
        try:
            os.fstat(self._channel.fileno())
        except OSError:
            os._exit(1)
        super().note(text)


def main() -> None:
    """Load the backends, say which they are, and then run one group after another."""
    channel, folder, name = Connection(int(sys.argv[1])), Path(sys.argv[2]), sys.argv[3]
    start = msgspec.json.decode(channel.recv_bytes(), type=Start)
    sys.path[:] = start.path
    try:
        worker = Child(start.asked, folder, name, channel)
        worker.items()
        started = Started(tuple(worker.descriptions()))
    except ConformanceError as error:
        started = Started(error=str(error), kind=type(error).__name__)
    except Exception as error:
        started = Started(error=f"the adapter could not describe itself: {error_text(error)}")
    channel.send_bytes(msgspec.json.encode(started))
    while True:
        try:
            group = msgspec.json.decode(channel.recv_bytes(), type=tuple[str, str])
        except (EOFError, OSError):
            return
        channel.send_bytes(msgspec.json.encode([encode(line) for line in worker.run_group(group)]))


if __name__ == "__main__":
    main()
