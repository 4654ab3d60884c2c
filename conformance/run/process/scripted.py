"""A script is written in a process of its own, which an engine may end, or which may never answer."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.load import load_backend
from conformance.questions import questions_in
from conformance.run.process.apart import SILENCE, Ended, messages_of, shared_number
from conformance.run.verdict import failure_of
from conformance.scripts.ending import LastLine
from conformance.scripts.script import script_of

Send = Callable[[Any], None]
NONE = 0  # no line is the last one


def script_apart(spec: str, token: str, key: str, silence: float = SILENCE) -> str:
    """The script of the first check that fails on a backend, else of the question itself; empty without a dialect.

    A check that ends the process, or gives no answer within `silence` seconds, fails. It is run twice more: once to count the
    lines that are written before the call that does not return, and once without that call. The script ends there, and
    says so.
    """
    written, end = _last(_write, spec, token, key, silence=silence)
    if end is None:
        return str(written)
    position = 0 if written is None else int(written)
    lines = shared_number()
    _, again = _last(_write_lines, spec, token, key, position, lines, NONE, "", silence=silence)
    said = str(again or end)
    most = int(lines.value) if again is not None else NONE
    text, end = _last(_write_lines, spec, token, key, position, lines, most, said, silence=silence)
    return f"# {said}, and its calls could not be written down" if end is not None else str(text)


def _last(work: Callable[..., None], *arguments: Any, silence: float) -> tuple[Any, Ended | None]:
    """The last message that a process sent, and how it ended, if it was not done."""
    last = None
    try:
        for message in messages_of(work, *arguments, silence=silence):
            last = message
    except Ended as end:
        return last, end
    return last, None


def _write(send: Send, spec: str, token: str, key: str) -> None:
    """Send the number of each check before it is run, and the script in the end."""
    backend = load_backend(spec)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asked = list(questions_in(token, key))
        position, failure = 0, None
        for number, (check, question) in enumerate(asked):
            send(number)
            failure = failure_of(check, backend, question)
            if failure is not None:
                position = number
                break
        send(position)
        check, question = asked[position]
        send(script_of(backend, lambda recorder: question.record(check, recorder, failure), failure))


def _write_lines(
    send: Send, spec: str, token: str, key: str, position: int, lines: Any, most: int, said: str
) -> None:
    """Send the script of one check, counting its lines where others see it, up to the line of that number."""
    backend = load_backend(spec)
    lines.value = 0

    def step() -> None:
        lines.value += 1
        if 0 < most <= lines.value:
            raise LastLine

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check, question = list(questions_in(token, key))[position]
        send(position)
        run = lambda recorder: question.record(check, recorder, None)  # noqa: E731
        send(script_of(backend, run, Ended(said) if said else None, step))
