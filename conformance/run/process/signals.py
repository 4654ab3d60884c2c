"""Signals that end a process: during a run, each of them ends it in order."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

# Those whose default is to end the process, save SIGKILL, faults of the program itself, and SIGPIPE, which Python ignores.
ENDING = (
    *("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF"),
    *("SIGXCPU", "SIGPOLL", "SIGPWR", "SIGSTKFLT", "SIGBREAK"),
)


@contextlib.contextmanager
def as_interrupt() -> Iterator[None]:
    """A scope in which the first signal that would end the process is a KeyboardInterrupt, and later ones are nothing.

    A signal that was ignored before stays ignored: nohup means it. Elsewhere than in the main thread, nothing is set.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Any] = {}
    came: list[int] = []

    def interrupt(number: int, frame: Any) -> None:
        came.append(number)
        if len(came) == 1:
            raise KeyboardInterrupt

    for name in ENDING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            with contextlib.suppress(OSError, ValueError):
                before[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
