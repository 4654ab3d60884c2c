"""The mapping of an adapter is tried in a process of its own, which an engine may end."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection

from conformance.backend import Backend
from conformance.load import load_backend
from conformance.ops import ALL_OPS
from conformance.run.mapping import Finding, MappedOp, try_mapping


def try_ops(
    backend: Backend, spec: str, dtype: str, names: Sequence[str], progress: Callable[[str], None]
) -> Iterator[MappedOp]:
    """What came of every op that the adapter names, or of those of `names`; an op that ends the process is one too."""
    waiting = [name for name in ALL_OPS if name in backend.ops and (not names or name in names)]
    while waiting:
        for mapped in _until_it_ends(spec, dtype, waiting, progress):
            waiting.remove(mapped.op)
            yield mapped


def _until_it_ends(
    spec: str, dtype: str, names: Sequence[str], progress: Callable[[str], None]
) -> Iterator[MappedOp]:
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_try_all, args=(sender, spec, dtype, list(names)), daemon=True)
    process.start()
    sender.close()
    call = ""
    try:
        while True:
            found = receiver.recv()
            if isinstance(found, MappedOp):
                call = ""
                yield found
            else:
                call = found
                progress(call)
    except EOFError:
        process.join()
    finally:
        receiver.close()
        process.kill()
    if call or process.exitcode:
        name = call.partition(" ")[0] or names[0]
        died = Finding(call or name, f"the engine ended the process (exit {process.exitcode})")
        yield MappedOp(name, 1, refused=(died,))


def _try_all(sender: Connection, spec: str, dtype: str, names: Sequence[str]) -> None:
    """Send each call before it is made, and each op when it is done."""
    backend = load_backend(spec)
    for name in names:
        sender.send(name)
        sender.send(try_mapping(backend, ALL_OPS[name], dtype, sender.send))
        backend.forget()
    sender.close()
