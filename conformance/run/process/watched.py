"""A verb that calls an engine in its own process, watched from another one: an engine may end the process without a word."""

from __future__ import annotations

import mmap
import os
import signal
from collections.abc import Callable

from conformance.errors import AdapterError
from conformance.run.process import copies, processes
from conformance.run.process.ends import manner

_page = mmap.mmap(-1, mmap.PAGESIZE)  # of both processes: what is tried


def trying(what: str) -> None:
    """Note what is tried from now on, for the process that is left to say it; nothing where that is empty."""
    _page[:] = what.encode()[: mmap.PAGESIZE].ljust(mmap.PAGESIZE, b"\0")


def watched(work: Callable[[], int]) -> int:
    """The exit code of `work`, which is done in a child, so that somebody is left to say how it ended.

    The child is a copy of this process, made before an engine is imported; it has the terminal, and Ctrl-C is its to
    answer. Both return. Where the system cannot copy a process, the work is done here.

    Raises AdapterError, in the parent, where the child ends before its work has.
    """
    if not hasattr(os, "fork"):
        return work()
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        processes.end_with_parent(signal.SIGTERM)
        with copies.ended():
            code = work()
        os.write(writer, str(code).encode())
        return code
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to both
    os.close(writer)
    ending = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.set_blocking(
        reader, False
    )  # what the engine has started may outlive the child, and hold the pipe open
    try:
        return int(os.read(reader, 16))
    except (BlockingIOError, ValueError):
        tried = _page[:].rstrip(b"\0").decode(errors="replace")
        raise AdapterError(
            f"the engine ended the process ({manner(ending)}) in the middle of its work"
            f"{f', while this was tried: {tried}' if tried else ''}"
        ) from None
