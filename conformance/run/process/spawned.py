"""Processes that multiprocessing starts: they look for no module in the working folder, and Ctrl-C is their starter's."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any

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


@contextlib.contextmanager
def without_ctrl_c() -> Iterator[None]:
    """A scope in which every process is started so that it ignores Ctrl-C, which the terminal sends to all.

    It would end each of them with a traceback, where it may be in the middle of an import. Whoever starts them ends them.
    """
    if threading.current_thread() is not threading.main_thread():  # which alone may set a handler
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)


class _Pool(ProcessPoolExecutor):
    """A pool of spawned processes: each submission that finds none of them idle starts one, until there are enough."""

    def submit(self, *call: Any, **keywords: Any) -> Future[Any]:
        with without_ctrl_c():
            return super().submit(*call, **keywords)


@contextlib.contextmanager
def pool_of(workers: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes; where its scope is left by an exception, they are ended, and what waits for them is not done.

    Spawned rather than forked: a fork would copy whatever threads engines and NumPy hold.
    """
    pool = _Pool(workers, mp_context=multiprocessing.get_context("spawn"))
    with safe_path():
        try:
            yield pool
        except BaseException:
            pool.shutdown(
                wait=False, cancel_futures=True
            )  # first: a dead process would be news to those that wait
            for process in multiprocessing.active_children():
                process.kill()
            raise
        pool.shutdown()
