"""A worker's channel to the keeper, out of the way of an engine that writes to descriptors of low numbers.

execnet, which pytest-xdist starts workers with, answers through a copy of standard output, which has the first free
number: an engine that takes that number for a file of its own would write into the midst of an answer. What it does to
the channel at its new number nobody can prevent; the keeper ends a worker whose answers come no more.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

import pytest

LOWEST = 900  # the number that is tried first: below 1024, which is what a process may have at least
STEP = 100
CLOSED = "it closed the descriptor that its process answers by"
_streams: list[Any] = []  # the end that this process answers by, where it is a worker of pytest-xdist


def set_apart(config: pytest.Config) -> None:
    """Move the end of the channel that this worker writes to; where execnet does not show it, it stays where it is."""
    for plugin in config.pluginmanager.get_plugins():
        stream = getattr(getattr(getattr(plugin, "channel", None), "gateway", None), "_io", None)
        if stream is not None and hasattr(stream, "outfile") and hasattr(stream, "_write"):
            _move(stream)
            _streams[:] = [stream]


def is_closed() -> bool:
    """Whether an engine has closed the descriptor that this worker answers by; not where it answers by none that is known."""
    try:
        for stream in _streams:
            os.fstat(stream.outfile.fileno())
    except (OSError, ValueError):
        return True
    return False


def _move(stream: Any) -> None:
    try:
        import fcntl
    except ImportError:  # elsewhere a descriptor cannot be given a number
        return
    first = stream.outfile
    first.flush()
    for lowest in range(LOWEST, 0, -STEP):
        with contextlib.suppress(OSError):  # beyond the limit of open files
            moved = os.fdopen(fcntl.fcntl(first.fileno(), fcntl.F_DUPFD_CLOEXEC, lowest), "wb")
            break
    else:
        return
    stream._write, stream.outfile = moved.write, moved
    stream.first = first  # closed, its number would be given to a file of the engine's
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, first.fileno(), inheritable=False)
    os.close(nowhere)
