"""The mapping of an adapter is tried in a process of its own, which an engine may end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from conformance.backend import Backend
from conformance.load import load_backend
from conformance.ops import ALL_OPS
from conformance.run.mapping import Finding, MappedOp, try_mapping
from conformance.run.process.apart import Ended, messages_of

Send = Callable[[Any], None]
Progress = Callable[[str], None]


def try_ops(
    backend: Backend, spec: str, dtype: str, names: Sequence[str], progress: Progress
) -> Iterator[MappedOp]:
    """What came of every op that the adapter names, or of those of `names`; an op that ends the process is one too."""
    waiting = [name for name in ALL_OPS if name in backend.ops and (not names or name in names)]
    while waiting:
        for mapped in _until_it_ends(spec, dtype, waiting, progress):
            waiting.remove(mapped.op)
            yield mapped


def _until_it_ends(spec: str, dtype: str, names: Sequence[str], progress: Progress) -> Iterator[MappedOp]:
    call = ""
    try:
        for found in messages_of(_try_all, spec, dtype, list(names)):
            if isinstance(found, MappedOp):
                call = ""
                yield found
            else:
                call = found
                progress(call)
    except Ended as end:
        name = call.partition(" ")[0] or names[0]
        yield MappedOp(name, 1, refused=(Finding(call or name, str(end)),))


def _try_all(send: Send, spec: str, dtype: str, names: Sequence[str]) -> None:
    """Send each call before it is made, and each op when it is done."""
    backend = load_backend(spec)
    for name in names:
        send(name)
        send(try_mapping(backend, ALL_OPS[name], dtype, send))
        backend.forget()
