"""One thread for everybody, so that engines are compared and not their thread pools.

Import this before NumPy or an engine: libraries read these settings once, when they start.
"""

from __future__ import annotations

import os
import sys

from conformance.run.process.threads import SETTINGS


def pin() -> dict[str, str]:
    """Set every library to one thread, and keep the process on one core where the system can.

    The core is what binds libraries with settings of their own: a thread pool is as large as the
    cores the process may use.

    Returns:
        What was done, for the header of the run file: `threads` ("1", or why it is not known) and
        `core`.
    """
    is_early = "numpy" not in sys.modules
    already = all(os.environ.get(name) == "1" for name in SETTINGS)
    os.environ.update(dict.fromkeys(SETTINGS, "1"))
    if not is_early and not already:
        return {"threads": "as many as the libraries took: they had started before they could be set to one"}
    return {"threads": "1", "core": keep_to_one_core()}


def keep_to_one_core() -> str:
    """Keep the process on the last of its cores (the first serves most interrupts); its number, or "any"."""
    if not hasattr(os, "sched_setaffinity"):
        return "any"
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return str(core)
