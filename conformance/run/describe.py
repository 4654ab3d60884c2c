"""The description of a backend, made in a process of its own.

An engine is never imported into the process that keeps the results: an adapter that raises, hangs or
ends its process costs one line of the header.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from typing import IO

import msgspec

from conformance.capability import Capability
from conformance.errors import AdapterError, ConformanceError, UsageError, error_text
from conformance.load import leave, load_backend, name_of, named, start_timeout
from conformance.run.declarations import hold_declarations
from conformance.run.process import caches
from conformance.run.process.ends import manner
from conformance.run.process.processes import end_group, end_with_parent, orphans_ended
from conformance.runfile.records import BackendLine

LAST = 4_000_000  # bytes
PAUSE = 10.0  # seconds after which it is said, again and again, that an adapter is waited for
ROOM = 2**14  # bytes of a description, and of what is said beside it
MARK = "conformance-backend:"


class Description(msgspec.Struct, frozen=True):
    """A backend's line of the header, and what the plan needs."""

    line: BackendLine
    dtypes: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()
    spec: str = ""
    compiles: bool = False  # whether it compiles each signature
    is_spelling: bool = False  # whether its ops alone are asked, and what it respells
    respells: frozenset[Capability] = frozenset()
    uncached: str = (
        ""  # why what it compiles is of no use to a later run; empty where it is, or compiles nothing
    )
    is_unanswered: bool = False  # whether its process ended, or was ended, before it had answered


def describe(spec: str) -> Description:
    """Load the backend here, let it keep what it compiles, and describe it.

    Raises what `load_backend` raises, and AdapterError of declarations.
    """
    backend = load_backend(spec)
    hold_declarations(backend)
    uncached = caches.keep_compiled(backend)
    line = BackendLine(
        name=backend.name,
        engine=backend.engine,
        version=str(backend.version()),
        mode=backend.mode,
        capabilities=tuple(sorted(c.name.lower() for c in backend.capabilities)),
        conventions=dict(backend.conventions),
        spec="" if spec == backend.name else spec,
        repeats=backend.repeats,
    )
    return Description(
        line,
        tuple(backend.dtypes),
        tuple(backend.asked_ops),
        spec,
        backend.compiles_signatures,
        backend.is_spelling,
        frozenset(backend.respells),
        uncached,
    )


class PendingDescription:
    """A description that is being made: several started before any is waited for take the time of the slowest."""

    def __init__(self, spec: str) -> None:
        self.spec, self.until = spec, time.monotonic() + start_timeout()
        # Files, not pipes: a child of the engine's that keeps a pipe open would be waited for.
        self._out, self._err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 - closed when read
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "conformance.run.describe", spec],
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            start_new_session=True,
        )

    def answer(self) -> Description:
        """The description; its line has an `error` where the backend could not start."""
        try:
            code = self._waited()
        except subprocess.TimeoutExpired:
            return self._failed(
                f"the adapter {self.spec} did not start within {start_timeout():g} s; "
                "if it only needs longer, set CONFORMANCE_PATIENCE to more seconds"
            )
        finally:
            end_group(self.process.pid)
            self.process.wait()
            out, err = _end_of(self._out), _end_of(self._err)
        found = [line for line in out.splitlines() if line.startswith(MARK)]
        if found:
            with contextlib.suppress(msgspec.MsgspecError):  # an engine may print anything
                return msgspec.json.decode(found[-1][len(MARK) :], type=Description)
        if hindered := _no_room():
            return self._failed(f"the adapter {self.spec} could not say what it is: {hindered}")
        last = (err.strip().splitlines() or ["it said nothing"])[-1]
        return self._failed(
            f"the adapter {self.spec} ended its process ({manner(code)}) while starting: {last}"
        )

    def _waited(self) -> int:
        """The exit code; what is waited for is said now and then. Raises TimeoutExpired at the end of its time."""
        while (left := self.until - time.monotonic()) > PAUSE:
            try:
                return self.process.wait(timeout=PAUSE)
            except subprocess.TimeoutExpired:
                since, left = start_timeout() - left + PAUSE, left - PAUSE
                print(
                    f"conformance: waiting for the adapter {self.spec} to start, for {since:.0f} s; it is ended in {left:.0f} s",
                    file=sys.stderr,
                    flush=True,
                )
        return self.process.wait(timeout=max(0.0, left))

    def _failed(self, error: str) -> Description:
        line = BackendLine(name_of(self.spec), "", "", error=error)
        return Description(line, spec=self.spec, is_unanswered=True)


def _no_room() -> str:
    """Why nothing can be written where a description is; empty where it can."""
    try:
        with tempfile.TemporaryFile() as file:
            file.write(bytes(ROOM))
    except OSError as error:
        return f"in {tempfile.gettempdir()} nothing can be written: {error.strerror}; TMPDIR names another folder"
    return ""


def _end_of(file: IO[bytes]) -> str:
    """The end of what was written to a file: a description is some kilobytes, an engine may print megabytes."""
    with file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - LAST))
        return file.read().decode(errors="replace")


def describe_all(specs: list[str]) -> list[Description]:
    """The descriptions of several backends, each from its own process; whatever those leave behind is ended."""
    with orphans_ended():
        return [pending.answer() for pending in [PendingDescription(spec) for spec in specs]]


def hold_starts(spec: str) -> None:
    """Raise AdapterError where an adapter that is not installed ends the process in which it is loaded, or hangs it.

    What it raises says who loads it here.
    """
    if spec not in named():
        (found,) = describe_all([spec])
        if found.is_unanswered:
            raise AdapterError(found.line.error)


def hold_names(descriptions: Iterable[Description]) -> None:
    """Refuse two backends of one name, which begins the ids of both; raises UsageError."""
    named: dict[str, str] = {}
    for description in descriptions:
        name, spec = description.line.name, description.spec
        if other := named.get(name):
            raise UsageError(
                f"two backends have one name, {name}: {other} and {spec}; the class attribute `name` decides, or, where it "
                f'is empty, the class or file that is given: write name = "…" in one of them'
            )
        named[name] = spec


def hold_described(found: Iterable[str], planned: Iterable[str]) -> None:
    """Refuse backends that are called otherwise here than where the run was planned: it has no question of such a one; raises AdapterError."""
    here, there = list(found), set(planned)
    if lacking := there.difference(here):
        was, now = " and ".join(sorted(lacking)), " and ".join(name for name in here if name not in there)
        raise AdapterError(
            f"the adapter's name is {now}, and was {was} when it was described: `name` must be the same in every process"
        )


def main() -> None:
    """Print the description of the backend named on the command line."""
    end_with_parent(
        signal.SIGKILL
    )  # an adapter may hang while it is loaded, and nobody waits for it any more
    spec, out = sys.argv[1], os.dup(1)  # an engine may close the other
    try:
        description = describe(spec)
    except ConformanceError as error:
        description = Description(BackendLine(name_of(spec), "", "", error=str(error)), spec=spec)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too, as while it is loaded
        message = f"the adapter {spec} could not describe itself: {error_text(error)}"
        description = Description(BackendLine(name_of(spec), "", "", error=message), spec=spec)
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()  # what is printed later stands behind the description
    with open(out, "wb") as file:
        file.write(b"\n" + MARK.encode() + msgspec.json.encode(description) + b"\n")


if __name__ == "__main__":
    main()
    leave()
