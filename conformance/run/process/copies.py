"""Copies of a process that an engine makes by `fork` and that come back to the suite: they end there.

An op that forks and ends nothing in the copy returns twice. The copy would ask on, and fork at the next call as the
process itself does: thousands of processes within a minute. A copy in which the engine works, runs another program or
ends is the engine's own, and is left alone.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from conformance.run.attribution import OURS


class _Scopes:
    """How many scopes are open in which copies are ended.

    Attributes:
        count: of them.
        is_registered: whether the interpreter knows what to call in a copy, which it never forgets.
    """

    count = 0
    is_registered = False


@contextlib.contextmanager
def ended() -> Iterator[None]:
    """A scope that calls engines: a copy made in it ends as soon as the suite's own code goes on there.

    It costs the process itself nothing: the copy is what looks at each of its calls. Nothing is done where the system
    cannot copy a process.
    """
    if hasattr(os, "register_at_fork") and not _Scopes.is_registered:
        os.register_at_fork(after_in_child=_watch)
        _Scopes.is_registered = True
    _Scopes.count += 1
    try:
        yield
    finally:
        _Scopes.count -= 1


def _watch() -> None:
    if _Scopes.count:
        sys.setprofile(_end_in_ours)


def _end_in_ours(frame: FrameType, event: str, argument: Any) -> None:
    if event not in ("call", "return"):  # of functions in Python; this very file calls one in C
        return
    goes_on = frame.f_back if event == "return" else frame
    if goes_on is not None and goes_on.f_code.co_filename.startswith(OURS):
        os._exit(0)  # without a word: what is buffered here is the process's own
