"""The mapping of an adapter is tried in a process of its own, which an engine may end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.backend import Backend
from conformance.checks.registry import COMPLEX
from conformance.load import load_backend
from conformance.op import Op, Signature
from conformance.ops import ALL_OPS
from conformance.run.mapped.findings import Finding, MappedOp
from conformance.run.mapped.gradients import next_gradient, refuses_products
from conformance.run.mapping import declared_but_taken, is_right, refused_but_given, right_cases, try_mapping
from conformance.run.process.apart import Ended, messages_of

ALONE = 3  # wrong values of one op that are asked for again
DEATHS = 4  # calls of one op that may end the process before the others are given up
HANGS = 2  # of them, those without an answer in time: each is waited for

Send = Callable[[Any], None]
Progress = Callable[[str], None]


def try_ops(
    backend: Backend, spec: str, dtype: str, names: Sequence[str], progress: Progress, heard: Progress
) -> Iterator[MappedOp]:
    """What came of every op that the adapter names, or of those of `names`.

    After an op that spoils the process for the gradients of others, those that follow are tried in another.

    `progress` gets what is being called, and `heard` what the engine wrote to the terminal meanwhile.
    An op that ends the process is tried again without the calls that do, so that what is wrong with the others shows too.
    """
    waiting = [name for name in ALL_OPS if name in backend.ops and (not names or name in names)]
    deadly: dict[str, dict[str, str]] = {}
    while waiting:
        for mapped in _until_it_ends(spec, dtype, waiting, deadly, progress, heard):
            waiting.remove(mapped.op)
            yield mapped


def _until_it_ends(
    spec: str,
    dtype: str,
    names: Sequence[str],
    deadly: dict[str, dict[str, str]],
    progress: Progress,
    heard: Progress,
) -> Iterator[MappedOp]:
    """The ops until one ends the process; its call is added to the `deadly` ones, unless it has enough of them."""
    call = ""
    try:
        for found in messages_of(_try_all, spec, dtype, list(names), deadly, heard=heard):
            if isinstance(found, MappedOp):
                call = ""
                yield found
            else:
                call = found
                progress(call)
    except Ended as end:
        name = call.partition(" ")[0] or names[0]
        calls = deadly.setdefault(name, {})
        calls[call or name] = str(end)
        hangs = [how for how in calls.values() if end.is_hang and how == str(end)]
        if len(calls) == DEATHS or len(hangs) == HANGS or call in ("", name):
            said = (Finding(call, how) for call, how in calls.items())
            yield MappedOp(name, len(calls), refused=tuple(said), is_given_up=True)


def asked_again(backend: Backend, spec: str, dtype: str, mapped: Sequence[MappedOp]) -> list[MappedOp]:
    """The ops, with what shows in processes in which the engine computed nothing before."""
    alone = with_other_gradients(spec, dtype, asked_alone(spec, dtype, mapped))
    return with_what_is_taken(backend, spec, dtype, alone)


def asked_alone(spec: str, dtype: str, mapped: Sequence[MappedOp]) -> list[MappedOp]:
    """The ops; wrong values are the engine's where they are right in a process in which it computed nothing before.

    An adapter that calls another function calls it there, too.
    """
    values = {op.op: op for op in mapped if op.slips and all(slip.is_value for slip in op.slips)}
    calls = [
        (name, op.dtype or dtype, slip.signature, slip.seed)
        for name, op in values.items()
        for slip in op.slips[:ALONE]
    ]
    wrong: set[str] = set()
    try:
        for name in messages_of(_ask_alone, spec, calls) if calls else ():
            wrong.add(name)
    except Ended:
        return list(mapped)
    return [
        replace(op, slips=(), unsteady=op.slips) if op.op in values.keys() - wrong else op for op in mapped
    ]


def with_other_gradients(spec: str, dtype: str, mapped: Sequence[MappedOp]) -> list[MappedOp]:
    """The ops; one that spoils its process has gradients where another call of it gives one in a process of its own."""
    return [
        replace(op, ungradable=None, suspect=(op.ungradable,))
        if op.spoils and op.ungradable and _has_another(spec, op.dtype or dtype, op.op, op.ungradable)
        else op
        for op in mapped
    ]


def _has_another(spec: str, dtype: str, name: str, first: Finding) -> bool:
    """Whether a gradient of the op comes where those that were refused before are not asked for."""
    refused = [first.call]
    while len(refused) <= ALONE:
        try:
            (answer,) = messages_of(_ask_another, spec, dtype, name, refused)
        except Ended:
            return False
        if isinstance(answer, bool):
            return answer
        refused.append(answer)
    return False


def _ask_another(send: Send, spec: str, dtype: str, name: str, refused: Sequence[str]) -> None:
    """Send whether a gradient comes, or the next call whose gradient is refused."""
    backend, op = load_backend(spec), ALL_OPS[name]
    send(next_gradient(backend, op, [c for c in right_cases(backend, op, dtype) if c.label not in refused]))


def with_what_is_taken(backend: Backend, spec: str, dtype: str, mapped: Sequence[MappedOp]) -> list[MappedOp]:
    """The ops, with the values of `lacks` that the engine computes with, and those of `no_gradient` that have one.

    Such a call may end the process, or never return: that is as good a reason to declare it, and nothing is said of it.
    """
    refused = set().union(*backend.no_gradient.values())
    waiting = [op.op for op in mapped if (op.op in backend.lacks or op.op in refused) and not op.slips]
    taken: dict[str, tuple[Finding, ...]] = {}
    while waiting:
        try:
            for name, findings in messages_of(_ask_what_is_taken, spec, dtype, list(waiting)):
                waiting.remove(name)
                taken[name] = findings
        except Ended:
            waiting.pop(0)
    return [replace(op, taken=taken.get(op.op, ())) for op in mapped]


def _ask_what_is_taken(send: Send, spec: str, dtype: str, names: Sequence[str]) -> None:
    backend = load_backend(spec)
    for name in names:
        op = ALL_OPS[name]
        send((name, (*declared_but_taken(backend, op, dtype), *refused_but_given(backend, op, dtype))))


def _ask_alone(send: Send, spec: str, calls: Sequence[tuple[str, str, Signature, int]]) -> None:
    """Send the ops of calls that are wrong; "" is the sign that the engine goes on."""
    backend = load_backend(spec)
    for name, dtype, signature, seed in calls:
        send("" if is_right(backend, ALL_OPS[name], dtype, signature, seed) else name)


def _try_all(
    send: Send, spec: str, dtype: str, names: Sequence[str], deadly: Mapping[str, Mapping[str, str]]
) -> None:
    """Send each call before it is made, and each op when it is done, until one spoils the process."""
    backend = load_backend(spec)
    for name in names:
        send(name)
        found = _tried(backend, ALL_OPS[name], dtype, send, deadly.get(name, {}))
        spoils = found.refuses_gradients and refuses_products(backend, dtype)
        send(replace(found, spoils=spoils))
        if spoils:
            return
        backend.forget()


def _tried(
    backend: Backend, op: Op, dtype: str, note: Callable[[str], None], deadly: Mapping[str, str]
) -> MappedOp:
    """What came of an op in a dtype; in the next ones too, where the engine has no value, or no gradient, in those so far."""
    found = try_mapping(backend, op, dtype, note, deadly)
    further = [d for d in backend.dtypes if d not in (dtype, *COMPLEX)]
    while further and not found.is_answered:
        found = found.and_in(further[0], try_mapping(backend, op, further.pop(0), note, deadly))
    if found.ungradable and any(_has_gradients(backend, op, d, note, deadly) for d in further):
        return replace(found, ungradable_in=found.dtype or dtype)
    return found


def _has_gradients(
    backend: Backend, op: Op, dtype: str, note: Callable[[str], None], deadly: Mapping[str, str]
) -> bool:
    found = try_mapping(backend, op, dtype, note, deadly)
    return found.is_answered and not found.ungradable
