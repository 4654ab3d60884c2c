"""Work in a process of its own, which an engine may end, or which may never answer."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from conformance.errors import AdapterError, UsageError
from conformance.load import leave
from conformance.run.process import copies
from conformance.run.process.ends import manner
from conformance.run.process.spawned import safe_path, without_ctrl_c

SILENCE = 60.0  # seconds without a message after which a process counts as hanging


class Ended(Exception):
    """The process ended, or was ended, before its work was done; the message says how.

    Attributes:
        is_hang: whether it gave no answer in time.
    """

    def __init__(self, how: str, *, is_hang: bool = False) -> None:
        super().__init__(how)
        self.is_hang = is_hang


class _Done:
    """The last message: the work is done."""


def shared_number() -> Any:
    """A number, its `value`, that a process which is ended leaves as it was, given among the arguments of its work."""
    return multiprocessing.get_context("spawn").RawValue("q", 0)


def messages_of(
    work: Callable[..., None],
    *arguments: Any,
    silence: float = SILENCE,
    start: float = SILENCE,
    heard: Callable[[str], None] = lambda text: None,
) -> Iterator[Any]:
    """What `work(send, *arguments)` sends from a process of its own.

    What the process writes to the terminal would stand in the middle of a report: `heard` is called with it at the end.

    Raises:
        UsageError, AdapterError: where the work does.
        Ended: where the engine ends the process, or where nothing comes for `silence` seconds, for the first message
            for `start` seconds if that is longer: a process loads its engine before it sends anything.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    with tempfile.NamedTemporaryFile(prefix="conformance-", delete=False) as file:
        words = Path(file.name)
    process = context.Process(target=_working, args=(sender, words, work, *arguments), daemon=True)
    with safe_path(), without_ctrl_c():
        process.start()
    sender.close()
    is_done = False
    try:
        patience = max(silence, start)
        while receiver.poll(patience):
            message = receiver.recv()
            if isinstance(message, _Done):
                is_done = True
            elif isinstance(message, (UsageError, AdapterError)):
                raise message
            else:
                yield message
            patience = silence
        raise Ended(f"the engine gave no answer within {silence:g} seconds", is_hang=True)
    except EOFError:
        process.join(silence)
    finally:
        receiver.close()
        process.kill()  # not terminate: engines handle that signal
        heard(words.read_text(encoding="utf-8", errors="replace"))
        words.unlink(missing_ok=True)
    if not is_done:  # an engine that crashes at the exit has given every answer
        raise Ended(
            f"the engine ended the process ({manner(process.exitcode) or 'its answers can be sent no more'})"
        )


def _working(sender: Connection, words: Path, work: Callable[..., None], *arguments: Any) -> None:
    descriptor = os.open(words, os.O_WRONLY | os.O_APPEND)
    for standard in (1, 2):
        os.dup2(descriptor, standard)
    try:
        with copies.ended():
            work(sender.send, *arguments)
    except (UsageError, AdapterError) as error:  # of what was given, and not of how the engine ended
        sender.send(type(error)(str(error)))
    else:
        sender.send(_Done())
    sender.close()
    leave()
