"""Memory: what a worker may take for one group of questions.

A case is a few dozen numbers. An engine that follows a cycle takes memory until the machine has none,
and what the machine then ends may be anybody's.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from conformance.backend import Backend

# Bytes beyond what the process has: the deepest graphs of the checks take the reference engine some 130 MB.
BOUND = 2**31
ROOM = 2**28  # bytes that are left for evidence of a failure
# A GPU's driver counts as data of the process what it maps, of which little is in memory.
BOUND_BESIDE_A_DEVICE = 2**36


def resident() -> int:
    """Bytes of this process that are in memory; 0 where the system does not say."""
    with contextlib.suppress(OSError, ImportError, ValueError):
        import resource

        statm = Path("/proc/self/statm").read_text(encoding="ascii")
        return int(statm.split()[1]) * resource.getpagesize()
    return 0


def bound(beyond: int = BOUND) -> None:
    """From now on, more than so many bytes beyond what this process has are a MemoryError.

    Set as a soft limit on data (getrlimit(2), RLIMIT_DATA); nothing happens on systems other than Linux,
    which neither report nor enforce it.
    """
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, ImportError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        # Lifted first: an engine may have left too little to read a file in.
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
        wanted = _data() + beyond
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def leave(room: int = ROOM) -> None:
    """Lift the bound where less than so many bytes are left: to say how an engine took all of them takes some."""
    with contextlib.suppress(OSError, ImportError, ValueError):
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_DATA)
        try:
            is_short = soft != resource.RLIM_INFINITY and soft - _data() < room
        except MemoryError:  # not even to read a file in
            is_short = True
        if is_short:
            bound(room)


def _data() -> int:
    """Bytes of data and stack that this process has, see proc(5)."""
    import resource

    statm = Path("/proc/self/statm").read_text(encoding="ascii")
    return int(statm.split()[5]) * resource.getpagesize()


def room_of(backend: Backend) -> int:
    """Bytes that a group of questions may take of this backend's process beyond what it has."""
    device = getattr(backend, "device", None)
    return BOUND_BESIDE_A_DEVICE if device is not None and device() != "cpu" else BOUND


def is_given_back_by(backend: Backend) -> bool:
    """Whether the engine has something to forget; where it has not, to look before each case takes a twentieth of a run."""
    return type(backend).forget is not Backend.forget
