"""Processes that a run starts, and those that engines start: none is left behind.

Linux gives orphans to the nearest ancestor that asks for them; elsewhere a process group is what can be ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # prctl(2)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def lead_group() -> None:
    """In a worker: be the leader of a process group, which ends with the process that keeps the results."""
    with contextlib.suppress(OSError, AttributeError):
        os.setpgid(0, 0)
    end_with_parent(signal.SIGKILL)


def end_with_parent(by: signal.Signals) -> None:
    """Be sent this signal when the parent of this process ends; nothing where the system has no such thing."""
    _prctl(PR_SET_PDEATHSIG, by)


def adopt_orphans() -> None:
    """Be the parent of every descendant whose own parent ends; nothing where the system has no such thing."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


@contextlib.contextmanager
def orphans_ended() -> Iterator[None]:
    """A scope at whose end every process is ended that was started in it and is still there."""
    before = children()
    adopt_orphans()
    try:
        yield
    finally:
        end_orphans(before)
        _prctl(PR_SET_CHILD_SUBREAPER, 0)


def end_orphans(living: Collection[int], *, spare_own_group: bool = False) -> None:
    """End the children of this process that are not among the `living`, and take their exit codes.

    A worker that is just being started is still of this process's own group, and an orphan of a worker never.
    """
    for _ in range(50):  # what is ended leaves orphans of its own
        ended = [
            pid for pid in children() if pid not in living and not (spare_own_group and _is_of_own_group(pid))
        ]
        if not ended:
            return
        for pid in ended:
            end_group(pid)
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for pid in ended:
            with contextlib.suppress(OSError):
                os.waitpid(pid, 0)


def _is_of_own_group(pid: int) -> bool:
    try:
        return os.getpgid(pid) == os.getpgid(0)
    except OSError:
        return False


def end_group(leader: int) -> None:
    """End what is left of a worker's process group."""
    with contextlib.suppress(OSError, AttributeError):
        if leader != os.getpgid(0):
            os.killpg(leader, signal.SIGKILL)


def children() -> frozenset[int]:
    """The processes whose parent this one is; none where the system does not list them."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = stat.read_bytes().rpartition(b")")[2].split()
            if int(fields[1]) == os.getpid():
                found.add(int(stat.parent.name))
    return frozenset(found)


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal, and does nothing until another lets it go on; False where nobody says."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "T"
    except (OSError, ValueError, IndexError):
        return False
