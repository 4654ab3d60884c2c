"""Processes that multiprocessing starts: Python itself looks for no module in the working folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

SAFE_PATH = "PYTHONSAFEPATH"


@contextlib.contextmanager
def safe_path() -> Iterator[None]:
    """A scope in which every process is started as by `python -P`.

    A process that is spawned begins with `python -c`, and imports modules of the standard library, such as socket,
    before anybody could correct where it looks for them: a file of that name in the working folder would be executed.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(SAFE_PATH, None)
        else:
            os.environ[SAFE_PATH] = before
